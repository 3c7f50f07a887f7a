// SPDX-License-Identifier: Apache-2.0
// The ONNX reader over well-formed, damaged and hostile bytes. What a model means is import_test's.
#include "onnx/format/reader.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/testing/random.h"
#include "onnx/format/tensor_data.h"
#include "onnx/testing/model_builder.h"

namespace anydim::onnx {
namespace {

using namespace testing;

std::string small_model() {
  ModelBuilder m;
  m.inputs = {value_info("x", kFloat, {"batch", -1, 3, ""})};
  m.outputs = {value_info("y", kFloat, {"batch", "", 3, ""})};
  m.initializers = {floats("w", {3, 1}, {1.f, 2.f, 3.f})};
  m.nodes = {node("Mul", {"x", "w"}, {"t"}, {}, "scale"),
             node("LeakyRelu", {"t"}, {"y"}, {attr("alpha", 0.25f), attr("axes", std::vector<int64_t>{1, -2})}, "act")};
  m.metadata = {{"character", "a\nb"}};
  return m.model_bytes();
}

TEST(Reader, ReadsEveryPartOfASmallModel) {
  const std::string bytes = small_model();
  Result<ModelProto> r = read_model(bytes);
  ASSERT_TRUE(r.ok()) << r.status().message();
  const ModelProto& m = *r;
  EXPECT_EQ(m.ir_version, 8);
  ASSERT_EQ(m.opset_import.size(), 1u);
  EXPECT_EQ(m.opset_import[0].version, 17);
  ASSERT_EQ(m.metadata.size(), 1u);
  EXPECT_EQ(m.metadata[0].second, "a\nb");
  ASSERT_EQ(m.graph.node.size(), 2u);
  EXPECT_EQ(m.graph.node[1].op_type, "LeakyRelu");
  EXPECT_EQ(m.graph.node[1].attribute[0].f, 0.25f);
  EXPECT_EQ(m.graph.node[1].attribute[1].ints, (std::vector<int64_t>{1, -2}));
  ASSERT_EQ(m.graph.input.size(), 1u);
  const TypeProto& type = m.graph.input[0].type;
  ASSERT_EQ(type.shape.size(), 4u);
  EXPECT_EQ(type.shape[0].param, "batch");
  EXPECT_EQ(type.shape[1].value, -1);
  EXPECT_FALSE(type.shape[3].has_value);
  // Zero-copy: raw data lies in the file's bytes.
  const std::string_view raw = m.graph.initializer[0].raw_data;
  EXPECT_GE(raw.data(), bytes.data());
  EXPECT_LE(raw.data() + raw.size(), bytes.data() + bytes.size());
}

TEST(Reader, SaysWhereAModelIsDamagedAtEveryTruncation) {
  const std::string bytes = small_model();
  size_t refused = 0;
  for (size_t n = 0; n < bytes.size(); ++n) {
    // A copy of exactly n bytes, so that a sanitizer sees any read past them.
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n));
    Result<ModelProto> r = read_model({cut.data(), cut.size()});
    if (r.ok()) continue;  // a prefix that ends between top-level fields is a message of its own
    ++refused;
    EXPECT_EQ(r.status().code(), Code::invalid_model);
    EXPECT_FALSE(r.status().message().empty());
  }
  EXPECT_GT(refused, bytes.size() * 3 / 4);
}

TEST(Reader, SurvivesRandomBytesAndBitFlips) {
  const std::string bytes = small_model();
  const auto seed = static_cast<unsigned>(anydim::testing::run_seed());
  std::mt19937 random(seed);
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = bytes;
    for (unsigned flips = 1 + random() % 8; flips > 0; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
    Result<ModelProto> r = read_model(damaged);
    if (!r.ok()) {
      EXPECT_EQ(r.status().code(), Code::invalid_model);
      continue;
    }
    ExternalData none;
    for (const TensorProto& t : r->graph.initializer) (void)read_tensor(t, Bytes{nullptr, damaged}, &none).ok();
  }
  for (int round = 0; round < 2000; ++round) {
    std::string noise(random() % 64, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    (void)read_model(noise).ok();
  }
}

TEST(Reader, NamesThePlaceOfAStringThatIsNotUtf8) {
  ModelBuilder m;
  m.nodes = {node("Relu", {"x"}, {"y"}), node("Re\xFFlu", {"y"}, {"z"})};
  Result<ModelProto> r = read_model(m.model_bytes());
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().message(), "graph.node[1]: a string is not valid UTF-8");
}

TEST(Reader, RefusesMessagesNestedWithoutEnd) {
  // Each level wraps the graph of the one before in an attribute of a node.
  std::string graph;
  for (int level = 0; level < 2000; ++level) {
    ModelBuilder m;
    m.nodes = {node("If", {"c"}, {"y"}, {graph_attr("then_branch", graph)})};
    graph = m.graph_bytes();
  }
  std::string bytes;
  pbf_writer(bytes).add_message(7, graph);
  Result<ModelProto> r = read_model(bytes);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().code(), Code::invalid_model);
  EXPECT_NE(r.status().message().find("nested too deeply"), std::string::npos);
}

TEST(Reader, RefusesAFieldOfTheWrongWireType) {
  std::string bytes;
  pbf_writer(bytes).add_int64(7, 5);  // graph as a number
  Result<ModelProto> r = read_model(bytes);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().message(), "graph: a field has the wrong wire type");
  bytes.clear();
  pbf_writer(bytes).add_string(1, "eight");  // ir_version as a string
  EXPECT_FALSE(read_model(bytes).ok());
}

TEST(Reader, SaysWhatAFileThatIsNoModelIsAndWhatToDo) {
  const auto said = [](std::string_view bytes) { return read_model(bytes).take_status().message(); };
  const std::string tar = std::string(257, '\1') + "ustar";
  const std::pair<std::string, std::string> kFiles[] = {
      {"", "it is empty: it has 0 bytes; download"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n", "Git LFS pointer, which only stands for the model: fetch"},
      {"<!DOCTYPE html>\n<html>", "a web page (HTML): the server gave a page"},
      {"\xef\xbb\xbf\n <HTML>", "a web page (HTML)"},
      {"<?xml version=\"1.0\"?><net>", "XML: load the .onnx file"},
      {"{\"message\": \"not found\"}", "JSON"},
      {"404 page not found", "text, which begins with '404 page not found'"},
      {"ir_version: 8\ngraph {\n}\n", "protobuf's text form"},
      {std::string("\x24\0\0\0ORTM\0\0", 10), "(.ort): load the .onnx file that it was made from"},
      {std::string("\x1c\0\0\0TFL3\0\0", 10), "TensorFlow Lite"},
      {std::string("\x1f\x8b\x08\0\0\0", 6), "compressed by gzip: unpack it"},
      {std::string("PK\x03\x04\x14\0", 6), "ZIP archive"},
      {std::string("\x80\x02}q\0", 5), "Python pickle"},
      {std::string("\x40\0\0\0\0\0\0\0{\"w\":", 13), "(.safetensors)"},
      {"GGUF\3", "(.gguf)"},
      {"\x89HDF\r\n\x1a\n", "HDF5"},
      {tar, "a tar archive"},
  };
  for (const auto& [bytes, words] : kFiles) {
    EXPECT_NE(said(bytes).find(words), std::string::npos) << said(bytes);
    EXPECT_EQ(read_model(bytes).take_status().code(), Code::invalid_model);
  }
}

TEST(Reader, SaysInPlainWordsWhatIsWrongWithAProtobuf) {
  const std::string whole = ModelBuilder().model_bytes();
  EXPECT_EQ(read_model(whole.substr(0, whole.size() - 1)).take_status().message(),
            "opset_import[0]: it ends within a field: the file may be cut off; not an ONNX file, or damaged");
  EXPECT_EQ(read_model("\x0f\1\1").take_status().message(),
            "the model: a field is of a kind that protobuf does not have; not an ONNX file, or damaged");
}

TEST(Reader, ReadsRepeatedNumbersPackedAndOneByOne) {
  std::string t;
  pbf_writer w(t);
  w.add_int64(1, 2);
  w.add_int64(1, 2);
  w.add_int32(2, kFloat);
  for (const float v : {1.f, 2.f, 3.f, 4.f}) w.add_float(4, v);
  ModelBuilder m;
  m.initializers = {t};
  const std::string bytes = m.model_bytes();
  Result<ModelProto> r = read_model(bytes);
  ASSERT_TRUE(r.ok());
  ExternalData none;
  Result<TensorValue> v = read_tensor(r->graph.initializer[0], Bytes{nullptr, bytes}, &none);
  ASSERT_TRUE(v.ok()) << v.status().message();
  EXPECT_EQ(v->dims, (Dims{2, 2}));
  EXPECT_EQ(v->as<float>()[3], 4.f);
}

}  // namespace
}  // namespace anydim::onnx
