// SPDX-License-Identifier: Apache-2.0
// StringLookup by binary search, and StringEqual: both by bytes.
#include <algorithm>

#include "core/kernels/strings/read.h"
#include "core/kernels/strings/strings.h"
#include "core/ops/operators/string_equal.h"
#include "core/ops/operators/string_lookup.h"

namespace anydim {
namespace {

class LookupKernel final : public StringKernel {
 public:
  constexpr LookupKernel() noexcept
      : StringKernel("string_lookup.reference", OpKind::string_lookup, StringLookup::kHeap, StringLookup::kTableHeap) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    auto* scratch = static_cast<std::byte*>(args.scratch);
    const TensorView &x = args.in[StringLookup::kX], &table = args.in[StringLookup::kTable];
    const StringReader strings(x, args.in[StringLookup::kHeap], &scratch), known(table, args.in[StringLookup::kTableHeap], &scratch);
    const StringPlaces from(x), to(args.out[0]);
    auto* out = args.out[0].as<int64_t>();
    const StringFault fault = each_string(args.parallel, x.count(), [&](int64_t i) {
      std::string_view wanted, found;
      if (!strings.read(from[i], &wanted)) return StringFault::outside;
      int64_t first = 0, end = table.dims[0];
      while (first < end) {
        const int64_t middle = first + (end - first) / 2;
        if (!known.read(middle * table.strides[0], &found)) return StringFault::outside;
        if (found < wanted) first = middle + 1;
        else end = middle;
      }
      out[to[i]] = -1;
      if (first == table.dims[0]) return StringFault::none;
      if (!known.read(first * table.strides[0], &found)) return StringFault::outside;
      if (found == wanted) out[to[i]] = first;
      return StringFault::none;
    });
    return fault_status(fault, "string_lookup");
  }
};

class EqualKernel final : public StringKernel {
 public:
  constexpr EqualKernel() noexcept
      : StringKernel("string_equal.reference", OpKind::string_equal, StringEqual::kAHeap, StringEqual::kBHeap) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    auto* scratch = static_cast<std::byte*>(args.scratch);
    const TensorView &a = args.in[StringEqual::kA], &b = args.in[StringEqual::kB], &out = args.out[0];
    const StringReader left(a, args.in[StringEqual::kAHeap], &scratch), right(b, args.in[StringEqual::kBHeap], &scratch);
    const StringPlaces from_a(a, out.dims), from_b(b, out.dims), to(out);
    const StringFault fault = each_string(args.parallel, out.count(), [&](int64_t i) {
      std::string_view x, y;
      if (!left.read(from_a[i], &x) || !right.read(from_b[i], &y)) return StringFault::outside;
      out.as<uint8_t>()[to[i]] = static_cast<uint8_t>(x == y);
      return StringFault::none;
    });
    return fault_status(fault, "string_equal");
  }
};

const LookupKernel lookup_kernel;
const EqualKernel equal_kernel;

}  // namespace

constinit const HostKernel* const kStringLookup = &lookup_kernel;
constinit const HostKernel* const kStringEqual = &equal_kernel;

}  // namespace anydim
