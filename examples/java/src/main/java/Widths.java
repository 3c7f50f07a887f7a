// SPDX-License-Identifier: Apache-2.0
// Runs a text recogniser at widths that it never saw before: mvn -q compile exec:exec, or java -cp anydim.jar Widths.java rec.onnx 71 320
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.anydim.Engine;
import org.anydim.Outputs;
import org.anydim.Session;
import org.anydim.Tensor;

final class Widths {
  public static void main(String[] arguments) {
    try (Engine cpu = Engine.cpu();
        Session rec = Session.open(cpu, Path.of(arguments[0]), Session.threads(2))) {
      for (String width : Arrays.copyOfRange(arguments, 1, arguments.length))
        try (Tensor x = Tensor.allocateF32(1, 3, 48, Long.parseLong(width)); Outputs y = rec.run(Map.of("x", x))) {
          System.out.println(Arrays.toString(y.get(0).dims()));
        }
    }
  }
}
