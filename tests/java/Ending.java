// SPDX-License-Identifier: Apache-2.0
// The program ends after so many runs, while daemon threads run in sessions with workers, with batches and with loops and memory of the
// program's, make sessions, and log lines come: exit code 3.
//   java -cp anydim.jar:. Ending RUNS MODEL
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;
import org.anydim.Batching;
import org.anydim.Engine;
import org.anydim.Log;
import org.anydim.LogLevel;
import org.anydim.Outputs;
import org.anydim.ParallelLoop;
import org.anydim.Session;
import org.anydim.Tensor;

final class Ending {
  private static final AtomicLong DONE = new AtomicLong();

  private interface Work {
    void once() throws Exception;
  }

  private static void repeat(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  work.once();
                  DONE.incrementAndGet();
                }
              } catch (Throwable wrong) {
                wrong.printStackTrace();
                Runtime.getRuntime().halt(4);
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @SuppressWarnings("resource") // open until the end
  private static Work runs(Session session) {
    Tensor x = Tensor.allocateF32(1, 3, 48, 96);
    return () -> {
      Outputs y = session.run(Map.of("x", x));
      y.close();
    };
  }

  public static void main(String[] arguments) throws Exception {
    long count = Long.parseLong(arguments[0]);
    Path model = Path.of(arguments[1]);
    Engine cpu = Engine.cpu(Engine.options().threads(2));
    Engine loops = Engine.cpu(Engine.options().threads(2).parallelLoop(ParallelLoop.on(ForkJoinPool.commonPool())));
    Log.set(LogLevel.DEBUG, (level, line) -> DONE.get());
    repeat(runs(Session.open(cpu, model, Session.threads(2))));
    repeat(runs(Session.open(cpu, model, Session.threads(1).batching(new Batching().rows(4)))));
    repeat(runs(Session.open(loops, model, Session.threads(2))));
    repeat(() -> Session.open(cpu, model, Session.threads(1)).close());
    while (DONE.get() < count) {
      Thread.onSpinWait();
    }
    System.exit(3);
  }
}
