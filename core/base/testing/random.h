// SPDX-License-Identifier: Apache-2.0
// For tests only: random numbers whose seed is printed once per run, so that a failure can be repeated with ANYDIM_SEED.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace anydim::testing {

// ANYDIM_SEED, or drawn.
inline uint64_t run_seed() {
  static const uint64_t seed = [] {
    const char* text = std::getenv("ANYDIM_SEED");
    const uint64_t s = text ? std::strtoull(text, nullptr, 10) : std::random_device{}();
    std::printf("[   SEED   ] ANYDIM_SEED=%llu\n", static_cast<unsigned long long>(s));
    return s;
  }();
  return seed;
}

// `salt` distinguishes the sequences of one run.
class Random {
 public:
  explicit Random(uint64_t salt = 0) : engine_(run_seed() * 0x9E3779B97F4A7C15ull + salt) {}
  int64_t integer(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(engine_); }
  bool flag() { return integer(0, 1) != 0; }
  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(engine_) < p; }
  float normal() { return std::normal_distribution<float>()(engine_); }
  template <class E> E one_of(int count) { return static_cast<E>(integer(0, count - 1)); }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace anydim::testing
