// SPDX-License-Identifier: Apache-2.0
// Keys of records in the persistent cache: everything that a plan's worth or a binary's meaning depends on, as text that a
// person can read: "plan;kernel=gemm_f32_avx512;revision=2;dims=m:1..8;threads=2;...". Two keys are equal if their texts are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace anydim {

// A tuned plan. The kernel family's own revision is in the key and the library's version is not: an upgrade keeps what was
// measured unless the family changed its plans.
struct PlanKey {
  std::string kernel;   // the kernel's name, instruction set included
  int revision = 0;     // of the kernel family's plans
  std::string problem;  // what else the kernel sees and the dims do not say: operator, attributes, weights' dims, post-ops
  std::string dims;     // dims or a bucket of them: "n:1,h:65..128"
  int threads = 1;
  // What the engine says of itself, in its order: the CPU its caches and its name.
  std::span<const std::pair<std::string, std::string>> engine;
  std::string text() const;
};

// A compiled device program: nothing but the same build on the same device with the same driver may be handed it.
struct BinaryKey {
  std::string library;  // version and build of this library
  std::string engine;   // "opencl"
  std::string device, driver;
  std::string options;  // given to the compiler
  std::string kernel;   // the kernel's key
  std::string text() const;
};

// "name=value" parts in a fixed order, joined by ';'. Bytes that would make two texts alike are written as %xx.
class KeyText {
 public:
  explicit KeyText(std::string_view kind) : text_(kind) {}
  KeyText& add(std::string_view name, std::string_view value);
  KeyText& add(std::string_view name, int64_t value);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace anydim
