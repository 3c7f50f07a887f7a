// SPDX-License-Identifier: Apache-2.0
// For tests of contexts only: tensors in any strides, a network of everything that layouts, views and the memory plan have to
// deal with, and programs and contexts whose failures are test failures.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "core/graph/compile.h"
#include "core/graph/testing/builder.h"
#include "core/program/saved/saved_program.h"
#include "core/run/context/context.h"
#include "core/run/context/explain.h"
#include "core/run/context/tuning.h"

namespace anydim::testing {

// An f32 tensor in a memory order of its own, filled with normal numbers.
struct Tensor {
  std::vector<float> memory;
  TensorView view;
  Tensor(const Dims& dims, std::mt19937_64& random, const Perm& order = {}) : memory(static_cast<size_t>(element_count(dims)) + 1) {
    std::normal_distribution<float> normal;
    for (float& v : memory) v = normal(random);
    view = {memory.data(), DType::f32, dims, dense_strides(dims, order)};
  }
};

inline ProgramPtr compiled(const Graph& graph, const CompileOptions& options = {}) {
  ProgramPtr program;
  const Status s = compile(graph, options, &program);
  EXPECT_TRUE(s.ok()) << s.message();
  return program;
}

// The same program, written to a file and read again.
inline ProgramPtr through_a_file(const ProgramPtr& program) {
  std::string path = (std::filesystem::temp_directory_path() / "anydim-program-XXXXXX").string();
  ::close(::mkstemp(path.data()));
  ProgramPtr read;
  ModelFacts facts;
  std::shared_ptr<const CheckedFile> file;
  Status s = save_program(*program, facts, path, false);
  if (s.ok()) s = CheckedFile::open(kProgramFile, path, &file);
  if (s.ok()) s = load_program(program->engine(), file, path, ReusePolicy::inherit, &read, &facts);
  std::filesystem::remove(path);
  EXPECT_TRUE(s.ok()) << s.message();
  return read;
}

inline std::unique_ptr<Context> context_of(const ProgramPtr& program, const ContextOptions& options = {}) {
  std::unique_ptr<Context> c;
  const Status s = Context::create(program, options, &c);
  EXPECT_TRUE(s.ok()) << s.message();
  return c;
}

// A small network of everything that layouts, views and the plan have to deal with. Inputs: x [d1, 3, d2, d3].
inline Graph everything() {
  Builder b(5);
  const ValueId x = b.input("x", {-1, 3, -2, -3});
  const ValueId stem = b.relu(b.conv(x, 16, 3, 2));
  const ValueId first = b.slice(stem, 1, 0, 8), second = b.slice(stem, 1, 8, 8);
  const ValueId worked = b.plus(second, b.unary(UnaryFunction::silu, b.conv(second, 8, 3)));
  const ValueId joined = b.concat({first, second, worked}, 1);
  const ValueId gate = b.unary(UnaryFunction::hard_sigmoid, b.conv(b.global_average(joined), 24, 1), 0.2f, 0.5f);
  const ValueId gated = b.times(joined, gate);
  const ValueId low = b.max_pool(gated, 3, 1), up = b.concat({b.conv(low, 8, 1), gated}, 1);
  const ValueId head = b.conv(up, 12, 1);
  const SymDims d = b.dims(head);
  const ValueId flat = b.reshape(head, {d[0], 12, b.graph.dims.mul(d[2], d[3])});
  const ValueId sequence = b.transpose(flat, {0, 2, 1});
  const ValueId scores = b.softmax(b.matmul(sequence, b.constant({12, 5})), 2);
  b.output(scores, "scores");
  b.output(b.unary(UnaryFunction::sigmoid, head), "map");
  return std::move(b.graph);
}

// A tensor whose memory may be dense in either order, padded, mirrored, or one element repeated along an axis.
inline Tensor any_strides(const Dims& dims, std::mt19937_64& random) {
  switch (random() % 5) {
    case 0: return Tensor(dims, random);
    case 1: return Tensor(dims, random, channels_last(4));
    case 2: {
      Dims wide = dims;
      wide[3] += 3;
      Tensor t(wide, random);
      t.view.dims = dims;
      return t;
    }
    case 3: {
      Tensor t(dims, random);
      if (t.view.count() > 0) {
        t.view.data = t.memory.data() + (dims[2] - 1) * t.view.strides[2];
        t.view.strides[2] = -t.view.strides[2];
      }
      return t;
    }
    default: {
      Tensor t(dims, random);
      t.view.strides[1] = 0;
      return t;
    }
  }
}

// y = reshape(x [d1, d2], the values of an integer input).
inline Graph reshape_by_input() {
  Builder b;
  const ValueId x = b.input("x", {-1, -2});
  const DeclaredDim two{2, ""};
  const ValueId shape = b.graph.add_input("shape", DType::i64, {&two, 1});
  const ShapeValues& content = b.graph.value(shape).shape_values;
  EXPECT_TRUE(content.known);
  b.output(b.relu(b.reshape(b.relu(x), {content.elements[0], content.elements[1]})));
  return std::move(b.graph);
}

}  // namespace anydim::testing
