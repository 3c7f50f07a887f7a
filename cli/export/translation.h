// SPDX-License-Identifier: Apache-2.0
// What the translation of a step has at hand: its tensors as operands, its attributes, its scales. Inline, for the files translate.cpp and
// translate_products.cpp alone.
#pragma once

#include <algorithm>

#include "cli/export/emit.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

constexpr int64_t kPanel = 16;  // columns of packed weights: ANYDIM_PANEL of the kernels

[[noreturn]] inline void refuse(const std::string& why) { throw Unsupported(why); }

inline int64_t panels(int64_t columns) { return (columns + kPanel - 1) / kPanel; }

// How weights of floats are packed: panels of columns, by k and column; the last one is as wide as the rest, rounded up to the granule.
struct PanelForm {
  int64_t width = kPanel, granule = kPanel;
  int64_t packed(int64_t columns) const { return (columns + granule - 1) / granule * granule; }
  size_t at(int64_t columns, int64_t k, int64_t column, int64_t row) const {
    const int64_t first = column / width * width;
    return static_cast<size_t>(first * k + row * std::min(width, packed(columns) - first) + column - first);
  }
};

struct Translation {
  Program& program;
  const Step& step;
  Weights& weights;
  const Archive* archive;  // whose kernels convolve and multiply; null: C
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

  Operand operand(const Tensor* t) const { return t == nullptr ? Operand() : operand_of(program, weights, *t); }
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

  PanelForm form() const { return archive == nullptr ? PanelForm{} : PanelForm{2 * archive->vector, archive->granule}; }

  // translate_products.cpp
  std::vector<Call> convolution(bool transposed) const;
  std::vector<Call> matmul() const;
  std::vector<Call> byte_matmul() const;
  std::vector<Call> recurrent() const;
  template <class F> std::string pack(int64_t groups, int64_t columns, int64_t k, F&& value) const;
  bool makes_patches(const Tensor& w) const;
  std::string pack_depthwise(int64_t channels, int64_t taps, const float* from) const;
  std::string pack_bias(int64_t groups, int64_t columns, const float* from) const;
  void archived(Call& call, Dim scratch) const;
  Dim product_scratch(const Operand& a, const Operand* b, bool transpose_a, bool transpose_b) const;
  std::vector<Call> requantize(int inputs, const std::string& function) const;
  template <class Weight>
  std::vector<Call> bytes(const char* kernel, int64_t groups, int64_t columns, int64_t k, bool depthwise, const std::string& window,
                          Weight weight) const;
};

}  // namespace anydim_cli::exporting
