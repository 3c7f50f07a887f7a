// SPDX-License-Identifier: Apache-2.0
// 16-bit floats on the f32 kernels; see half.h.
#include "core/kernels/half/half.h"

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "core/base/checked.h"
#include "core/kernels/conv/conv.h"
#include "core/kernels/depthwise/depthwise.h"
#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/gemm/gemm.h"
#include "core/kernels/norm/norm.h"
#include "core/kernels/pool/pool.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/resize/resize.h"
#include "core/ops/layer_norm.h"
#include "core/ops/softmax.h"

namespace anydim {

namespace {

constexpr int kMostInputs = 4;

int64_t staged_bytes(const Dims& d) noexcept {
  int64_t bytes = 4;
  for (const int64_t n : d) bytes = saturating_mul(bytes, n);
  return round_up(bytes, AlignedBuffer::kAlignment);
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
  TensorView in[kMostInputs], post_in[kMaxPostOps], out[1];
  int64_t bytes = 0;  // of scratch, before the kernel's own
  Args args;

  // Operands that are packed have no data.
  explicit Staged(const Args& from) : args(from) {
    const auto stage = [&](const TensorView& t, TensorView* to, bool here) {
      *to = t;
      if (!dtype_is_half(t.dtype)) return;
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
    stage(from.out[0], &out[0], true);
    args.in = {in, from.in.size()};
    args.post_in = {post_in, from.post_in.size()};
    args.out = out;
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

// A problem as its f32 kernel sees it: what has the output's dtype is f32.
struct Wide {
  TensorType in[kMostInputs], post_in[kMaxPostOps], out[1];
  Problem problem;

  explicit Wide(const Problem& p) noexcept : problem(p) {
    const auto widen = [half = p.out[0].dtype](std::span<const TensorType> from, TensorType* to) {
      for (const TensorType& t : from) {
        *to = t;
        if (t.dtype == half) to->dtype = DType::f32;
        ++to;
      }
    };
    widen(p.in, in);
    widen(p.out, out);
    widen(p.post_in, post_in);
    problem.in = {in, p.in.size()};
    problem.out = {out, p.out.size()};
    problem.post_in = {post_in, p.post_in.size()};
  }
};

class HalfKernel final : public HostKernel {
 public:
  HalfKernel(const HostKernel& inner, const TypedRows& casts) : inner_(inner), casts_(casts), key_(inner.key()) {
    const std::string name = inner.name();
    name_ = name.substr(0, name.find('.')) + ".half" + name.substr(name.rfind('.'));
    key_.src = key_.dst = DType::none;
  }
  const char* name() const noexcept override { return name_.c_str(); }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    const DType t = p.in[0].dtype;
    if (!dtype_is_half(t)) return no("the input is no 16-bit float");
    if (p.in.size() > kMostInputs || p.out.size() != 1 || p.out[0].dtype != t) return no("the operands are not those of its f32 kernel");
    for (const TensorType& in : p.in)
      if (in.dtype == DType::f32) return no("inputs differ in dtype");
    return inner_.supports(Wide(p).problem);
  }

  // The f32 kernel's own form: panels are widened once, when they are packed.
  PackedForm packed_form(const Problem& p) const noexcept override {
    return p.in.size() > kMostInputs || p.out.size() != 1 ? PackedForm() : inner_.packed_form(Wide(p).problem);
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
      if (dtype_is_half(p.in[i].dtype) && !packed.has(i)) bytes = saturating_add(bytes, staged_bytes(in[i]));
    // A post-op's tensor broadcasts into the output, also where that is empty.
    Dims whole = out[0];
    for (int64_t& n : whole) n = n > 0 ? n : 1;
    int64_t results = 1;
    for (const TensorType& t : p.post_in) results += dtype_is_half(t.dtype);
    return saturating_add(bytes, saturating_mul(staged_bytes(whole), results));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
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
      if (dtype_is_half(from.dtype) && to.data != nullptr)
        run_typed_rows(casts_.cast(from.dtype, DType::f32), to, {&from, 1}, args.parallel);
    };
    for (size_t i = 0; i < args.in.size(); ++i) widen(args.in[i], s.in[i]);
    for (size_t i = 0; i < args.post_in.size(); ++i) widen(args.post_in[i], s.post_in[i]);
    ANYDIM_TRY(inner_.run(plan, s.args));
    run_typed_rows(casts_.cast(DType::f32, args.out[0].dtype), args.out[0], s.out, args.parallel);
    return {};
  }

  const HostKernel& inner_;
  const TypedRows& casts_;
  std::string name_;
  KernelKey key_;
};

const TypedRows& casts_of(Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa.includes(Isa::avx512)) return kTypedRowsAvx512;
  if (isa.includes(Isa::avx2)) return kTypedRowsAvx2;
#endif
  return kTypedRowsPortable;
}

// One for each kernel that computes on f32 alone.
struct Family {
  std::deque<HalfKernel> kernels;
  std::vector<const HostKernel*> list;
  Family() {
    for (const KernelList of : {depthwise_kernels(), conv_kernels(), conv_transpose_kernels(), gemm_kernels(), pool_kernels(),
                                reduce_kernels(), norm_kernels(), resize_kernels()})
      for (const HostKernel* k : of)
        if (k->key().src == DType::f32 && std::strstr(k->name(), "reference") == nullptr && std::strstr(k->name(), "conv.lines") == nullptr)
          list.push_back(&kernels.emplace_back(*k, casts_of(k->key().isa)));
  }
};

}  // namespace

KernelList half_kernels() noexcept {
  static const Family family;
  return family.list;
}

}  // namespace anydim
