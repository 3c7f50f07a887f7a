// SPDX-License-Identifier: Apache-2.0
// Reads the JSON of a model's metadata: objects as maps, arrays as lists, texts, whole numbers as longs, others as doubles.
package org.anydim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** The value of a text that is JSON; fails for one that is none. */
  static @Nullable Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.space();
    if (json.at != text.length()) {
      throw json.wrong();
    }
    return value;
  }

  private AnydimException wrong() {
    return AnydimException.of(Status.INVALID_MODEL, "the model's metadata is no JSON at character " + at);
  }

  private void space() {
    while (at < text.length() && text.charAt(at) <= ' ') {
      ++at;
    }
  }

  private boolean takes(String token) {
    space();
    boolean found = text.startsWith(token, at);
    at += found ? token.length() : 0;
    return found;
  }

  private @Nullable Object value() {
    if (takes("{")) {
      Map<String, Object> object = new LinkedHashMap<>();
      for (boolean more = !takes("}"); more; more = next("}")) {
        space();
        String key = string();
        if (!takes(":")) {
          throw wrong();
        }
        object.put(key, value());
      }
      return object;
    }
    if (takes("[")) {
      List<Object> array = new ArrayList<>();
      for (boolean more = !takes("]"); more; more = next("]")) {
        array.add(value());
      }
      return array;
    }
    if (takes("true")) {
      return true;
    }
    if (takes("false")) {
      return false;
    }
    if (takes("null")) {
      return null;
    }
    return at < text.length() && text.charAt(at) == '"' ? string() : number();
  }

  /** Whether another part follows, or this is the end. */
  private boolean next(String end) {
    if (takes(end)) {
      return false;
    }
    if (takes(",")) {
      return true;
    }
    throw wrong();
  }

  private String string() {
    StringBuilder made = new StringBuilder();
    if (at >= text.length() || text.charAt(at++) != '"') {
      throw wrong();
    }
    for (char c = character(); c != '"'; c = character()) {
      made.append(c == '\\' ? escaped() : c);
    }
    return made.toString();
  }

  private char character() {
    if (at >= text.length()) {
      throw wrong();
    }
    return text.charAt(at++);
  }

  private char escaped() {
    char c = character();
    switch (c) {
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        if (at + 4 > text.length()) {
          throw wrong();
        }
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
      default:
        return c;
    }
  }

  private Object number() {
    int from = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      ++at;
    }
    String digits = text.substring(from, at);
    try {
      return digits.matches("-?\\d+") ? (Object) Long.valueOf(digits) : Double.valueOf(digits);
    } catch (NumberFormatException none) {
      throw wrong();
    }
  }
}
