// SPDX-License-Identifier: Apache-2.0
// The weights of an exported model: arrays by dtype, each constant once, at multiples of 64 bytes.
#include <cstring>

#include "cli/export/emit.h"

namespace anydim_cli::exporting {

namespace {

constexpr size_t kAlignment = 64;

template <class T> int64_t append(std::vector<T>& to, const T* values, size_t count) {
  const size_t step = kAlignment / sizeof(T), at = (to.size() + step - 1) / step * step;
  to.resize(at);
  to.insert(to.end(), values, values + count);
  return static_cast<int64_t>(at);
}

uint64_t hash_of(const std::vector<float>& values) {
  uint64_t h = 14695981039346656037u ^ values.size();
  for (const float v : values) {
    uint32_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    h = (h ^ bits) * 1099511628211u;
  }
  return h;
}

}  // namespace

int64_t Weights::add(const std::vector<float>& values) {
  const uint64_t h = hash_of(values);
  const auto [begin, end] = floats_.equal_range(h);
  for (auto i = begin; i != end; ++i)
    if (i->second.second == static_cast<int64_t>(values.size()) &&
        std::memcmp(f32.data() + i->second.first, values.data(), values.size() * sizeof(float)) == 0)
      return i->second.first;
  const int64_t at = append(f32, values.data(), values.size());
  floats_.emplace(h, std::pair(at, static_cast<int64_t>(values.size())));
  return at;
}

int64_t Weights::add_bytes(const std::vector<int8_t>& values) { return append(i8, values.data(), values.size()); }
int64_t Weights::add_whole(const std::vector<int32_t>& values) { return append(i32, values.data(), values.size()); }

int64_t Weights::add(const Program& program, const Tensor& t) {
  const auto count = static_cast<size_t>(element_count(t.dims));
  if (t.dtype == "f32") {
    const auto* const values = program.elements<float>(t);
    return add(std::vector<float>(values, values + count));
  }
  const auto [known, first] = constants_.try_emplace(t.constant, 0);
  if (!first) return known->second;
  if (t.dtype == "i64") known->second = append(i64, program.elements<int64_t>(t), count);
  else if (t.dtype == "i32") known->second = append(i32, program.elements<int32_t>(t), count);
  else if (t.dtype == "i8") known->second = append(i8, program.elements<int8_t>(t), count);
  else if (t.dtype == "u8" || t.dtype == "bool") known->second = append(u8, program.elements<uint8_t>(t), count);
  else throw Unsupported("weights of dtype " + t.dtype);
  return known->second;
}

}  // namespace anydim_cli::exporting
