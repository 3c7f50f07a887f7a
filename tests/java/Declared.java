// SPDX-License-Identifier: Apache-2.0
// What models' files declare as inputs and outputs, through Session.runValues: prints each output, for tests/java/test_java.py.
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.anydim.*;

class Declared {
  private static Value floats(float... values) {
    return Value.of(Tensor.copyOf(values, values.length));
  }

  private static String shown(Value value) {
    switch (value.kind()) {
      case TENSOR:
        return value.tensor() + " " + List.of(value.tensor().toNestedArray().getClass().getSimpleName(), sum(value.tensor()));
      case SEQUENCE:
        StringBuilder all = new StringBuilder();
        value.elements().forEach(element -> all.append(shown(element)).append("; "));
        return all.toString();
      case MAPS:
        StringBuilder maps = new StringBuilder();
        value.maps().forEach(map -> maps.append(new TreeMap<>(map)));
        return maps.toString();
      default:
        return value.toString();
    }
  }

  private static float sum(Tensor tensor) {
    float sum = 0;
    for (float x : tensor.toFloatArray()) {
      sum += x;
    }
    return sum;
  }

  private static void run(Engine cpu, Path folder, String model, Model.Options options, Map<String, Value> inputs) {
    try (Model loaded = Model.load(cpu, folder.resolve(model + ".onnx"), options);
        Session session = Session.of(loaded);
        Values y = session.runValues(inputs)) {
      y.asMap().forEach((name, value) -> System.out.println(model + " " + name + ": " + shown(value)));
    } catch (AnydimException refused) {
      System.out.println(model + " " + refused.status() + ": " + refused.getMessage());
    }
    inputs.values().forEach(Value::close);
  }

  public static void main(String[] arguments) {
    Path folder = Path.of(arguments[0]);
    try (Engine cpu = Engine.cpu()) {
      Model.Options plain = Model.options();
      run(cpu, folder, "labels", plain, Map.of("city", Value.ofStrings("Oslo", "Lima", "Atlantis")));
      run(cpu, folder, "labels", plain, Map.of("city", floats(1)));
      run(cpu, folder, "joined", plain, Map.of("a", Value.ofStrings("ab", "é", ""), "b", Value.ofStrings("x", "雪", "z")));
      Value x = Value.of(Tensor.copyOfNested(new float[][] {{0.25f, 0.75f}, {1, 0}}));
      run(cpu, folder, "maps", plain, Map.of("x", x, "m", Value.ofMap(Map.of("b", 2.5, "unknown", 9))));
      run(cpu, folder, "sequences", plain, Map.of("s", Value.ofSequence(List.of(floats(1, 2), floats(3, 4)))));
      run(cpu, folder, "sequences", plain, Map.of("s", Value.ofSequence(List.of(floats(1, 2), floats(3)))));
      run(cpu, folder, "sequences", Model.options().sequence("s", 1, 1), Map.of("s", Value.ofSequence(List.of(floats(1, 2), floats(3)))));
    }
  }
}
