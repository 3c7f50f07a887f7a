// SPDX-License-Identifier: Apache-2.0
// 16-bit floats on the f32 kernels; see half.h.
#include "core/kernels/half/half.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "core/base/checked.h"
#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/depthwise/depthwise.h"
#include "core/kernels/detect/detect.h"
#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/gather/gather.h"
#include "core/kernels/grid_sample/grid_sample.h"
#include "core/kernels/matmul/matmul.h"
#include "core/kernels/norm/norm.h"
#include "core/kernels/pool/pool.h"
#include "core/kernels/recurrent/recurrent.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/grid_sample.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/softmax.h"

namespace anydim {

namespace {

constexpr int kMostInputs = 8, kMostOutputs = 3;

int64_t staged_bytes(const Dims& d) noexcept {
  int64_t bytes = 4;
  for (const int64_t n : d) bytes = saturating_mul(bytes, n);
  return round_up(bytes, AlignedBuffer::kAlignment);
}

// Operators whose kernels round what they store themselves, since the next step reads it.
bool rounds_itself(OpKind op) noexcept { return op == OpKind::recurrent; }

// What is widened: 16-bit floats, and of operators whose results are places integers that f32 has exactly.
bool widens(OpKind op, DType t) noexcept {
  return dtype_is_half(t) || (op == OpKind::arg_reduce && (t == DType::i8 || t == DType::i16 || t == DType::u16 || t == DType::boolean));
}

// The same tensor as f32, its axes in the memory order of `t`, without gaps.
TensorView staged_view(const TensorView& t) noexcept {
  TensorView s = t;
  s.dtype = DType::f32;
  s.data = nullptr;
  const auto size = [&](int axis) { return t.strides[axis] < 0 ? -t.strides[axis] : t.strides[axis]; };
  int order[kMaxRank], n = 0;  // by falling stride; axes of 1 and repeated ones come first
  for (int a = 0; a < t.rank(); ++a) {
    const int64_t key = t.dims[a] == 1 ? -1 : size(a);
    int at = n++;
    if (key > 0)
      for (; at > 0 && t.dims[order[at - 1]] != 1 && size(order[at - 1]) != 0 && size(order[at - 1]) < key; --at) order[at] = order[at - 1];
    else
      for (; at > 0; --at) order[at] = order[at - 1];
    order[at] = a;
  }
  int64_t step = 1;
  for (int i = n - 1; i >= 0; --i) {
    s.strides[order[i]] = step;
    step *= t.dims[order[i]];
  }
  return s;
}

// The operands of one call as its f32 kernel sees them.
struct Staged {
  TensorView in[kMostInputs], post_in[kMaxPostOps], out[kMostOutputs];
  int64_t bytes = 0;  // of scratch, before the kernel's own
  Args args;

  // Operands that are packed have no data.
  explicit Staged(const Args& from) : args(from) {
    const auto stage = [&](const TensorView& t, TensorView* to, bool here) {
      *to = t;
      if (!widens(from.op->kind(), t.dtype)) return;
      if (!here) {
        to->dtype = DType::f32;
        return;
      }
      *to = staged_view(t);
      if (from.scratch) to->data = static_cast<std::byte*>(from.scratch) + bytes;
      bytes += staged_bytes(t.dims);
    };
    for (size_t i = 0; i < from.in.size(); ++i) stage(from.in[i], &in[i], !from.packs(i));
    for (size_t i = 0; i < from.post_in.size(); ++i) stage(from.post_in[i], &post_in[i], true);
    for (size_t i = 0; i < from.out.size(); ++i) {
      out[i] = from.out[i];
      if (!rounds_itself(from.op->kind())) stage(from.out[i], &out[i], true);
    }
    args.in = {in, from.in.size()};
    args.post_in = {post_in, from.post_in.size()};
    args.out = {out, from.out.size()};
    if (from.scratch) args.scratch = static_cast<std::byte*>(from.scratch) + bytes;
  }
};

// Rows that have nothing to do with each other are computed some at a time, so that what is widened stays in the second cache: of
// layer norm and softmax, along the longest axis that is not normalised.
struct Pieces {
  static constexpr int64_t kElements = 64 << 10;  // of a piece, per thread

  int axis = -1;  // -1: all at once
  int64_t length = 0, each = 0;

  explicit Pieces(const Args& args) noexcept {
    const Dims& d = args.in[0].dims;
    const auto* norm = as<LayerNorm>(*args.op);
    const auto* softmax = as<Softmax>(*args.op);
    if (!norm && !softmax) return;
    int along;
    if (!normalise_axis(norm ? norm->axis() : softmax->axis(), d.rank, "axis", &along).ok()) return;
    int longest = -1;
    for (int a = 0; a < d.rank; ++a)
      if ((norm ? a < along : a != along) && (longest < 0 || d[a] > d[longest])) longest = a;
    const int64_t count = args.in[0].count();
    if (longest < 0 || count == 0) return;
    length = d[longest];
    each = kElements * args.parallel.threads() / (count / length);
    if (each < 1) each = 1;
    if (each < length) axis = longest;
  }
};

// The operands of one piece.
struct Piece {
  TensorView in[kMostInputs], post_in[kMaxPostOps], out[1];
  Args args;

  Piece(const Args& from, const Pieces& pieces, int64_t at, int64_t count) noexcept : args(from) {
    const int rank = from.out[0].rank();
    const auto narrow = [&](const TensorView& t, TensorView* to) {
      *to = t;
      const int a = pieces.axis - (rank - t.rank());
      if (a < 0 || t.dims[a] == 1) return;
      to->dims[a] = count;
      to->data = static_cast<std::byte*>(t.data) + at * t.strides[a] * dtype_size(t.dtype);
    };
    narrow(from.in[0], &in[0]);
    for (size_t i = 1; i < from.in.size(); ++i) in[i] = from.in[i];  // of the normalised axes
    for (size_t i = 0; i < from.post_in.size(); ++i) narrow(from.post_in[i], &post_in[i]);
    narrow(from.out[0], &out[0]);
    args.in = {in, from.in.size()};
    args.post_in = {post_in, from.post_in.size()};
    args.out = out;
  }
};

// A problem as its f32 kernel sees it: what has the dtype of the 16-bit floats is f32.
struct Wide {
  TensorType in[kMostInputs], post_in[kMaxPostOps], out[kMostOutputs];
  Problem problem;

  explicit Wide(const Problem& p) noexcept : problem(p) {
    const auto widen = [half = dtype_is_half(p.out[0].dtype) ? p.out[0].dtype : p.in[0].dtype](std::span<const TensorType> from,
                                                                                               TensorType* to) {
      for (const TensorType& t : from) {
        *to = t;
        if (t.dtype == half) to->dtype = DType::f32;
        ++to;
      }
    };
    widen(p.in, in);
    if (rounds_itself(p.op->kind())) std::copy(p.out.begin(), p.out.end(), out);
    else widen(p.out, out);
    widen(p.post_in, post_in);
    problem.in = {in, p.in.size()};
    problem.out = {out, p.out.size()};
    problem.post_in = {post_in, p.post_in.size()};
  }
};

// Movers by index that have no kernels for 16-bit floats, because they compare or combine elements.
bool moves_by_index(OpKind op) noexcept { return op == OpKind::topk || op == OpKind::scatter_elements || op == OpKind::scatter_nd; }

// Operators whose results are places.
bool finds_places(OpKind op) noexcept { return op == OpKind::arg_reduce; }

// Operators with several kernels for one key, which differ in their names.
bool has_forms(OpKind op) noexcept { return op == OpKind::grid_sample; }

class HalfKernel : public HostKernel {
 public:
  HalfKernel(const HostKernel& inner, const TypedRows& casts) : casts_(casts), inner_(inner), key_(inner.key()) {
    const std::string name = inner.name();
    const size_t end = has_forms(key_.op) ? name.rfind('.') : name.find('.');
    name_ = name.substr(0, end) + (finds_places(key_.op) ? ".widened." : ".half.") + isa_name(key_.isa);
    key_.src = key_.dst = DType::none;
  }
  const char* name() const noexcept override { return name_.c_str(); }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    const DType t = p.in[0].dtype;
    if (!widens(key_.op, t)) return no("the input is no 16-bit float");
    if (p.in.size() > kMostInputs || p.out.size() > kMostOutputs || (p.out[0].dtype != t && !finds_places(key_.op)))
      return no("the operands are not those of its f32 kernel");
    for (const TensorType& in : p.in)
      if (in.dtype == DType::f32) return no("inputs differ in dtype");
    if (const GridSample* g = as<GridSample>(*p.op); g != nullptr && g->get().mode == GridSample::Mode::nearest)
      return no("nearest copies bits");
    if (inner_.key().src == DType::none && inner_.supports(p)) return no("its kernel takes 16-bit floats as they are");
    return inner_.supports(Wide(p).problem);
  }

  // The f32 kernel's own form: panels are widened once, when they are packed.
  PackedForm packed_form(const Problem& p) const noexcept override {
    return p.in.size() > kMostInputs || p.out.size() > kMostOutputs ? PackedForm() : inner_.packed_form(Wide(p).problem);
  }
  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    std::vector<TensorView> wide(tensors.begin(), tensors.end());
    std::deque<AlignedBuffer> memory;
    const OperandSet packed = packed_form(problem).operands;
    for (size_t i = 0; i < wide.size(); ++i) {
      TensorView& t = wide[i];
      if (!packed.has(i) || !dtype_is_half(t.dtype)) continue;
      TensorView narrow = t;
      if (reinterpret_cast<uintptr_t>(t.data) % sizeof(uint16_t) != 0) {  // dense elements of a file
        auto even = AlignedBuffer::allocate_pages(t.count() * static_cast<int64_t>(sizeof(uint16_t)));
        if (!even.ok()) return even.take_status();
        std::memcpy(even->data(), t.data, static_cast<size_t>(even->size()));
        narrow.data = even->data();
        memory.push_back(std::move(*even));
      }
      auto buffer = AlignedBuffer::allocate_pages(staged_bytes(t.dims));
      if (!buffer.ok()) return buffer.take_status();
      t = staged_view(narrow);
      t.data = buffer->data();
      run_typed_rows(casts_.cast(narrow.dtype, DType::f32), t, {&narrow, 1}, Parallel(1));
      memory.push_back(std::move(*buffer));
    }
    return inner_.pack(Wide(problem).problem, wide, {packing.parallel}, pieces);  // who reads along wants the narrow ones
  }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    return inner_.preferred_order(p, output, index);
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    if (const Pieces pieces(args); pieces.axis >= 0) plan_whole(Piece(args, pieces, 0, pieces.each).args, plan);
    else plan_whole(args, plan);
  }
  int plan_revision() const noexcept override { return inner_.plan_revision(); }
  int plan_choices(const Args& args, std::span<PlanChoice> out) const noexcept override {
    const Staged s(args);
    return inner_.plan_choices(s.args, out);
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    int64_t bytes = inner_.scratch_bound(p, in, out, threads);
    const OperandSet packed = packed_form(p).operands;
    for (size_t i = 0; i < in.size(); ++i)
      if (widens(key_.op, p.in[i].dtype) && !packed.has(i)) bytes = saturating_add(bytes, staged_bytes(in[i]));
    // A post-op's tensor broadcasts into the output, also where that is empty.
    Dims whole = out[0];
    for (int64_t& n : whole) n = n > 0 ? n : 1;
    int64_t results = 1;
    for (const TensorType& t : p.post_in) results += dtype_is_half(t.dtype);
    return saturating_add(bytes, saturating_mul(staged_bytes(whole), results));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    // These have operands to check, or more than one result.
    if (args.out[0].count() == 0 && !moves_by_index(key_.op) && !finds_places(key_.op) && !rounds_itself(key_.op)) return {};
    const Pieces pieces(args);
    if (pieces.axis < 0) return run_whole(plan, args);
    int64_t at = 0;
    for (; at + pieces.each <= pieces.length; at += pieces.each) ANYDIM_TRY(run_whole(plan, Piece(args, pieces, at, pieces.each).args));
    if (at == pieces.length) return {};
    const Piece last(args, pieces, at, pieces.length - at);
    Plan smaller;  // of no more scratch: both families need some for a row, or none
    plan_whole(last.args, &smaller);
    return run_whole(smaller, last.args);
  }

 protected:
  const TypedRows& casts_;

 private:
  void plan_whole(const Args& args, Plan* plan) const noexcept {
    const Staged s(args);
    plan->scratch = plan->inner_scratch;  // a kernel that keeps its plan finds what it left
    inner_.plan(s.args, plan);
    plan->inner_scratch = plan->scratch;
    plan->scratch = saturating_add(s.bytes, plan->inner_scratch);
  }
  Status run_whole(const Plan& plan, const Args& args) const noexcept {
    const Staged s(args);
    const auto widen = [&](const TensorView& from, const TensorView& to) {
      if (widens(key_.op, from.dtype) && to.data != nullptr)
        run_typed_rows(casts_.cast(from.dtype, DType::f32), to, {&from, 1}, args.parallel);
    };
    for (size_t i = 0; i < args.in.size(); ++i) widen(args.in[i], s.in[i]);
    for (size_t i = 0; i < args.post_in.size(); ++i) widen(args.post_in[i], s.post_in[i]);
    ANYDIM_TRY(inner_.run(plan, s.args));
    if (dtype_is_half(args.out[0].dtype) && !rounds_itself(key_.op))
      run_typed_rows(casts_.cast(DType::f32, args.out[0].dtype), args.out[0], {s.out, 1}, args.parallel);
    return {};
  }

  const HostKernel& inner_;
  std::string name_;
  KernelKey key_;
};

// How a depthwise convolution of 16-bit floats goes through memory: it reads and writes more than it computes, so a worker widens the
// input rows of a band of output rows, computes them and rounds them while they lie in the second cache.
struct DepthwiseCut {
  static constexpr int64_t kFloats = 96 << 10;  // of the rows in and out of a band; one of a single output row may need more
  static constexpr int64_t kAlone = 16 << 10;   // results below which the caller works alone

  int64_t stride = 1, pad = 0, reach = 1;   // of the rows
  int64_t height = 0, each = 0, bands = 0;  // output rows, those of a band, bands of a sample
  int64_t floats_in = 0, floats_out = 0;    // of a band, at most

  // False: it is computed as any other.
  bool make(const Args& args) noexcept {
    const TensorView &src = args.in[0], &dst = args.out[0];
    if (src.rank() != 4 || !args.packs(1)) return false;
    if (args.in.size() > 2 && args.in[2].dtype != DType::none && !args.packs(2)) return false;
    if ((src.dims[1] != 1 && src.strides[1] != 1) || (dst.dims[1] != 1 && dst.strides[1] != 1)) return false;
    for (const TensorView& t : args.post_in)
      if (dtype_is_half(t.dtype)) return false;
    const auto& op = *static_cast<const Convolution*>(args.op);
    const Dims& window = args.in[1].dims;
    stride = op.get().strides[0];
    pad = op.pad_begin(0, src.dims[2], window[2]);
    reach = (window[2] - 1) * op.get().dilations[0] + 1;
    height = dst.dims[2];
    const int64_t in = src.dims[1] * src.dims[3], out = dst.dims[1] * dst.dims[3];
    each = std::max<int64_t>((kFloats - (reach - stride) * in) / (stride * in + out), 1);
    if (const int threads = args.parallel.threads(); threads > 1) each = std::min(each, ceil_div(dst.dims[0] * height, 4 * threads));
    each = std::min(each, height);
    bands = ceil_div(height, each);
    floats_in = round_up(std::min(src.dims[2], (each - 1) * stride + reach) * in, kPadding);
    floats_out = round_up(each * out, kPadding);
    return true;
  }
  int64_t bytes() const noexcept { return saturating_mul(floats_in + floats_out, 4); }

  // The most that make() asks for, for any dims up to these.
  static int64_t most_bytes(const Problem& p, const Dims& src, const Dims& window, const Dims& dst) noexcept {
    if (src.rank != 4) return 0;
    const int64_t reach = (window[2] - 1) * static_cast<const Convolution*>(p.op)->get().dilations[0] + 1;
    const int64_t in = saturating_mul(std::min(src[2], reach), saturating_mul(src[1], src[3]));
    const int64_t one_row = saturating_add(in, saturating_mul(dst[1], dst[3]));
    return saturating_mul(saturating_add(std::max(kFloats, one_row), 2 * kPadding), 4);
  }

  static constexpr int64_t kPadding = 16;  // floats; a band's memory begins on a line of the cache
};

class HalfDepthwiseKernel final : public HalfKernel {
 public:
  HalfDepthwiseKernel(const DepthwiseBands& inner, const TypedRows& casts) : HalfKernel(inner, casts), bands_(inner) {}

  void plan(const Args& args, Plan* plan) const noexcept override {
    DepthwiseCut cut;
    if (args.out[0].count() == 0 || !cut.make(args)) return HalfKernel::plan(args, plan);
    plan->scratch = saturating_mul(cut.bytes(), args.parallel.threads());
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    const int64_t bands = saturating_mul(DepthwiseCut::most_bytes(p, in[0], in[1], out[0]), threads);
    return std::max(bands, HalfKernel::scratch_bound(p, in, out, threads));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    DepthwiseCut cut;
    if (args.out[0].count() == 0 || !cut.make(args)) return HalfKernel::run(plan, args);
    const TypedRowFunction widen = casts_.cast(args.in[0].dtype, DType::f32), round = casts_.cast(DType::f32, args.out[0].dtype);
    const Parallel parallel = args.out[0].count() < DepthwiseCut::kAlone ? Parallel(1) : args.parallel;
    parallel.run(args.out[0].dims[0] * cut.bands, [&](int64_t task, int worker) {
      const int64_t n = task / cut.bands, begin = task % cut.bands * cut.each, end = std::min(begin + cut.each, cut.height);
      const int64_t top = std::max<int64_t>(begin * cut.stride - cut.pad, 0);
      const int64_t bottom = std::min((end - 1) * cut.stride - cut.pad + cut.reach, args.in[0].dims[2]);
      auto* room = static_cast<float*>(args.scratch) + worker * (cut.floats_in + cut.floats_out);

      const TensorView src = rows_of(args.in[0], n, top, std::max(bottom, top)), dst = rows_of(args.out[0], n, begin, end);
      const TensorView in = staged_in(room, src), out = staged_in(room + cut.floats_in, dst);
      if (src.count() > 0) run_typed_rows(widen, in, {&src, 1}, Parallel(1));
      const auto whole = [](const TensorView& piece, int64_t first, const TensorView& of) {
        TensorView t = piece;  // rows keep their numbers, and all samples are this one
        t.data = piece.as<float>() - first * piece.strides[2];
        t.dims = of.dims;
        t.strides[0] = 0;
        return t;
      };
      TensorView ins[kMostInputs], outs[1] = {whole(out, begin, args.out[0])};
      for (size_t i = 0; i < args.in.size(); ++i) ins[i] = i == 0 ? whole(in, top, args.in[0]) : args.in[i];
      Args band = args;
      band.in = {ins, args.in.size()};
      band.out = outs;
      bands_.run_band(band, n, begin, end);
      run_typed_rows(round, dst, {&out, 1}, Parallel(1));
    });
    return {};
  }

 private:
  static TensorView rows_of(const TensorView& t, int64_t n, int64_t begin, int64_t end) noexcept {
    TensorView rows = t;
    rows.dims[0] = 1;
    rows.dims[2] = end - begin;
    rows.data = static_cast<std::byte*>(t.data) + (n * t.strides[0] + begin * t.strides[2]) * dtype_size(t.dtype);
    return rows;
  }
  static TensorView staged_in(float* room, const TensorView& rows) noexcept {
    TensorView t = rows;
    t.dtype = DType::f32;
    t.data = room;
    t.strides[1] = 1;
    t.strides[3] = t.dims[1];
    t.strides[2] = t.dims[3] * t.dims[1];
    t.strides[0] = t.dims[2] * t.strides[2];
    return t;
  }

  const DepthwiseBands& bands_;
};

// One for each kernel that computes on f32 alone.
struct Family {
  std::deque<HalfKernel> kernels;
  std::deque<HalfDepthwiseKernel> depthwise;
  std::vector<const HostKernel*> list;
  Family() {
    for (const DepthwiseBands* k : depthwise_bands()) list.push_back(&depthwise.emplace_back(*k, *find_part<TypedRows>(k->key().isa)));
    for (const KernelList of : {conv_line_kernels(), depthwise_transposed_kernels(), depthwise_window_kernels(), conv_kernels(),
                                conv_transpose_kernels(), gemm_kernels(), pool_kernels(), reduce_kernels(), norm_kernels()})
      for (const HostKernel* k : of)
        if (k->key().src == DType::f32 && std::strstr(k->name(), "reference") == nullptr && std::strstr(k->name(), "conv.lines") == nullptr)
          list.push_back(&kernels.emplace_back(*k, *find_part<TypedRows>(k->key().isa)));
    for (const HostKernel* k : recurrent_kernels())
      if (std::strstr(k->name(), "recurrent.tiles") != nullptr)
        list.push_back(&kernels.emplace_back(*k, *find_part<TypedRows>(k->key().isa)));
    for (const HostKernel* k : arg_reduce_kernels())
      if (std::strstr(k->name(), "reference") == nullptr) list.push_back(&kernels.emplace_back(*k, *find_part<TypedRows>(k->key().isa)));
    for (const KernelList of : {deform_forms(), fold_forms(), grid_sample_kernels()})
      for (const HostKernel* k : of)
        if (std::strstr(k->name(), "reference") == nullptr) list.push_back(&kernels.emplace_back(*k, *find_part<TypedRows>(k->key().isa)));
    for (const HostKernel* k : gather_kernels())
      // Theirs is plain code; what they are widened by need not be.
      if (moves_by_index(k->key().op) && std::strstr(k->name(), "reference") == nullptr)
        list.push_back(&kernels.emplace_back(*k, *find_part<TypedRows>(cpu().usable)));
  }
};

}  // namespace

KernelList half_kernels() noexcept {
  static const Family& family = *new Family;  // never destroyed, as kernels are not
  return family.list;
}

}  // namespace anydim
