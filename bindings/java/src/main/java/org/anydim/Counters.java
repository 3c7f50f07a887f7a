// SPDX-License-Identifier: Apache-2.0
// What the library did since it was loaded.
package org.anydim;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the native library did in this process since it was loaded. */
public final class Counters {
  private Counters() {}

  /**
   * The counters, read one by one while other threads go on counting.
   *
   * @return values by names
   */
  public static Map<String, Long> read() {
    Map<String, Long> values = new LinkedHashMap<>();
    int count = NativeCalls.counterGetCount();
    for (int i = 0; i < count; ++i) {
      NativeStructs.Counter counter = NativeCalls.counterGet(i);
      values.put(counter.name, counter.value);
    }
    return values;
  }
}
