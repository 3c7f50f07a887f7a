// SPDX-License-Identifier: Apache-2.0
// StringConcat and StringCase, which make strings. They lie one behind the other, so one thread makes them.
#include <cstring>

#include "core/base/text/letter_case.h"
#include "core/kernels/strings/read.h"
#include "core/kernels/strings/strings.h"
#include "core/ops/operators/string_case.h"
#include "core/ops/operators/string_concat.h"

namespace anydim {
namespace {

// The heap that results lie in.
class NewHeap {
 public:
  explicit NewHeap(const TensorView& heap) noexcept
      : data_(heap.as<char>()), step_(heap.strides[0]), room_(std::min(heap.dims[0], kLargestStringHeap)), bytes_(heap.dims[0]) {}
  void begin() noexcept { begin_ = used_; }
  bool append(std::string_view s) noexcept {
    if (static_cast<int64_t>(s.size()) > room_ - used_) return false;
    for (const char c : s) data_[used_++ * step_] = c;
    return true;
  }
  // What was appended since begin(); -1 if it is too long.
  int64_t view() const noexcept { return used_ - begin_ > kLongestString ? -1 : string_view_of(begin_, used_ - begin_); }
  void fill() noexcept {
    for (; used_ < bytes_; ++used_) data_[used_ * step_] = 0;
  }

 private:
  char* data_;
  int64_t step_, room_, bytes_, used_ = 0, begin_ = 0;
};

class ConcatKernel final : public StringKernel {
 public:
  constexpr ConcatKernel() noexcept
      : StringKernel("string_concat.reference", OpKind::string_concat, StringConcat::kAHeap, StringConcat::kBHeap) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    auto* scratch = static_cast<std::byte*>(args.scratch);
    const TensorView &a = args.in[StringConcat::kA], &b = args.in[StringConcat::kB], &out = args.out[0];
    const StringReader left(a, args.in[StringConcat::kAHeap], &scratch), right(b, args.in[StringConcat::kBHeap], &scratch);
    const StringPlaces from_a(a, out.dims), from_b(b, out.dims), to(out);
    NewHeap heap(args.out[1]);
    for (int64_t i = 0; i < out.count(); ++i) {
      std::string_view x, y;
      if (!left.read(from_a[i], &x) || !right.read(from_b[i], &y)) return fault_status(StringFault::outside, "string_concat");
      heap.begin();
      const bool fits = heap.append(x) && heap.append(y);
      if (!fits || heap.view() < 0) return fault_status(StringFault::no_room, "string_concat");
      out.as<int64_t>()[to[i]] = heap.view();
    }
    heap.fill();
    return {};
  }
};

class CaseKernel final : public StringKernel {
 public:
  constexpr CaseKernel() noexcept : StringKernel("string_case.reference", OpKind::string_case, StringCase::kHeap) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    auto* scratch = static_cast<std::byte*>(args.scratch);
    const TensorView &x = args.in[StringCase::kX], &out = args.out[0];
    const StringReader strings(x, args.in[StringCase::kHeap], &scratch);
    const StringPlaces from(x), to(out);
    const bool upper = as<StringCase>(*args.op)->get().upper;
    NewHeap heap(args.out[1]);
    for (int64_t i = 0; i < x.count(); ++i) {
      std::string_view text;
      if (!strings.read(from[i], &text)) return fault_status(StringFault::outside, "string_case");
      heap.begin();
      while (!text.empty()) {
        const size_t length = utf8_character(text);
        if (length == 0) return fault_status(StringFault::not_utf8, "string_case");
        const uint32_t c = utf8_decoded(text.data(), length);
        char made[4];
        if (!heap.append({made, utf8_encoded(upper ? upper_case(c) : lower_case(c), made)}))
          return fault_status(StringFault::no_room, "string_case");
        text.remove_prefix(length);
      }
      if (heap.view() < 0) return fault_status(StringFault::no_room, "string_case");
      out.as<int64_t>()[to[i]] = heap.view();
    }
    heap.fill();
    return {};
  }
};

const ConcatKernel concat_kernel;
const CaseKernel case_kernel;

}  // namespace

constinit const HostKernel* const kStringConcat = &concat_kernel;
constinit const HostKernel* const kStringCase = &case_kernel;

}  // namespace anydim
