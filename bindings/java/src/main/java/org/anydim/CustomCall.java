// SPDX-License-Identifier: Apache-2.0
// One call of an operator of the program's: what the natives give it becomes objects that end with it, and what it throws becomes a text.
package org.anydim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

final class CustomCall implements AutoCloseable {
  /** What the last operator of this thread threw, until the call that fails with it has been made an exception. */
  private static final ThreadLocal<Throwable> THROWN = new ThreadLocal<>();

  private final CustomNode node;
  private final List<CustomInput> inputs = new ArrayList<>();
  private final List<Tensor> tensors = new ArrayList<>();
  private final List<Memory.Lent> lent = new ArrayList<>();

  private CustomCall(long node, long[] views) {
    this.node = new CustomNode(node);
    for (int i = 0; i * NativeStructs.View.WORDS < views.length; ++i) {
      inputs.add(input(i, views));
    }
  }

  private CustomInput input(int index, long[] views) {
    long[] view = view(views, index);
    if (view[NativeStructs.View.DTYPE] == 0) {
      return new CustomInput(index, null, new long[0], null);
    }
    DType dtype = DType.of((int) view[NativeStructs.View.DTYPE]);
    long[] dims = NativeStructs.dims(view, NativeStructs.View.DIMS);
    boolean known = true;
    boolean empty = false;
    for (long dim : dims) {
      known &= dim >= 0;
      empty |= dim == 0;
    }
    if (!known || (!empty && view[NativeStructs.View.DATA] == 0)) {
      return new CustomInput(index, dtype, dims, null);
    }
    long elements = TensorData.count(dtype, dims);
    long address = view[NativeStructs.View.DATA];
    lent.add(Memory.lent(address, elements * TensorData.size(dtype)));
    tensors.add(new Tensor(dtype, TensorData.image(dtype, address, dims), elements, lent.get(lent.size() - 1)));
    return new CustomInput(index, dtype, dims, tensors.get(tensors.size() - 1));
  }

  private static long[] view(long[] views, int index) {
    int at = index * NativeStructs.View.WORDS;
    return Arrays.copyOfRange(views, at, at + NativeStructs.View.WORDS);
  }

  /** The library's memory is its own again: whoever still reads it is waited for. */
  @Override
  public void close() {
    node.end();
    lent.forEach(Memory.Lent::end);
    tensors.forEach(Tensor::close);
  }

  private static byte[] failure(Throwable thrown) {
    if (thrown instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    THROWN.set(thrown);
    return Utf8.of(said(thrown), "message");
  }

  /** Without zeros, which would end the text. */
  private static String said(Throwable thrown) {
    return String.valueOf(thrown).replace('\0', '\ufffd');
  }

  /** What was thrown, if the message is of that; it is asked for once. */
  static @Nullable Throwable thrownWith(String message) {
    Throwable thrown = THROWN.get();
    if (thrown == null) {
      return null;
    }
    THROWN.remove();
    return message.contains(said(thrown)) ? thrown : null;
  }

  /** Called by the natives: null, or why it fails. */
  static byte @Nullable [] shapes(Object operator, long node, long[] inputs, long[] outputs) {
    THROWN.remove();
    try (CustomCall call = new CustomCall(node, inputs)) {
      List<CustomShape> found = ((CustomOperator) operator).shapes(call.node, Collections.unmodifiableList(call.inputs));
      int wanted = outputs.length / NativeStructs.View.WORDS;
      if (found == null || found.size() != wanted) {
        return Utf8.of(
            "the rule of shapes gives " + (found == null ? "null" : found.size() + " outputs") + "; the node has " + wanted, "message");
      }
      for (int i = 0; i < wanted; ++i) {
        CustomShape shape = found.get(i);
        long[] image = TensorData.image(shape.dtype(), 0, shape.dims());
        System.arraycopy(image, 0, outputs, i * NativeStructs.View.WORDS, NativeStructs.View.WORDS);
      }
      return null;
    } catch (Throwable thrown) {
      return failure(thrown);
    }
  }

  /** Called by the natives: null, or why it fails. */
  static byte @Nullable [] compute(Object operator, long node, long[] inputs, long[] outputs) {
    THROWN.remove();
    List<Tensor> made = new ArrayList<>();
    try (CustomCall call = new CustomCall(node, inputs)) {
      for (int i = 0; i * NativeStructs.View.WORDS < outputs.length; ++i) {
        long[] view = view(outputs, i);
        made.add(Tensor.allocate(DType.of((int) view[NativeStructs.View.DTYPE]), NativeStructs.dims(view, NativeStructs.View.DIMS)));
      }
      ((CustomOperator) operator).compute(call.node, Collections.unmodifiableList(call.inputs), Collections.unmodifiableList(made));
      for (int i = 0; i < made.size(); ++i) {
        Memory memory = made.get(i).enterDense("outputs[" + i + "]");
        try {
          NativeMemory.copy(memory.address, view(outputs, i)[NativeStructs.View.DATA], memory.bytes);
        } finally {
          memory.leave();
        }
      }
      return null;
    } catch (Throwable thrown) {
      return failure(thrown);
    } finally {
      made.forEach(Tensor::close);
    }
  }
}
