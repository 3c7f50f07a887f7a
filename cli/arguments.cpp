// SPDX-License-Identifier: Apache-2.0
// Reads arguments that name inputs; see arguments.h.
#include "cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

#include "cli/npy.h"
#include "cli/print.h"

namespace anydim_cli {

namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i)
    if (i == text.size() || text[i] == at) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  return parts;
}

int64_t parse_number(const std::string& text, const std::string& whole, const char* option) {
  int64_t value = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (bad != std::errc() || end != text.data() + text.size() || value < 0)
    throw Failure(formatted("{} {}: '{}' is no dim; expected a whole number of 0 or more", option, shown(whole), shown(text)));
  return value;
}

// "x:rest" or "x=rest".
std::pair<std::string, std::string> parse_name(const std::string& text, char at, const char* option, const char* example) {
  const size_t i = at == ':' ? text.rfind(at) : text.find(at);
  if (i == std::string::npos || i == 0) throw Failure(formatted("{} {}: expected {}", option, shown(text), example));
  return {text.substr(0, i), text.substr(i + 1)};
}

// Values of a fixed seed, so that two runs can be compared: floats in [-1, 1), small integers, booleans.
void fill_random(anydim_dtype_t dtype, std::vector<std::byte>* memory) {
  uint64_t state = 0x9E3779B97F4A7C15;
  const auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<uint32_t>(state >> 32);
  };
  const int64_t size = dtype_size(dtype);
  for (size_t i = 0; i + static_cast<size_t>(size) <= memory->size(); i += static_cast<size_t>(size)) {
    std::byte* at = memory->data() + i;
    const uint32_t r = next();
    if (dtype == ANYDIM_F32) {
      const float v = static_cast<float>(r >> 8) / 8388608.f - 1.f;
      std::memcpy(at, &v, 4);
    } else if (dtype == ANYDIM_F64) {
      const double v = static_cast<double>(r) / 2147483648.0 - 1.0;
      std::memcpy(at, &v, 8);
    } else if (dtype == ANYDIM_F16 || dtype == ANYDIM_BF16) {
      // 0.5 <= |v| < 1, a sign and some mantissa: valid in either form.
      const uint16_t v = static_cast<uint16_t>((dtype == ANYDIM_F16 ? 0x3800 : 0x3F00) | (r & 0x8000) | (r & 0x7F));
      std::memcpy(at, &v, 2);
    } else {
      const uint64_t v = dtype == ANYDIM_BOOL ? r & 1 : r % 100;
      std::memcpy(at, &v, static_cast<size_t>(size));
    }
  }
}

// Puts row-major elements into the memory order that a model has for the input; the strides of that. None if it stays as it is.
std::vector<int64_t> put_in_order(const std::vector<int64_t>& dims, const anydim_dims_t& order, int64_t size,
                                  std::vector<std::byte>* memory) {
  const size_t rank = dims.size();
  // Of another rank: the library reports what is wrong.
  if (order.rank != static_cast<int32_t>(rank) || std::is_sorted(order.values, order.values + rank)) return {};
  std::vector<int64_t> strides(rank, 1);
  int64_t count = 1;
  for (size_t i = rank; i-- > 0;) {
    const auto axis = static_cast<size_t>(order.values[i]);
    strides[axis] = count;
    count *= dims[axis];
  }
  if (count == 0) return {};
  std::vector<std::byte> from;
  make_room(&from, static_cast<int64_t>(memory->size()), "a copy in the model's memory order");
  std::copy(memory->begin(), memory->end(), from.begin());
  std::vector<int64_t> at(rank, 0);
  for (int64_t i = 0, to = 0; i < count; ++i) {
    std::memcpy(memory->data() + to * size, from.data() + i * size, static_cast<size_t>(size));
    for (size_t a = rank; a-- > 0;) {
      to += strides[a];
      if (++at[a] < dims[a]) break;
      to -= dims[a] * strides[a];
      at[a] = 0;
    }
  }
  return strides;
}

std::string shape_text(const anydim_value_info_t& info) {
  std::string text;
  for (int i = 0; i < info.dims.rank; ++i) text += (i ? "," : "") + text_of(info.symbols[i]);
  return text;
}

}  // namespace

ShapeArgument parse_shape(const std::string& text, const char* option) {
  const auto [name, list] = parse_name(text, ':', option, "NAME:DIMS, such as x:1,3,48,320");
  ShapeArgument shape{name, {}};
  if (!list.empty())
    for (const std::string& part : split(list, ',')) shape.dims.push_back(parse_number(part, text, option));
  return shape;
}

Bounds parse_bounds(const std::vector<std::string>& texts) {
  Bounds bounds;
  for (const std::string& text : texts) {
    if (bounds.get() == nullptr) check(anydim_bounds_create(bounds.out()));
    const auto [name, list] = parse_name(text, ':', "--bounds", "NAME:DIMS, such as x:1..4,3,48,32..1200");
    std::vector<anydim_dim_t> dims;
    for (const std::string& part : split(list, ',')) {
      const size_t dots = part.find("..");
      if (dots == std::string::npos) dims.push_back(anydim_dim_fixed(parse_number(part, text, "--bounds")));
      else
        dims.push_back(anydim_dim_dynamic(parse_number(part.substr(0, dots), text, "--bounds"),
                                          parse_number(part.substr(dots + 2), text, "--bounds")));
    }
    check(anydim_bounds_set(bounds.get(), name.c_str(), static_cast<int32_t>(dims.size()), dims.data()), "--bounds " + shown(text));
  }
  return bounds;
}

Context make_context(const Loaded& loaded, const ContextArguments& arguments) {
  const Bounds bounds = parse_bounds(arguments.bounds);
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  options.threads = arguments.threads;
  options.profile = arguments.profile ? 1 : 0;
  options.reuse = arguments.reuse;
  options.tuning_ms = arguments.tuning_ms;
  Context context;
  check(anydim_context_create(loaded.model.get(), bounds.get(), &options, context.out()));
  return context;
}

Layers parse_layers(const std::vector<std::string>& texts) {
  Layers layers;
  for (const std::string& text : texts) {
    const size_t at = text.rfind('=');  // a name may have one, too
    if (at == std::string::npos || at == 0)
      throw Failure(formatted("--layer-math {}: expected NAME=MODE, such as conv_3=fast", shown(text)));
    const std::string name = text.substr(0, at), mode = text.substr(at + 1);
    const auto* found = std::find_if(std::begin(kMathModes), std::end(kMathModes), [&](const Word& w) { return mode == w.word; });
    if (found == std::end(kMathModes))
      throw Failure(formatted("--layer-math {}: '{}' is no math mode; expected strict, fast or reduced", shown(text), shown(mode)));
    if (layers.get() == nullptr) check(anydim_layers_create(layers.out()));
    check(anydim_layers_set_math(layers.get(), name.c_str(), found->number), "--layer-math " + shown(text));
  }
  return layers;
}

Layouts parse_layouts(const std::vector<std::string>& texts) {
  constexpr std::pair<const char*, anydim_edge_layout_t> kWords[] = {{"row_major", ANYDIM_EDGE_LAYOUT_ROW_MAJOR},
                                                                     {"channels_last", ANYDIM_EDGE_LAYOUT_CHANNELS_LAST},
                                                                     {"fastest", ANYDIM_EDGE_LAYOUT_FASTEST},
                                                                     {"follow", ANYDIM_EDGE_LAYOUT_FOLLOW}};
  Layouts layouts;
  for (const std::string& text : texts) {
    if (layouts.get() == nullptr) check(anydim_layouts_create(layouts.out()));
    const auto [name, layout] = parse_name(text, ':', "--layout", "NAME:LAYOUT, such as x:channels_last or x:0,2,3,1");
    anydim_edge_layout_t rule = ANYDIM_EDGE_LAYOUT_ORDER;
    for (const auto& [word, number] : kWords)
      if (layout == word) rule = number;
    std::vector<int64_t> axes;
    if (rule == ANYDIM_EDGE_LAYOUT_ORDER)
      for (const std::string& part : split(layout, ',')) axes.push_back(parse_number(part, text, "--layout"));
    check(anydim_layouts_set(layouts.get(), name.c_str(), rule, static_cast<int32_t>(axes.size()), axes.data()), "--layout " + shown(text));
  }
  return layouts;
}

std::vector<anydim_view_t> views_of(const std::vector<Input>& inputs) {
  std::vector<anydim_view_t> views;
  for (const Input& input : inputs) views.push_back(input.view);
  return views;
}

std::vector<Input> make_inputs(const Loaded& loaded, const InputArguments& arguments) {
  const auto infos = inputs_of(loaded.model);
  std::map<std::string, size_t> by_name;
  for (size_t i = 0; i < infos.size(); ++i) by_name[text_of(infos[i].name)] = i;
  std::vector<Input> inputs(infos.size());
  std::vector<bool> provided(infos.size());
  const auto find = [&](const std::string& name, const std::string& option) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      std::string names;
      for (const auto& info : infos) names += (names.empty() ? "" : ", ") + text_of(info.name);
      throw Failure(formatted("{}: the model has no input '{}'; its inputs are {}", option, shown(name), shown(names, 1000)));
    }
    if (provided[found->second]) throw Failure(formatted("{}: input '{}' is given twice", option, shown(name)));
    provided[found->second] = true;
    return found->second;
  };
  const auto make = [&](size_t i, anydim_dtype_t dtype, const std::vector<int64_t>& dims, const std::string& option) {
    inputs[i].dims = dims;
    const auto strides = put_in_order(dims, infos[i].order, dtype_size(dtype), &inputs[i].memory);
    if (dims.size() > ANYDIM_MAX_RANK) throw Failure(formatted("{}: rank is {}; expected 0..{}", option, dims.size(), ANYDIM_MAX_RANK));
    anydim_view_t& view = inputs[i].view;
    view.data = inputs[i].memory.data();
    view.dtype = dtype;
    view.dims.rank = static_cast<int32_t>(dims.size());
    view.strides.rank = static_cast<int32_t>(strides.size());
    std::copy(dims.begin(), dims.end(), view.dims.values);
    std::copy(strides.begin(), strides.end(), view.strides.values);
  };
  const auto generate = [&](const std::string& text, const char* option, bool random) {
    const ShapeArgument shape = parse_shape(text, option);
    const size_t i = find(shape.input, formatted("{} {}", option, shown(text)));
    int64_t bytes = dtype_size(infos[i].dtype);
    for (const int64_t d : shape.dims)
      if (__builtin_mul_overflow(bytes, d, &bytes) || bytes > INT64_C(1) << 40)
        throw Failure(formatted("{} {}: that is more than 1 TB", option, shown(text)));
    make_room(&inputs[i].memory, bytes + 8, formatted("{} {}", option, shown(text)));
    if (random) fill_random(infos[i].dtype, &inputs[i].memory);
    make(i, infos[i].dtype, shape.dims, formatted("{} {}", option, shown(text)));
  };
  for (const std::string& text : arguments.files) {
    const auto [name, path] = parse_name(text, '=', "--input", "NAME=FILE.npy, such as x=image.npy");
    const size_t i = find(name, "--input " + shown(text));
    NpyArray array = read_npy(path, "--input " + shown(text));
    inputs[i].memory = std::move(array.memory);
    make(i, array.dtype, array.dims, "--input " + shown(text));
  }
  for (const std::string& text : arguments.random) generate(text, "--random", true);
  for (const std::string& text : arguments.shapes) generate(text, "--shape", false);
  for (size_t i = 0; i < infos.size(); ++i)
    if (!provided[i])
      throw Failure(formatted("input '{}' ({} [{}]) is missing; give --random {}:DIMS or --input {}=FILE.npy", text_of(infos[i].name),
                              dtype_name(infos[i].dtype), shape_text(infos[i]), text_of(infos[i].name), text_of(infos[i].name)));
  return inputs;
}

}  // namespace anydim_cli
