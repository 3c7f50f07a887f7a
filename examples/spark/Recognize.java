// SPDX-License-Identifier: Apache-2.0
// Reads lines of text of any width on Spark: the tasks of an executor share one session, the executors of a machine one packed copy of the
// weights. Input: Parquet files with columns id (LONG) and x (BINARY, 3 x 48 x width bytes); output: id, the characters' places in the
// model's dictionary, and a digest of the scores.
//
//   javac -cp "$SPARK_HOME/jars/*:anydim.jar" -d classes Recognize.java && jar --create --file recognize.jar -C classes .
//   spark-submit --class Recognize --jars anydim.jar recognize.jar rec.onnx /tmp/rec.packed IMAGES RESULTS
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.anydim.Bounds;
import org.anydim.Dim;
import org.anydim.Engine;
import org.anydim.Model;
import org.anydim.Outputs;
import org.anydim.Session;
import org.anydim.Tensor;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

public final class Recognize {
  static final int HEIGHT = 48;
  static final int WIDEST = 640;
  static final StructType RESULT = StructType.fromDDL("id LONG, characters ARRAY<INT>, digest STRING");

  /** This process's session: opened by the first task, used by all, closed by the process's end. */
  private static Session session;

  private Recognize() {}

  static synchronized Session session(String file, String packed) {
    if (session == null) {
      try (Engine cpu = Engine.cpu()) {
        Path weights = Path.of(packed);
        if (!Files.exists(weights)) { // the first process of a machine packs, the others map what it wrote
          try (Model model = Model.load(cpu, Path.of(file))) {
            model.savePackedOnce(weights);
          }
        }
        // A task has one core, so a run has one thread; runs of several tasks each get a context with all the memory it will need.
        Bounds lines = Bounds.of("x", Dim.of(1), Dim.of(3), Dim.of(HEIGHT), Dim.dynamic(8, WIDEST));
        session = Session.open(cpu, Path.of(file), Session.threads(1).bounds(lines).model(Model.options().packedWeights(weights)));
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
    return session;
  }

  /** What mapPartitions is given: takes rows one by one, as wide as each is. */
  static MapPartitionsFunction<Row, Row> lines(String file, String packed) {
    return rows -> {
      Session rec = session(file, packed);
      return new Iterator<Row>() {
        @Override
        public boolean hasNext() {
          return rows.hasNext();
        }

        @Override
        public Row next() {
          Row row = rows.next();
          return recognize(rec, row.getLong(0), row.getAs(1));
        }
      };
    };
  }

  private static Row recognize(Session rec, long id, byte[] pixels) {
    float[] values = new float[pixels.length];
    for (int i = 0; i < values.length; ++i) {
      values[i] = (pixels[i] & 0xFF) / 127.5f - 1;
    }
    try (Tensor x = Tensor.copyOf(values, 1, 3, HEIGHT, values.length / (3 * HEIGHT));
        Outputs y = rec.run(Map.of("x", x))) {
      return RowFactory.create(id, characters(y.get(0)), digest(y.names().get(0), y.get(0)));
    }
  }

  /** The best class of each step, without the blank (0) and without repetitions. */
  private static Integer[] characters(Tensor scores) {
    float[] values = scores.toFloatArray();
    int classes = (int) scores.dims()[2];
    List<Integer> found = new ArrayList<>();
    int before = 0;
    for (int step = 0; step < values.length; step += classes) {
      int best = 0;
      for (int c = 1; c < classes; ++c) {
        best = values[step + c] > values[step + best] ? c : best;
      }
      if (best != 0 && best != before) {
        found.add(best);
      }
      before = best;
    }
    return found.toArray(new Integer[0]);
  }

  /** Of name, type, dims and bytes of a row's scores: the same on every machine and whatever the batch. */
  private static String digest(String name, Tensor scores) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      long[] dims = scores.dims();
      digest.update((name + " float32 (" + dims[1] + ", " + dims[2] + ")").getBytes(StandardCharsets.UTF_8));
      StringBuilder text = new StringBuilder();
      for (byte b : digest.digest(scores.toByteArray())) {
        text.append(String.format("%02x", b));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException none) {
      throw new AssertionError(none);
    }
  }

  public static void main(String[] arguments) throws IOException {
    try (SparkSession spark = SparkSession.builder().appName("recognize").getOrCreate()) {
      Dataset<Row> images = spark.read().parquet(arguments[2]).select("id", "x");
      images.mapPartitions(lines(arguments[0], arguments[1]), Encoders.row(RESULT)).write().parquet(arguments[3]);
    }
  }
}
