// SPDX-License-Identifier: Apache-2.0
// Math modes of a model and of its layers: the nearest that is set counts, names mean the nodes of the file, others are refused.
#include "core/graph/layer_modes.h"

#include <map>

#include "core/engines/testing/engine.h"
#include "core/graph/testing/control_flow.h"

namespace anydim {
namespace {

using namespace testing;

// Four products and a sum, named as an importer names them: "b" became two nodes.
Graph products() {
  Builder b;
  ValueId x = b.input("x", {-1, 6});
  for (const char* name : {"a", "b", "b/2", "c"}) {
    x = b.matmul(x, b.constant({6, 6}));
    b.graph.node(b.graph.value(x).producer).name = name;
  }
  b.output(b.plus(x, b.graph.inputs()[0]));
  return std::move(b.graph);
}

std::map<std::string, MathMode> modes_of(const Program& program) {
  std::map<std::string, MathMode> modes;
  for (const Program::Step& s : program.steps)
    if (program.primitive(s)) modes[s.name] = program.primitive(s)->attributes().mode;
  return modes;
}

CompileOptions on_fast_device() {
  CompileOptions options;
  options.devices = {TestEngine::create({.fast = {OpKind::matmul}})};
  return options;
}

TEST(LayerModes, TheNearestThatIsSetCountsAndStrictWhereNoneIs) {
  CompileOptions options = on_fast_device();
  for (const auto& [name, mode] : modes_of(*compiled(products(), options))) EXPECT_EQ(mode, MathMode::strict) << name;

  options.mode = MathMode::fast;
  options.layer_modes = {{"a", MathMode::strict}, {"c", MathMode::inherit}};
  std::map<std::string, MathMode> modes = modes_of(*compiled(products(), options));
  EXPECT_EQ(modes["a"], MathMode::strict);
  EXPECT_EQ(modes["b"], MathMode::fast);
  EXPECT_EQ(modes["b/2"], MathMode::fast);
  EXPECT_EQ(modes["c"], MathMode::fast);

  options.mode = MathMode::inherit;
  options.layer_modes = {{"b", MathMode::reduced}};
  modes = modes_of(*compiled(products(), options));
  EXPECT_EQ(modes["a"], MathMode::strict);
  EXPECT_EQ(modes["b"], MathMode::fast) << "the furthest mode that the operator has kernels of";
  EXPECT_EQ(modes["b/2"], MathMode::fast) << "the other node that b of the file became";
  EXPECT_EQ(modes["c"], MathMode::strict);
}

TEST(LayerModes, NodesOfOneComputationInTwoModesStayTwo) {
  Builder b;
  const ValueId x = b.input("x", {-1, 6}), w = b.constant({6, 6});
  const ValueId first = b.matmul(x, w), second = b.matmul(x, w);
  b.graph.node(b.graph.value(first).producer).name = "first";
  b.graph.node(b.graph.value(second).producer).name = "second";
  b.output(b.plus(first, second));
  CompileOptions options = on_fast_device();
  const auto products_in = [](const Program& p) {
    int n = 0;
    for (const Program::Step& s : p.steps) n += p.primitive(s) && p.primitive(s)->op().kind() == OpKind::matmul;
    return n;
  };
  EXPECT_EQ(products_in(*compiled(b.graph, options)), 1);
  options.layer_modes = {{"second", MathMode::fast}};
  const ProgramPtr p = compiled(b.graph, options);
  EXPECT_EQ(products_in(*p), 2);
  EXPECT_EQ(p->packed_counts.weights, 1) << "both kernels read one form";
}

TEST(LayerModes, ANameThatNoNodeHasIsRefusedByName) {
  for (const char* name : {"d", "a/2", "b/", "b/2/3", "", "x", "a/a"}) {
    CompileOptions options;
    options.layer_modes = {{"a", MathMode::fast}, {name, MathMode::fast}};
    ProgramPtr out;
    const Status s = compile(products(), options, &out);
    EXPECT_EQ(s.code(), Code::not_found) << name;
    EXPECT_NE(s.message().find(formatted("layer '{}'", name)), std::string::npos) << s.message();
  }
}

TEST(LayerModes, NodesInABodyAreNamedWithItsPathAndALoopMeansAllInIt) {
  const Graph graph = decided_by_data();
  std::string loop, inner;
  for (const NodeId id : graph.order())
    if (const auto* flow = as<ControlFlow>(*graph.node(id).op); flow != nullptr && flow->is_loop()) {
      loop = graph.node(id).name;
      inner = flow->body(0).node(flow->body(0).order()[0]).name;
    }
  ASSERT_FALSE(loop.empty());
  CompileOptions options;
  options.layer_modes = {{loop, MathMode::fast}, {loop + "/" + inner, MathMode::strict}};
  compiled(graph, options);
  options.layer_modes = {{loop + "/none", MathMode::fast}};
  ProgramPtr out;
  EXPECT_EQ(compile(graph, options, &out).code(), Code::not_found);

  Graph body = products();
  set_modes(body, "loop/", std::vector<LayerMode>{{"loop", MathMode::reduced}, {"loop/b", MathMode::fast}, {"a", MathMode::fast}},
            MathMode::strict);
  for (const NodeId id : body.order()) {
    const Node& n = body.node(id);
    EXPECT_EQ(n.mode, n.name[0] == 'b' ? MathMode::fast : MathMode::reduced) << n.name;
  }
}

TEST(LayerModes, AReportHasTheRequestedModeAndWhyANodeComputesInAnother) {
  CompileOptions options = on_fast_device();
  options.mode = MathMode::reduced;
  options.layer_modes = {{"a", MathMode::strict}, {"c", MathMode::fast}};
  const auto context = context_of(compiled(products(), options));
  std::mt19937_64 random(3);
  const Tensor x({2, 6}, random);
  TensorView out;
  Status s = context->run({&x.view, 1}, {&out, 1});
  ASSERT_TRUE(s.ok()) << s.message();
  RunReport report;
  ASSERT_TRUE(explain(*context, &report).ok());
  // What was asked for, what it came down to, why. The sum may have become a post-op.
  const std::map<std::string, std::string> want{{"a", "strict strict "},
                                                {"b", "reduced fast no form of mode reduced"},
                                                {"b/2", "reduced fast no form of mode reduced"},
                                                {"c", "fast fast "},
                                                {"sum", "reduced strict no faster form"}};
  int reported_count = 0;
  for (const NodeReport& n : report.nodes) {
    if (n.math.empty()) continue;  // a transfer
    const std::string reported = n.math_requested + " " + n.math + " " + n.math_because;
    const auto found = want.find(n.op.substr(0, 6) == "binary" ? "sum" : n.name);
    if (found == want.end()) continue;
    EXPECT_EQ(reported, found->second) << n.name;
    ++reported_count;
  }
  EXPECT_GE(reported_count, 4);
}

TEST(LayerModes, WithoutKernelsOfAModeAllModesHaveTheSameBits) {
  std::mt19937_64 random(3);
  const Tensor x({2, 3, 17, 23}, random);
  std::vector<std::vector<float>> results;
  for (const MathMode mode : {MathMode::inherit, MathMode::strict, MathMode::fast, MathMode::reduced}) {
    CompileOptions options;
    options.mode = mode;
    const auto context = context_of(compiled(everything(), options));
    std::vector<TensorView> out(2);
    const Status s = context->run({&x.view, 1}, out);
    ASSERT_TRUE(s.ok()) << s.message();
    std::vector<float>& all = results.emplace_back();
    for (const TensorView& t : out) all.insert(all.end(), t.as<float>(), t.as<float>() + t.count());
    EXPECT_EQ(all, results[0]);
  }
}

}  // namespace
}  // namespace anydim
