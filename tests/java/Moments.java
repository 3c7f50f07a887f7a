// SPDX-License-Identifier: Apache-2.0
// Closes sessions and what belongs to them at random moments while threads run in them: a run ends with the right bytes or says that
// something is closed. Prints how many did which, and how many moments found a run on its way.
//   java -cp anydim.jar:. Moments MOMENTS SEED rec.onnx
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.anydim.AnydimException;
import org.anydim.Engine;
import org.anydim.Model;
import org.anydim.Outputs;
import org.anydim.Session;
import org.anydim.Status;
import org.anydim.Tensor;

final class Moments {
  private static final int USERS = 3;
  private static final int WIDTH = 64;
  private static final int LONGEST_NS = 12_000_000; // some runs' time

  private static final AtomicInteger ended = new AtomicInteger();
  private static final AtomicInteger closed = new AtomicInteger();
  private static final AtomicInteger onTheirWay = new AtomicInteger();
  private static final AtomicReference<Throwable> wrong = new AtomicReference<>();
  private static byte[] expected;
  private static long[] dims;
  private static float[] pixels;

  public static void main(String[] arguments) throws Exception {
    Random random = new Random(Long.parseLong(arguments[1]));
    pixels = new float[3 * 48 * WIDTH];
    for (int i = 0; i < pixels.length; ++i) {
      pixels[i] = random.nextFloat() * 2 - 1;
    }
    Path file = Path.of(arguments[2]);
    try (Engine cpu = Engine.cpu();
        Model rec = Model.load(cpu, file)) {
      try (Session session = Session.of(rec, Session.options());
          Tensor x = Tensor.copyOf(pixels, 1, 3, 48, WIDTH);
          Outputs y = session.run(Map.of("x", x))) {
        expected = y.get(0).toByteArray();
        dims = y.get(0).dims();
      }
      int moments = Integer.parseInt(arguments[0]);
      for (int i = 0; i < moments && wrong.get() == null; ++i) {
        // Every tenth has an engine and a model of its own, which are closed, too; the collector closes every seventh.
        boolean own = i % 10 == 0;
        Engine engine = own ? Engine.cpu() : cpu;
        Model model = own ? Model.load(engine, file) : rec;
        if (i % 7 == 0) {
          forgotten(model);
        } else {
          moment(engine, model, own, random);
        }
      }
    }
    if (wrong.get() != null) {
      throw new AssertionError(wrong.get());
    }
    System.out.println("on-their-way " + onTheirWay + " ended " + ended + " closed " + closed);
  }

  private static void moment(Engine engine, Model model, boolean own, Random random) throws Exception {
    Session session = Session.of(model, Session.threads(1 + random.nextInt(2)).contexts(1 + random.nextInt(2)));
    List<AutoCloseable> all = new ArrayList<>(List.of(session));
    if (own) {
      all.addAll(List.of(model, engine));
    }
    CountDownLatch begun = new CountDownLatch(USERS);
    List<Thread> users = new ArrayList<>();
    for (int u = 0; u < USERS; ++u) {
      Tensor x = Tensor.copyOf(pixels, 1, 3, 48, WIDTH);
      Tensor y = Tensor.allocateF32(dims);
      all.addAll(List.of(x, y));
      users.add(new Thread(() -> use(session, x, y, begun)));
    }
    users.forEach(Thread::start);
    begun.await();
    for (long until = System.nanoTime() + random.nextInt(LONGEST_NS); System.nanoTime() < until; ) {
      Thread.onSpinWait();
    }
    Collections.shuffle(all, random);
    onTheirWay.addAndGet(session.info().inUse() > 0 ? 1 : 0);
    Thread other = new Thread(() -> close(all));
    other.start();
    close(all); // both close all of it
    other.join();
    for (Thread user : users) {
      user.join();
    }
  }

  /** Until something is closed. */
  private static void use(Session session, Tensor x, Tensor y, CountDownLatch begun) {
    begun.countDown();
    try {
      while (true) {
        session.runInto(new Tensor[] {x}, new Tensor[] {y});
        check(y.toByteArray());
        try (Outputs placed = session.run(Map.of("x", x))) {
          check(placed.get(0).toByteArray());
        }
      }
    } catch (AnydimException failure) {
      if (failure.status() == Status.CLOSED) {
        closed.incrementAndGet();
      } else {
        wrong.set(failure);
      }
    } catch (Throwable failure) {
      wrong.set(failure);
    }
  }

  private static void check(byte[] found) {
    if (!Arrays.equals(found, expected)) {
      throw new AssertionError("other bytes than those of a session that nobody closes");
    }
    ended.incrementAndGet();
  }

  private static void close(List<AutoCloseable> all) {
    try {
      for (AutoCloseable each : all) {
        each.close();
      }
    } catch (Throwable failure) {
      wrong.set(failure);
    }
  }

  /** Nobody holds the session any more while its last run goes on, and the collector runs. */
  private static void forgotten(Model model) throws Exception {
    Thread user =
        new Thread(
            () -> {
              try {
                Tensor x = Tensor.copyOf(pixels, 1, 3, 48, WIDTH);
                check(Session.of(model, Session.threads(1)).run(Map.of("x", x)).get(0).toByteArray());
              } catch (Throwable failure) {
                wrong.set(failure);
              }
            });
    user.start();
    while (user.isAlive()) {
      System.gc();
    }
    user.join();
  }
}
