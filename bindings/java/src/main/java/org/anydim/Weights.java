// SPDX-License-Identifier: Apache-2.0
// Packed constants of operators.
package org.anydim;

import java.nio.file.Path;

/**
 * Constant operands, packed once for an operator, whatever shapes and primitives use them. {@link Primitive#weights()} gives them; they are an
 * operand of other primitives of the same operator, and may be updated while others execute.
 */
public final class Weights extends NativeObject implements Operand {
  Weights(long value) {
    super("weights", value, NativeCalls::weightsDestroy);
  }

  /**
   * Packs new values for every primitive over these weights. Calls that run in other threads end with the values they began with.
   *
   * @param constants the constants, of the dims and dtypes there were and in their order
   * @return the new version
   */
  public long update(Tensor... constants) {
    Tensor[] tensors = constants.clone();
    long[] views = Tensor.enter(tensors, "constants");
    try {
      return number(
          weights -> {
            NativeCalls.weightsUpdate(weights, views);
            return NativeCalls.weightsGetVersion(weights);
          });
    } finally {
      Tensor.leave(tensors);
    }
  }

  /**
   * Writes the packed form to a file, for this instruction set; {@link OperatorBuilder#weightsFrom} maps it.
   *
   * @param file the file; it holds the whole of them at any moment
   */
  public void save(Path file) {
    byte[] path = Utf8.of(file, "file");
    with(
        weights -> {
          NativeCalls.weightsSave(weights, path, new NativeStructs.SaveOptions());
          return null;
        });
  }

  /**
   * How often the values were set.
   *
   * @return 1 after creation or loading, one more after each update
   */
  public long version() {
    return number(NativeCalls::weightsGetVersion);
  }

  /**
   * Bytes of the packed form.
   *
   * @return the bytes
   */
  public long bytes() {
    return number(NativeCalls::weightsGetBytes);
  }
}
