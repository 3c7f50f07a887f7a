// SPDX-License-Identifier: Apache-2.0
// Convolutions, products of matrices and recurrent layers, of floats and of 8-bit numbers, as calls: their weights are packed here. And
// conversions between numbers and real numbers.
#include "cli/export/translation.h"

namespace anydim_cli::exporting {

// Convolutions and products of matrices of 8-bit numbers: weight(column, k) is a number, columns counted over all groups.
template <class Weight>
std::vector<Call> Translation::bytes(const char* kernel, int64_t groups, int64_t columns, int64_t k, bool depthwise,
                                     const std::string& window, Weight weight) const {
  const Quantized q = quantized();
  const Tensor &x = *input(0), &w = *input(1);
  one(q.of[0], "x");
  std::vector<int8_t> packed(static_cast<size_t>(groups * panels(columns) * k * kPanel), 0);
  std::vector<float> scales, bias;
  std::vector<int32_t> whole;
  const auto place = [&](int64_t g, int64_t m) { return static_cast<size_t>(g * panels(columns) * kPanel + m); };
  const size_t padded = static_cast<size_t>(groups * panels(columns) * kPanel);
  const bool scaled = !q.of[0].scale.empty() || !q.of[1].scale.empty();
  if (scaled) scales.resize(padded, 0.f);
  const Tensor* const b = input(2);
  if (b != nullptr && b->dtype == "f32") bias.resize(padded, 0.f);
  else if (b != nullptr && b->dtype == "i32") whole.resize(padded, 0);
  else if (b != nullptr) refuse(formatted("a bias of {}", b->dtype));
  if (b != nullptr && !b->is_constant()) refuse("biases that come with the run");
  if (b != nullptr && element_count(b->dims) != groups * columns) refuse("a bias that is no row");
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t m = 0; m < columns; ++m) {
      const int64_t column = g * columns + m;
      for (int64_t i = 0; i < k; ++i) {
        const float v = static_cast<float>(weight(column, i)) - q.of[1].zero_at(column);
        if (v < -128 || v > 127) refuse("weights that need more than 8 bits without their zero point");
        packed[static_cast<size_t>(((g * panels(columns) + m / kPanel) * k + i) * kPanel + m % kPanel)] = static_cast<int8_t>(v);
      }
      if (scaled)
        scales[place(g, m)] = q.of[0].scale.empty()   ? q.of[1].scale_at(column)
                              : q.of[1].scale.empty() ? q.of[0].scale_at(0)
                                                      : q.of[0].scale_at(0) * q.of[1].scale_at(column);
      if (!bias.empty()) bias[place(g, m)] = program.elements<float>(*b)[column];
      if (!whole.empty()) whole[place(g, m)] = program.elements<int32_t>(*b)[column];
    }
  (void)w;
  std::string result;
  if (output().dtype == "i32") {
    if (scaled || !posts.empty() || !bias.empty() || !q.of[2].scale.empty()) refuse("a scaled result of i32");
    result = "ANYDIM_i32, 0, 1.f, 0.f";
  } else {
    result = stored(q);
  }
  Call call;
  call.kernel = kernel;
  call.source = "bytes";
  call.attributes_type = "bytes";
  const auto real = [&](const std::vector<float>& v) { return v.empty() ? std::string("NULL") : formatted("F32({})", weights.add(v)); };
  call.attributes = formatted("I8({}), {}, {}, {}, {}, {}, {}, {}, {}", weights.add_bytes(packed), real(scales), real(bias),
                              whole.empty() ? std::string("NULL") : formatted("I32({})", weights.add_whole(whole)), depthwise ? 1 : 0,
                              x.dtype == "i8" ? 1 : 0, static_cast<int64_t>(q.of[0].zero_at(0)), result, window);
  call.operands = {operand(&x), operand(&output())};
  add_posts(call);
  return {call};
}

std::vector<Call> Translation::requantize(int inputs, const std::string& function) const {
  const Quantized q = quantized();
  Call call;
  if (!q.table.empty()) {
    no_posts();
    if (inputs != 1 || !is_byte(*input(0)) || q.table.size() != 256) refuse("a table of something else than 8-bit numbers");
    if (!is_byte(output()) && output().dtype != "f32") refuse(formatted("a table of {}", output().dtype));
    call.kernel = "look_up";
    call.source = "requantize";
    call.attributes_type = "-look_up";
    call.attributes = formatted("F32({}), {}", weights.add(q.table), code_of(output().dtype));
    call.operands = {operand(input(0)), operand(&output())};
    return {call};
  }
  std::string from, scaled, zero, scale;
  for (int i = 0; i < 2; ++i) {
    const Factors& f = q.of[i];
    one(f, "an operand");
    const Tensor* const t = i < inputs ? input(i) : nullptr;
    if (t != nullptr && t->dtype != "f32" && t->dtype != "i32" && !is_byte(*t)) refuse(formatted("an operand of {}", t->dtype));
    if (t != nullptr && !is_byte(*t) && !f.zero.empty()) refuse("a zero point of no 8-bit numbers");
    const char* const comma = i > 0 ? ", " : "";
    from += comma + std::string(t != nullptr ? code_of(t->dtype) : "0");
    scaled += comma + std::string(f.scale.empty() ? "0" : "1");
    zero += comma + formatted("{}", static_cast<int64_t>(f.zero_at(0)));
    scale += comma + real_text(f.scale.empty() ? 1.f : f.scale[0]);
  }
  if (inputs == 2 && !has_binary(function)) refuse(formatted("the function {}", function));
  call.kernel = call.attributes_type = "requantize";
  call.attributes = formatted("{}, ANYDIM_{}, {{{}}}, {{{}}}, {{{}}}, {{{}}}, {}", inputs, function, from, scaled, zero, scale, stored(q));
  for (int i = 0; i < inputs; ++i) call.operands.push_back(operand(input(i)));
  call.operands.push_back(operand(&output()));
  add_posts(call);
  return {call};
}

std::vector<Call> Translation::convolution(bool transposed) const {
  const Tensor& x = *input(0);
  const bool numbers_in = !step.quantization.empty();
  if (numbers_in && (!is_byte(x) || !is_byte(*input(1)))) refuse("scales of other than 8-bit numbers");
  if (!numbers_in) want(&x, "f32", "x");
  const Tensor& w = constant(1, "weights");
  const auto spatial = static_cast<int64_t>(x.dims.size()) - 2, group = at.integer("group", 1);
  if (spatial < 1 || spatial > 3) refuse(formatted("{} spatial dims", spatial));
  if (at.has("output_shape")) refuse("output_shape");
  const auto dim = [&](size_t i) { return w.dims[i].number; };
  const int64_t outputs = transposed ? dim(1) : dim(0) / group, channels = transposed ? dim(0) / group : dim(1);
  int64_t taps = 1;
  std::vector<int64_t> kernel(3, 1);
  for (int64_t i = 0; i < spatial; ++i) {
    kernel[static_cast<size_t>(3 - spatial + i)] = dim(static_cast<size_t>(2 + i));
    taps *= dim(static_cast<size_t>(2 + i));
  }
  const auto three = [&](const char* name, int64_t otherwise) {
    std::vector<int64_t> v = at.integers(name);
    v.resize(static_cast<size_t>(spatial), otherwise);
    v.insert(v.begin(), static_cast<size_t>(3 - spatial), otherwise);
    return v;
  };
  const std::string pad = at.word("auto_pad");
  const int same = pad == "same_upper" ? 1 : pad == "same_lower" ? 2 : 0;
  std::vector<int64_t> pads = three("pads_begin", 0);
  if (pad == "valid") pads = {0, 0, 0};
  if (transposed && same != 0) refuse(formatted("auto_pad {}", pad));

  const bool depthwise = !transposed && group > 1 && channels == 1 && outputs == 1;
  constexpr int64_t kMostTaps = 128;  // of the archive's rows
  if (archive != nullptr && depthwise && taps > kMostTaps) return Translation{program, step, weights, nullptr}.convolution(false);
  const bool patches = transposed && archive != nullptr && makes_patches(w);
  const std::string window = formatted("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", spatial,
                                       patches      ? 2
                                       : transposed ? 1
                                                    : 0,
                                       same, list_text(kernel), list_text(three("strides", 1)), list_text(three("dilations", 1)),
                                       list_text(pads), group, channels, outputs);
  if (numbers_in) {
    if (transposed) refuse("a transposed convolution of 8-bit numbers");
    const auto number = [&](int64_t column, int64_t k) -> int {
      const int64_t t = k / channels, c = k % channels, of = (column * channels + c) * taps + t;
      return w.dtype == "i8" ? program.elements<int8_t>(w)[of] : program.elements<uint8_t>(w)[of];
    };
    std::vector<Call> calls = depthwise ? bytes("byte_convolution", 1, group, taps, true, window, number)
                                        : bytes("byte_convolution", group, outputs, taps * channels, false, window, number);
    calls[0].scratch = {taps * 12 + 64, -1};
    return calls;
  }
  const auto* const from = program.elements<float>(w);
  const int64_t k = taps * channels;
  const auto of = [&](int64_t g, int64_t m, int64_t t, int64_t c) {
    return from[transposed ? ((g * channels + c) * outputs + m) * taps + t : ((g * outputs + m) * channels + c) * taps + t];
  };
  std::string packed;
  if (depthwise) packed = pack_depthwise(group, taps, from);
  else if (patches)
    packed = pack(1, taps * outputs, channels, [&](int64_t, int64_t m, int64_t c) { return of(0, m % outputs, m / outputs, c); });
  else packed = pack(group, outputs, k, [&](int64_t g, int64_t m, int64_t i) { return of(g, m, i / channels, i % channels); });
  std::string bias = "NULL";
  if (input(2) != nullptr) {
    const Tensor& b = constant(2, "biases");
    want(&b, "f32", "the bias");
    std::vector<float> values(program.elements<float>(b), program.elements<float>(b) + group * outputs);
    for (int64_t i = outputs; patches && i < taps * outputs; ++i) values.push_back(values[static_cast<size_t>(i - outputs)]);
    const auto all = static_cast<int64_t>(values.size());
    bias = pack_bias(depthwise || patches ? 1 : group, depthwise || patches ? all : outputs, values.data());
  }
  Call call;
  call.kernel = depthwise ? "depthwise" : "convolution";
  call.source = "convolution";
  call.attributes_type = "convolution";
  call.attributes = formatted("{}, {}, {}", packed, bias, window);
  call.operands = {operand(&x), operand(&output())};
  call.scratch = {taps * 12 + 64, -1};
  if (depthwise || group == 1) call.cut.weights = depthwise ? taps : k;
  if (archive != nullptr) {
    int64_t runs = 0;
    for (int i = 0; i < 3; ++i) runs += 2 * kernel[static_cast<size_t>(i)] + three("strides", 1)[static_cast<size_t>(i)] + 2;
    archived(call, {80 * runs + 64 * (taps + k / 128 + 3) + (9 << 10), -1});
  }
  add_posts(call);
  return {call};
}

// Weights of groups by panel, k and column: value(group, column, k).
template <class F> std::string Translation::pack(int64_t groups, int64_t columns, int64_t k, F&& value) const {
  const PanelForm f = form();
  const auto each = static_cast<size_t>(f.packed(columns) * k);
  std::vector<float> packed(static_cast<size_t>(groups) * each, 0.f);
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t m = 0; m < columns; ++m)
      for (int64_t i = 0; i < k; ++i) packed[static_cast<size_t>(g) * each + f.at(columns, k, m, i)] = value(g, m, i);
  return formatted("F32({})", weights.add(packed));
}

// A transposed convolution whose windows tile the result, each a patch that fits one vector: is_small_patch() of the library.
bool Translation::makes_patches(const Tensor& w) const {
  if (at.integer("group", 1) != 1) return false;
  int64_t taps = 1;
  const auto equal = [&](const char* name, size_t i, int64_t otherwise, int64_t wanted) {
    const std::vector<int64_t> v = at.integers(name);
    return (i < v.size() ? v[i] : otherwise) == wanted;
  };
  for (size_t i = 0; i + 2 < w.dims.size(); ++i) {
    const int64_t kernel = w.dims[i + 2].number;
    if (!equal("strides", i, 1, kernel) || !equal("dilations", i, 1, 1) || !equal("pads_begin", i, 0, 0) || !equal("pads_end", i, 0, 0) ||
        !equal("output_padding", i, 0, 0))
      return false;
    taps *= kernel;
  }
  constexpr int64_t kMostColumns = 16, kSumBlock = 128;
  return taps > 1 && taps * w.dims[1].number <= std::min(archive->vector, kMostColumns) && taps * w.dims[0].number <= kSumBlock;
}

// By panel, tap and channel; of the archive's by tap and channel.
std::string Translation::pack_depthwise(int64_t channels, int64_t taps, const float* from) const {
  const int64_t all = panels(channels) * kPanel, wide = archive != nullptr ? all : kPanel;
  std::vector<float> packed(static_cast<size_t>(all * taps), 0.f);
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t t = 0; t < taps; ++t) packed[static_cast<size_t>((c / wide * taps + t) * wide + c % wide)] = from[c * taps + t];
  return formatted("F32({})", weights.add(packed));
}

// By group, each up to whole panels; of the archive's one after another, and two vectors more, which are read.
std::string Translation::pack_bias(int64_t groups, int64_t columns, const float* from) const {
  const int64_t each = archive != nullptr ? columns : panels(columns) * kPanel;
  std::vector<float> padded(static_cast<size_t>(groups * each + (archive != nullptr ? 2 * kPanel : 0)), 0.f);
  for (int64_t g = 0; g < groups; ++g) std::copy_n(from + g * columns, columns, padded.begin() + g * each);
  return formatted("F32({})", weights.add(padded));
}

// The call goes to the archive.
void Translation::archived(Call& call, Dim scratch) const {
  call.kernel = "archive_" + call.kernel;
  call.source = "archive";
  call.scratch = scratch;
}

std::vector<Call> Translation::byte_matmul() const {
  const Tensor &a = *input(0), &b = constant(1, "weights");
  if (!is_byte(a) || !is_byte(b) || b.dims.size() != 2 || a.dims.size() < 2 || at.integer("transpose_a") != 0)
    refuse("a product of 8-bit numbers whose right side is no matrix, or whose left side is transposed");
  const bool transposed = at.integer("transpose_b") != 0;
  const int64_t n = b.dims[transposed ? 0 : 1].number, k = b.dims[transposed ? 1 : 0].number;
  return bytes("byte_matmul", 1, n, k, false, formatted("{{0, 0, 0, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}, 1, {}, {}}}", k, n),
               [&](int64_t column, int64_t i) -> int {
                 const int64_t of = transposed ? column * k + i : i * n + column;
                 return b.dtype == "i8" ? program.elements<int8_t>(b)[of] : program.elements<uint8_t>(b)[of];
               });
}

std::vector<Call> Translation::matmul() const {
  if (!step.quantization.empty()) return byte_matmul();
  const Tensor &a = *input(0), &b = *input(1);
  want(&a, "f32", "a");
  want(&b, "f32", "b");
  bool transpose_a = at.integer("transpose_a") != 0, transpose_b = at.integer("transpose_b") != 0;
  const float alpha = at.real("alpha", 1), beta = at.real("beta", 1);
  Call call;
  call.kernel = "matmul";
  call.attributes_type = "matmul";
  Operand left = operand(&a), result = operand(&output());
  const auto widen = [](Operand& o, size_t place) {
    o.dims.insert(o.dims.begin() + static_cast<std::ptrdiff_t>(place), Dim{1, -1});
    o.strides.insert(o.strides.begin() + static_cast<std::ptrdiff_t>(place), Dim{0, -1});
  };
  if (a.dims.size() == 1) {
    widen(left, 0);
    widen(result, result.dims.size() - (b.dims.size() == 1 ? 0 : 1));
    transpose_a = false;
  }
  const bool column = b.dims.size() == 1;
  if (column) {
    widen(result, result.dims.size());
    transpose_b = false;
  }
  if ((a.dims.size() == 1 || column) && !posts.empty() && std::any_of(posts.begin(), posts.end(), [](const PostOp& p) { return p.tensor; }))
    refuse("a vector with post-ops of tensors");
  bool matrix = b.is_constant();
  for (size_t i = 0; i + 2 < b.dims.size(); ++i) matrix = matrix && b.dims[i] == Dim{1, -1};
  std::string packed = "NULL", bias = "NULL";
  int64_t n = -1;
  call.operands = {left};
  if (matrix) {
    const size_t r = b.dims.size();
    n = column ? 1 : b.dims[r - (transpose_b ? 2 : 1)].number;
    const int64_t k = column ? b.dims[0].number : b.dims[r - (transpose_b ? 1 : 2)].number;
    const auto* const from = program.elements<float>(b);
    packed = pack(1, n, k, [&](int64_t, int64_t j, int64_t i) { return from[transpose_b ? j * k + i : i * n + j]; });
    call.cut.weights = k;
  } else {
    Operand right = operand(&b);
    if (column) widen(right, 1);
    const Dim k = right.dims[right.dims.size() - (transpose_b ? 1 : 2)];
    call.operands.push_back(right);
    call.scratch = program.mul(k, {4 * kPanel, -1});
  }
  call.operands.push_back(result);
  if (alpha != 1) call.posts.push_back({"affine", false, false, alpha, -0.f});
  if (const Tensor* const c = input(2); c != nullptr) {
    want(c, "f32", "c");
    bool row = c->is_constant() && n >= 0 && alpha == 1;
    for (size_t i = 0; i < c->dims.size(); ++i) row = row && c->dims[i] == (i + 1 == c->dims.size() ? Dim{n, -1} : Dim{1, -1});
    row = row && !c->dims.empty();
    std::vector<float> values;
    if (c->is_constant())
      for (int64_t i = 0; i < element_count(c->dims); ++i)
        values.push_back(beta == 1 ? program.elements<float>(*c)[i] : beta * program.elements<float>(*c)[i]);
    else if (beta != 1) refuse("a beta with a c that comes with the run");
    if (row) {
      bias = pack_bias(1, n, values.data());
    } else {
      Operand o = operand(c);
      if (beta != 1) o.offset = {weights.add(values), -1};
      call.posts.push_back({"add", true, false, 0, 0});
      call.operands.push_back(o);
    }
  }
  call.attributes = formatted("{}, {}, {}, {}", packed, bias, transpose_a ? 1 : 0, transpose_b && packed == "NULL" ? 1 : 0);
  const auto rows = static_cast<int>(call.operands.front().dims.size()) - (transpose_a ? 1 : 2);
  call.cut.axes = {rows};
  if (archive != nullptr)
    archived(call, product_scratch(call.operands.front(), packed == "NULL" ? &call.operands[1] : nullptr, transpose_a, transpose_b));
  add_posts(call);
  return {call};
}

// What a product of the archive needs: a segment for each block of k, and panels of b where it comes with the run.
Dim Translation::product_scratch(const Operand& a, const Operand* b, bool transpose_a, bool transpose_b) const {
  const Dim k = a.dims[a.dims.size() - (transpose_a ? 2 : 1)];
  Dim bytes = program.add(program.mul(program.make(SizeOp::ceil_div, k, {128, -1}), {64, -1}), {256, -1});
  if (b == nullptr) return bytes;
  const Dim granule{archive->granule, -1}, n = b->dims[b->dims.size() - (transpose_b ? 2 : 1)];
  const Dim columns = program.mul(program.make(SizeOp::ceil_div, n, granule), granule);
  return program.add(bytes, program.mul(program.mul(columns, k), {4, -1}));
}

// --- recurrent layers ------------------------------------------------------------------------------------------------

std::vector<Call> Translation::recurrent() const {
  no_posts();
  no_quantization();
  const Tensor &x = *input(0), &w = constant(1, "weights"), &r = constant(2, "weights");
  for (const Tensor* t : {&x, &w, &r}) want(t, "f32", "an operand");
  const std::string cell = at.word("cell"), direction = at.word("direction");
  const int64_t gates = cell == "lstm"  ? 4
                        : cell == "gru" ? 3
                                        : 1,
                directions = w.dims[0].number, hidden = r.dims[2].number, inputs = w.dims[2].number;
  const int64_t wide = panels(hidden) * kPanel;
  const auto pack = [&](const Tensor& t, int64_t k) {
    std::vector<float> p(static_cast<size_t>(directions * gates * wide * k), 0.f);
    for (int64_t d = 0; d < directions; ++d)
      for (int64_t g = 0; g < gates; ++g)
        for (int64_t j = 0; j < hidden; ++j)
          for (int64_t i = 0; i < k; ++i)
            p[static_cast<size_t>((((d * gates + g) * panels(hidden) + j / kPanel) * k + i) * kPanel + j % kPanel)] =
                program.elements<float>(t)[((d * gates + g) * hidden + j) * k + i];
    return formatted("F32({})", weights.add(p));
  };
  std::string bias = "NULL", peepholes = "NULL";
  if (input(3) != nullptr) {
    const float* const b = program.elements<float>(constant(3, "biases"));
    std::vector<float> p(static_cast<size_t>(directions * (gates + 2) * wide), 0.f);
    for (int64_t d = 0; d < directions; ++d)
      for (int64_t g = 0; g < gates; ++g)
        for (int64_t j = 0; j < hidden; ++j) {
          const float of_input = b[(d * 2 * gates + g) * hidden + j], of_state = b[((d * 2 + 1) * gates + g) * hidden + j];
          p[static_cast<size_t>((d * (gates + 2) + g) * wide + j)] = of_input + of_state;
          if (g != 2) continue;
          p[static_cast<size_t>((d * (gates + 2) + gates) * wide + j)] = of_input;
          p[static_cast<size_t>((d * (gates + 2) + gates + 1) * wide + j)] = of_state;
        }
    bias = formatted("F32({})", weights.add(p));
  }
  if (input(7) != nullptr) {
    const float* const b = program.elements<float>(constant(7, "peepholes"));
    std::vector<float> p(static_cast<size_t>(directions * 3 * wide), 0.f);
    for (int64_t d = 0; d < directions * 3; ++d)
      for (int64_t j = 0; j < hidden; ++j) p[static_cast<size_t>(d * wide + j)] = b[d * hidden + j];
    peepholes = formatted("F32({})", weights.add(p));
  }
  for (int i = 8; i < step.inputs; ++i)
    if (input(i) != nullptr) refuse("weights of 8 bits");
  const Tensor* const lengths = input(4);
  if (lengths != nullptr) want(lengths, "i32", "lengths");
  const auto third = [&](int o) { return o < step.outputs ? tensor(step.inputs + o) : nullptr; };
  static const char* const kWhich[] = {"gates", "candidate", "output"};
  std::string functions, alphas, betas;
  for (const char* which : kWhich) {
    std::string f = at.word(which);
    if (f.empty()) f = std::string(which) == "gates" ? "sigmoid" : "tanh";
    if (!has_unary(f)) refuse(formatted("the function {}", f));
    const char* const comma = functions.empty() ? "" : ", ";
    functions += comma + ("ANYDIM_" + f);
    alphas += comma + real_text(at.real(std::string(which) + "_alpha"));
    betas += comma + real_text(at.real(std::string(which) + "_beta"));
  }
  Call call;
  call.kernel = "recurrent";
  call.attributes_type = "-recurrent";
  call.attributes =
      formatted("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {{{}}}, {}, {{{}}}, {{{}}}", pack(w, inputs),
                pack(r, hidden), bias, peepholes,
                cell == "lstm"  ? 1
                : cell == "gru" ? 2
                                : 0,
                directions, direction == "reverse" ? 1 : 0, inputs, hidden, at.integer("linear_before_reset"), at.integer("input_forget"),
                lengths != nullptr ? 1 : 0, input(5) != nullptr ? 1 : 0, input(6) != nullptr ? 1 : 0, third(1) != nullptr ? 1 : 0,
                third(2) != nullptr ? 1 : 0, functions, real_text(at.real("clip")), alphas, betas);
  call.operands = {operand(&x),        operand(lengths),  operand(input(5)), operand(input(6)),
                   operand(&output()), operand(third(1)), operand(third(2))};
  call.scratch = {4 * (2 * gates + 5) * wide, -1};
  return {call};
}

}  // namespace anydim_cli::exporting
