// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: classes go to threads. In one, a heap provides boxes from the highest score down, and stops when as many as are
// wanted are selected; each is compared with those selected so far, some at a time.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/checked.h"
#include "core/kernels/detect/detect.h"
#include "core/kernels/plain_kernel.h"
#include "core/ops/operators/non_max_suppression.h"

namespace anydim {

namespace {

using Op = NonMaxSuppression;

struct Candidate {
  float score;
  int32_t box;
  // The order of a heap whose top is the best: the highest score, of equal ones the first box.
  bool operator<(const Candidate& other) const noexcept { return score != other.score ? score < other.score : box > other.box; }
};

// Boxes selected so far, by coordinate, so that some are compared at a time.
constexpr int kTogether = 16;
struct Selected {
  float* of[5];  // top, left, bottom, right, area
  int64_t count = 0;
  Selected(float* room, int64_t most) noexcept {
    for (int i = 0; i < 5; ++i) of[i] = room + i * most;
  }
};

struct Box {
  float top, left, bottom, right, area;
};

Box box_at(const TensorView& boxes, int64_t batch, int64_t index, bool center_point) noexcept {
  const float* p = boxes.as<const float>() + batch * boxes.strides[0] + index * boxes.strides[1];
  const int64_t step = boxes.strides[2];
  const float a = p[0], b = p[step], c = p[2 * step], d = p[3 * step];
  Box r;
  if (center_point) {
    const float x = c / 2, y = d / 2;
    r = {b - y, a - x, b + y, a + x, 0};
  } else {
    r = {std::min(a, c), std::min(b, d), std::max(a, c), std::max(b, d), 0};
  }
  r.area = (r.bottom - r.top) * (r.right - r.left);
  return r;
}

// docs/numerics.md, section 10. No division where nothing overlaps, and no branch: compilers make vectors of it.
int overlaps(const Box& b, const Selected& s, int64_t i, float threshold) noexcept {
  const float top = std::max(b.top, s.of[0][i]), left = std::max(b.left, s.of[1][i]);
  const float bottom = std::min(b.bottom, s.of[2][i]), right = std::min(b.right, s.of[3][i]);
  const float height = bottom - top, width = right - left, both = height * width, all = b.area + s.of[4][i] - both;
  const int real = static_cast<int>(height > 0) & static_cast<int>(width > 0) & static_cast<int>(both > 0) & static_cast<int>(all > 0) &
                   static_cast<int>(b.area > 0) & static_cast<int>(s.of[4][i] > 0);
  return real & static_cast<int>(both / all > threshold);
}

bool is_suppressed(const Box& b, const Selected& s, float threshold) noexcept {
  int64_t i = 0;
  for (; i + kTogether <= s.count; i += kTogether) {
    int any = 0;
    for (int64_t j = i; j < i + kTogether; ++j) any |= overlaps(b, s, j, threshold);
    if (any != 0) return true;
  }
  for (; i < s.count; ++i)
    if (overlaps(b, s, i, threshold) != 0) return true;
  return false;
}

struct Sizes {
  int64_t batches, classes, boxes, most;
  // Bytes of scratch: counts of all classes, then of each worker the candidates and the selected boxes.
  int64_t counts() const noexcept { return saturating_mul(saturating_mul(batches, classes), 8); }
  int64_t worker() const noexcept {
    const int64_t bytes = saturating_add(saturating_mul(boxes, sizeof(Candidate)), saturating_mul(most, 5 * 4));
    return saturating_mul(saturating_add(bytes, 63) / 64, 64);
  }
};

Sizes sizes_of(const Dims& scores, int64_t most) noexcept { return {scores[0], scores[1], scores[2], std::min(most, scores[2])}; }

class NonMaxSuppressionKernel final : public PlainKernel {
 public:
  constexpr NonMaxSuppressionKernel() noexcept : PlainKernel("non_max_suppression.reference", OpKind::non_max_suppression) {}
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = scratch(sizes_of(args.in[Op::kScores].dims, args.dim_attributes[0]), args.parallel.threads());
  }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    return scratch(sizes_of(in[Op::kScores], in[Op::kScores][2]), threads);
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    const auto& at = as<Op>(*args.op)->get();
    const TensorView &boxes = args.in[Op::kBoxes], &scores = args.in[Op::kScores];
    const TensorView &selected = args.out[Op::kSelected], &counted = args.out[Op::kCount];
    const Sizes sizes = sizes_of(scores.dims, args.dim_attributes[0]);
    if (sizes.boxes > INT32_MAX) return error(Code::invalid_data, "non_max_suppression: {} boxes; expected fewer than 2^31", sizes.boxes);
    const auto real = [&](size_t i) {
      return args.in.size() > i && args.in[i].dtype != DType::none ? args.in[i].as<const float>() : nullptr;
    };
    const float *iou = real(Op::kIouThreshold), *least = real(Op::kScoreThreshold);
    const float threshold = iou != nullptr ? *iou : 0.f;
    const int64_t most = std::clamp<int64_t>(*args.in[Op::kMostBoxes].as<const int64_t>(), 0, sizes.most);
    auto* counts = static_cast<int64_t*>(args.scratch);
    std::byte* workers = static_cast<std::byte*>(args.scratch) + (sizes.counts() + 63) / 64 * 64;
    auto* to = selected.as<int64_t>();
    const int64_t row = selected.strides[0], column = selected.strides[1];
    const int64_t tasks = sizes.batches * sizes.classes;
    args.parallel.run(tasks, [&](int64_t task, int worker) {
      const int64_t batch = task / sizes.classes, cls = task % sizes.classes;
      auto* heap = reinterpret_cast<Candidate*>(workers + worker * sizes.worker());
      Selected kept(reinterpret_cast<float*>(heap + sizes.boxes), sizes.most);
      const float* s = scores.as<const float>() + batch * scores.strides[0] + cls * scores.strides[1];
      int64_t n = 0;
      for (int64_t i = 0; i < sizes.boxes; ++i) {
        const float score = s[i * scores.strides[2]];
        if (least != nullptr ? score > *least : score == score) heap[n++] = {score, static_cast<int32_t>(i)};
      }
      std::make_heap(heap, heap + n);
      int64_t* place = to + task * sizes.most * row;
      while (n > 0 && kept.count < most) {
        const int64_t index = heap[0].box;
        std::pop_heap(heap, heap + n--);
        const Box b = box_at(boxes, batch, index, at.center_point);
        if (is_suppressed(b, kept, threshold)) continue;
        const float numbers[5] = {b.top, b.left, b.bottom, b.right, b.area};
        for (int i = 0; i < 5; ++i) kept.of[i][kept.count] = numbers[i];
        ++kept.count;
        place[0] = batch;
        place[column] = cls;
        place[2 * column] = index;
        place += row;
      }
      counts[task] = kept.count;
    });
    // Each class wrote where its places would begin; now they follow each other.
    int64_t all = 0;
    for (int64_t task = 0; task < tasks; ++task)
      for (int64_t i = 0; i < counts[task]; ++i, ++all)
        for (int64_t k = 0; k < 3; ++k) to[all * row + k * column] = to[(task * sizes.most + i) * row + k * column];
    for (int64_t i = all; i < selected.dims[0]; ++i)
      for (int64_t k = 0; k < 3; ++k) to[i * row + k * column] = 0;
    *counted.as<int64_t>() = all;
    return {};
  }

 private:
  static int64_t scratch(const Sizes& s, int threads) noexcept {
    return saturating_add(saturating_add(s.counts(), 64), saturating_mul(s.worker(), threads));
  }
};

const NonMaxSuppressionKernel kernel;

}  // namespace

constinit const HostKernel* const kNonMaxSuppression = &kernel;

}  // namespace anydim
