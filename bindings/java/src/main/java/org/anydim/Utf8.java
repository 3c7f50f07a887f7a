// SPDX-License-Identifier: Apache-2.0
// Texts for C: UTF-8 proper, not the JVM's modified form, without what C could not see.
package org.anydim;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

final class Utf8 {
  /** What this Java writes names of files in. */
  private static final Charset OF_NAMES = charsetOfNames();

  private Utf8() {}

  static byte[] of(String text, String what) {
    return encode(text, StandardCharsets.UTF_8, what);
  }

  static byte[] of(Path path, String what) {
    return encode(path.toString(), OF_NAMES, what);
  }

  private static byte[] encode(String text, Charset charset, String what) {
    int zero = text.indexOf(0);
    if (zero >= 0) {
      throw AnydimException.invalid(what + " has a zero at " + zero + ", where C ends a text; expected none");
    }
    try {
      ByteBuffer bytes =
          charset
              .newEncoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .encode(CharBuffer.wrap(text));
      byte[] array = new byte[bytes.remaining()];
      bytes.get(array);
      return array;
    } catch (CharacterCodingException cannot) {
      throw AnydimException.invalid(what + " has a character that " + charset + " cannot write (half a surrogate pair?)");
    }
  }

  private static Charset charsetOfNames() {
    try {
      return Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    } catch (IllegalArgumentException unknown) {
      return StandardCharsets.UTF_8;
    }
  }
}
