// SPDX-License-Identifier: Apache-2.0
// Models that are damaged or hostile: cut, with flipped bits, with absurd numbers. Any status is right, but for an
// internal error, and what loads is sound.
#include "onnx/walk/import.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/testing/random.h"
#include "onnx/testing/one_node.h"

namespace anydim::onnx {
namespace {

using namespace testing;

ModelBuilder small_network() {
  ModelBuilder m = one_node(12, "Conv", {"n", 2, "h", "w"});
  m.initializers = {floats("w", {4, 2, 3, 3}, std::vector<float>(72, 0.5f)), floats("b", {4}, {1, 2, 3, 4}), int64s("s", {2}, {0, -1})};
  const std::vector<int64_t> pads{1, 1, 1, 1}, strides{2, 2};
  m.nodes = {node("Conv", {"x", "w", "b"}, {"c"}, {attr("pads", pads), attr("strides", strides), attr("auto_pad", "NOTSET")}),
             node("BatchNormalization", {"c", "b", "b", "b", "b"}, {"n"}), node("Relu", {"n"}, {"r"}), node("Reshape", {"r", "s"}, {"f"}),
             node("Softmax", {"f"}, {"y"}, {attr("axis", int64_t{1})})};
  return m;
}

TEST(Import, EveryTruncationGivesAStatus) {
  const std::string bytes = small_network().model_bytes();
  ASSERT_TRUE(import_model(Bytes{nullptr, bytes}).ok()) << import_model(Bytes{nullptr, bytes}).status().message();
  for (size_t n = 0; n < bytes.size(); ++n) {
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));
    Result<Graph> g = import_model(Bytes{nullptr, {cut.data(), cut.size()}});
    EXPECT_NE(g.status().code(), Code::internal) << n << ": " << g.status().message();
  }
}

TEST(Import, FlippedBitsGiveAStatusOrAGraph) {
  const std::string bytes = small_network().model_bytes();
  const auto seed = static_cast<unsigned>(anydim::testing::run_seed());
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = bytes;
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
    Result<Graph> g = import_model(Bytes{nullptr, damaged});
    if (g.ok()) {
      const Status s = g->verify();
      EXPECT_TRUE(s.ok()) << s.message();
    } else {
      EXPECT_NE(g.status().code(), Code::internal) << g.status().message();
      EXPECT_FALSE(g.status().message().empty());
    }
  }
}

TEST(Import, HostileNumbersInAttributesAndShapesGiveAStatus) {
  for (const int64_t v : {INT64_MIN, INT64_MIN + 1, int64_t{-1}, int64_t{0}, int64_t{1} << 62, INT64_MAX}) {
    const std::vector<int64_t> two{v, v}, four{v, v, v, v};
    const std::vector<ModelBuilder> models = {
        one_node(17, "Conv", {1, 2, 8, 8}, {attr("pads", four)}, {floats("w", {2, 2, 3, 3}, std::vector<float>(36))}, {"w"}),
        one_node(17, "Conv", {1, 2, 8, 8}, {attr("strides", two)}, {floats("w", {2, 2, 3, 3}, std::vector<float>(36))}, {"w"}),
        one_node(17, "Conv", {1, 2, 8, 8}, {attr("dilations", two)}, {floats("w", {2, 2, 3, 3}, std::vector<float>(36))}, {"w"}),
        one_node(17, "Conv", {1, 2, 8, 8}, {attr("group", v)}, {floats("w", {2, 2, 3, 3}, std::vector<float>(36))}, {"w"}),
        one_node(17, "MaxPool", {1, 2, 8, 8}, {attr("kernel_shape", two)}),
        one_node(17, "MaxPool", {1, 2, "h", "w"}, {attr("kernel_shape", two), attr("pads", four), attr("strides", two)}),
        one_node(17, "Reshape", {2, "n"}, {}, {int64s("s", {2}, two)}, {"s"}),
        one_node(17, "Expand", {2, "n"}, {}, {int64s("s", {2}, two)}, {"s"}),
        one_node(17, "Tile", {2, "n"}, {}, {int64s("s", {2}, two)}, {"s"}),
        one_node(17, "Pad", {2, "n"}, {}, {int64s("s", {4}, four)}, {"s"}),
        one_node(17, "Slice", {2, "n"}, {}, {int64s("s", {2}, two), int64s("e", {2}, two)}, {"s", "e"}),
        one_node(17, "Slice", {2, "n"}, {}, {int64s("s", {1}, {0}), int64s("t", {1}, {v})}, {"s", "s", "s", "t"}),
        one_node(17, "TopK", {2, "n"}, {attr("axis", v)}, {int64s("k", {1}, {v})}, {"k"}),
        one_node(17, "Softmax", {2, "n"}, {attr("axis", v)}),
        one_node(17, "Flatten", {2, "n"}, {attr("axis", v)}),
        one_node(17, "Shape", {2, "n"}, {attr("start", v), attr("end", v)}),
        one_node(17, "ReduceMean", {2, "n"}, {attr("axes", two)}),
        one_node(17, "DepthToSpace", {1, 4, "h", "w"}, {attr("blocksize", v)}),
        one_node(17, "Transpose", {2, "n"}, {attr("perm", two)}),
        one_node(17, "LRN", {1, 4, "h", "w"}, {attr("size", v)}),
        one_node(17, "Cast", {2}, {attr("to", v)}),
        one_node(17, "Relu", {v, 2}),
    };
    for (const ModelBuilder& m : models) {
      Result<Graph> g = load(m);
      EXPECT_NE(g.status().code(), Code::internal) << g.status().message();
      if (g.ok()) {
        EXPECT_TRUE(g->verify().ok());
      }
    }
  }
}

}  // namespace
}  // namespace anydim::onnx
