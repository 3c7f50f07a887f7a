// SPDX-License-Identifier: Apache-2.0
// Runs the test vectors (tests/vectors/README.md) through the Java binding and prints a line for each case, as every language does:
//   java -cp CLASSES:TEST-CLASSES org.anydim.VectorRunner tests/vectors
package org.anydim;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

final class VectorRunner {
  private static final long FNV_START = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  /** What a case asks for has no words in Java. */
  private static final class CannotBeWritten extends Exception {
    private static final long serialVersionUID = 1;

    CannotBeWritten(String why) {
      super(why);
    }
  }

  private final VectorCase vector;
  private final Path folder;
  private final Engine engine;
  private final List<AutoCloseable> open = new ArrayList<>();
  private String step = "";

  private VectorRunner(VectorCase vector, Path folder, Engine engine) {
    this.vector = vector;
    this.folder = folder;
    this.engine = engine;
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    boolean wrong = false;
    for (VectorCase vector : VectorCase.read(folder.resolve("cases.txt"))) {
      String result = outcome(vector, folder);
      wrong |= result.startsWith("WRONG");
      System.out.println(vector.name + " " + result);
    }
    System.exit(wrong ? 1 : 0);
  }

  /** The rest of a case's line. */
  static String outcome(VectorCase vector, Path folder) throws Exception {
    try (Engine engine = Engine.cpu()) {
      VectorRunner runner = new VectorRunner(vector, folder, engine);
      try {
        return runner.judge(vector.operator.isEmpty() ? runner.runModel() : runner.runOperator());
      } catch (CannotBeWritten why) {
        return "cannot " + why.getMessage();
      } catch (AnydimException failure) {
        return runner.judge(failure);
      } finally {
        for (AutoCloseable each : runner.open) {
          each.close();
        }
      }
    }
  }

  private <T extends AutoCloseable> T keep(T made) {
    open.add(made);
    return made;
  }

  private Tensor tensor(VectorCase.Vector v) throws CannotBeWritten {
    if (v.data == null) {
      throw new CannotBeWritten("a tensor has its data");
    }
    Tensor t = keep(Tensor.allocate(v.dtype, v.dims));
    t.buffer().put(v.data);
    return t;
  }

  private static Model.Options options(String sequences) {
    Model.Options options = Model.options();
    for (String item : sequences.isEmpty() ? new String[0] : sequences.split(";")) {
      String name = item.substring(0, item.lastIndexOf('='));
      String ranks = item.substring(item.lastIndexOf('=') + 1);
      if (ranks.equals("-")) {
        options.absent(name);
      } else {
        options.sequence(name, Arrays.stream(ranks.split(",")).filter(r -> !r.isEmpty()).mapToInt(Integer::parseInt).toArray());
      }
    }
    return options;
  }

  private Outputs runModel() throws Exception {
    step = "load";
    Path file = folder.resolve("models").resolve(vector.model);
    Model model =
        keep(
            vector.firstBytes < 0
                ? Model.load(engine, file, options(vector.sequences))
                : Model.load(engine, ByteBuffer.wrap(Arrays.copyOf(Files.readAllBytes(file), vector.firstBytes)), Model.options()));
    step = "create";
    Session.Options options = Session.options();
    Bounds bounds = null;
    for (Map.Entry<String, Dim[]> of : vector.bounds.entrySet()) {
      bounds = bounds == null ? Bounds.of(of.getKey(), of.getValue()) : bounds.and(of.getKey(), of.getValue());
    }
    Session session = keep(Session.of(model, bounds == null ? options : options.bounds(bounds)));
    for (String gone : vector.destroyed) {
      (gone.equals("engine") ? (AutoCloseable) engine : gone.equals("model") ? model : session).close();
    }
    step = "run";
    Map<String, Tensor> inputs = new LinkedHashMap<>();
    for (VectorCase.Vector v : vector.inputs) {
      inputs.put(v.name, tensor(v));
    }
    return keep(session.run(inputs, vector.asked == null ? new RunOptions() : new RunOptions().outputs(vector.asked)));
  }

  private Outputs runOperator() throws Exception {
    step = "create";
    OperatorBuilder<?> builder;
    if (vector.operator.equals("relu")) {
      builder = engine.unary(vector.descs.get(0), UnaryFunction.RELU);
    } else if (vector.descs.size() == 2) {
      builder = engine.matmul(vector.descs.get(0), vector.descs.get(1));
    } else {
      throw new CannotBeWritten("the method has two operands");
    }
    Primitive primitive = keep(builder.create());
    step = "run";
    Tensor[] inputs = new Tensor[vector.inputs.size()];
    for (int i = 0; i < inputs.length; ++i) {
      inputs[i] = tensor(vector.inputs.get(i));
    }
    return keep(primitive.execute(inputs));
  }

  private String judge(AnydimException failure) {
    String status = failure.status().name().toLowerCase(Locale.ROOT);
    // Looking up a name is a part of running.
    boolean sameStep = vector.failingStep.equals(step) || vector.failingStep.equals("find") && step.equals("run");
    if (!sameStep || !vector.statuses.contains(status)) {
      return "WRONG expected " + vector.failingStep + " failure " + vector.statuses + "; " + step + " failed with " + status + ": " + failure.getMessage();
    }
    for (String text : vector.says) {
      if (!failure.getMessage().contains(text)) {
        return "WRONG the message does not say " + text + ": " + failure.getMessage();
      }
    }
    return status;
  }

  private String judge(Outputs outputs) {
    if (!vector.failingStep.isEmpty()) {
      return "WRONG it ran; expected the failure " + vector.failingStep + " " + vector.statuses;
    }
    if (outputs.size() != vector.outputs.size()) {
      return "WRONG " + outputs.size() + " outputs; expected " + vector.outputs.size();
    }
    long digest = FNV_START;
    for (int i = 0; i < outputs.size(); ++i) {
      VectorCase.Vector wanted = vector.outputs.get(i);
      Tensor got = outputs.get(i);
      if (got.dtype() != wanted.dtype || !Arrays.equals(got.dims(), wanted.dims)) {
        return "WRONG output " + wanted.name + " is " + got + "; expected " + wanted.dtype + Arrays.toString(wanted.dims);
      }
      byte[] bytes = got.toByteArray();
      if (!Arrays.equals(bytes, wanted.data)) {
        return "WRONG output " + wanted.name + " has other bits";
      }
      for (byte b : bytes) {
        digest = (digest ^ (b & 0xff)) * FNV_PRIME;
      }
    }
    return String.format("%016x", digest);
  }
}
