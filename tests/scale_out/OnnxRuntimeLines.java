// SPDX-License-Identifier: Apache-2.0
// The lines of examples/spark/Recognize.java by ONNX Runtime, as people use it on Spark: a session of one thread per executor, which its
// tasks share. Witness.java runs it for what it takes of memory; its bytes are its own.
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.FloatBuffer;
import java.util.Iterator;
import java.util.Map;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

final class OnnxRuntimeLines {
  private static OrtSession session;

  private OnnxRuntimeLines() {}

  static synchronized OrtSession session(String file) {
    if (session == null) {
      try {
        OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        options.setIntraOpNumThreads(1);
        options.setInterOpNumThreads(1);
        session = OrtEnvironment.getEnvironment().createSession(file, options);
        // What a context with bounds has when it is made: the memory of the largest shape.
        recognize(session, 0, new byte[3 * Recognize.HEIGHT * Recognize.WIDEST]);
      } catch (OrtException failure) {
        throw new IllegalStateException(failure);
      }
    }
    return session;
  }

  static MapPartitionsFunction<Row, Row> lines(String file) {
    return rows -> {
      OrtSession rec = session(file);
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

  private static Row recognize(OrtSession rec, long id, byte[] pixels) {
    float[] values = new float[pixels.length];
    for (int i = 0; i < values.length; ++i) {
      values[i] = (pixels[i] & 0xFF) / 127.5f - 1;
    }
    long[] dims = {1, 3, Recognize.HEIGHT, values.length / (3 * Recognize.HEIGHT)};
    try (OnnxTensor x = OnnxTensor.createTensor(OrtEnvironment.getEnvironment(), FloatBuffer.wrap(values), dims);
        OrtSession.Result y = rec.run(Map.of("x", x))) {
      int scores = ((OnnxTensor) y.get(0)).getFloatBuffer().hashCode();
      return RowFactory.create(id, new Integer[0], Integer.toHexString(scores));
    } catch (OrtException failure) {
      throw new IllegalStateException(failure);
    }
  }
}
