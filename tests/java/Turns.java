// SPDX-License-Identifier: Apache-2.0
// Eight threads on one session of rec; turns.c is the same in C. Prints how many turns each thread had had when the first had all of its own,
// the most runs of others that ended while one run was asked for, and a time for people to read. With `hogging` each thread keeps the
// session for twenty turns by a lock: the control, which is not fair.
//   java -cp anydim.jar:. Turns fair|hogging TURNS rec.onnx
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.anydim.Engine;
import org.anydim.Outputs;
import org.anydim.Session;
import org.anydim.Tensor;

final class Turns {
  private static final int THREADS = 8;
  private static final int WIDTH = 96;
  private static final int KEPT = 20;
  private static final ReentrantLock LOCK = new ReentrantLock();

  public static void main(String[] arguments) throws Exception {
    boolean hogging = arguments[0].equals("hogging");
    int turns = Integer.parseInt(arguments[1]);
    AtomicIntegerArray had = new AtomicIntegerArray(THREADS);
    AtomicLong done = new AtomicLong();
    AtomicLong mostOfOthers = new AtomicLong();
    AtomicLong longest = new AtomicLong();
    AtomicReference<int[]> standing = new AtomicReference<>();
    AtomicReference<Throwable> wrong = new AtomicReference<>();
    try (Engine cpu = Engine.cpu(Engine.options().threads(2));
        Session rec = Session.open(cpu, Path.of(arguments[2]), Session.threads(1).contexts(2))) {
      CyclicBarrier start = new CyclicBarrier(THREADS);
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; ++t) {
        int me = t;
        threads.add(
            new Thread(
                () -> {
                  try (Tensor x = Tensor.allocateF32(1, 3, 48, WIDTH);
                      Outputs dims = rec.run(Map.of("x", x));
                      Tensor y = Tensor.allocateF32(dims.get(0).dims())) {
                    Tensor[] in = {x};
                    Tensor[] out = {y};
                    start.await();
                    for (int i = 0; i < turns; ++i) {
                      long before = System.nanoTime();
                      long asked = done.get();
                      if (hogging && i % KEPT == 0) {
                        LOCK.lock();
                      }
                      rec.runInto(in, out);
                      mostOfOthers.accumulateAndGet(done.getAndIncrement() - asked, Math::max);
                      longest.accumulateAndGet(System.nanoTime() - before, Math::max);
                      if (hogging && i % KEPT == KEPT - 1) {
                        LOCK.unlock();
                      }
                      if (had.incrementAndGet(me) == turns && standing.get() == null) {
                        int[] now = new int[THREADS];
                        Arrays.setAll(now, had::get);
                        standing.compareAndSet(null, now);
                      }
                    }
                  } catch (Throwable failure) {
                    wrong.set(failure);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    if (wrong.get() != null) {
      throw new AssertionError(wrong.get());
    }
    StringBuilder text = new StringBuilder();
    for (int each : standing.get()) {
      text.append(each).append(' ');
    }
    System.out.println("standing " + text + "others " + mostOfOthers + " longest-ms " + longest.get() / 1_000_000);
  }
}
