// SPDX-License-Identifier: Apache-2.0
// Operators and post-ops from text; see text.h. One reader per operator, in the order of OpKind: what an attribute means
// and whether it is valid is the operator's own business.
#include "core/ops/text.h"

#include <charconv>
#include <vector>

#include "core/ops/arg_reduce.h"
#include "core/ops/attribute_reader.h"
#include "core/ops/binary.h"
#include "core/ops/cast.h"
#include "core/ops/concat.h"
#include "core/ops/conv_transpose.h"
#include "core/ops/convolution.h"
#include "core/ops/cumsum.h"
#include "core/ops/depth_to_space.h"
#include "core/ops/expand.h"
#include "core/ops/eye_like.h"
#include "core/ops/gather.h"
#include "core/ops/gather_elements.h"
#include "core/ops/gather_nd.h"
#include "core/ops/layer_norm.h"
#include "core/ops/matmul.h"
#include "core/ops/one_hot.h"
#include "core/ops/pad.h"
#include "core/ops/pooling.h"
#include "core/ops/range.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"
#include "core/ops/resize.h"
#include "core/ops/scatter_elements.h"
#include "core/ops/scatter_nd.h"
#include "core/ops/shape_tensor.h"
#include "core/ops/slice.h"
#include "core/ops/softmax.h"
#include "core/ops/tile.h"
#include "core/ops/topk.h"
#include "core/ops/transpose.h"
#include "core/ops/trilu.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace anydim {

namespace {

constexpr const char* kAutoPads[] = {"explicit", "same_upper", "same_lower", "valid"};
constexpr const char* kReductions[] = {"none", "add", "mul", "min", "max"};

template <class A> void read_spatial(AttributeReader& r, A* a) {
  int count = 0;
  r.fixed("strides", a->strides, &count);
  r.fixed("dilations", a->dilations, &count);
  r.fixed("pads_begin", a->pads_begin, &count);
  r.fixed("pads_end", a->pads_end, &count);
  a->auto_pad = static_cast<AutoPad>(r.word("auto_pad", kAutoPads, 0));
  if (count > 0) a->spatial = count;
}

Result<OperatorPtr> read_conv_transpose(AttributeReader& r) {
  ConvTranspose::Attributes a;
  read_spatial(r, &a);
  int count = a.spatial;
  r.fixed("output_padding", a.output_padding, &count);
  a.has_output_shape = r.fixed("output_shape", a.output_shape, &count);
  a.group = r.number("group", 1);
  return r.made([&] { return ConvTranspose::make(a); });
}

Result<OperatorPtr> read_pooling(AttributeReader& r) {
  constexpr const char* kKinds[] = {"max", "average"};
  Pooling::Attributes a;
  a.kind = static_cast<Pooling::Kind>(r.word("kind", kKinds, 0));
  a.global = r.flag("global", false);
  if (!a.global) {
    read_spatial(r, &a);
    int count = a.spatial;
    r.fixed("kernel", a.kernel, &count);
    a.ceil_mode = r.flag("ceil_mode", false);
    a.count_include_pad = r.flag("count_include_pad", false);
  }
  a.indices = r.flag("indices", false);
  a.column_major_indices = r.flag("column_major_indices", false);
  return r.made([&] { return Pooling::make(a); });
}

Result<OperatorPtr> read_unary(AttributeReader& r) {
  UnaryFunction f = UnaryFunction::identity;
  if (!parse_function(r.text("function"), &f)) r.refuse("function", "the name of a function of one element");
  const int n = parameter_count(f);
  const float alpha = n >= 1 ? r.real("alpha", 0.) : 0.f, beta = n >= 2 ? r.real("beta", 0.) : 0.f;
  return r.made([&] { return Unary::make(f, alpha, beta); });
}

Result<OperatorPtr> read_reduce(AttributeReader& r) {
  constexpr const char* kKinds[] = {"sum", "mean", "sum_square", "l1", "l2", "prod", "log_sum", "log_sum_exp", "max", "min"};
  const auto kind = static_cast<ReduceKind>(r.word("kind", kKinds, -1));
  const std::vector<int64_t> axes = r.list("axes");
  const bool keepdims = r.flag("keepdims", true);
  return r.made([&] { return Reduce::make(kind, axes, keepdims); });
}

Result<OperatorPtr> read_resize(AttributeReader& r) {
  constexpr const char* kModes[] = {"nearest", "linear", "cubic"};
  constexpr const char* kCoordinates[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                          "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
  constexpr const char* kNearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  constexpr const char* kPolicies[] = {"stretch", "not_larger", "not_smaller"};
  Resize::Attributes a;
  a.mode = static_cast<Resize::Mode>(r.word("mode", kModes, 0));
  a.coordinates = static_cast<Resize::Coordinates>(r.word("coordinates", kCoordinates, 0));
  if (a.mode == Resize::Mode::nearest) a.nearest = static_cast<Resize::Nearest>(r.word("nearest", kNearest, 0));
  if (a.mode == Resize::Mode::cubic) a.cubic_coeff_a = r.real("cubic_coeff_a", -0.75);
  a.exclude_outside = r.flag("exclude_outside", false);
  a.policy = static_cast<Resize::AspectPolicy>(r.word("policy", kPolicies, 0));
  a.extrapolation_value = r.real("extrapolation_value", 0.);
  for (int64_t v : r.list("axes")) a.axes.push_back(static_cast<int>(v));
  a.scales = r.reals("scales");
  for (int64_t v : r.list("sizes")) a.sizes.emplace_back(v);
  a.roi = r.reals("roi");
  return r.made([&] { return Resize::make(std::move(a)); });
}

Result<OperatorPtr> read_transpose(AttributeReader& r) {
  Perm perm;
  for (Dim d : r.dims("perm")) perm.push_back(static_cast<int32_t>(d.number()));
  return r.made([&] { return Transpose::make(perm); });
}

Result<OperatorPtr> read_slice(AttributeReader& r) {
  const SymDims starts = r.dims("starts"), lengths = r.dims("lengths");
  RankArray<int64_t> steps;
  for (Dim d : r.dims("steps")) steps.push_back(d.number());
  if (!r.has("steps")) steps = RankArray<int64_t>::filled(starts.rank, 1);
  if (lengths.rank != starts.rank) r.refuse("lengths", "as many numbers as starts has");
  if (steps.rank != starts.rank) r.refuse("steps", "as many numbers as starts has");
  return r.made([&] { return Slice::make(starts, steps, lengths); });
}

Result<OperatorPtr> read_pad(AttributeReader& r) {
  constexpr const char* kModes[] = {"constant", "reflect", "edge", "wrap"};
  const auto mode = static_cast<Pad::Mode>(r.word("mode", kModes, 0));
  const SymDims before = r.dims("before"), after = r.dims("after");
  if (after.rank != before.rank) r.refuse("after", "as many numbers as before has");
  return r.made([&] { return Pad::make(mode, before, after); });
}

Result<OperatorPtr> read_depth_to_space(AttributeReader& r) {
  constexpr const char* kOrders[] = {"depth_first", "column_first"};
  const int64_t block = r.number("block", 1);
  const auto order = static_cast<DepthToSpace::Order>(r.word("order", kOrders, 0));
  const bool inverse = r.flag("inverse", false);
  return r.made([&] { return DepthToSpace::make(block, order, inverse); });
}

Result<OperatorPtr> read_range(AttributeReader& r) {
  const DType dtype = r.dtype("dtype", DType::i64);
  // Reals have start and delta as such; dims then holds the number of elements alone.
  const bool real = r.has("start") || r.has("delta");
  const double start = r.wide("start", 0.), delta = r.wide("delta", 0.);
  const SymDims dims = r.dims("dims");
  if (dims.rank != 3) r.refuse("dims", "three numbers: start, delta, count");
  return r.made([&]() -> Result<OperatorPtr> {
    if (!real) return Range::make(dtype, dims[0], dims[1], dims[2]);
    auto any = Range::make_real(dtype, start, start, delta);  // of no elements; the count follows
    if (!any.ok()) return any;
    if (dims[2].number() < 0) return invalid("range of {} elements", dims[2].number());
    const Dim exact[] = {dims[0], dims[1], dims[2]};
    return (*any)->with_dim_attributes(exact);
  });
}

Result<OperatorPtr> read_shape_tensor(AttributeReader& r) {
  std::vector<Dim> values;
  for (int64_t v : r.list("values")) values.emplace_back(v);
  const bool scalar = r.flag("scalar", false);
  const DType dtype = r.dtype("dtype", DType::i64);
  return r.made([&] { return ShapeTensor::make(std::move(values), scalar, dtype); });
}

Result<OperatorPtr> read_topk(AttributeReader& r) {
  TopK::Attributes a;
  a.axis = r.small("axis", 0);
  a.k = r.number("k", 1);
  a.largest = r.flag("largest", true);
  a.sorted = r.flag("sorted", true);
  return r.made([&] { return TopK::make(a); });
}

Result<OperatorPtr> read(OpKind kind, AttributeReader& r) {
  switch (kind) {
    case OpKind::convolution: {
      Convolution::Attributes a;
      read_spatial(r, &a);
      a.group = r.number("group", 1);
      return r.made([&] { return Convolution::make(a); });
    }
    case OpKind::conv_transpose: return read_conv_transpose(r);
    case OpKind::matmul: {
      Matmul::Attributes a;
      a.trans_a = r.flag("trans_a", false);
      a.trans_b = r.flag("trans_b", false);
      a.alpha = r.real("alpha", 1.);
      a.beta = r.real("beta", 1.);
      return r.made([&] { return Matmul::make(a); });
    }
    case OpKind::pooling: return read_pooling(r);
    case OpKind::unary: return read_unary(r);
    case OpKind::binary: {
      BinaryFunction f = BinaryFunction::add;
      if (!parse_function(r.text("function"), &f)) r.refuse("function", "the name of a function of two elements");
      return r.made([&] { return Binary::make(f); });
    }
    case OpKind::where: return r.made([] { return Where::make(); });
    case OpKind::cast: {
      const DType to = r.dtype("to", DType::none);
      return r.made([&] { return Cast::make(to); });
    }
    case OpKind::reduce: return read_reduce(r);
    case OpKind::arg_reduce: {
      constexpr const char* kKinds[] = {"min", "max"};
      const bool max = r.word("kind", kKinds, 1) == 1;
      const int64_t axis = r.number("axis", 0);
      const bool keepdims = r.flag("keepdims", true), last = r.flag("select_last", false);
      return r.made([&] { return ArgReduce::make(max, axis, keepdims, last); });
    }
    case OpKind::softmax: {
      const int64_t axis = r.number("axis", -1);
      const bool log = r.flag("log", false);
      return r.made([&] { return Softmax::make(axis, log); });
    }
    case OpKind::layer_norm: {
      const int64_t axis = r.number("axis", -1);
      const float epsilon = r.real("epsilon", 1e-5);
      return r.made([&] { return LayerNorm::make(axis, epsilon); });
    }
    case OpKind::cumsum: {
      const bool exclusive = r.flag("exclusive", false), reverse = r.flag("reverse", false);
      return r.made([&] { return CumSum::make(exclusive, reverse); });
    }
    case OpKind::resize: return read_resize(r);
    case OpKind::transpose: return read_transpose(r);
    case OpKind::reshape:
    case OpKind::expand: {
      const SymDims dims = r.dims("dims");
      return r.made([&] { return kind == OpKind::reshape ? Reshape::make(dims) : Expand::make(dims); });
    }
    case OpKind::slice: return read_slice(r);
    case OpKind::concat: {
      const int axis = r.small("axis", 0);
      return r.made([&] { return Concat::make(axis); });
    }
    case OpKind::pad: return read_pad(r);
    case OpKind::tile: {
      const SymDims repeats = r.dims("repeats");
      return r.made([&] { return Tile::make(repeats); });
    }
    case OpKind::depth_to_space: return read_depth_to_space(r);
    case OpKind::gather: {
      const int axis = r.small("axis", 0);
      return r.made([&] { return Gather::make(axis); });
    }
    case OpKind::gather_elements: {
      const int axis = r.small("axis", 0);
      return r.made([&] { return GatherElements::make(axis); });
    }
    case OpKind::gather_nd: {
      const int batch_dims = r.small("batch_dims", 0);
      return r.made([&] { return GatherNd::make(batch_dims); });
    }
    case OpKind::scatter_elements: {
      const int axis = r.small("axis", 0);
      const auto reduction = static_cast<ScatterReduction>(r.word("reduction", kReductions, 0));
      return r.made([&] { return ScatterElements::make(axis, reduction); });
    }
    case OpKind::scatter_nd: {
      const auto reduction = static_cast<ScatterReduction>(r.word("reduction", kReductions, 0));
      return r.made([&] { return ScatterNd::make(reduction); });
    }
    case OpKind::range: return read_range(r);
    case OpKind::shape_tensor: return read_shape_tensor(r);
    case OpKind::topk: return read_topk(r);
    case OpKind::one_hot: {
      const int axis = r.small("axis", 0);
      const int64_t depth = r.number("depth", 0);
      return r.made([&] { return OneHot::make(axis, depth); });
    }
    case OpKind::trilu: {
      const bool upper = r.flag("upper", true);
      const int64_t k = r.number("k", 0);
      return r.made([&] { return Trilu::make(upper, k); });
    }
    case OpKind::eye_like: {
      const DType dtype = r.dtype("dtype", DType::none);
      const int64_t k = r.number("k", 0);
      return r.made([&] { return EyeLike::make(dtype, k); });
    }
    case OpKind::count_: break;
  }
  return invalid("an operator of no kind");
}

template <class T> bool parse_whole(std::string_view word, T* out) noexcept {
  T value{};
  const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (bad != std::errc() || end != word.data() + word.size()) return false;
  *out = value;
  return true;
}

template <class F> bool find_function(std::string_view name, F* out) noexcept {
  for (int i = 0; i < static_cast<int>(F::count_); ++i)
    if (name == function_name(static_cast<F>(i))) return *out = static_cast<F>(i), true;
  return false;
}

}  // namespace

bool parse_number(std::string_view word, int64_t* out) noexcept { return parse_whole(word, out); }
bool parse_number(std::string_view word, double* out) noexcept { return parse_whole(word, out); }
bool parse_number(std::string_view word, float* out) noexcept { return parse_whole(word, out); }

bool parse_function(std::string_view name, UnaryFunction* out) noexcept { return find_function(name, out); }
bool parse_function(std::string_view name, BinaryFunction* out) noexcept { return find_function(name, out); }

bool parse_dtype(std::string_view name, DType* out) noexcept {
  for (int t = 0; t <= static_cast<int>(DType::boolean); ++t)
    if (name == dtype_name(static_cast<DType>(t))) return *out = static_cast<DType>(t), true;
  return false;
}

Status parse_operator(std::string_view text, OperatorPtr* out) {
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view name = text.substr(begin, end - begin);
  int kind = 0;
  while (kind < static_cast<int>(OpKind::count_) && name != op_name(static_cast<OpKind>(kind))) ++kind;
  if (kind == static_cast<int>(OpKind::count_)) return invalid("`{}` at byte {} is no operator", name, begin);
  AttributeReader reader(op_name(static_cast<OpKind>(kind)));
  ANYDIM_TRY(reader.split(text, end));
  auto made = read(static_cast<OpKind>(kind), reader);
  if (!made.ok()) return made.take_status();
  *out = std::move(*made);
  return {};
}

Status parse_post_ops(std::string_view text, PostOps* out) {
  PostOps chain;
  for (size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view step = text.substr(at, end - at);
    const size_t open = std::min(step.find('('), step.size());
    const std::string_view name = step.substr(0, open);
    std::string_view inside;
    if (open < step.size()) {
      if (step.back() != ')') return invalid("post-op `{}` at byte {} has no closing bracket", step, at);
      inside = step.substr(open + 1, step.size() - open - 2);
    }
    PostOp p;
    if (inside == "t" || inside == "t,y") {
      p.kind = inside == "t" ? PostOp::Kind::binary : PostOp::Kind::binary_reversed;
      if (!parse_function(name, &p.binary)) return invalid("post-op `{}` at byte {}: `{}` is no function of two elements", step, at, name);
    } else {
      if (!parse_function(name, &p.unary)) return invalid("post-op `{}` at byte {}: `{}` is no function of one element", step, at, name);
      const int n = parameter_count(p.unary);
      const size_t comma = std::min(inside.find(','), inside.size());
      const bool good = n == 0   ? open == step.size()
                        : n == 1 ? parse_number(inside, &p.alpha)
                                 : comma < inside.size() && parse_number(inside.substr(0, comma), &p.alpha) &&
                                       parse_number(inside.substr(comma + 1), &p.beta);
      if (!good) return invalid("post-op `{}` at byte {}: expected {} number{} in brackets", step, at, n, n == 1 ? "" : "s");
    }
    if (!chain.append(p)) return invalid("post-op `{}` at byte {}: a chain has at most {}", step, at, kMaxPostOps);
    at = end;
  }
  *out = chain;
  return {};
}

}  // namespace anydim
