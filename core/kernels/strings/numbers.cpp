// SPDX-License-Identifier: Apache-2.0
// StringParse and StringFormat: numbers of strings, and strings of numbers, each of which has its own place in the heap.
#include <algorithm>
#include <concepts>

#include "core/base/text/number_text.h"
#include "core/kernels/strings/read.h"
#include "core/kernels/strings/strings.h"
#include "core/ops/operators/string_format.h"
#include "core/ops/operators/string_parse.h"

namespace anydim {
namespace {

template <class T> NumberFault parse_as(std::string_view text, std::byte* out) noexcept {
  using Wide = std::conditional_t<std::floating_point<T>, T, std::conditional_t<std::unsigned_integral<T>, uint64_t, int64_t>>;
  Wide wide{};
  if (const NumberFault fault = read_number(text, &wide); fault != NumberFault::none) return fault;
  const T value = static_cast<T>(wide);
  if (!std::floating_point<T> && static_cast<Wide>(value) != wide) return NumberFault::out_of_range;
  *reinterpret_cast<T*>(out) = value;
  return NumberFault::none;
}

NumberFault parse_flag(std::string_view text, std::byte* out) noexcept {
  int64_t value = 0;
  const NumberFault fault = read_number(text, &value);
  *out = static_cast<std::byte>(value != 0);
  return fault;
}

using Parse = NumberFault (*)(std::string_view, std::byte*) noexcept;
Parse parser_of(DType t) noexcept {
  switch (t) {
    case DType::f32: return parse_as<float>;
    case DType::f64: return parse_as<double>;
    case DType::i8: return parse_as<int8_t>;
    case DType::u8: return parse_as<uint8_t>;
    case DType::i16: return parse_as<int16_t>;
    case DType::u16: return parse_as<uint16_t>;
    case DType::i32: return parse_as<int32_t>;
    case DType::u32: return parse_as<uint32_t>;
    case DType::i64: return parse_as<int64_t>;
    case DType::u64: return parse_as<uint64_t>;
    default: return parse_flag;
  }
}

class ParseKernel final : public StringKernel {
 public:
  constexpr ParseKernel() noexcept : StringKernel("string_parse.reference", OpKind::string_parse, StringParse::kHeap) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    auto* scratch = static_cast<std::byte*>(args.scratch);
    const TensorView &x = args.in[StringParse::kX], &out = args.out[0];
    const StringReader strings(x, args.in[StringParse::kHeap], &scratch);
    const StringPlaces from(x), to(out);
    const Parse parse = parser_of(out.dtype);
    const int64_t size = dtype_size(out.dtype), count = x.count();
    auto* const numbers = out.as<std::byte>();
    std::atomic<int64_t> first_bad{count};  // the first string that is no such number
    const StringFault fault = each_string(args.parallel, count, [&](int64_t i) {
      std::string_view text;
      if (!strings.read(from[i], &text)) return StringFault::outside;
      if (parse(text, numbers + to[i] * size) != NumberFault::none) {
        int64_t before = first_bad.load(std::memory_order_relaxed);
        while (i < before && !first_bad.compare_exchange_weak(before, i, std::memory_order_relaxed)) {
        }
      }
      return StringFault::none;
    });
    if (fault != StringFault::none) return fault_status(fault, "string_parse");
    const int64_t bad = first_bad.load(std::memory_order_relaxed);
    if (bad == count) return {};
    std::string_view text;
    strings.read(from[bad], &text);
    if (parse(text, numbers + to[bad] * size) == NumberFault::out_of_range)
      return error(Code::invalid_data, "string_parse: the string '{}' is beyond the range of {}", shown(text), dtype_name(out.dtype));
    return error(Code::invalid_data, "string_parse: the string '{}' is no number of {}", shown(text), dtype_name(out.dtype));
  }
};

template <class T>
void format_each(const Parallel& parallel, const TensorView& x, const TensorView& views, const TensorView& heap, int64_t room) noexcept {
  const StringPlaces from(x), to(views);
  auto* const bytes = heap.as<char>();
  const int64_t step = heap.strides[0];
  each_string(parallel, x.count(), [&](int64_t i) {
    char made[kLongestIntegerText] = {};
    const auto length = static_cast<int64_t>(write_number(x.as<const T>()[from[i]], made));
    for (int64_t k = 0; k < room; ++k) bytes[(i * room + k) * step] = made[k];
    views.as<int64_t>()[to[i]] = string_view_of(i * room, length);
    return StringFault::none;
  });
}

class FormatKernel final : public PlainKernel {
 public:
  constexpr FormatKernel() noexcept : PlainKernel("string_format.reference", OpKind::string_format) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &x = args.in[0], &views = args.out[0], &heap = args.out[1];
    if (heap.dims[0] > kLargestStringHeap) return fault_status(StringFault::no_room, "string_format");
    switch (x.dtype) {
      case DType::f32: format_each<float>(args.parallel, x, views, heap, kLongestRealText); break;
      case DType::f64: format_each<double>(args.parallel, x, views, heap, kLongestRealText); break;
      case DType::i64: format_each<int64_t>(args.parallel, x, views, heap, kLongestIntegerText); break;
      default: format_each<uint64_t>(args.parallel, x, views, heap, kLongestIntegerText); break;
    }
    return {};
  }
};

const ParseKernel parse_kernel;
const FormatKernel format_kernel;

}  // namespace

constinit const HostKernel* const kStringParse = &parse_kernel;
constinit const HostKernel* const kStringFormat = &format_kernel;

}  // namespace anydim
