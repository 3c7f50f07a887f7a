// SPDX-License-Identifier: Apache-2.0
// Absent inputs and refusals half way: no importer reads a value that is not there. All kinds of changed nodes are the business of
// tests/fuzz/structural_mutants.py.
#include <gtest/gtest.h>

#include "onnx/walk/operators.h"
#include "onnx/format/schemas.h"
#include "onnx/testing/one_node.h"

namespace anydim::onnx {
namespace {

using namespace testing;

// A node of the row's operator with as many inputs as it has, of which one is absent.
Status without_input(const Schema& row, std::string_view domain, int64_t opset, size_t absent) {
  ModelBuilder m;
  m.opsets = {{"", domain.empty() ? opset : 17}};
  if (!domain.empty()) m.opsets.emplace_back(std::string(domain), opset);
  m.inputs = {value_info("x", kFloat, {2, 2})};
  m.outputs = {value_info("y", kFloat, {})};
  std::vector<std::string> names(row.inputs < 0 ? 3 : static_cast<size_t>(row.inputs), "x");
  names[absent] = "";
  m.nodes = {node(std::string(row.op_type), names, {"y"}, {}, "the_node", std::string(domain))};
  return failure(m);
}

void check_row(const Schema& row, std::string_view domain, int64_t opset) {
  const size_t inputs = row.inputs < 0 ? 3 : static_cast<size_t>(row.inputs);
  EXPECT_TRUE(row.required != 0 || row.inputs <= 0 || row.op_type == "OptionalHasElement" || row.op_type == "Optional" ||
              row.op_type == "Loop")
      << row.op_type << " has inputs and needs none";
  for (size_t i = 0; i < inputs; ++i) {
    if ((row.required >> i & 1) == 0) continue;
    const Status s = without_input(row, domain, opset, i);
    EXPECT_EQ(s.code(), Code::invalid_model) << row.op_type;
    EXPECT_NE(s.message().find(formatted("({}): input {} is absent; it is required", row.op_type, i)), std::string::npos) << s.message();
  }
}

TEST(Presence, EveryRequiredInputThatIsAbsentIsNamedBeforeAnImporterReadsIt) {
  int rows = 0;
  for (const SchemaRow& packed : all_schemas()) {
    const Schema row = packed.schema();
    const std::optional<Schema> known = find_schema(row.op_type, std::max<int64_t>(row.since, 7));
    if (row.gone || !known || known->since != row.since) continue;  // an opset that nobody writes
    for (const std::string_view domain : {std::string_view(), kLearnedDomain, std::string_view("ai.onnx.preview.training")}) {
      if (find_importer(domain, row.op_type) == nullptr) continue;
      check_row(row, domain, domain.empty() ? std::max<int64_t>(row.since, 7) : row.since);
      ++rows;
    }
  }
  EXPECT_GT(rows, 250);
}

TEST(Presence, OperatorsOfComMicrosoftHaveTheirRequiredInputs) {
  for (const auto group : {microsoft_importers, microsoft_attention_importers, microsoft_grouped_importers, microsoft_fused_importers,
                           microsoft_quantized_importers})
    for (const Importer& importer : group()) {
      const std::optional<Schema> row = find_extension(kMicrosoftDomain, importer.op_type);
      ASSERT_TRUE(row) << importer.op_type;
      check_row(*row, kMicrosoftDomain, 1);
    }
}

TEST(Presence, WhatIsRefusedHalfWayIsNotReadAfterwards) {
  for (const char* const window : {"HannWindow", "HammingWindow", "BlackmanWindow"})
    for (const int64_t type : {int64_t{1}, int64_t{8}, int64_t{99}}) {
      ModelBuilder m;
      m.inputs = {value_info("n", kInt64, {2})};
      m.outputs = {value_info("y", kFloat, {})};
      m.nodes = {node(window, {"n"}, {"y"}, {attr("output_datatype", type)})};
      EXPECT_FALSE(failure(m).ok()) << window;
    }
  ModelBuilder m;
  for (const char* const name : {"a", "b", "c", "d", "e"}) m.inputs.push_back(value_info(name, name[0] < 'd' ? kInt64 : kFloat, {2}));
  m.outputs = {value_info("y", kFloat, {})};
  m.nodes = {node("MelWeightMatrix", {"a", "b", "c", "d", "e"}, {"y"})};
  EXPECT_NE(failure(m).message().find("num_mel_bins has dims [2]; expected one element"), std::string::npos);
}

}  // namespace
}  // namespace anydim::onnx
