// SPDX-License-Identifier: Apache-2.0
// NgramCounts: rows go to threads. In the reference the pool's rows of one length are found by binary search, and so is each sample among
// them; the other kernel finds samples by hash where there are many.
#include <algorithm>

#include "core/kernels/plain_kernel.h"
#include "core/kernels/strings/hash_places.h"
#include "core/kernels/strings/strings.h"
#include "core/ops/operators/ngram_counts.h"

namespace anydim {
namespace {

using Op = NgramCounts;

struct Pool {
  explicit Pool(const Args& args) noexcept : items(args.in[Op::kPool]), lengths(args.in[Op::kLengths]), columns(args.in[Op::kColumns]) {}
  const TensorView &items, &lengths, &columns;
  int64_t count() const noexcept { return items.dims[0]; }
  int64_t item(int64_t row, int64_t i) const noexcept { return items.as<const int64_t>()[row * items.strides[0] + i * items.strides[1]]; }
  int64_t length(int64_t row) const noexcept { return lengths.as<const int64_t>()[row * lengths.strides[0]]; }
  int64_t column(int64_t row) const noexcept { return columns.as<const int64_t>()[row * columns.strides[0]]; }
  // The first row whose length is at least this.
  int64_t first_of(int64_t wanted) const noexcept {
    int64_t first = 0, end = count();
    while (first < end) {
      const int64_t middle = first + (end - first) / 2;
      if (length(middle) < wanted) first = middle + 1;
      else end = middle;
    }
    return first;
  }
  // The row in [first, end) whose items are x[0], x[step], ...; -1 if there is none.
  int64_t find(int64_t first, int64_t end, const int64_t* x, int64_t step, int64_t size) const noexcept {
    const int64_t limit = end;
    const auto compare = [&](int64_t row) {
      for (int64_t i = 0; i < size; ++i)
        if (const int64_t have = item(row, i), want = x[i * step]; have != want) return have < want ? -1 : 1;
      return 0;
    };
    while (first < end) {
      const int64_t middle = first + (end - first) / 2;
      if (compare(middle) < 0) first = middle + 1;
      else end = middle;
    }
    return first < limit && compare(first) == 0 ? first : -1;
  }
};

Status check_pool(const Pool& pool, int64_t outputs) {
  const int64_t longest = pool.items.dims[1];
  for (int64_t row = 0; row < pool.count(); ++row) {
    if (pool.length(row) < 1 || pool.length(row) > longest)
      return error(Code::invalid_data, "ngram_counts: n-gram {} has {} items; expected 1 to {}", row, pool.length(row), longest);
    if (pool.column(row) < 0 || pool.column(row) >= outputs)
      return error(Code::invalid_data, "ngram_counts: n-gram {} is counted in column {}; there are {}", row, pool.column(row), outputs);
  }
  return {};
}

// Counts with find(first, end, x, step, size), which gives a row of the pool or -1.
template <class Find> void count_ngrams(const Args& args, const Pool& pool, const Find& find) noexcept {
  const auto& at = as<Op>(*args.op)->get();
  const TensorView &x = args.in[Op::kX], &out = args.out[0];
  const int64_t longest = pool.items.dims[1];
  const bool matrix = x.dims.rank == 2;
  const int64_t rows = matrix ? x.dims[0] : 1, items = x.dims[x.dims.rank - 1], step = x.strides[x.dims.rank - 1];
  const int64_t column_step = out.strides[out.dims.rank - 1];
  args.parallel.run(rows, [&](int64_t row, int) {
    const int64_t* from = x.as<const int64_t>() + (matrix ? row * x.strides[0] : 0);
    float* to = out.as<float>() + (matrix ? row * out.strides[0] : 0);
    for (int64_t i = 0; i < at.outputs; ++i) to[i * column_step] = 0.f;
    for (int64_t size = 1; size <= longest; ++size) {
      const int64_t first = pool.first_of(size), end = pool.first_of(size + 1);
      if (first == end) continue;
      for (int64_t apart = 1; apart <= (size == 1 ? 1 : std::min(at.max_skip, items) + 1); ++apart) {
        // The places of a sample of this size: from begin to begin + apart * (size - 1).
        const int64_t begins = size == 1 ? items : items - std::min(items, (size - 1) <= items / apart ? apart * (size - 1) : items);
        for (int64_t begin = 0; begin < begins; ++begin)
          if (const int64_t found = find(first, end, from + begin * step, apart * step, size); found >= 0)
            to[pool.column(found) * column_step] += 1.f;
      }
    }
  });
}

class NgramKernel final : public PlainKernel {
 public:
  constexpr NgramKernel() noexcept : PlainKernel("ngram_counts.reference", OpKind::ngram_counts) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const Pool pool(args);
    ANYDIM_TRY(check_pool(pool, as<Op>(*args.op)->get().outputs));
    count_ngrams(args, pool, [&](int64_t first, int64_t end, const int64_t* x, int64_t step, int64_t size) {
      return pool.find(first, end, x, step, size);
    });
    return {};
  }
};

class HashedNgrams final : public PlainKernel {
 public:
  constexpr HashedNgrams() noexcept : PlainKernel("ngram_counts.hashed", OpKind::ngram_counts) {}
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = HashPlaces::bytes(args.in[Op::kPool].dims[0]); }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    return HashPlaces::bytes(std::min(in[Op::kPool][0], HashPlaces::kMostRows));
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const Pool pool(args);
    ANYDIM_TRY(check_pool(pool, as<Op>(*args.op)->get().outputs));
    const auto search = [&](int64_t first, int64_t end, const int64_t* x, int64_t step, int64_t size) {
      return pool.find(first, end, x, step, size);
    };
    // A table is made where it is asked more often than it has rows.
    bool worth = pool.count() <= args.in[Op::kX].count() && pool.count() <= HashPlaces::kMostRows;
    if (worth) {
      HashPlaces places(args.scratch, pool.count());
      for (int64_t row = 0; worth && row < pool.count(); ++row)
        worth = places.add(hash_of(pool.length(row), [&](int64_t i) { return pool.item(row, i); }), row);
      if (worth) {
        count_ngrams(args, pool, [&](int64_t first, int64_t end, const int64_t* x, int64_t step, int64_t size) -> int64_t {
          const int32_t row = places.find(hash_of(size, [&](int64_t i) { return x[i * step]; }), [&](int64_t candidate) {
            if (pool.length(candidate) != size) return false;
            for (int64_t i = 0; i < size; ++i)
              if (pool.item(candidate, i) != x[i * step]) return false;
            return true;
          });
          return row == HashPlaces::kFar ? search(first, end, x, step, size) : row;
        });
        return {};
      }
    }
    count_ngrams(args, pool, search);
    return {};
  }

 private:
  template <class Item> static uint64_t hash_of(int64_t size, const Item& item) noexcept {
    auto hash = static_cast<uint64_t>(size);
    for (int64_t i = 0; i < size; ++i) hash = HashPlaces::mixed(hash, static_cast<uint64_t>(item(i)));
    return hash;
  }
};

const HashedNgrams hashed_ngrams;
const NgramKernel kernel_of_ngrams;

}  // namespace

constinit const HostKernel* const kHashedNgramCounts = &hashed_ngrams;
constinit const HostKernel* const kNgramCounts = &kernel_of_ngrams;

}  // namespace anydim
