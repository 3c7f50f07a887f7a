// SPDX-License-Identifier: Apache-2.0
// Strings, maps, sequences and optionals at a model's border. A model computes with numbers of texts or with views of their bytes; its
// metadata says which inputs and outputs hold them, which text each number stands for, which outputs are the rows of maps, and of which
// tensors sequences and optionals are made (docs/onnx.md).
package org.anydim;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

final class Border {
  private static final String METADATA_KEY = "anydim.border";
  private static final int LENGTH_BITS = 27; // of a view of a string: the offset of its first byte in a heap, and its length in bytes

  /** An input or output that is a sequence or optional. */
  private static final class Made {
    final String name;
    final boolean optional;
    final boolean sequence;
    final boolean absent;
    final boolean strings;
    final int elements; // -1: they are the slices of one tensor

    Made(String name, Map<String, Object> fields) {
      this.name = name;
      optional = (Boolean) fields.get("optional");
      sequence = (Boolean) fields.get("sequence");
      absent = (Boolean) fields.get("absent");
      strings = (Boolean) fields.get("strings");
      elements = ((Long) fields.get("elements")).intValue();
    }

    List<String> tensors() {
      if (absent) {
        return List.of();
      }
      if (!sequence || elements < 0) {
        return List.of(name);
      }
      List<String> names = new ArrayList<>();
      for (int i = 0; i < elements; ++i) {
        names.add(name + "[" + i + "]");
      }
      return names;
    }
  }

  /** The tensors of a run's inputs, and those among them that were made for it. */
  static final class Feeds implements AutoCloseable {
    private final Map<String, Tensor> all = new HashMap<>();
    private final List<Tensor> made = new ArrayList<>();

    Map<String, Tensor> tensors() {
      return all;
    }

    void add(String name, Tensor tensor) {
      made.add(tensor);
      all.put(name, tensor);
    }

    @Override
    public void close() {
      made.forEach(Tensor::close);
    }
  }

  private final List<Object> inputs;
  private final List<Object> outputs;
  private final List<Object> texts;
  private final Map<String, Long> numbers = new HashMap<>();
  private final Map<String, Object> maps;
  private final Map<String, Object> mapInputs;
  private final Map<String, Object> mapFills;
  private final Map<String, Object> viewInputs;
  private final Map<String, Object> viewOutputs;
  private final Map<String, Made> madeInputs = new HashMap<>();
  private final Map<String, Made> madeOutputs = new HashMap<>();
  private final List<Object> outputNames;

  private Border(Map<String, Object> said) {
    inputs = list(said, "inputs");
    outputs = list(said, "outputs");
    texts = list(said, "texts");
    for (int i = 0; i < texts.size(); ++i) {
      numbers.put((String) texts.get(i), (long) i);
    }
    maps = object(said, "maps");
    mapInputs = object(said, "map_inputs");
    mapFills = object(said, "map_fills");
    viewInputs = object(said, "view_inputs");
    viewOutputs = object(said, "view_outputs");
    object(said, "made_inputs").forEach((name, fields) -> madeInputs.put(name, new Made(name, fieldsOf(fields))));
    object(said, "made_outputs").forEach((name, fields) -> madeOutputs.put(name, new Made(name, fieldsOf(fields))));
    outputNames = list(said, "output_names");
  }

  /** That of a model with this metadata; of one without strings and the like one that changes nothing. */
  static Border of(Map<String, String> metadata) {
    String text = metadata.get(METADATA_KEY);
    return new Border(text == null ? Map.of() : fieldsOf(Json.read(text)));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> fieldsOf(@Nullable Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  private static List<Object> list(Map<String, Object> said, String name) {
    return (List<Object>) said.getOrDefault(name, List.of());
  }

  private static Map<String, Object> object(Map<String, Object> said, String name) {
    return fieldsOf(said.getOrDefault(name, Map.of()));
  }

  /** The names of the file's outputs; `tensors` are the model's. */
  List<String> outputNames(List<String> tensors) {
    if (outputNames.isEmpty()) {
      List<String> names = new ArrayList<>(tensors);
      names.removeAll(viewOutputs.values());
      return names;
    }
    List<String> names = new ArrayList<>();
    outputNames.forEach(name -> names.add((String) name));
    return names;
  }

  /** The tensors that these outputs are made of. */
  List<String> tensorsOf(List<String> names) {
    List<String> tensors = new ArrayList<>();
    for (String name : names) {
      for (String part : madeOutputs.containsKey(name) ? madeOutputs.get(name).tensors() : List.of(name)) {
        tensors.add(part);
        if (viewOutputs.containsKey(part)) {
          tensors.add((String) viewOutputs.get(part));
        }
      }
    }
    return tensors;
  }

  Feeds feeds(Map<String, Value> values, List<ValueInfo> infos) {
    Feeds feeds = new Feeds();
    try {
      values.forEach((name, value) -> add(feeds, name, value, infos));
    } catch (Throwable failure) {
      feeds.close();
      throw failure;
    }
    return feeds;
  }

  private void add(Feeds feeds, String name, Value value, List<ValueInfo> infos) {
    Made one = madeInputs.get(name);
    if (one == null) {
      Value row = mapInputs.containsKey(name) ? row(name, value, infos) : value;
      addOne(feeds, name, row);
      if (row != value && row.kind() == Value.Kind.TENSOR) {
        feeds.made.add(row.tensor());
      }
      return;
    }
    if (one.absent != (value.kind() == Value.Kind.NONE)) {
      throw AnydimException.invalid(
          one.absent
              ? "input '" + name + "' is given; the model was loaded with Model.options().absent(\"" + name + "\")"
              : "input '" + name + "' is absent; a model that is loaded with Model.options().absent(\"" + name + "\") takes that");
    }
    if (one.absent) {
      return;
    }
    if (!one.sequence) {
      addOne(feeds, name, value);
      return;
    }
    List<Value> elements = value.elements();
    if (one.elements < 0) {
      addOne(feeds, name, stack(name, elements, one.strings, infos, feeds));
      return;
    }
    if (elements.size() != one.elements) {
      throw AnydimException.invalid(
          "input '" + name + "' has " + elements.size() + " elements; the model was loaded for " + one.elements);
    }
    for (int i = 0; i < elements.size(); ++i) {
      addOne(feeds, name + "[" + i + "]", elements.get(i));
    }
  }

  /** A tensor of numbers or strings. */
  private void addOne(Feeds feeds, String name, Value value) {
    if (viewInputs.containsKey(name)) {
      String[] strings = value.strings();
      ByteArrayOutputStream heap = new ByteArrayOutputStream();
      long[] views = new long[strings.length];
      for (int i = 0; i < strings.length; ++i) {
        byte[] utf8 = strings[i].getBytes(StandardCharsets.UTF_8);
        if (utf8.length >= 1 << LENGTH_BITS) {
          throw AnydimException.invalid(
              "input '" + name + "' has a string of " + utf8.length + " bytes; expected fewer than " + (1 << LENGTH_BITS));
        }
        views[i] = ((long) heap.size() << LENGTH_BITS) + utf8.length;
        heap.write(utf8, 0, utf8.length);
      }
      feeds.add(name, Tensor.copyOf(views, value.dims()));
      byte[] bytes = heap.toByteArray();
      Tensor held = Tensor.allocate(DType.U8, bytes.length);
      feeds.add((String) viewInputs.get(name), held);
      held.buffer().put(bytes);
    } else if (inputs.contains(name)) {
      long[] found = Arrays.stream(value.strings()).mapToLong(text -> numbers.getOrDefault(text, -1L)).toArray();
      feeds.add(name, Tensor.copyOf(found, value.dims()));
    } else if (value.kind() == Value.Kind.STRINGS) {
      throw AnydimException.invalid("input '" + name + "' is of strings; the model takes numbers there");
    } else {
      feeds.tensors().put(name, value.tensor());
    }
  }

  private static ValueInfo infoOf(String name, List<ValueInfo> infos) {
    return infos.stream()
        .filter(info -> info.name().equals(name))
        .findFirst()
        .orElseThrow(() -> AnydimException.of(Status.NOT_FOUND, "the model has no input '" + name + "'; its inputs are " + infos));
  }

  /** The elements of a sequence as one tensor. */
  private static Value stack(String name, List<Value> elements, boolean strings, List<ValueInfo> infos, Feeds feeds) {
    ValueInfo info = infoOf(name, infos);
    long[] dims = elements.isEmpty() ? new long[info.dims().length - 1] : elements.get(0).dims();
    for (int i = 0; elements.isEmpty() && i < dims.length; ++i) {
      dims[i] = Math.max(0, info.dims()[i + 1]);
    }
    for (Value element : elements) {
      if (!Arrays.equals(element.dims(), dims)) {
        throw AnydimException.invalid(
            "input '" + name + "' has elements of dims " + Arrays.toString(dims) + " and " + Arrays.toString(element.dims())
                + "; a model that is loaded with Model.options().sequence(\"" + name + "\", ranks of its elements) takes such");
      }
    }
    long[] all = new long[dims.length + 1];
    all[0] = elements.size();
    System.arraycopy(dims, 0, all, 1, dims.length);
    if (strings) {
      List<String> texts = new ArrayList<>();
      elements.forEach(element -> texts.addAll(List.of(element.strings())));
      return Value.ofStrings(texts.toArray(new String[0]), all);
    }
    Tensor whole = Tensor.allocate(info.dtype(), all);
    feeds.made.add(whole);
    ByteBuffer to = whole.buffer();
    for (Value element : elements) {
      if (element.tensor().dtype() != info.dtype()) {
        throw AnydimException.invalid("input '" + name + "' has elements of " + element.tensor().dtype() + "; expected " + info.dtype());
      }
      to.put(element.tensor().toByteArray());
    }
    return Value.of(whole);
  }

  /** A map's values, as a row of the keys that the model knows. */
  private Value row(String name, Value value, List<ValueInfo> infos) {
    if (value.kind() != Value.Kind.MAPS) {
      return value;
    }
    if (value.maps().size() != 1) {
      throw AnydimException.invalid("input '" + name + "' has " + value.maps().size() + " maps; expected one");
    }
    Map<Object, Object> map = new HashMap<>();
    value.maps().get(0).forEach((key, of) -> map.put(key instanceof Number ? ((Number) key).longValue() : key, of));
    List<Object> keys = keys(name, map);
    boolean text = inputs.contains(name) || viewInputs.containsKey(name);
    if (text) {
      String fill = (String) mapFills.get(name);
      return Value.ofStrings(keys.stream().map(key -> (String) map.getOrDefault(key, fill)).toArray(String[]::new), 1, keys.size());
    }
    double[] numbers = keys.stream().mapToDouble(key -> ((Number) map.getOrDefault(key, 0)).doubleValue()).toArray();
    DType dtype = infoOf(name, infos).dtype();
    switch (dtype) {
      case F64:
        return Value.of(Tensor.copyOf(numbers, 1, numbers.length));
      case I64:
        return Value.of(
            Tensor.copyOf(keys.stream().mapToLong(key -> ((Number) map.getOrDefault(key, 0)).longValue()).toArray(), 1, numbers.length));
      default:
        float[] floats = new float[numbers.length];
        for (int i = 0; i < floats.length; ++i) {
          floats[i] = (float) numbers[i];
        }
        return Value.of(Tensor.copyOf(floats, 1, floats.length));
    }
  }

  /** A list, all numbers below one, or the map's own keys in increasing order. */
  @SuppressWarnings("unchecked")
  private List<Object> keys(String name, Map<Object, Object> map) {
    Object said = mapInputs.get(name);
    if (said instanceof List) {
      return (List<Object>) said;
    }
    if (said == null) {
      return new ArrayList<>(new TreeMap<>(map).keySet());
    }
    List<Object> keys = new ArrayList<>();
    for (long key = 0; key < (Long) said; ++key) {
      keys.add(key);
    }
    for (Object key : map.keySet()) {
      if (!(key instanceof Long) || (Long) key < 0) {
        throw AnydimException.invalid("input '" + name + "' has the key " + key + "; expected 0 to " + ((Long) said - 1));
      }
    }
    return keys;
  }

  /** The outputs of the file; the tensors that are not among them are closed. */
  Values results(List<String> names, Outputs tensors) {
    LinkedHashMap<String, Value> results = new LinkedHashMap<>();
    List<Tensor> read = new ArrayList<>();
    try {
      for (String name : names) {
        Made one = madeOutputs.get(name);
        results.put(name, one == null ? result(name, tensors, read) : result(one, tensors, read));
      }
    } catch (Throwable failure) {
      tensors.close();
      throw failure;
    }
    read.forEach(Tensor::close);
    return new Values(results);
  }

  private Value result(Made one, Outputs tensors, List<Tensor> read) {
    if (one.absent) {
      return Value.none();
    }
    if (!one.sequence) {
      return result(one.name, tensors, read);
    }
    if (one.elements >= 0) {
      List<Value> elements = new ArrayList<>();
      one.tensors().forEach(name -> elements.add(result(name, tensors, read)));
      return Value.ofSequence(elements);
    }
    Value whole = result(one.name, tensors, read);
    long[] dims = whole.dims();
    long[] each = Arrays.copyOfRange(dims, 1, dims.length);
    int length = (int) TensorData.count(DType.I64, each);
    List<Value> elements = new ArrayList<>();
    for (int i = 0; i < dims[0]; ++i) {
      if (whole.kind() == Value.Kind.STRINGS) {
        elements.add(Value.ofStrings(Arrays.copyOfRange(whole.strings(), i * length, (i + 1) * length), each));
      } else {
        Tensor slice = Tensor.allocate(whole.tensor().dtype(), each);
        int size = length * TensorData.size(slice.dtype());
        slice.buffer().put(Arrays.copyOfRange(whole.tensor().toByteArray(), i * size, (i + 1) * size));
        elements.add(Value.of(slice));
      }
    }
    if (whole.kind() == Value.Kind.TENSOR) {
      read.add(whole.tensor());
    }
    return Value.ofSequence(elements);
  }

  private Value result(String name, Outputs tensors, List<Tensor> read) {
    Tensor tensor = tensors.get(name);
    if (viewOutputs.containsKey(name)) {
      Tensor heap = tensors.get((String) viewOutputs.get(name));
      byte[] bytes = heap.toByteArray();
      long mask = (1L << LENGTH_BITS) - 1;
      String[] strings =
          Arrays.stream(tensor.toLongArray())
              .mapToObj(view -> new String(bytes, (int) (view >> LENGTH_BITS), (int) (view & mask), StandardCharsets.UTF_8))
              .toArray(String[]::new);
      read.add(heap);
      read.add(tensor);
      return Value.ofStrings(strings, tensor.dims());
    }
    if (outputs.contains(name)) {
      String[] strings = Arrays.stream(tensor.toLongArray()).mapToObj(number -> (String) texts.get((int) number)).toArray(String[]::new);
      read.add(tensor);
      return Value.ofStrings(strings, tensor.dims());
    }
    if (!maps.containsKey(name)) {
      return Value.of(tensor);
    }
    List<?> keys = (List<?>) maps.get(name);
    float[] rows = tensor.toFloatArray();
    List<Map<Object, Object>> made = new ArrayList<>();
    for (int from = 0; from + keys.size() <= rows.length && !keys.isEmpty(); from += keys.size()) {
      Map<Object, Object> row = new LinkedHashMap<>();
      for (int i = 0; i < keys.size(); ++i) {
        row.put(keys.get(i), rows[from + i]);
      }
      made.add(row);
    }
    read.add(tensor);
    return Value.ofMaps(made);
  }
}
