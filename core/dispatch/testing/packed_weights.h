// SPDX-License-Identifier: Apache-2.0
// What the tests of packed weights share: operators with weights, a runner of primitives over them, and a file to spoil.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/dispatch/primitive/primitive.h"
#include "core/dispatch/testing/weights_of.h"
#include "core/dispatch/weights/weights_file.h"
#include "core/engines/cpu/engine.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

inline HostTensor tensor(const Dims& dims, int seed) {
  HostTensor t;
  EXPECT_TRUE(HostTensor::allocate(DType::f32, dims, &t).ok());
  uint32_t state = static_cast<uint32_t>(seed) * 2654435761u + 1;
  for (int64_t i = 0; i < t.view.count(); ++i) {
    state = state * 1664525u + 1013904223u;
    t.view.as<float>()[i] = static_cast<float>(state >> 16) / 32768.f - 1.f;
  }
  return t;
}

inline std::string bits(const HostTensor& t) {
  return {reinterpret_cast<const char*>(t.view.data), static_cast<size_t>(t.view.count() * dtype_size(t.view.dtype))};
}

// Input 1 and input 2 of an operator.
struct Values {
  HostTensor first, second;
  std::vector<TensorView> views() const { return {first.view, second.view}; }
};

// An operator with dims of its weights and of one input.
struct WeightsCase {
  const char* name;
  OperatorPtr op;
  Dims weights, bias, input;
  Values values(int seed) const { return {tensor(weights, seed), tensor(bias, seed + 1000)}; }
};

inline std::vector<WeightsCase> cases() {
  Convolution::Attributes conv;
  conv.spatial = 2;
  for (int i = 0; i < 2; ++i) conv.pads_begin[i] = conv.pads_end[i] = 1;
  Convolution::Attributes depthwise = conv, grouped = conv;
  depthwise.group = 21;
  grouped.group = 3;
  Convolution::Attributes windows = depthwise;
  for (int i = 0; i < 2; ++i) windows.pads_begin[i] = windows.pads_end[i] = 6;
  ConvTranspose::Attributes transposed;
  transposed.spatial = 2;
  for (int i = 0; i < 2; ++i) transposed.strides[i] = 2;
  ConvTranspose::Attributes upsampling = transposed;
  upsampling.group = 21;
  Matmul::Attributes matmul;
  matmul.beta = 0.5f;
  return {{"matmul", *Matmul::make(matmul), {40, 70}, {70}, {9, 40}},
          {"convolution", *Convolution::make(conv), {19, 6, 3, 3}, {19}, {2, 6, 8, 9}},
          {"grouped", *Convolution::make(grouped), {18, 4, 3, 3}, {18}, {1, 12, 8, 9}},
          {"depthwise", *Convolution::make(depthwise), {21, 1, 3, 3}, {21}, {1, 21, 8, 9}},
          {"patches", *ConvTranspose::make(transposed), {12, 3, 2, 2}, {3}, {1, 12, 5, 4}},
          {"upsampling", *ConvTranspose::make(upsampling), {21, 1, 4, 4}, {21}, {1, 21, 5, 4}},
          {"windows", *Convolution::make(windows), {21, 1, 13, 11}, {21}, {1, 21, 8, 9}},
          {"upsampling windows", *ConvTranspose::make(upsampling), {21, 1, 12, 13}, {21}, {1, 21, 5, 4}},
          {"layer_norm", *LayerNorm::make(-1, 1e-5f), {33}, {33}, {7, 33}}};
}

inline WeightsPtr pack(const WeightsCase& c, const Values& values, std::string_view kernel = "") {
  WeightsPtr w;
  const auto views = values.views();
  const Status s = weights_of(cpu_engine(), c.op, views, &w, kernel);
  EXPECT_TRUE(s.ok()) << c.name << ": " << s.message();
  return w;
}

inline PrimitivePtr primitive(const WeightsCase& c, const WeightsPtr& weights) {
  TensorType in{DType::f32, {}};
  for (const int64_t d : c.input) in.dims.push_back(d);
  PrimitivePtr p;
  const Status s = Primitive::create(cpu_engine(), c.op, {nullptr, {&in, 1}, {}}, {}, weights, &p);
  EXPECT_TRUE(s.ok()) << c.name << ": " << s.message();
  return p;
}

// Runs a primitive on an input; its own output and scratch, so that any number of threads can.
class Runner {
 public:
  explicit Runner(PrimitivePtr p, const HostTensor& in) : p_(std::move(p)), in_(in) {
    Dims dims;
    for (const Dim d : p_->out()[0].dims) dims.push_back(d.number());
    EXPECT_TRUE(HostTensor::allocate(DType::f32, dims, &out_).ok());
    int64_t bytes = 0;
    EXPECT_TRUE(p_->scratch_bytes({&in_.view, 1}, {&out_.view, 1}, {}, 1, &bytes).ok());
    scratch_ = std::move(*AlignedBuffer::allocate(bytes));
  }
  std::string run() {
    const Status s = p_->execute({&in_.view, 1}, {}, {&out_.view, 1}, scratch_.data(), scratch_.size(), Parallel(1));
    EXPECT_TRUE(s.ok()) << s.message();
    return bits(out_);
  }

 private:
  PrimitivePtr p_;
  HostTensor in_, out_;
  AlignedBuffer scratch_;
};

inline std::string result(const WeightsCase& c, const WeightsPtr& weights) {
  return Runner(primitive(c, weights), tensor(c.input, 5)).run();
}

// What a mapped file has of an operator's inputs 1, 2, ...
inline Status find_in(const MappedWeights& file, const OperatorPtr& op, std::span<const TensorView> tensors, WeightsPtr* out) {
  WeightsProblem problem;
  const Kernel* kernel = nullptr;
  ANYDIM_TRY(WeightsProblem::make(*cpu_engine(), op, types_of(by_operand(tensors)), {}, &problem));
  ANYDIM_TRY(choose_kernel(*cpu_engine(), problem.problem(), {}, &kernel));
  return file.find(cpu_engine(), problem, *kernel, source_of(tensors), out);
}

// A file of packed weights in its own folder, to be read and spoiled.
class WeightsFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "anydim-weights-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    path = folder + "/w";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  static Status load(const WeightsCase& c, const std::string& from, WeightsPtr* out) {
    return load_weights(cpu_engine(), c.op, {}, from, out);
  }
  int64_t files() const { return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()); }
  std::string read() const {
    std::ifstream f(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(f), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes; }
  // With a checksum that is right, as an attacker would write it.
  void write_checked(std::string bytes) const {
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, bytes.data(), 32);
    XXH3_128bits_update(&state, bytes.data() + 48, bytes.size() - 48);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    std::memcpy(bytes.data() + 32, canonical.digest, 16);
    write(bytes);
  }
  static uint64_t description_bytes(const std::string& file) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, file.data() + 24, 8);
    return bytes;
  }
  std::string folder, path;
};

}  // namespace anydim
