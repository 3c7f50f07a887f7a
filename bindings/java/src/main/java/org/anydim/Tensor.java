// SPDX-License-Identifier: Apache-2.0
// Tensors: dims, an element type, and memory that C reads and writes without a copy.
package org.anydim;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A tensor in native memory: its own, or a direct buffer of the caller's, which is used where it is. Runs read and write it without a
 * copy.
 *
 * <p>A tensor may be used by any number of threads; what they read and write in its memory is theirs to order. Elements of
 * {@link DType#BOOL} are bytes, 0 or 1; those of {@link DType#F16} and {@link DType#BF16} are their 16 bits.
 *
 * <pre>{@code
 * Tensor x = Tensor.allocateF32(1, 3, 48, width);
 * x.floats().put(pixels);
 * }</pre>
 */
public final class Tensor implements Operand, AutoCloseable {
  /** Most dims that a tensor may have. */
  public static final int MAX_RANK = 8;

  private final DType dtype;
  private final long elements;
  private final Memory memory;
  private final long[] image;
  private final Cleaner.Cleanable cleanable;

  Tensor(DType dtype, long[] image, long elements, Memory memory) {
    this.dtype = dtype;
    this.image = image;
    this.elements = elements;
    this.memory = memory;
    cleanable = Resource.CLEANER.register(this, memory);
  }

  /**
   * A tensor of zeros, row-major, with memory of its own.
   *
   * @param dtype the element type
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor allocate(DType dtype, long... dims) {
    long elements = TensorData.count(dtype, dims);
    Memory memory = Memory.allocate(elements * TensorData.size(dtype));
    return new Tensor(dtype, TensorData.image(dtype, memory.address, dims), elements, memory);
  }

  /**
   * A tensor of zeros of {@link DType#F32}, row-major, with memory of its own.
   *
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor allocateF32(long... dims) {
    return allocate(DType.F32, dims);
  }

  /**
   * A tensor over what is left of a direct buffer, row-major, without a copy. The tensor keeps the buffer alive; its byte order does not
   * matter: elements are read as this machine has them.
   *
   * @param buffer a direct buffer, from its position; its position and limit are left alone
   * @param dtype the element type
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor of(ByteBuffer buffer, DType dtype, long... dims) {
    if (!buffer.isDirect()) {
      throw AnydimException.invalid("buffer is on the heap; expected a direct buffer (ByteBuffer.allocateDirect), or Tensor.copyOf");
    }
    if (buffer.isReadOnly()) {
      throw AnydimException.invalid("buffer is read-only; expected one that may be written");
    }
    long elements = TensorData.count(dtype, dims);
    long bytes = elements * TensorData.size(dtype);
    if (buffer.remaining() < bytes) {
      throw AnydimException.invalid(
          "buffer has " + buffer.remaining() + " bytes left; " + dtype + Arrays.toString(dims) + " takes " + bytes);
    }
    Memory memory = Memory.of(buffer);
    if (memory.address % TensorData.size(dtype) != 0) {
      throw AnydimException.invalid(
          "buffer begins at an address that is no multiple of " + TensorData.size(dtype) + ", the size of an element of " + dtype);
    }
    return new Tensor(dtype, TensorData.image(dtype, memory.address, dims), elements, memory);
  }

  /**
   * A tensor of {@link DType#F32} with a copy of an array.
   *
   * @param values the elements in row-major order
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor copyOf(float[] values, long... dims) {
    return like(DType.F32, values.length, dims, to -> to.asFloatBuffer().put(values));
  }

  /**
   * A tensor of {@link DType#I32} with a copy of an array.
   *
   * @param values the elements in row-major order
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor copyOf(int[] values, long... dims) {
    return like(DType.I32, values.length, dims, to -> to.asIntBuffer().put(values));
  }

  /**
   * A tensor of {@link DType#I64} with a copy of an array.
   *
   * @param values the elements in row-major order
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor copyOf(long[] values, long... dims) {
    return like(DType.I64, values.length, dims, to -> to.asLongBuffer().put(values));
  }

  /**
   * A tensor of {@link DType#F64} with a copy of an array.
   *
   * @param values the elements in row-major order
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor copyOf(double[] values, long... dims) {
    return like(DType.F64, values.length, dims, to -> to.asDoubleBuffer().put(values));
  }

  /**
   * A tensor of {@link DType#I16} with a copy of an array.
   *
   * @param values the elements in row-major order
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor copyOf(short[] values, long... dims) {
    return like(DType.I16, values.length, dims, to -> to.asShortBuffer().put(values));
  }

  /**
   * A tensor of {@link DType#I8} with a copy of an array.
   *
   * @param values the elements in row-major order
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor copyOf(byte[] values, long... dims) {
    return like(DType.I8, values.length, dims, to -> to.put(values));
  }

  /**
   * A tensor of {@link DType#BOOL} with a copy of an array.
   *
   * @param values the elements in row-major order
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor copyOf(boolean[] values, long... dims) {
    return like(DType.BOOL, values.length, dims, to -> NestedArrays.write(values, new long[] {values.length}, 0, to));
  }

  /**
   * A tensor with a copy of an array of arrays, such as {@code float[][][]}: its dims are the lengths of the arrays. {@code float} is
   * {@link DType#F32}, {@code double} {@link DType#F64}, {@code long} {@link DType#I64}, {@code int} {@link DType#I32}, {@code short}
   * {@link DType#I16}, {@code byte} {@link DType#I8} and {@code boolean} {@link DType#BOOL}.
   *
   * @param arrays the arrays; those of one dim have one length
   * @return the tensor
   * @throws AnydimException.InvalidArgument for arrays of different lengths in one dim, and of other elements
   */
  public static Tensor copyOfNested(Object arrays) {
    return copyOfNested(NestedArrays.dtype(NestedArrays.element(arrays, "arrays")), arrays);
  }

  /**
   * A tensor of any element type with a copy of an array of arrays. Unsigned integers and types that Java lacks ({@link DType#F16} in a
   * {@code short}, {@link DType#U8} in a {@code byte}) are taken as their bits.
   *
   * @param dtype the element type
   * @param arrays the arrays; those of one dim have one length
   * @return the tensor
   * @throws AnydimException.InvalidArgument for arrays of different lengths in one dim, and for elements of another size
   */
  public static Tensor copyOfNested(DType dtype, Object arrays) {
    Class<?> element = NestedArrays.element(arrays, "arrays");
    if (element != NestedArrays.element(dtype)) {
      throw AnydimException.invalid(
          "arrays has elements of " + element + "; " + dtype + " takes " + NestedArrays.element(dtype));
    }
    long[] dims = NestedArrays.dims(arrays);
    if (dims.length == 0) {
      throw AnydimException.invalid("arrays is of " + arrays.getClass().getTypeName() + "; expected an array");
    }
    return like(dtype, TensorData.count(dtype, dims), dims, to -> NestedArrays.write(arrays, dims, 0, to));
  }

  /**
   * A tensor over what is left of a direct buffer, row-major, without a copy: of {@link DType#F32} over a FloatBuffer, {@link DType#F64}
   * over a DoubleBuffer, {@link DType#I64} over a LongBuffer, {@link DType#I32} over an IntBuffer, {@link DType#I16} over a ShortBuffer.
   *
   * @param buffer a direct buffer of this machine's byte order, from its position; its position and limit are left alone
   * @param dims the dims, outermost first
   * @return the tensor, which keeps the buffer alive
   */
  public static Tensor of(Buffer buffer, long... dims) {
    DType dtype = TypedBuffers.dtype(buffer);
    Memory memory = TypedBuffers.memory(buffer, dtype, dims);
    return new Tensor(dtype, TensorData.image(dtype, memory.address, dims), TensorData.count(dtype, dims), memory);
  }

  /**
   * A tensor with a copy of what is left of a buffer, on the heap or direct, of any byte order; element types are those of {@code of}.
   *
   * @param values the elements in row-major order, from the buffer's position; its position and limit are left alone
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor copyOf(Buffer values, long... dims) {
    return copyOf(TypedBuffers.dtype(values), values, dims);
  }

  /**
   * A tensor with a copy of what is left of a buffer, on the heap or direct, of any byte order.
   *
   * @param dtype an element type of the size of the buffer's elements: {@link DType#F16} takes its bits in a ShortBuffer
   * @param values the elements in row-major order, from the buffer's position; its position and limit are left alone
   * @param dims the dims, outermost first
   * @return the tensor
   */
  public static Tensor copyOf(DType dtype, Buffer values, long... dims) {
    TypedBuffers.expect(values, dtype);
    return like(dtype, values.remaining(), dims, to -> TypedBuffers.copy(values, to));
  }

  /** A copy, row-major, of what a view of the library's shows. */
  static Tensor copyOfView(long[] view, DType dtype, long[] dims) {
    return like(dtype, TensorData.count(dtype, dims), dims, to -> TensorData.copy(view, dtype, dims, to));
  }

  /** What a call placed an output in, as its view says. */
  static Tensor ofResult(long[] views, int index) {
    int at = index * NativeStructs.View.WORDS;
    long[] image = Arrays.copyOfRange(views, at, at + NativeStructs.View.WORDS);
    DType dtype = DType.of((int) image[NativeStructs.View.DTYPE]);
    long[] dims = NativeStructs.dims(image, NativeStructs.View.DIMS);
    long elements = 1;
    for (long d : dims) {
      elements *= d;
    }
    Memory memory = Memory.ofResult(image[NativeStructs.View.DATA], elements * TensorData.size(dtype));
    return new Tensor(dtype, image, elements, memory);
  }

  private static Tensor like(DType dtype, long length, long[] dims, Consumer<ByteBuffer> fill) {
    if (TensorData.count(dtype, dims) != length) {
      throw AnydimException.invalid("values has " + length + " elements; dims are " + Arrays.toString(dims));
    }
    Tensor made = allocate(dtype, dims);
    fill.accept(made.memory.lend());
    Reference.reachabilityFence(made);
    return made;
  }

  /**
   * The element type.
   *
   * @return the element type
   */
  public DType dtype() {
    return dtype;
  }

  /**
   * The dims, outermost first.
   *
   * @return a new array of them
   */
  public long[] dims() {
    return NativeStructs.dims(image, NativeStructs.View.DIMS);
  }

  /**
   * The strides, in elements. A result of a primitive may lie in another order than row-major.
   *
   * @return a new array of them
   */
  public long[] strides() {
    long[] strides = NativeStructs.dims(image, NativeStructs.View.STRIDES);
    return strides.length == rank() ? strides : TensorData.rowMajor(dims());
  }

  /**
   * The number of dims.
   *
   * @return their number
   */
  public int rank() {
    return (int) image[NativeStructs.View.DIMS];
  }

  /**
   * The number of elements.
   *
   * @return their number
   */
  public long elements() {
    return elements;
  }

  /**
   * The memory of the elements, as it is: writing it writes the tensor. It stays good after the tensor was closed, which then frees
   * its memory once nobody holds the buffer.
   *
   * @return a new buffer of this machine's byte order, at position 0
   */
  public ByteBuffer buffer() {
    return TensorData.buffer(memory, this, elements * TensorData.size(dtype));
  }

  /**
   * The memory of the elements of {@link DType#F32} as floats; see {@link #buffer()}.
   *
   * @return a new buffer at position 0
   */
  public FloatBuffer floats() {
    TensorData.expect(dtype, DType.F32);
    return buffer().asFloatBuffer();
  }

  /**
   * The memory of the elements of {@link DType#F64} as doubles; see {@link #buffer()}.
   *
   * @return a new buffer at position 0
   */
  public DoubleBuffer doubles() {
    TensorData.expect(dtype, DType.F64);
    return buffer().asDoubleBuffer();
  }

  /**
   * The memory of the elements of {@link DType#I64} as longs; see {@link #buffer()}.
   *
   * @return a new buffer at position 0
   */
  public LongBuffer longs() {
    TensorData.expect(dtype, DType.I64);
    return buffer().asLongBuffer();
  }

  /**
   * The memory of the elements of {@link DType#I32} as ints; see {@link #buffer()}.
   *
   * @return a new buffer at position 0
   */
  public IntBuffer ints() {
    TensorData.expect(dtype, DType.I32);
    return buffer().asIntBuffer();
  }

  /**
   * The elements of {@link DType#F32}.
   *
   * @return a new array of them in row-major order
   */
  public float[] toFloatArray() {
    TensorData.expect(dtype, DType.F32);
    float[] array = new float[TensorData.length(elements)];
    read(from -> from.asFloatBuffer().get(array));
    return array;
  }

  /**
   * The elements of {@link DType#I32}.
   *
   * @return a new array of them in row-major order
   */
  public int[] toIntArray() {
    TensorData.expect(dtype, DType.I32);
    int[] array = new int[TensorData.length(elements)];
    read(from -> from.asIntBuffer().get(array));
    return array;
  }

  /**
   * The elements of {@link DType#I64}.
   *
   * @return a new array of them in row-major order
   */
  public long[] toLongArray() {
    TensorData.expect(dtype, DType.I64);
    long[] array = new long[TensorData.length(elements)];
    read(from -> from.asLongBuffer().get(array));
    return array;
  }

  /**
   * The elements of {@link DType#F64}.
   *
   * @return a new array of them in row-major order
   */
  public double[] toDoubleArray() {
    TensorData.expect(dtype, DType.F64);
    double[] array = new double[TensorData.length(elements)];
    read(from -> from.asDoubleBuffer().get(array));
    return array;
  }

  /**
   * The elements of {@link DType#I16}, or the bits of {@link DType#U16}, {@link DType#F16} and {@link DType#BF16}.
   *
   * @return a new array of them in row-major order
   */
  public short[] toShortArray() {
    if (NestedArrays.element(dtype) != short.class) {
      TensorData.expect(dtype, DType.I16);
    }
    short[] array = new short[TensorData.length(elements)];
    read(from -> from.asShortBuffer().get(array));
    return array;
  }

  /**
   * The elements of {@link DType#BOOL}.
   *
   * @return a new array of them in row-major order
   */
  public boolean[] toBooleanArray() {
    TensorData.expect(dtype, DType.BOOL);
    int length = TensorData.length(elements);
    boolean[][] array = new boolean[1][];
    read(from -> array[0] = (boolean[]) NestedArrays.row(boolean.class, length, from));
    return array[0];
  }

  /**
   * The elements as arrays of arrays, one level for each dim: {@code (float[][]) y.toNestedArray()}. The innermost arrays have the element
   * type that {@link #copyOfNested(Object)} has for the dtype; unsigned integers, and types that Java lacks, come as their bits.
   *
   * @return a new array; its type has as many brackets as the tensor has dims
   * @throws AnydimException.InvalidArgument for a tensor without dims
   */
  public Object toNestedArray() {
    if (rank() == 0) {
      throw AnydimException.invalid("the tensor has no dims; expected 1 or more, or toFloatArray()");
    }
    Object[] array = new Object[1];
    read(from -> array[0] = NestedArrays.read(NestedArrays.element(dtype), dims(), 0, from));
    return array[0];
  }

  /**
   * The bytes of the elements, of any type.
   *
   * @return a new array of them in row-major order, each element as this machine has it
   */
  public byte[] toByteArray() {
    byte[] array = new byte[TensorData.length(elements * TensorData.size(dtype))];
    read(from -> from.get(array));
    return array;
  }

  /** Shows the elements in row-major order, without handing the memory out. */
  private void read(Consumer<ByteBuffer> reader) {
    int bytes = TensorData.length(elements * TensorData.size(dtype));
    if (!memory.enter()) {
      throw closedFailure();
    }
    try {
      ByteBuffer whole = memory.lend();
      whole.limit(bytes);
      reader.accept(TensorData.rowMajor(whole, dims(), strides(), TensorData.size(dtype)));
    } finally {
      memory.leave();
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Closes the tensor. Its memory is freed when no call uses it and nobody holds a buffer of it: at once if none was asked for. Later
   * calls with it fail with {@link Status#CLOSED}. Closing again does nothing.
   */
  @Override
  public void close() {
    cleanable.clean();
  }

  boolean closed() {
    return memory.closed();
  }

  static AnydimException closedFailure() {
    return AnydimException.of(Status.CLOSED, "the tensor is closed");
  }

  /** Its memory, for calls that read row-major elements where they lie. It stays until the caller leaves it. */
  Memory enterDense(String what) {
    if (!Arrays.equals(strides(), TensorData.rowMajor(dims()))) {
      throw AnydimException.invalid(what + " has strides " + Arrays.toString(strides()) + "; expected a row-major tensor");
    }
    if (!memory.enter()) {
      throw closedFailure();
    }
    return memory;
  }

  /** Views of tensors for a call; of null one that asks for nothing. Their memory stays until leave(). */
  static long[] enter(Tensor[] tensors, String what) {
    long[] images = new long[tensors.length * NativeStructs.View.WORDS];
    for (int i = 0; i < tensors.length; ++i) {
      Tensor t = tensors[i];
      if (t == null) {
        continue;
      }
      if (!t.memory.enter()) {
        leave(Arrays.copyOf(tensors, i));
        throw AnydimException.of(Status.CLOSED, what + "[" + i + "] is closed");
      }
      System.arraycopy(t.image, 0, images, i * NativeStructs.View.WORDS, NativeStructs.View.WORDS);
    }
    return images;
  }

  static void leave(Tensor[] tensors) {
    for (Tensor t : tensors) {
      if (t != null) {
        t.memory.leave();
      }
    }
    Reference.reachabilityFence(tensors);
  }

  @Override
  public String toString() {
    return dtype + Arrays.toString(dims());
  }
}
