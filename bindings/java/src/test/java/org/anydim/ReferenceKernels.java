// SPDX-License-Identifier: Apache-2.0
// The scalar reference kernel of an operator, by which optimised ones are checked.
package org.anydim;

final class ReferenceKernels {
  private ReferenceKernels() {}

  static String of(Engine engine, String kind) {
    String found =
        engine
            .owner()
            .with(
                e -> {
                  int count = NativeCalls.engineQuery(e).kernels;
                  String name = null;
                  for (int i = 0; i < count; ++i) {
                    NativeStructs.KernelInfo kernel = NativeCalls.engineGetKernel(e, i);
                    if (kernel.op.equals(kind)
                        && kernel.name.contains("reference")
                        && !kernel.name.contains("quantized")
                        && !kernel.name.contains("bf16")
                        && !kernel.name.contains("winograd")) {
                      name = kernel.name;
                    }
                  }
                  return name;
                });
    if (found == null) {
      throw new AssertionError(kind + " has no reference kernel");
    }
    return found;
  }
}
