// SPDX-License-Identifier: Apache-2.0
// Operators of the program's own, for nodes of models that it loads.
package org.anydim;

import java.util.List;

/**
 * An operator of the program's: a rule of shapes and a kernel. One object serves all nodes of its domain and name, on any thread, several
 * at once. {@link Model.Options#operator} brings it.
 *
 * <pre>{@code
 * final class Power implements CustomOperator {
 *   public List<CustomShape> shapes(CustomNode node, List<CustomInput> x) {
 *     return List.of(CustomShape.like(x.get(0)));                       // as many elements as there were
 *   }
 *
 *   public void compute(CustomNode node, List<CustomInput> x, List<Tensor> y) {
 *     long exponent = node.integer("exponent", 2);
 *     float[] from = x.get(0).tensor().toFloatArray();
 *     FloatBuffer to = y.get(0).floats();
 *     for (float value : from) {
 *       to.put((float) Math.pow(value, exponent));
 *     }
 *   }
 * }
 *
 * Model model = Model.load(cpu, file, Model.options().operator("my.domain", "Power", new Power()));
 * }</pre>
 *
 * <p>What either method throws ends the call that needed it: that fails with an {@link AnydimException} whose message has the node's name
 * and what was thrown, and whose cause it is. An {@link Error} comes out of the call itself. Where a thread of the library's runs the
 * operator (a session with {@link Batching}) only the message is kept.
 */
public interface CustomOperator {
  /**
   * The rule of shapes: dtype and dims of each output. It is called when a model is loaded. A dim that is not known then is a negative
   * number: the same number is the same dim, and an output that has this dim has the number, too. -1 as a dim of an output says that only a
   * run finds it. Then the rule is called in each run, too, with all dims and elements, and answers with numbers; and with bounds once
   * when a session is made, with the largest inputs, whose answer no run may exceed.
   *
   * @param node the node, for the length of the call
   * @param inputs its inputs, for the length of the call
   * @return an entry for each output
   * @throws Exception if there is no such node; the message says why
   */
  List<CustomShape> shapes(CustomNode node, List<CustomInput> inputs) throws Exception;

  /**
   * The kernel: writes the elements of all outputs. It may use this package, but not the session that runs it.
   *
   * @param node the node, for the length of the call
   * @param inputs its inputs, for the length of the call
   * @param outputs tensors of zeros, of the dtypes and dims that the rule of shapes said; what is in them when the call ends is the result
   * @throws Exception if it cannot; the message says why
   */
  void compute(CustomNode node, List<CustomInput> inputs, List<Tensor> outputs) throws Exception;
}
