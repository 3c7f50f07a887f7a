// SPDX-License-Identifier: Apache-2.0
// A program with a thread pool and a log of its own: Anydim computes in the pool, writes to the log, and starts no thread.
//   java -cp anydim.jar Host.java cls.onnx
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.anydim.AnydimException;
import org.anydim.Engine;
import org.anydim.Log;
import org.anydim.LogLevel;
import org.anydim.Outputs;
import org.anydim.ParallelLoop;
import org.anydim.Session;
import org.anydim.Tensor;

final class Host {
  public static void main(String[] arguments) {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    Log.set(LogLevel.DEBUG, (level, line) -> System.out.println("[" + level + "] " + line));
    try (Engine cpu = Engine.cpu(Engine.options().threads(3).parallelLoop(ParallelLoop.on(pool)));
        Session cls = Session.open(cpu, Path.of(arguments[0]));
        Tensor x = Tensor.allocateF32(2, 3, 48, 192);
        Outputs y = cls.run(Map.of("x", x))) {
      System.out.println(Arrays.toString(y.get(0).toFloatArray()));
      try (Tensor flat = Tensor.allocateF32(3)) {
        cls.run(Map.of("x", flat)).close();
      } catch (AnydimException refused) { // each call that fails is a log line, too
        System.out.println(refused.status());
      }
    }
    pool.shutdown();
  }
}
