// SPDX-License-Identifier: Apache-2.0
// The test vectors that every language runs (tests/vectors): the same bits, and the same statuses for bad input.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VectorsTest {
  private static final Path FOLDER = Path.of(System.getProperty("anydim.vectors"));
  private static final int AT_LEAST = 80;

  static List<String> names() throws Exception {
    return VectorCase.read(FOLDER.resolve("cases.txt")).stream().map(c -> c.name).collect(java.util.stream.Collectors.toList());
  }

  @ParameterizedTest
  @MethodSource("names")
  void aCaseGivesWhatEveryLanguageGets(String name) throws Exception {
    for (VectorCase vector : VectorCase.read(FOLDER.resolve("cases.txt"))) {
      if (vector.name.equals(name)) {
        String result = VectorRunner.outcome(vector, FOLDER);
        assertFalse(result.startsWith("WRONG"), result);
      }
    }
  }

  @Test
  void thereAreManyCases() throws Exception {
    assertTrue(names().size() >= AT_LEAST, names().size() + " cases");
  }
}
