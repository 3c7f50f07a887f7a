// SPDX-License-Identifier: Apache-2.0
// A case of tests/vectors/cases.txt, whose README.md says what the lines mean, and its reader.
package org.anydim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

final class VectorCase {
  /** An input or an expected output; without data null. */
  static final class Vector {
    final String name;
    final DType dtype;
    final long[] dims;
    final byte[] data;

    Vector(String[] words) {
      name = words[0];
      dtype = dtypeOf(words[1]);
      dims = words[2].equals("scalar") ? new long[0] : Arrays.stream(words[2].split(",")).mapToLong(Long::parseLong).toArray();
      data = words[3].equals("none") ? null : hexadecimal(words[3].equals("-") ? "" : words[3]);
    }
  }

  final String name;
  String model = "";
  int firstBytes = -1;
  String operator = "";
  final List<TensorDesc> descs = new ArrayList<>();
  final Map<String, Dim[]> bounds = new LinkedHashMap<>();
  String sequences = "";
  final List<String> destroyed = new ArrayList<>();
  final List<Vector> inputs = new ArrayList<>();
  final List<Vector> outputs = new ArrayList<>();
  String asked;
  String failingStep = "";
  List<String> statuses = List.of();
  final List<String> says = new ArrayList<>();

  private VectorCase(String name) {
    this.name = name;
  }

  static DType dtypeOf(String word) {
    return DType.valueOf(word.toUpperCase(Locale.ROOT));
  }

  private static byte[] hexadecimal(String digits) {
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; ++i) {
      bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  private static Dim[] promised(String dims) {
    return Arrays.stream(dims.split(","))
        .map(
            d -> {
              int dots = d.indexOf("..");
              return dots < 0 ? Dim.of(Long.parseLong(d)) : Dim.dynamic(Long.parseLong(d.substring(0, dots)), Long.parseLong(d.substring(dots + 2)));
            })
        .toArray(Dim[]::new);
  }

  static List<VectorCase> read(Path file) throws IOException {
    List<VectorCase> cases = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] words = line.split(" ");
      String rest = line.substring(Math.min(line.length(), words[0].length() + 1));
      String[] parts = Arrays.copyOfRange(words, Math.min(1, words.length), words.length);
      if (words[0].isEmpty() || words[0].equals("#")) {
        continue;
      } else if (words[0].equals("case")) {
        cases.add(new VectorCase(rest));
        continue;
      }
      cases.get(cases.size() - 1).take(words[0], parts, rest);
    }
    return cases;
  }

  private void take(String word, String[] parts, String rest) {
    switch (word) {
      case "model":
        model = parts[0];
        firstBytes = parts.length > 1 ? Integer.parseInt(parts[1]) : -1;
        break;
      case "operator":
        operator = rest;
        break;
      case "desc":
        descs.add(TensorDesc.of(dtypeOf(parts[0]), promised(parts[1])));
        break;
      case "bounds":
        bounds.put(parts[0], promised(parts[1]));
        break;
      case "sequences":
        sequences = rest;
        break;
      case "destroy":
        destroyed.add(rest);
        break;
      case "input":
        inputs.add(new Vector(parts));
        break;
      case "output":
        outputs.add(new Vector(parts));
        break;
      case "ask":
        asked = rest;
        break;
      case "fails":
        failingStep = parts[0];
        statuses = List.of(parts).subList(1, parts.length);
        break;
      case "says":
        says.add(rest);
        break;
      default:
        throw new IllegalArgumentException("what is " + word + "?");
    }
  }
}
