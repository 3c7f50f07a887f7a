// SPDX-License-Identifier: Apache-2.0
// The kernels of linear and cubic resize; see lines.h. Tables of weights lie in scratch, made once a run.
#include "core/kernels/resize/lines.h"

#include <algorithm>

#include "core/kernels/resize/lines_walk.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

constexpr int64_t kAlone = 20000;  // results below which the caller works alone

int threads_for(const Args& args) noexcept { return args.out[0].count() < kAlone ? 1 : args.parallel.threads(); }

struct InstructionSet {
  const ResizeFunctions& functions;
  const TypedRows* rows;
  const ResizeLines<float>& lines(float) const noexcept { return functions.floats; }
  const ResizeLines<double>& lines(double) const noexcept { return functions.doubles; }
};

template <class E> void run_lines(const LinesTask<E>& task, E* memory, const Parallel& parallel, int threads) noexcept {
  const LinesShape& s = *task.shape;
  const int64_t each = s.worker_elements(), positions = s.along[0].map.out;
  const int64_t groups = ceil_div(s.planes, s.count == 1 ? s.lanes : std::max<int64_t>(s.aside, 1));
  const int64_t parts = threads == 1 ? 1 : std::min(ceil_div(4 * int64_t{threads}, groups), positions);
  const auto run = [&](int64_t i, int worker) {
    LinesWalk<E> walk(task, memory + worker * each);
    const int64_t group = i / parts, part = i % parts, begin = positions * part / parts, end = positions * (part + 1) / parts;
    if (s.count > 1) return walk.blend_planes(group, begin, end);
    const int64_t first = group * s.lanes;
    walk.stretch_planes(first, static_cast<int>(std::min(s.lanes, s.planes - first)), begin, end);
  };
  if (threads > 1) return parallel.run(groups * parts, run);
  for (int64_t i = 0; i < groups * parts; ++i) run(i, 0);
}

template <class E> Status resize_lines(const InstructionSet& set, const Args& args) noexcept {
  const auto& op = *static_cast<const Resize*>(args.op);
  const TensorView &src = args.in[0], &dst = args.out[0];
  LinesShape shape;
  int bad = 0;
  if (!shape.make(args, set.lines(E{}).lanes, &bad)) return too_many_taps(shape.along[bad].map);
  LinesTask<E> task;
  task.shape = &shape;
  task.set = &set.lines(E{});
  task.src = src.as<const std::byte>();
  task.dst = dst.as<std::byte>();
  task.size = dtype_size(src.dtype);
  task.beyond = static_cast<E>(op.get().extrapolation_value);
  if (!shape.native) {
    constexpr DType kComputed = sizeof(E) == sizeof(double) ? DType::f64 : DType::f32;
    task.load = set.rows->cast(src.dtype, kComputed);
    task.save = set.rows->cast(kComputed, dst.dtype);
  }
  auto* memory = static_cast<std::byte*>(args.scratch);
  int64_t room = 0;
  for (int j = 0; j < shape.count; ++j) room = std::max(room, resize_table_room(op, shape.along[j].map.in, shape.along[j].map.out));
  auto* const weights = reinterpret_cast<double*>(memory);
  memory += room;
  for (int j = 0; j < shape.count; ++j) {
    const Resize::Axis& map = shape.along[j].map;
    const ResizePlaces places = j + 1 < shape.count ? ResizePlaces::used : shape.reads ? ResizePlaces::elements : ResizePlaces::dense;
    task.table[j] = resize_table<E>(op, map, places, memory, weights);
    memory += resize_table_bytes(op, map.in, map.out);
  }
  run_lines(task, reinterpret_cast<E*>(memory), args.parallel, threads_for(args));
  return {};
}

class LinesKernel final : public HostKernel {
 public:
  constexpr LinesKernel(const char* name, Isa isa, const ResizeFunctions& functions, const TypedRows& rows) noexcept
      : name_(name), key_{OpKind::resize, DType::none, DType::none, LayoutFamily::any, isa}, set_{functions, &rows} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const Resize::Attributes& at = static_cast<const Resize*>(p.op)->get();
    if (at.mode == Resize::Mode::nearest) return no("the mode is nearest");
    if (const char* r = resize_refusal(at, p.in[0].dtype)) return no(r);
    return p.post_ops->count > 0 ? no("resize takes no post-ops") : yes();
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = 0;
    LinesShape shape;
    if (args.out[0].count() == 0 || !shape.make(args, lanes(args.in[0].dtype))) return;  // the run refuses it
    const auto& op = *static_cast<const Resize*>(args.op);
    int64_t room = 0;
    for (int j = 0; j < shape.count; ++j) {
      const Resize::Axis& map = shape.along[j].map;
      plan->scratch = saturating_add(plan->scratch, resize_table_bytes(op, map.in, map.out));
      room = std::max(room, resize_table_room(op, map.in, map.out));
    }
    const int64_t workers = saturating_mul(shape.worker_elements() * element_bytes(args.in[0].dtype), threads_for(args));
    plan->scratch = saturating_add(saturating_add(plan->scratch, room), workers);
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    const auto& op = *static_cast<const Resize*>(p.op);
    int64_t tables = resize_table_bytes(op, 1, 1), room = resize_table_room(op, 1, 1);
    for (int a = 0; a < in[0].rank; ++a) {
      tables = saturating_add(tables, resize_table_bytes(op, in[0][a], out[0][a]));
      room = std::max(room, resize_table_room(op, in[0][a], out[0][a]));
    }
    const int64_t worker = saturating_mul(LinesShape::most_elements(in[0], out[0]), element_bytes(p.in[0].dtype));
    return saturating_add(saturating_add(tables, room), saturating_mul(worker, threads));
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    return resizes_in_binary64(args.in[0].dtype) ? resize_lines<double>(set_, args) : resize_lines<float>(set_, args);
  }

 private:
  static int64_t element_bytes(DType t) noexcept { return resizes_in_binary64(t) ? 8 : 4; }
  int lanes(DType t) const noexcept { return resizes_in_binary64(t) ? set_.functions.doubles.lanes : set_.functions.floats.lanes; }

  const char* name_;
  KernelKey key_;
  InstructionSet set_;
};

}  // namespace

KernelList resize_line_forms() noexcept {
  static const KernelsOfSets<"resize.lines", LinesKernel, ResizeFunctions, TypedRows> lines;
  static const auto all = kernel_list(lines);
  return all;
}

}  // namespace anydim
