// SPDX-License-Identifier: Apache-2.0
// What an operator's builder takes as operands.
package org.anydim;

/**
 * An operand of a primitive: a {@link TensorDesc} of what comes with each call; or a constant, which is a {@link Tensor}, packed when the
 * primitive is made, or {@link Weights}, packed before, which stand for all constants of an operator in the place of the first. A program
 * implements none of its own.
 */
public interface Operand {}
