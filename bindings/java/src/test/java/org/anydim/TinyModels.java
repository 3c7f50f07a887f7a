// SPDX-License-Identifier: Apache-2.0
// ONNX models of one node, written byte by byte, for tests that need no weights.
package org.anydim;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

final class TinyModels {
  private static final int F32 = 1;
  private static final int I64 = 7;

  private TinyModels() {}

  /** y = Relu(x) over two dynamic dims. */
  static byte[] relu() {
    return oneNode("Relu", "x", "y", "rows", "columns");
  }

  /** As relu(), with names of the caller's. */
  static byte[] oneNode(String operator, String input, String output, String... dims) {
    Message node = new Message().text(1, input).text(2, output).text(3, "the_node").text(4, operator);
    Message graph = new Message().message(1, node).text(2, "tiny").message(11, value(input, dims)).message(12, value(output, dims));
    return new Message().number(1, 8).message(7, graph).message(8, new Message().number(2, 17)).bytes();
  }

  /** next = h + x and y = next * next, of any length. */
  static byte[] sumAndSquare() {
    Message sum = new Message().text(1, "h").text(1, "x").text(2, "next").text(4, "Add");
    Message square = new Message().text(1, "next").text(1, "next").text(2, "y").text(4, "Mul");
    Message graph = new Message().message(1, sum).message(1, square).text(2, "tiny");
    graph.message(11, value("h", "n")).message(11, value("x", "n")).message(12, value("y", "n")).message(12, value("next", "n"));
    return new Message().number(1, 8).message(7, graph).message(8, new Message().number(2, 17)).bytes();
  }

  /** A node of {@link #ours}. */
  static final class Node {
    private final Message message = new Message();

    /** Of the domain my.domain, or of ONNX's own if the operator begins with a colon; an empty input is absent. */
    Node(String operator, String outputs, String... inputs) {
      boolean standard = operator.startsWith(":");
      for (String input : inputs) {
        message.text(1, input);
      }
      for (String output : outputs.split(" ")) {
        message.text(2, output);
      }
      message.text(3, "the_" + operator.replace(":", "")).text(4, operator.replace(":", "")).text(7, standard ? "" : "my.domain");
    }

    Node integer(String name, long value) {
      return attribute(new Message().text(1, name).number(3, value).number(20, 2));
    }

    Node integers(String name, long... values) {
      Message made = new Message().text(1, name);
      for (long value : values) {
        made.number(8, value);
      }
      return attribute(made.number(20, 7));
    }

    Node real(String name, float value) {
      return attribute(new Message().text(1, name).real(2, value).number(20, 1));
    }

    Node text(String name, String value) {
      return attribute(new Message().text(1, name).text(4, value).number(20, 3));
    }

    Node tensor(String name, float... values) {
      Message tensor = new Message().number(1, values.length).number(2, F32);
      for (float value : values) {
        tensor.real(4, value);
      }
      return attribute(new Message().text(1, name).message(5, tensor).number(20, 4));
    }

    private Node attribute(Message made) {
      message.message(5, made);
      return this;
    }
  }

  /** From x, floats in rows of 3, to y (and z of two int64, if a node makes it): nodes of a program's own domain, version 2. */
  static byte[] ours(String[] dims, Node... nodes) {
    Message graph = new Message();
    boolean two = false;
    for (Node node : nodes) {
      graph.message(1, node.message);
      two |= new String(node.message.bytes(), StandardCharsets.UTF_8).contains("\u0012\u0001z");
    }
    graph.text(2, "tiny").message(11, value("x", "n", "3")).message(12, value("y", dims));
    if (two) {
      graph.message(12, new Message().text(1, "z").message(2, new Message().message(1, new Message().number(1, I64))));
    }
    return new Message().number(1, 8).message(7, graph).message(8, new Message().number(2, 17))
        .message(8, new Message().text(1, "my.domain").number(2, 2)).bytes();
  }

  static Model load(Engine engine, byte[] model) {
    return Model.load(engine, ByteBuffer.wrap(model), Model.options());
  }

  private static Message value(String name, String... dims) {
    Message shape = new Message();
    for (String dim : dims) {
      boolean fixed = Character.isDigit(dim.charAt(0));
      shape.message(1, fixed ? new Message().number(1, Long.parseLong(dim)) : new Message().text(2, dim));
    }
    return new Message().text(1, name).message(2, new Message().message(1, new Message().number(1, F32).message(2, shape)));
  }

  /** A protobuf message: fields of varints and of bytes. */
  private static final class Message {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private void varint(long value) {
      for (; (value & ~127L) != 0; value >>>= 7) {
        out.write((int) (value & 127 | 128));
      }
      out.write((int) value);
    }

    Message number(int field, long value) {
      varint(field << 3);
      varint(value);
      return this;
    }

    Message real(int field, float value) {
      varint(field << 3 | 5);
      int bits = Float.floatToIntBits(value);
      for (int i = 0; i < 4; ++i) {
        out.write(bits >>> 8 * i & 255);
      }
      return this;
    }

    Message text(int field, String text) {
      return raw(field, text.getBytes(StandardCharsets.UTF_8));
    }

    Message message(int field, Message inner) {
      return raw(field, inner.bytes());
    }

    private Message raw(int field, byte[] bytes) {
      varint(field << 3 | 2);
      varint(bytes.length);
      out.writeBytes(bytes);
      return this;
    }

    byte[] bytes() {
      return out.toByteArray();
    }
  }
}
