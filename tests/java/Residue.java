// SPDX-License-Identifier: Apache-2.0
// What is left of 10,000 sessions that were closed, and of 100,000 tensors that nobody closed: prints the resident set in kB after each
// twentieth of the calls. The two that keep what they make are the control: there the resident set has to grow.
//   java -cp anydim.jar:. Residue sessions|opened|tensors|kept-sessions|kept-tensors CALLS MODEL
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.anydim.Engine;
import org.anydim.Model;
import org.anydim.Outputs;
import org.anydim.Session;
import org.anydim.Tensor;

final class Residue {
  private static final int LOOKS = 20;

  private interface Call {
    void run();
  }

  public static void main(String[] arguments) throws Exception {
    int calls = Integer.parseInt(arguments[1]);
    Path file = Path.of(arguments[2]);
    List<Object> kept = new ArrayList<>();
    try (Engine cpu = Engine.cpu();
        Model model = Model.load(cpu, file);
        Session session = Session.of(model, Session.threads(1))) {
      switch (arguments[0]) {
        case "sessions": // of one model
          look(calls, () -> run(Session.of(model, Session.threads(1)), 32).close());
          break;
        case "kept-sessions":
          look(calls, () -> kept.add(run(Session.of(model, Session.threads(1)), 32)));
          break;
        case "opened": // each with an engine and a model of its own
          look(calls, () -> {
            try (Engine own = Engine.cpu();
                Session opened = Session.open(own, file)) {
              run(opened, 4);
            }
          });
          break;
        case "tensors": // an input and an output for each call
          look(calls / 2, () -> unclosed(session));
          break;
        case "kept-tensors":
          look(calls / 2, () -> kept.add(unclosed(session)));
          break;
        default:
          throw new IllegalArgumentException(arguments[0]);
      }
    }
  }

  /** Of the recogniser at a width; of a model of another rank over a few elements. */
  private static Session run(Session session, int width) {
    long[] dims = session.inputs().get(0).dims().length == 4 ? new long[] {1, 3, 48, width} : new long[] {width, width};
    try (Tensor x = Tensor.allocateF32(dims);
        Outputs y = session.run(Map.of("x", x))) {
      if (y.get(0).elements() == 0) {
        throw new AssertionError("an empty result");
      }
    }
    return session;
  }

  private static Outputs unclosed(Session session) {
    Outputs y = session.run(Map.of("x", Tensor.allocateF32(48, 71)));
    if (y.get(0).buffer().remaining() != 48 * 71 * 4) {
      throw new AssertionError("another size");
    }
    return y;
  }

  private static void look(int calls, Call call) throws Exception {
    for (int i = 1; i <= calls; ++i) {
      call.run();
      if (i % (calls / LOOKS) == 0) {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
          if (line.startsWith("VmRSS:")) {
            System.out.println(line.replaceAll("\\D", ""));
          }
        }
      }
    }
  }
}
