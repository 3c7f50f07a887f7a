// SPDX-License-Identifier: Apache-2.0
// StringLookup by binary search and, of many strings, by hash; StringEqual. All by bytes.
#include <algorithm>
#include <cstring>

#include "core/kernels/strings/hash_places.h"
#include "core/kernels/strings/read.h"
#include "core/kernels/strings/strings.h"
#include "core/ops/operators/string_equal.h"
#include "core/ops/operators/string_lookup.h"

namespace anydim {
namespace {

// Looks up with find(wanted, place), which gives a fault.
template <class Find> StringFault look_up_each(const Args& args, const StringReader& strings, const Find& find) noexcept {
  const TensorView& x = args.in[StringLookup::kX];
  const StringPlaces from(x), to(args.out[0]);
  auto* out = args.out[0].as<int64_t>();
  return each_string(args.parallel, x.count(), [&](int64_t i) {
    std::string_view wanted;
    if (!strings.read(from[i], &wanted)) return StringFault::outside;
    return find(wanted, out + to[i]);
  });
}
StringFault search_table(const StringReader& known, const TensorView& table, std::string_view wanted, int64_t* place) noexcept {
  std::string_view found;
  int64_t first = 0, end = table.dims[0];
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    if (!known.read(middle * table.strides[0], &found)) return StringFault::outside;
    if (found < wanted) first = middle + 1;
    else end = middle;
  }
  *place = -1;
  if (first == table.dims[0]) return StringFault::none;
  if (!known.read(first * table.strides[0], &found)) return StringFault::outside;
  if (found == wanted) *place = first;
  return StringFault::none;
}

class LookupKernel final : public StringKernel {
 public:
  constexpr LookupKernel() noexcept
      : StringKernel("string_lookup.reference", OpKind::string_lookup, StringLookup::kHeap, StringLookup::kTableHeap) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    auto* scratch = static_cast<std::byte*>(args.scratch);
    const TensorView& table = args.in[StringLookup::kTable];
    const StringReader strings(args.in[StringLookup::kX], args.in[StringLookup::kHeap], &scratch),
        known(table, args.in[StringLookup::kTableHeap], &scratch);
    const StringFault fault =
        look_up_each(args, strings, [&](std::string_view wanted, int64_t* place) { return search_table(known, table, wanted, place); });
    return fault_status(fault, "string_lookup");
  }
};

class HashedLookup final : public StringKernel {
 public:
  constexpr HashedLookup() noexcept
      : StringKernel("string_lookup.hashed", OpKind::string_lookup, StringLookup::kHeap, StringLookup::kTableHeap) {}
  void plan(const Args& args, Plan* plan) const noexcept override {
    StringKernel::plan(args, plan);
    plan->scratch = saturating_add(plan->scratch, HashPlaces::bytes(args.in[StringLookup::kTable].dims[0]));
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    return saturating_add(StringKernel::scratch_bound(p, in, out, threads),
                          HashPlaces::bytes(std::min(in[StringLookup::kTable][0], HashPlaces::kMostRows)));
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView& table = args.in[StringLookup::kTable];
    const int64_t rows = table.dims[0];
    auto* scratch = static_cast<std::byte*>(args.scratch) + HashPlaces::bytes(rows);
    const StringReader strings(args.in[StringLookup::kX], args.in[StringLookup::kHeap], &scratch),
        known(table, args.in[StringLookup::kTableHeap], &scratch);
    const auto search = [&](std::string_view wanted, int64_t* place) { return search_table(known, table, wanted, place); };
    // A table is made where it is asked more often than it has rows. It is sorted, so equal rows follow each other.
    bool worth = rows <= args.in[StringLookup::kX].count() && rows <= HashPlaces::kMostRows;
    if (worth) {
      HashPlaces places(args.scratch, rows);
      std::string_view text, before;
      for (int64_t row = 0; worth && row < rows; ++row) {
        worth = known.read(row * table.strides[0], &text) && (row == 0 || !(text < before)) && places.add(hash_of(text), row);
        before = text;
      }
      if (worth) {
        const StringFault fault = look_up_each(args, strings, [&](std::string_view wanted, int64_t* place) {
          const int32_t row = places.find(hash_of(wanted), [&](int64_t candidate) {
            std::string_view found;
            return known.read(candidate * table.strides[0], &found) && found == wanted;
          });
          if (row == HashPlaces::kFar) return search(wanted, place);
          *place = row;
          return StringFault::none;
        });
        return fault_status(fault, "string_lookup");
      }
    }
    return fault_status(look_up_each(args, strings, search), "string_lookup");
  }

 private:
  static uint64_t hash_of(std::string_view text) noexcept {
    uint64_t hash = text.size();
    const char* p = text.data();
    size_t left = text.size();
    for (; left >= 8; left -= 8, p += 8) {
      uint64_t word;
      std::memcpy(&word, p, 8);
      hash = HashPlaces::mixed(hash, word);
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < left; ++i) rest = rest << 8 | static_cast<unsigned char>(p[i]);
    return HashPlaces::mixed(hash, rest);
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
const HashedLookup hashed_lookup;
const EqualKernel equal_kernel;

}  // namespace

constinit const HostKernel* const kHashedStringLookup = &hashed_lookup;
constinit const HostKernel* const kStringLookup = &lookup_kernel;
constinit const HostKernel* const kStringEqual = &equal_kernel;

}  // namespace anydim
