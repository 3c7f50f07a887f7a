// SPDX-License-Identifier: Apache-2.0
// The module of the Java binding: one package, nothing required but java.base.

/** Deep-learning primitives and models whose dims are known when they run. */
module org.anydim {
  exports org.anydim;
}
