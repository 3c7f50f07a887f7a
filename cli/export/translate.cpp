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

  std::vector<Call> convolution(bool transposed) const {
    no_quantization();
    const Tensor& x = *input(0);
    want(&x, "f32", "x");
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
    call.attributes = formatted("F32({}), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}", weights.add(packed), bias, spatial, transposed ? 1 : 0, same,
                                list_text(kernel), list_text(three("strides", 1)), list_text(three("dilations", 1)), list_text(pads), group,
                                channels, outputs);
    call.operands = {operand(&x), operand(&output())};
    call.scratch = {taps * 12 + 64, -1};
    add_posts(call);
    return {call};
  }

  std::vector<Call> matmul() const {
    no_quantization();
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
      std::vector<float> panel(static_cast<size_t>(panels(n) * k * kPanel), 0.f);
      for (int64_t i = 0; i < k; ++i)
        for (int64_t j = 0; j < n; ++j)
          panel[static_cast<size_t>((j / kPanel * k + i) * kPanel + j % kPanel)] = program.elements<float>(b)[transpose_b ? j * k + i : i * n + j];
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
        for (int64_t i = 0; i < element_count(c->dims); ++i) values.push_back(beta == 1 ? program.elements<float>(*c)[i] : beta * program.elements<float>(*c)[i]);
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
                                pad == "same_upper" ? 1 : pad == "same_lower" ? 2 : 0, at.integer("count_include_pad"), three("window", 1),
                                three("strides", 1), three("dilations", 1), pad == "valid" ? none : three("pads_begin", 0),
                                pad == "valid" ? none : three("pads_end", 0));
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
    call.attributes = formatted("ANYDIM_{}, 0, {}, {}", function, real_text(at.real("alpha")), real_text(at.real("beta")));
    for (int i = 0; i < inputs; ++i) call.operands.push_back(operand(input(i)));
    call.operands.push_back(operand(&output()));
    add_posts(call);
    return {call};
  }

  std::vector<Call> softmax() const {
    want(input(0), "f32", "x");
    if (!posts.empty()) refuse("post-ops");
    Call call;
    const auto rank = static_cast<int64_t>(input(0)->dims.size());
    const int64_t axis = at.integer("axis", -1);
    call.kernel = call.attributes_type = "softmax";
    call.attributes = formatted("{}, {}", axis < 0 ? axis + rank : axis, at.integer("log"));
    call.operands = {operand(input(0)), operand(&output())};
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
    if (op == "unary") return elements(1);
    if (op == "binary") return elements(2);
    if (op == "softmax") return softmax();
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
