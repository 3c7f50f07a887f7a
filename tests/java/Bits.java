// SPDX-License-Identifier: Apache-2.0
// Prints the SHA-256 of a model's first output at widths, for inputs that Python makes too; and loads the library in class loaders beside
// each other: java -cp anydim.jar Bits.java MODEL WIDTH...  or  java Bits.java loaders JAR
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Map;

final class Bits {
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("loaders")) {
      loaders(Path.of(arguments[1]));
      return;
    }
    try (var cpu = org.anydim.Engine.cpu();
        var session = org.anydim.Session.open(cpu, Path.of(arguments[0]))) {
      for (int i = 1; i < arguments.length; ++i) {
        try (var x = org.anydim.Tensor.allocateF32(1, 3, 48, Long.parseLong(arguments[i]))) {
          FloatBuffer to = x.floats();
          for (int e = 0; to.hasRemaining(); ++e) {
            to.put((e * 37 % 255) / 255f - 0.5f);
          }
          try (var y = session.run(Map.of("x", x))) {
            StringBuilder text = new StringBuilder();
            for (byte b : MessageDigest.getInstance("SHA-256").digest(y.get(0).toByteArray())) {
              text.append(String.format("%02x", b));
            }
            System.out.println(text);
          }
        }
      }
    }
  }

  private static void loaders(Path jar) throws Exception {
    for (int i = 0; i < 3; ++i) {
      URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
      Class<?> engines = loader.loadClass("org.anydim.Engine");
      AutoCloseable engine = (AutoCloseable) engines.getMethod("cpu").invoke(null);
      System.out.println(engines.getMethod("isa").invoke(engine));
      engine.close();
    }
  }
}
