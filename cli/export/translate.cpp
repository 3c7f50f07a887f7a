// SPDX-License-Identifier: Apache-2.0
// Steps of a program as calls of the C kernels in cli/export/kernels: attributes and operands.
#include <algorithm>
#include <cmath>

#include "cli/export/translation.h"

namespace anydim_cli::exporting {

namespace {

struct Steps : Translation {
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

  std::vector<Call> run() const {
    const std::string& op = at.op();
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

Operand operand_of(Program& program, Weights& weights, const Tensor& t) {
  Operand o;
  o.dtype = t.dtype;
  o.name = t.name;
  if (dtype_bytes(t.dtype) == 0) refuse(formatted("dtype {}", t.dtype));
  o.dims = t.dims;
  o.strides = t.strides;
  if (t.is_constant()) {
    o.from = Operand::From::weights;
    o.offset = {weights.add(program, t), -1};
    o.strides = program.dense_strides(t.dims);
  } else {
    o.from = Operand::From::buffer;
    o.buffer = t.buffer;
    o.offset = t.offset;
  }
  return o;
}

std::vector<Call> translate(Program& program, const Step& step, Weights& weights, const Archive* archive) {
  std::vector<Call> calls = Steps{{program, step, weights, archive}}.run();
  for (Call& c : calls) c.label = step.label;
  return calls;
}

}  // namespace anydim_cli::exporting
