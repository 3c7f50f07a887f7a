// SPDX-License-Identifier: Apache-2.0
// The file in which tuned plans are kept between processes.
package org.anydim;

import java.nio.file.Path;

/** The persistent cache of this process: tuned plans in a file of the user's. {@code ANYDIM_CACHE=off} turns it off from the start. */
public final class PersistentCache {
  private static final int ALL = 0;

  private PersistentCache() {}

  /** What an import took. */
  public static final class Imported {
    private final long[] info;

    private Imported(long[] info) {
      this.info = info;
    }

    /**
     * Records that were taken.
     *
     * @return their number
     */
    public long records() {
      return info[0];
    }

    /**
     * Damaged records, which were left out.
     *
     * @return their number
     */
    public long damaged() {
      return info[1];
    }
  }

  /**
   * The user's file, which need not exist.
   *
   * @return its path
   */
  public static Path path() {
    return Path.of(NativeObject.text(NativeCalls::persistentCacheGetPath));
  }

  /**
   * Whether it is on; {@link #describe} reports why not.
   *
   * @return whether it is
   */
  public static boolean enabled() {
    return NativeCalls.persistentCacheQuery().enabled != 0;
  }

  /**
   * Describes it: whether it is on, its files, its counters, its records.
   *
   * @return JSON
   */
  public static String describe() {
    return NativeObject.text(NativeCalls::persistentCacheDescribe);
  }

  /**
   * Checks every record and the structure of the files.
   *
   * @return JSON: ok, records, damaged, and what is wrong
   */
  public static String verify() {
    return NativeObject.text(NativeCalls::persistentCacheVerify);
  }

  /**
   * Writes the sound records of the user's file into a new file.
   *
   * @param file the file, which is replaced
   * @return how many records it has
   */
  public static long exportTo(Path file) {
    return NativeCalls.persistentCacheExport(Utf8.of(file, "file"));
  }

  /**
   * Takes the records of an exported file into the user's file and into use.
   *
   * @param file the file
   * @return what was taken
   */
  public static Imported importFrom(Path file) {
    long[] info = new long[2];
    NativeCalls.persistentCacheImport(Utf8.of(file, "file"), info);
    return new Imported(info);
  }

  /**
   * Removes all records from the user's file and from memory.
   *
   * @return how many the file had
   */
  public static long clear() {
    return NativeCalls.persistentCacheClear(ALL);
  }
}
