// SPDX-License-Identifier: Apache-2.0
// A program with a thread pool, memory and its own log: Anydim computes in the pool, takes its large memory there, writes to the log,
// and starts no thread.
//   java -cp anydim.jar Host.java cls.onnx
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.anydim.AnydimException;
import org.anydim.Engine;
import org.anydim.HostMemory;
import org.anydim.Log;
import org.anydim.LogLevel;
import org.anydim.Outputs;
import org.anydim.ParallelLoop;
import org.anydim.Session;
import org.anydim.Tensor;

final class Host {
  private static final long LIMIT = 256 << 20;

  /** Direct buffers of at most LIMIT bytes together. */
  private static final class Counted implements HostMemory {
    final AtomicLong held = new AtomicLong();

    @Override
    public ByteBuffer allocate(long bytes, int alignment) {
      if (held.addAndGet(bytes) > LIMIT) {
        held.addAndGet(-bytes);
        return null; // the call that needs it fails with OUT_OF_MEMORY
      }
      return ByteBuffer.allocateDirect((int) bytes + alignment).alignedSlice(alignment).limit((int) bytes);
    }

    @Override
    public void release(ByteBuffer memory) {
      held.addAndGet(-memory.limit());
    }
  }

  public static void main(String[] arguments) {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    Counted memory = new Counted();
    Log.set(LogLevel.DEBUG, (level, line) -> System.out.println("[" + level + "] " + line));
    try (Engine cpu = Engine.cpu(Engine.options().threads(3).parallelLoop(ParallelLoop.on(pool)).memory(memory));
        Session cls = Session.open(cpu, Path.of(arguments[0]));
        Tensor x = Tensor.allocateF32(2, 3, 48, 192);
        Outputs y = cls.run(Map.of("x", x))) {
      System.out.println(Arrays.toString(y.get(0).toFloatArray()));
      System.out.println(memory.held + " bytes of the program's are in use");
      try (Tensor flat = Tensor.allocateF32(3)) {
        cls.run(Map.of("x", flat)).close();
      } catch (AnydimException refused) { // each call that fails is a log line, too
        System.out.println(refused.status());
      }
    }
    System.out.println(memory.held + " bytes are left");
    pool.shutdown();
  }
}
