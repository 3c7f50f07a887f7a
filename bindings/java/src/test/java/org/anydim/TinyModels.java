// SPDX-License-Identifier: Apache-2.0
// ONNX models of one node, written byte by byte, for tests that need no weights.
package org.anydim;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

final class TinyModels {
  private static final int F32 = 1;

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

  static Model load(Engine engine, byte[] model) {
    return Model.load(engine, ByteBuffer.wrap(model), Model.options());
  }

  private static Message value(String name, String... dims) {
    Message shape = new Message();
    for (String dim : dims) {
      shape.message(1, new Message().text(2, dim));
    }
    return new Message().text(1, name).message(2, new Message().message(1, new Message().number(1, F32).message(2, shape)));
  }

  /** A protobuf message: fields of varints and of bytes. */
  private static final class Message {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private void varint(long value) {
      for (; value >= 128; value >>>= 7) {
        out.write((int) (value & 127 | 128));
      }
      out.write((int) value);
    }

    Message number(int field, long value) {
      varint(field << 3);
      varint(value);
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
