// SPDX-License-Identifier: Apache-2.0
// What the package is, for people who begin with it.

/**
 * Anydim in Java: deep-learning primitives and models whose dims are known when they run. A shape that was never seen before is neither
 * compiled for nor measured.
 *
 * <p>A model:
 *
 * <pre>{@code
 * try (Engine cpu = Engine.cpu();
 *      Session rec = Session.open(cpu, Path.of("rec.onnx"), Session.threads(2))) {
 *   for (int width : new int[] {71, 320, 513})
 *     try (Tensor x = Tensor.allocateF32(1, 3, 48, width); Outputs y = rec.run(Map.of("x", x)))
 *       System.out.println(Arrays.toString(y.get(0).dims()));
 * }
 * }</pre>
 *
 * <p>One operator alone is a primitive:
 *
 * <pre>{@code
 * Dim side = Dim.dynamic(1, 2048);
 * try (Primitive conv = cpu.convolution(TensorDesc.f32(Dim.dynamic(1, 8), Dim.of(64), side, side), kernel)
 *          .bias(bias).pads(1).postOps(PostOp.relu()).create();
 *      Outputs y = conv.execute(x)) {
 *   FloatBuffer values = y.get(0).floats();
 * }
 * }</pre>
 *
 * <p><b>Closing.</b> What owns native memory is {@link java.lang.AutoCloseable}. What is not closed is freed when the garbage
 * collector finds it; tensors that are waiting for that are counted, and the collector is asked to run when they become many. Closing is safe
 * at any time and from any thread: calls that run go on to their end, later ones fail with {@link org.anydim.Status#CLOSED}. Buffers of a
 * tensor stay good after it was closed, for as long as they are held. Attributes, bounds and options hold nothing native.
 *
 * <p><b>Threads.</b> Everything may be used by any number of threads at once, but for builders and options, which are used by
 * one. What threads read and write in the memory of one tensor is theirs to order.
 *
 * <p><b>Errors.</b> Every failure of the library is an {@link org.anydim.AnydimException} with a {@link org.anydim.Status}; its message
 * names the argument, the value found and what was expected. Null where a value is needed is a {@link
 * java.lang.NullPointerException}.
 */
package org.anydim;
