// SPDX-License-Identifier: Apache-2.0
// Runs the lines of examples/spark/Recognize.java where a test can look at it: each executor leaves a note of its process, of the session
// that its tasks share and of what that took, and one of them kills itself half-way.
//   spark-submit --class Witness --jars anydim.jar recognize.jar rec.onnx PACKED IMAGES RESULTS NOTES AFTER ENGINE
// NOTES: a folder; AFTER: the rows of an executor after which one of them dies, 0 for never; ENGINE: anydim, or onnxruntime, whose jar
// follows anydim's.
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.TaskCompletionListener;

public final class Witness {
  private static final AtomicInteger rows = new AtomicInteger();
  private static final Set<Object> sessions = ConcurrentHashMap.newKeySet();
  private static final AtomicInteger tasks = new AtomicInteger();
  private static final AtomicInteger most = new AtomicInteger(); // tasks at the same time
  private static long before = -1; // private bytes of this process before the session was opened
  private static long loaded; // and after

  private Witness() {}

  public static void main(String[] arguments) throws IOException {
    String model = arguments[0];
    String packed = arguments[1];
    Path notes = Path.of(arguments[4]);
    String folder = notes.toString();
    int after = Integer.parseInt(arguments[5]);
    boolean ours = arguments[6].equals("anydim");
    MapPartitionsFunction<Row, Row> lines = ours ? Recognize.lines(model, packed) : OnnxRuntimeLines.lines(model);
    MapPartitionsFunction<Row, Row> seen =
        given -> {
          most.accumulateAndGet(tasks.incrementAndGet(), Math::max);
          TaskContext.get().addTaskCompletionListener((TaskCompletionListener) context -> tasks.decrementAndGet());
          sessions.add(opened(ours, model, packed));
          Iterator<Row> found = lines.call(given);
          return new Iterator<Row>() {
            @Override
            public boolean hasNext() {
              return found.hasNext();
            }

            @Override
            public Row next() {
              Row row = found.next();
              row(Path.of(folder), after);
              return row;
            }
          };
        };
    try (SparkSession spark = SparkSession.builder().appName("witness").getOrCreate()) {
      spark.read().parquet(arguments[2]).select("id", "x").mapPartitions(seen, Encoders.row(Recognize.RESULT)).write().parquet(arguments[3]);
    }
  }

  private static synchronized Object opened(boolean ours, String model, String packed) throws IOException {
    boolean first = before < 0;
    if (first) {
      before = privateBytes(packed);
    }
    Object session = ours ? Recognize.session(model, packed) : OnnxRuntimeLines.session(model);
    if (first) {
      loaded = privateBytes(packed);
    }
    return session;
  }

  /** What goes when this process ends, without the mappings of a file: as long as one process alone maps it, its pages count as private. */
  private static long privateBytes(String except) throws IOException {
    long kilobytes = 0;
    boolean inside = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (!line.endsWith(" kB") && line.split(" ", 2)[0].contains("-")) {
        inside = line.endsWith(except);
      } else if (!inside && (line.startsWith("Private_Clean:") || line.startsWith("Private_Dirty:"))) {
        kilobytes += Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    return kilobytes * 1024;
  }

  private static synchronized void row(Path notes, int after) {
    long process = ProcessHandle.current().pid();
    try {
      int done = rows.incrementAndGet();
      Path whole = notes.resolve(process + ".new");
      Files.writeString(
          whole,
          String.format(
              "{\"rows\": %d, \"sessions\": %d, \"tasks\": %d, \"before\": {\"Private\": %d}, \"loaded\": {\"Private\": %d}}",
              done, sessions.size(), most.get(), before, loaded));
      Files.move(whole, notes.resolve(process + ".json"), StandardCopyOption.ATOMIC_MOVE);
      if (done == after) {
        Files.createFile(notes.resolve("killed"));
        new ProcessBuilder("kill", "-KILL", Long.toString(process)).start().waitFor();
      }
    } catch (FileAlreadyExistsException other) {
      // It was the other one's turn to die.
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }
}
