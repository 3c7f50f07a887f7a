// SPDX-License-Identifier: Apache-2.0
// What several tests need: the models of `make models`, seeds, random tensors, the resident set.
package org.anydim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.function.Executable;

final class Support {
  private Support() {}

  static Path model(String name) {
    Path path = Path.of(System.getProperty("anydim.models"), name);
    Assumptions.assumeTrue(Files.exists(path), path + " is not there: make models");
    return path;
  }

  /** Random numbers whose seed is printed; the variable repeats a run. */
  static Random random(String test) {
    String given = System.getenv("ANYDIM_SEED");
    long seed = given != null ? Long.parseLong(given) : System.nanoTime() & 0xFFFFFF;
    System.out.println(test + ": ANYDIM_SEED=" + seed);
    return new Random(seed);
  }

  static Tensor random(Random random, DType dtype, long[] dims, int low, int high) {
    Tensor t = Tensor.allocate(dtype, dims);
    ByteBuffer to = t.buffer();
    for (long i = 0; i < t.elements(); ++i) {
      long integer = low + random.nextInt(high - low + 1);
      switch (dtype) {
        case F32:
          to.putFloat(random.nextFloat() * 4 - 2);
          break;
        case F64:
          to.putDouble(random.nextDouble() * 4 - 2);
          break;
        case I32:
          to.putInt((int) integer);
          break;
        case I64:
          to.putLong(integer);
          break;
        case BOOL:
        case I8:
        case U8:
          to.put((byte) integer);
          break;
        default:
          throw new AssertionError("no random elements of " + dtype);
      }
    }
    return t;
  }

  /** A failure of the status whose message has the words. */
  static AnydimException fails(Status status, String words, Executable call) {
    AnydimException failure = assertThrows(AnydimException.class, call);
    assertEquals(status, failure.status(), failure.getMessage());
    assertTrue(failure.getMessage().contains(words), () -> "\"" + failure.getMessage() + "\" does not say \"" + words + "\"");
    return failure;
  }

  static long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    throw new AssertionError("no VmRSS");
  }
}
