// SPDX-License-Identifier: Apache-2.0
// What a call costs beside C's: a run of a model of one node over one element, into the caller's tensors, and in the other ways.
package org.anydim.bench;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.anydim.Engine;
import org.anydim.Outputs;
import org.anydim.Session;
import org.anydim.Tensor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Each is the time of one call: JMH's samples give its median. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Overhead {
  /** The model, of one input and one output of one element. */
  @Param("")
  public String model;

  private Engine engine;
  private Session session;
  private Tensor x;
  private Tensor y;
  private Tensor[] inputs;
  private Tensor[] outputs;

  /** Makes the session. */
  @Setup
  public void open() {
    engine = Engine.cpu(Engine.options().threads(1));
    session = Session.open(engine, Path.of(model), Session.threads(1).contexts(1));
    x = Tensor.allocateF32(1, 1);
    y = Tensor.allocateF32(1, 1);
    inputs = new Tensor[] {x};
    outputs = new Tensor[] {y};
  }

  /** Closes it. */
  @TearDown
  public void close() {
    x.close();
    y.close();
    session.close();
    engine.close();
  }

  /** Into the caller's tensor. */
  @Benchmark
  public void runInto() {
    session.runInto(inputs, outputs);
  }

  /** By name, into memory that the library places. */
  @Benchmark
  public void runByName() {
    try (Outputs placed = session.run(Map.of("x", x))) {
      placed.get(0);
    }
  }
}
