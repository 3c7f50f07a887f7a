// SPDX-License-Identifier: Apache-2.0
// Steps of a program as calls of the C kernels in cli/export/kernels: attributes, operands, and weights in the form that the kernel reads.
#include <algorithm>
#include <cmath>

#include "cli/export/emit.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

namespace {

constexpr int64_t kPanel = 16;  // columns of packed weights: ANYDIM_PANEL of the kernels

[[noreturn]] void refuse(const std::string& why) { throw Unsupported(why); }

int64_t panels(int64_t columns) { return (columns + kPanel - 1) / kPanel; }

struct Translation {
  Program& program;
  const Step& step;
  Weights& weights;
  Attributes at{step.op};
  std::vector<PostOp> posts = parse_post_ops(step.post_ops);

  const Tensor* tensor(int operand) const {
    const int t = operand < static_cast<int>(step.operands.size()) ? step.operands[static_cast<size_t>(operand)] : -1;
    return t < 0 ? nullptr : &program.tensors[static_cast<size_t>(t)];
  }
  const Tensor* input(int i) const { return i < step.inputs ? tensor(i) : nullptr; }
  const Tensor& output(int i = 0) const {
    const Tensor* const t = tensor(step.inputs + i);
    if (t == nullptr) refuse("an output is absent");
    return *t;
  }

  Operand operand(const Tensor* t) const {
    if (t == nullptr) return {};
    Operand o;
    o.dtype = t->dtype;
    o.name = t->name;
    if (dtype_bytes(t->dtype) == 0) refuse(formatted("dtype {}", t->dtype));
    o.dims = t->dims;
    o.strides = t->strides;
    if (t->is_constant()) {
      o.from = Operand::From::weights;
      o.offset = {weights.add(program, *t), -1};
      o.strides.assign(t->dims.size(), Dim{1, -1});
      for (size_t i = t->dims.size(); i-- > 1;) o.strides[i - 1] = {o.strides[i].number * t->dims[i].number, -1};
    } else {
      o.from = Operand::From::buffer;
      o.buffer = t->buffer;
      o.offset = t->offset;
    }
    return o;
  }
  // Numbers that a kernel takes as the dims of a tensor.
  static Operand numbers(std::vector<Dim> values) {
    Operand o;
    o.name = "sizes";
    o.dtype = "i64";
    o.strides.assign(values.size(), Dim{0, -1});
    o.dims = std::move(values);
    return o;
  }

  void want(const Tensor* t, const char* dtype, const char* what) const {
    if (t != nullptr && t->dtype != dtype) refuse(formatted("{} of {}; expected {}", what, t->dtype, dtype));
  }
  void no_quantization() const {
    if (!step.quantization.empty()) refuse("numbers of 8 bits with scales");
  }
  const Tensor& constant(int i, const char* what) const {
    const Tensor* const t = input(i);
    if (t == nullptr || !t->is_constant()) refuse(formatted("{} that come with the run", what));
    return *t;
  }

  // The operands of post-ops, behind those of the operator.
  void add_posts(Call& call) const {
    int next = step.inputs + step.outputs;
    call.posts.insert(call.posts.end(), posts.begin(), posts.end());
    for (const PostOp& p : posts) {
      if (p.tensor ? !has_binary(p.function) : !has_unary(p.function)) refuse(formatted("the function {}", p.function));
      if (!p.tensor) continue;
      const Tensor* const t = tensor(next++);
      want(t, "f32", "a post-op's operand");
      call.operands.push_back(operand(t));
    }
  }

  // The scale and the zero point of an operand: none, one, or one per index of an axis.
  struct Factors {
    std::vector<float> scale, zero;
    bool scale_by_axis = false, zero_by_axis = false;
    float scale_at(int64_t i) const { return scale[scale_by_axis ? static_cast<size_t>(i) : 0]; }
    float zero_at(int64_t i) const { return zero.empty() ? 0.f : zero[zero_by_axis ? static_cast<size_t>(i) : 0]; }
  };
  struct Quantized {
    Factors of[3];  // input 0, input 1, the result
    std::vector<float> table;
  };
  // "result=u8 q0=0.02/128 q1=0.5;0.25@0/- q2=t/t", "table=0;1;..."
  Quantized quantized() const {
    Quantized q;
    const auto list = [](std::string text) {
      std::vector<float> values;
      for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(';', begin), text.size());
        values.push_back(parse_real(text.substr(begin, end - begin)));
        begin = end + 1;
      }
      return values;
    };
    const auto factors = [&](const std::string& text, std::vector<float>* to, bool* by_axis) {
      if (text == "-") return;
      if (text[0] == 't') refuse("scales or zero points that come with the run");
      *by_axis = text.find('@') != std::string::npos;
      *to = list(text.substr(0, text.find('@')));
      if (to->size() == 1) *by_axis = false;
    };
    const Attributes words(step.quantization);
    if (words.has("table")) q.table = list(words.word("table"));
    for (int o = 0; o < 3; ++o) {
      const std::string text = words.word(formatted("q{}", o));
      const size_t slash = text.find('/');
      if (slash == std::string::npos) continue;
      factors(text.substr(0, slash), &q.of[o].scale, &q.of[o].scale_by_axis);
      factors(text.substr(slash + 1), &q.of[o].zero, &q.of[o].zero_by_axis);
    }
    return q;
  }
  static void one(const Factors& f, const char* what) {
    if (f.scale_by_axis || f.zero_by_axis) refuse(formatted("scales per axis of {}", what));
  }
  // "to, rescaled, scale, zero point" of what is stored.
  std::string stored(const Quantized& q) const {
    one(q.of[2], "the result");
    const std::string& to = output().dtype;
    if (to != "f32" && to != "u8" && to != "i8") refuse(formatted("a result of {}", to));
    if (to == "f32" && (!q.of[2].scale.empty() || !q.of[2].zero.empty())) refuse("a scaled result of f32");
    return formatted("{}, {}, {}, {}", code_of(to), q.of[2].scale.empty() ? 0 : 1,
                     real_text(q.of[2].scale.empty() ? 1.f : q.of[2].scale[0]), real_text(q.of[2].zero_at(0)));
  }
  static bool is_byte(const Tensor& t) { return t.dtype == "u8" || t.dtype == "i8"; }

  // Convolutions and products of matrices of 8-bit numbers: weight(column, k) is a number, columns counted over all groups.
  template <class Weight>
  std::vector<Call> bytes(const char* kernel, int64_t groups, int64_t columns, int64_t k, bool depthwise, const std::string& window,
                          Weight weight) const {
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

  std::vector<Call> requantize(int inputs, const std::string& function) const {
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
    call.attributes =
        formatted("{}, ANYDIM_{}, {{{}}}, {{{}}}, {{{}}}, {{{}}}, {}", inputs, function, from, scaled, zero, scale, stored(q));
    for (int i = 0; i < inputs; ++i) call.operands.push_back(operand(input(i)));
    call.operands.push_back(operand(&output()));
    add_posts(call);
    return {call};
  }

  std::vector<Call> convolution(bool transposed) const {
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
    const std::string window =
        formatted("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}", spatial, transposed ? 1 : 0, same, list_text(kernel),
                  list_text(three("strides", 1)), list_text(three("dilations", 1)), list_text(pads), group, channels, outputs);
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
    std::vector<float> packed;
    if (depthwise) {
      packed.assign(static_cast<size_t>(panels(group) * taps * kPanel), 0.f);
      for (int64_t g = 0; g < group; ++g)
        for (int64_t t = 0; t < taps; ++t) packed[static_cast<size_t>((g / kPanel * taps + t) * kPanel + g % kPanel)] = from[g * taps + t];
    } else {
      const int64_t k = taps * channels;
      packed.assign(static_cast<size_t>(group * panels(outputs) * k * kPanel), 0.f);
      for (int64_t g = 0; g < group; ++g)
        for (int64_t m = 0; m < outputs; ++m)
          for (int64_t t = 0; t < taps; ++t)
            for (int64_t c = 0; c < channels; ++c) {
              const int64_t of = transposed ? ((g * channels + c) * outputs + m) * taps + t : ((g * outputs + m) * channels + c) * taps + t;
              packed[static_cast<size_t>(((g * panels(outputs) + m / kPanel) * k + t * channels + c) * kPanel + m % kPanel)] = from[of];
            }
    }
    std::string bias = "NULL";
    if (input(2) != nullptr) {
      const Tensor& b = constant(2, "biases");
      want(&b, "f32", "the bias");
      const int64_t columns = depthwise ? group : outputs, groups = depthwise ? 1 : group;
      std::vector<float> padded(static_cast<size_t>(groups * panels(columns) * kPanel), 0.f);
      for (int64_t g = 0; g < groups; ++g)
        for (int64_t m = 0; m < columns; ++m)
          padded[static_cast<size_t>(g * panels(columns) * kPanel + m)] = program.elements<float>(b)[g * columns + m];
      bias = formatted("F32({})", weights.add(padded));
    }
    Call call;
    call.kernel = depthwise ? "depthwise" : "convolution";
    call.source = "convolution";
    call.attributes_type = "convolution";
    call.attributes = formatted("F32({}), {}, {}", weights.add(packed), bias, window);
    call.operands = {operand(&x), operand(&output())};
    call.scratch = {taps * 12 + 64, -1};
    add_posts(call);
    return {call};
  }

  std::vector<Call> byte_matmul() const {
    const Tensor &a = *input(0), &b = constant(1, "weights");
    if (!is_byte(a) || !is_byte(b) || b.dims.size() != 2 || a.dims.size() < 2 || at.integer("transpose_a") != 0)
      refuse("a product of 8-bit numbers whose right side is no matrix, or whose left side is transposed");
    const bool transposed = at.integer("transpose_b") != 0;
    const int64_t n = b.dims[transposed ? 0 : 1].number, k = b.dims[transposed ? 1 : 0].number;
    return bytes("byte_matmul", 1, n, k, false,
                 formatted("{{0, 0, 0, {{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{0, 0, 0}}, 1, {}, {}}}", k, n),
                 [&](int64_t column, int64_t i) -> int {
                   const int64_t of = transposed ? column * k + i : i * n + column;
                   return b.dtype == "i8" ? program.elements<int8_t>(b)[of] : program.elements<uint8_t>(b)[of];
                 });
  }

  std::vector<Call> matmul() const {
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
    if ((a.dims.size() == 1 || column) && !posts.empty() &&
        std::any_of(posts.begin(), posts.end(), [](const PostOp& p) { return p.tensor; }))
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
      std::vector<float> panel(static_cast<size_t>(panels(n) * k * kPanel), 0.f);
      for (int64_t i = 0; i < k; ++i)
        for (int64_t j = 0; j < n; ++j)
          panel[static_cast<size_t>((j / kPanel * k + i) * kPanel + j % kPanel)] =
              program.elements<float>(b)[transpose_b ? j * k + i : i * n + j];
      packed = formatted("F32({})", weights.add(panel));
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
        values.resize(static_cast<size_t>(panels(n) * kPanel), 0.f);
        bias = formatted("F32({})", weights.add(values));
      } else {
        Operand o = operand(c);
        if (beta != 1) o.offset = {weights.add(values), -1};
        call.posts.push_back({"add", true, false, 0, 0});
        call.operands.push_back(o);
      }
    }
    call.attributes = formatted("{}, {}, {}, {}", packed, bias, transpose_a ? 1 : 0, transpose_b && packed == "NULL" ? 1 : 0);
    add_posts(call);
    return {call};
  }

  std::vector<Call> pooling() const {
    no_quantization();
    want(input(0), "f32", "x");
    if (at.integer("indices") != 0) refuse("indices of maxima");
    const auto spatial = static_cast<int64_t>(input(0)->dims.size()) - 2;
    if (spatial < 1 || spatial > 3) refuse(formatted("{} spatial dims", spatial));
    const auto three = [&](const char* name, int64_t otherwise) {
      std::vector<int64_t> v = at.integers(name);
      v.resize(static_cast<size_t>(spatial), otherwise);
      v.insert(v.begin(), static_cast<size_t>(3 - spatial), otherwise);
      return list_text(v);
    };
    const std::string pad = at.word("auto_pad"), none = "{0, 0, 0}";
    Call call;
    call.kernel = call.attributes_type = "pooling";
    call.attributes = formatted("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}", at.word("kind") == "max" ? 1 : 0, at.integer("global"), spatial,
                                pad == "same_upper"   ? 1
                                : pad == "same_lower" ? 2
                                                      : 0,
                                at.integer("count_include_pad"), three("window", 1), three("strides", 1), three("dilations", 1),
                                pad == "valid" ? none : three("pads_begin", 0), pad == "valid" ? none : three("pads_end", 0));
    call.operands = {operand(input(0)), operand(&output())};
    add_posts(call);
    return {call};
  }

  std::vector<Call> elements(int inputs) const {
    no_quantization();
    const std::string function = at.word("function");
    for (int i = 0; i < inputs; ++i) want(input(i), "f32", formatted("{} with an operand", function).c_str());
    want(&output(), "f32", "a result");
    if (inputs == 1 ? !has_unary(function) : !has_binary(function)) refuse(formatted("the function {}", function));
    Call call;
    call.kernel = inputs == 1 ? "unary" : "binary";
    call.source = "elements";
    call.attributes_type = "elementwise";
    call.attributes = formatted("ANYDIM_{}, {}, {}", function, real_text(at.real("alpha")), real_text(at.real("beta")));
    for (int i = 0; i < inputs; ++i) call.operands.push_back(operand(input(i)));
    call.operands.push_back(operand(&output()));
    add_posts(call);
    return {call};
  }

  void no_posts() const {
    if (!posts.empty()) refuse("post-ops");
  }
  int64_t axis_of(const Tensor& t, int64_t otherwise) const {
    const int64_t axis = at.integer("axis", otherwise);
    return axis < 0 ? axis + static_cast<int64_t>(t.dims.size()) : axis;
  }
  static const char* code_of(const std::string& dtype) {
    if (dtype == "f32") return "ANYDIM_f32";
    if (dtype == "i64") return "ANYDIM_i64";
    if (dtype == "i32") return "ANYDIM_i32";
    if (dtype == "u8") return "ANYDIM_u8";
    if (dtype == "i8") return "ANYDIM_i8";
    if (dtype == "bool") return "ANYDIM_bool";
    refuse(formatted("dtype {}", dtype));
  }
  // A call of a kernel without post-ops, on all inputs and outputs.
  Call plain(const char* kernel, const char* type, std::string attributes) const {
    no_posts();
    no_quantization();
    Call call;
    call.kernel = kernel;
    call.attributes_type = type;
    call.attributes = std::move(attributes);
    for (int i = 0; i < step.inputs + step.outputs; ++i) call.operands.push_back(operand(tensor(i)));
    return call;
  }

  std::vector<Call> softmax() const {
    want(input(0), "f32", "x");
    return {plain("softmax", "-softmax", formatted("{}, {}", axis_of(*input(0), -1), at.integer("log")))};
  }

  std::vector<Call> layer_norm() const {
    no_quantization();
    for (int i = 0; i < step.inputs; ++i) want(input(i), "f32", "an operand");
    Call call;
    call.kernel = call.attributes_type = "layer_norm";
    call.attributes = formatted("{}, {}, {}, {}", axis_of(*input(0), -1), input(1) != nullptr ? 1 : 0, input(2) != nullptr ? 1 : 0,
                                real_text(at.real("epsilon", 1e-5f)));
    for (int i = 0; i < 3; ++i)
      if (input(i) != nullptr) call.operands.push_back(operand(input(i)));
    call.operands.push_back(operand(&output()));
    for (const PostOp& p : posts)
      if (p.tensor) refuse("post-ops of tensors");
    add_posts(call);
    return {call};
  }

  std::vector<Call> attention() const {
    no_posts();
    no_quantization();
    for (int i = 5; i < step.inputs; ++i)
      if (input(i) != nullptr) refuse("positions, lengths or sinks of sequences");
    if (at.integer("left_window", -1) != -1 || at.integer("right_window", -1) != -1) refuse("windows");
    if (const auto first = at.dims("first"); !first.empty() && first[0] != Dim{0, -1} && at.integer("causal") != 0)
      refuse("a first position");
    for (int i = 0; i < 4; ++i) want(input(i), "f32", "an operand");
    const Tensor* const mask = input(4);
    if (mask != nullptr && mask->dtype != "bool") refuse("a mask that is not of bool");
    Call call;
    call.kernel = "attention";
    call.attributes_type = "-attention";
    call.attributes = formatted("{}, {}, {}, {}, {}", input(3) != nullptr ? 1 : 0, mask != nullptr ? 1 : 0, at.integer("causal"),
                                real_text(at.real("scale", 1)), real_text(at.real("softcap", 0)));
    for (int i = 0; i < 5; ++i)
      if (input(i) != nullptr) call.operands.push_back(operand(input(i)));
    call.operands.push_back(operand(&output()));
    const Dim keys = input(1)->dims[2], size = input(0)->dims[3];
    const Dim line = program.mul(program.make(SizeOp::ceil_div, keys, {kPanel, -1}), {kPanel, -1});
    constexpr int64_t kMostRows = 12;  // of a tile, on any target
    call.scratch =
        program.add(program.mul(line, {4 * kMostRows, -1}), program.mul(program.make(SizeOp::max, line, size), {4 * kPanel, -1}));
    return {call};
  }

  std::vector<Call> reduce() const {
    want(input(0), "f32", "x");
    const std::string kind = at.word("kind").empty() ? "sum" : at.word("kind");
    static const char* const kKinds[] = {"sum", "mean", "max", "min", "prod", "l1", "l2", "sum_square"};
    if (std::none_of(std::begin(kKinds), std::end(kKinds), [&](const char* k) { return kind == k; }))
      refuse(formatted("the reduction {}", kind));
    const auto rank = static_cast<int64_t>(input(0)->dims.size());
    int64_t mask = 0;
    for (const int64_t a : at.integers("axes")) mask |= int64_t{1} << (a < 0 ? a + rank : a);
    if (at.integers("axes").empty()) mask = (int64_t{1} << rank) - 1;
    return {plain("reduce", "-reduce", formatted("ANYDIM_reduce_{}, {}, {}", kind, mask, at.integer("keepdims", 1)))};
  }

  std::vector<Call> resize() const {
    no_quantization();
    const Tensor& x = *input(0);
    const std::string mode = at.word("mode"), how = at.word("coordinates"), nearest = at.word("nearest");
    const bool linear = mode == "linear";
    if (!linear && mode != "nearest") refuse(formatted("mode {}", mode));
    if (linear || !posts.empty()) want(&x, "f32", "x");
    static const char* const kHow[] = {"half_pixel",    "half_pixel_symmetric", "pytorch_half_pixel",
                                       "align_corners", "asymmetric",           "tf_half_pixel_for_nn"};
    static const char* const kNearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
    const auto place = [](auto& list, const std::string& word) {
      const auto found = std::find_if(std::begin(list), std::end(list), [&](const char* k) { return word == k; });
      return found == std::end(list) ? -1 : static_cast<int>(found - std::begin(list));
    };
    if (place(kHow, how) < 0) refuse(formatted("coordinates {}", how));
    if (at.integer("antialias") != 0) refuse("antialias");
    if (at.has("scale_bits")) refuse("scales that a node computes");
    if (at.has("policy") && at.word("policy") != "stretch") refuse(formatted("policy {}", at.word("policy")));
    const std::vector<float> scales = at.reals("scales");
    std::vector<int64_t> axes = at.integers("axes");
    const size_t rank = x.dims.size();
    if (axes.empty())
      for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    int64_t scaled = 0;
    std::vector<float> by_axis(8, 1.f);
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(axes[i]);
      const bool copied = program.folded(x.dims[axis]) == program.folded(output().dims[axis]) && (scales.empty() || scales[i] == 1.f);
      if (copied) continue;
      scaled |= int64_t{1} << axis;
      if (!scales.empty()) by_axis[axis] = scales[i];
    }
    int inner = -1;
    for (const size_t axis : {size_t{1}, size_t{0}, rank - 1})
      if (inner < 0 && axis < rank && (scaled >> axis & 1) == 0) inner = static_cast<int>(axis);
    if (inner < 0 && (linear || !posts.empty())) refuse("all axes are resized");
    if (inner < 0) inner = static_cast<int>(rank) - 1;
    std::string list;
    for (const float s : by_axis) list += (list.empty() ? "{" : ", ") + real_text(s);
    Call call;
    call.kernel = call.attributes_type = "resize";
    call.attributes = formatted("{}, {}, {}, {}, {}, {}, {}, {}}}", linear ? 1 : 0, place(kHow, how), std::max(place(kNearest, nearest), 0),
                                at.integer("exclude_outside"), scales.empty() ? 1 : 0, scaled, inner, list);
    call.operands = {operand(&x), operand(&output())};
    add_posts(call);
    return {call};
  }

  // --- whole numbers, comparisons, other dtypes ------------------------------------------------------------------------

  std::vector<Call> integers(int inputs) const {
    const std::string function = at.word("function"), from = input(0)->dtype, to = output().dtype;
    static const char* const kWhole[] = {"add",        "sub",         "mul",         "div",     "min",           "max",
                                         "equal",      "less",        "less_equal",  "greater", "greater_equal", "logical_and",
                                         "logical_or", "logical_xor", "logical_not", "neg",     "abs",           "sign"};
    static const char* const kReal[] = {"equal", "less", "less_equal", "greater", "greater_equal", "is_nan"};
    const auto in = [&](auto& list) { return std::any_of(std::begin(list), std::end(list), [&](const char* k) { return function == k; }); };
    if (from == "f32" ? !in(kReal) : !in(kWhole)) refuse(formatted("the function {} of {}", function, from));
    if (inputs == 2 && input(1)->dtype != from) refuse("operands of two dtypes");
    return {plain("integers", "-integers", formatted("ANYDIM_{}, {}, {}, {}", function, inputs, code_of(from), code_of(to)))};
  }

  std::vector<Call> cast() const {
    if (!step.quantization.empty()) return requantize(1, "identity");
    const std::string from = input(0)->dtype, to = output().dtype;
    return {plain("cast", "-cast", formatted("{}, {}", code_of(from), code_of(to)))};
  }

  std::vector<Call> range() const {
    no_posts();
    if (at.integer("real") != 0) refuse("a range of reals");
    Call call;
    call.kernel = "range";
    call.source = "numbers";
    call.attributes_type = "-cast";
    call.attributes = formatted("ANYDIM_i64, {}", code_of(output().dtype));
    const auto one = [&](const char* name, int64_t otherwise) { return at.has(name) ? at.dims(name)[0] : Dim{otherwise, -1}; };
    call.operands = {operand(&output()), numbers({one("start", 0), one("delta", 1)})};
    return {call};
  }

  std::vector<Call> shape_tensor() const {
    no_posts();
    std::vector<Call> calls;
    const std::vector<Dim> values = at.dims("values");
    constexpr size_t kMost = 8;  // dims of an operand
    for (size_t i = 0; i < values.size(); i += kMost) {
      Call call;
      call.kernel = "numbers";
      call.attributes_type = "-cast";
      call.attributes = formatted("ANYDIM_i64, {}", code_of(output().dtype));
      Operand y = operand(&output());
      std::vector<Dim> some(values.begin() + static_cast<std::ptrdiff_t>(i),
                            values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), i + kMost)));
      if (!y.dims.empty()) {
        y.offset = program.add(y.offset, program.mul(y.strides[0], {static_cast<int64_t>(i), -1}));
        y.dims[0] = {static_cast<int64_t>(some.size()), -1};
      }
      call.operands = {y, numbers(some)};
      calls.push_back(call);
    }
    return calls;
  }

  // --- movers ----------------------------------------------------------------------------------------------------------

  std::vector<Call> copy(Operand from, Operand to) const {
    no_posts();
    Call call;
    call.kernel = "copy";
    call.operands = {std::move(from), std::move(to)};
    return {call};
  }
  std::vector<Call> transpose() const {
    Operand from = operand(input(0));
    const Operand x = from;
    const std::vector<int64_t> perm = at.integers("perm");
    for (size_t i = 0; i < perm.size(); ++i) {
      from.dims[i] = x.dims[static_cast<size_t>(perm[i])];
      from.strides[i] = x.strides[static_cast<size_t>(perm[i])];
    }
    return copy(from, operand(&output()));
  }
  std::vector<Call> tile() const {
    Operand from = operand(input(0)), to = operand(&output());
    Operand x, y;
    x = from;
    y = to;
    x.dims.clear(), x.strides.clear(), y.dims.clear(), y.strides.clear();
    const std::vector<Dim> repeats = at.dims("repeats");
    for (size_t i = 0; i < from.dims.size(); ++i) {
      if (program.folded(repeats[i]) != Dim{1, -1}) {
        x.dims.push_back({1, -1});
        x.strides.push_back({0, -1});
        y.dims.push_back(repeats[i]);
        y.strides.push_back(program.mul(to.strides[i], from.dims[i]));
      }
      x.dims.push_back(from.dims[i]);
      x.strides.push_back(from.strides[i]);
      y.dims.push_back(from.dims[i]);
      y.strides.push_back(to.strides[i]);
    }
    if (x.dims.size() > 8) refuse("too many axes");
    return copy(x, y);
  }
  // y[n, c, h * b + i, w * b + j] = x[n, ..., h, w], as a copy of rank 6.
  std::vector<Call> depth_to_space() const {
    const bool inverse = at.integer("inverse") != 0, column_first = at.word("order") == "column_first";
    Operand deep = operand(inverse ? &output() : input(0)), flat = operand(inverse ? input(0) : &output());
    if (deep.dims.size() != 4) refuse("a rank other than 4");
    const Dim b{at.integer("block", 1), -1}, none{0, -1};
    const Dim c = flat.dims[1], h = deep.dims[2], w = deep.dims[3];
    const Dim bb = program.mul(b, b), s = deep.strides[1];
    Operand x = deep, y = flat;
    // axes: n, c, h, i, w, j
    const Dim depth = column_first ? program.mul(s, bb) : s, row = column_first ? program.mul(s, b) : program.mul(program.mul(s, b), c),
              column = column_first ? s : program.mul(s, c);
    x.dims = y.dims = {deep.dims[0], c, h, b, w, b};
    x.strides = {deep.strides[0], depth, deep.strides[2], row, deep.strides[3], column};
    y.strides = {flat.strides[0], flat.strides[1], program.mul(flat.strides[2], b), flat.strides[2], program.mul(flat.strides[3], b),
                 flat.strides[3]};
    (void)none;
    return inverse ? copy(y, x) : copy(x, y);
  }
  std::vector<Call> slice() const {
    Call call = plain("slice", "-axes", "");
    std::vector<int64_t> steps = at.integers("steps");
    steps.resize(std::max<size_t>(steps.size(), input(0)->dims.size()), 1);
    call.attributes = list_text(steps);
    call.operands.resize(2);
    call.operands[0] = operand(input(0));
    call.operands[1] = operand(&output());
    call.operands.push_back(numbers(at.dims("starts")));
    return {call};
  }
  std::vector<Call> pad() const {
    no_posts();
    no_quantization();
    const std::string mode = at.word("mode").empty() ? "constant" : at.word("mode");
    Call call;
    call.kernel = "pad";
    call.attributes_type = "-pad";
    call.attributes = formatted("{}, {}",
                                mode == "constant"  ? 0
                                : mode == "reflect" ? 1
                                : mode == "edge"    ? 2
                                                    : 3,
                                input(1) != nullptr ? 1 : 0);
    call.operands = {operand(input(0)), operand(input(1)), operand(&output()), numbers(at.dims("before"))};
    return {call};
  }
  std::vector<Call> concat() const { return {plain("concat", "-concat", formatted("{}, {}", axis_of(output(), 0), step.inputs))}; }
  std::vector<Call> gather() const {
    if (input(1)->dtype != "i64" && input(1)->dtype != "i32") refuse(formatted("indices of {}", input(1)->dtype));
    return {plain("gather", "-concat", formatted("{}, 2", axis_of(*input(0), 0)))};
  }

  // --- recurrent layers ------------------------------------------------------------------------------------------------

  std::vector<Call> recurrent() const {
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

  std::vector<Call> run() const {
    const std::string& op = at.op();
    if (op == "control") refuse("branches, loops and operators of the program's own");
    if (op == "transfer") refuse("devices");
    if (step.math == "reduced" || step.math == "fast") refuse(formatted("math mode {}", step.math));
    if (op == "convolution") return convolution(false);
    if (op == "conv_transpose") return convolution(true);
    if (op == "matmul") return matmul();
    if (op == "pooling") return pooling();
    if (op == "unary" || op == "binary") {
      const int inputs = op == "unary" ? 1 : 2;
      if (!step.quantization.empty()) {
        if (inputs == 1) refuse("a function of 8-bit numbers");
        return requantize(2, at.word("function"));
      }
      return input(0)->dtype == "f32" && output().dtype == "f32" ? elements(inputs) : integers(inputs);
    }
    if (op == "softmax") return softmax();
    if (op == "layer_norm") return layer_norm();
    if (op == "attention") return attention();
    if (op == "reduce") return reduce();
    if (op == "resize") return resize();
    if (op == "recurrent") return recurrent();
    if (op == "where") {
      if (input(1)->dtype != output().dtype) refuse("operands of two dtypes");
      std::vector<Call> calls{plain("where", "", "")};
      calls[0].source = "choose";
      return calls;
    }
    if (op == "cast") return cast();
    if (op == "range") return range();
    if (op == "shape_tensor") return shape_tensor();
    if (op == "transpose") return transpose();
    if (op == "expand") return copy(operand(input(0)), operand(&output()));
    if (op == "tile") return tile();
    if (op == "depth_to_space") return depth_to_space();
    if (op == "reshape") return {plain("reshape", "", "")};
    if (op == "slice") return slice();
    if (op == "pad") return pad();
    if (op == "concat") return concat();
    if (op == "gather") return gather();
    refuse(formatted("the operator {}", op));
  }
};

}  // namespace

std::vector<Call> translate(Program& program, const Step& step, Weights& weights) {
  std::vector<Call> calls = Translation{program, step, weights}.run();
  for (Call& c : calls) c.label = step.label;
  return calls;
}

}  // namespace anydim_cli::exporting
