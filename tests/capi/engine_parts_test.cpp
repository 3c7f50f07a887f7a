// SPDX-License-Identifier: Apache-2.0
// Parts of graphs that an engine from outside takes as a whole: what it sees of a graph, what it may claim, what happens where it refuses
// or fails, and the engine of examples/engine that hands softmax chains to a function.
#include <cmath>
#include <functional>
#include <set>

#include "tests/capi/support.h"

namespace {

using Graph = anydim_engine_graph_t;

const anydim_engine_node_t& node_of(const Graph& g, int64_t i) { return static_cast<const anydim_engine_node_t*>(g.nodes)[i]; }
const anydim_view_t& value_of(const Graph& g, int64_t i) { return static_cast<const anydim_view_t*>(g.values)[i]; }
int32_t entry(const void* list, int64_t i) { return static_cast<const int32_t*>(list)[i]; }
bool is_unary(const anydim_engine_node_t& n) { return n.op != nullptr && static_cast<const anydim_op_t*>(n.op)->kind == ANYDIM_OP_UNARY; }

// An engine over memory of the host that takes what a test says, and computes chains of neg and abs.
struct Taker {
  using Claim = std::function<int32_t(const Graph&, int32_t*)>;
  Claim claim = [](const Graph& g, int32_t* parts) -> int32_t {
    for (int64_t i = 0; i < g.node_count; ++i) parts[i] = is_unary(node_of(g, i)) && node_of(g, i).offered ? 1 : 0;
    return ANYDIM_STATUS_OK;
  };
  bool refuses = false;               // to compile what it has claimed
  int32_t launch = ANYDIM_STATUS_OK;  // what part_launch returns
  int late = 0;                       // executions that fail when they are waited for
  int compiled = 0, launched = 0, finalized = 0;
  std::vector<std::vector<int64_t>> seen;  // dims of the last launches
  std::set<void*> alive;

  static Taker& of(void* user) { return *static_cast<Taker*>(user); }
  void* object(void* made) { return alive.insert(made), made; }
  static void destroy(void* user, void* object) {
    EXPECT_EQ(of(user).alive.erase(object), 1u) << "destroyed twice, or never made";
    std::free(object);
  }
  static void release(void* user, void* part) {
    EXPECT_EQ(of(user).alive.erase(part), 1u);
    delete static_cast<std::vector<int32_t>*>(part);
  }
  static int32_t copy(void*, void*, void* to, int64_t to_at, void* from, int64_t from_at, int64_t bytes) {
    std::memmove(static_cast<char*>(to) + to_at, static_cast<char*>(from) + from_at, static_cast<size_t>(bytes));
    return ANYDIM_STATUS_OK;
  }
  static int32_t run(void* user, void*, void* part, const anydim_engine_call_t* call) {
    Taker& t = of(user);
    ++t.launched;
    EXPECT_EQ(call->op, nullptr);
    EXPECT_EQ(call->kernel, -1);
    if (t.launch != ANYDIM_STATUS_OK) return t.launch;
    const auto &x = *static_cast<const anydim_view_t*>(call->inputs), &y = *static_cast<const anydim_view_t*>(call->outputs);
    t.seen.emplace_back(x.dims.values, x.dims.values + x.dims.rank);
    const auto* const from = reinterpret_cast<const float*>(static_cast<char*>(x.data) + x.offset);
    auto* const to = reinterpret_cast<float*>(static_cast<char*>(y.data) + y.offset);
    for (int64_t i = 0; i < x.dims.values[0]; ++i)
      for (int64_t j = 0; j < x.dims.values[1]; ++j) {
        float v = from[i * x.strides.values[0] + j * x.strides.values[1]];
        for (const int32_t f : *static_cast<std::vector<int32_t>*>(part)) v = f == ANYDIM_UNARY_NEG ? -v : std::fabs(v);
        to[i * y.strides.values[0] + j * y.strides.values[1]] = v;
      }
    return ANYDIM_STATUS_OK;
  }

  anydim_engine_definition_t definition() {
    anydim_engine_definition_t d = ANYDIM_ENGINE_DEFINITION_INIT;
    d.name = "taker";
    d.device = "of a test";
    d.driver = "1";
    d.user = this;
    d.finalizer = [](void* user) { ++of(user).finalized; };
    d.create = [](void* user) { return of(user).object(std::malloc(1)); };
    d.destroy = d.free = d.stream_destroy = destroy;
    d.allocate = [](void* user, void*, int64_t bytes) { return of(user).object(std::malloc(static_cast<size_t>(bytes))); };
    d.stream_create = [](void* user, void*) { return of(user).object(std::malloc(1)); };
    d.stream_wait = [](void* user, void*) -> int32_t {
      return of(user).launched > 0 && of(user).late > 0 && of(user).late-- ? ANYDIM_STATUS_DEVICE_LOST : ANYDIM_STATUS_OK;
    };
    d.upload = d.download = d.copy = copy;
    d.claim = [](void* user, void*, const Graph* g, void* parts, int64_t count) -> int32_t {
      EXPECT_EQ(count, g->node_count);
      return of(user).claim(*g, static_cast<int32_t*>(parts));
    };
    d.part_compile = [](void* user, void*, const Graph* g) -> void* {
      if (of(user).refuses) return nullptr;
      ++of(user).compiled;
      auto* const functions = new std::vector<int32_t>();
      for (int64_t i = 0; i < g->node_count; ++i) functions->push_back(static_cast<const anydim_unary_t*>(node_of(*g, i).op)->function);
      return of(user).object(functions);
    };
    d.part_release = release;
    d.part_launch = run;
    d.last_error = [](void*) -> void* { return const_cast<char*>("a test says so"); };
    return d;
  }
};

class EngineParts : public Api {
 protected:
  void node(const char* op, std::vector<const char*> inputs, const char* output) {
    ASSERT_OK(anydim_model_builder_add_node(graph, op, "", ""));
    for (const char* i : inputs) ASSERT_OK(anydim_model_builder_add_node_input(graph, i));
    ASSERT_OK(anydim_model_builder_add_node_output(graph, output));
  }
  // x of dims [n, 4] -> sin -> neg -> abs -> sin: y.
  void SetUp() override {
    Api::SetUp();
    ASSERT_OK(anydim_model_builder_create(&graph));
    ASSERT_OK(anydim_model_builder_set_opset(graph, "", 17));
    const int64_t dims[2] = {-1, 4};
    ASSERT_OK(anydim_model_builder_add_input(graph, "x", ANYDIM_F32, 2, dims));
    node("Sin", {"x"}, "a");
    node("Neg", {"a"}, "b");
    node("Abs", {"b"}, "c");
    node("Softmax", {"c"}, "y");
    ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  }
  void TearDown() override {
    anydim_model_builder_destroy(graph);
    Api::TearDown();
  }
  // Registers it, loads the model for it and for the processor, and runs both at these numbers of rows: the first status that is not ok.
  anydim_status_t run(Taker& from, std::vector<int64_t> rows = {3}) {
    const anydim_engine_definition_t d = from.definition();
    int32_t kind = 0;
    anydim_engine_t mine = nullptr;
    anydim_model_t model = nullptr, plain = nullptr;
    anydim_context_t context = nullptr, other = nullptr;
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.engines = &mine;
    options.engine_count = 1;
    const auto steps = [&]() -> anydim_status_t {
      anydim_status_t s = anydim_engine_register(&d, &kind);
      if (s == ANYDIM_STATUS_OK) s = anydim_engine_create(kind, 0, nullptr, &mine);
      if (s == ANYDIM_STATUS_OK) s = anydim_model_builder_create_model(graph, engine, &options, &model);
      if (s == ANYDIM_STATUS_OK) s = anydim_context_create(model, nullptr, nullptr, &context);
      if (s == ANYDIM_STATUS_OK) s = anydim_model_builder_create_model(graph, engine, nullptr, &plain);
      if (s == ANYDIM_STATUS_OK) s = anydim_context_create(plain, nullptr, nullptr, &other);
      for (size_t i = 0; i < rows.size() && s == ANYDIM_STATUS_OK; ++i) s = run_both(context, other, rows[i]);
      return s;
    };
    const anydim_status_t status = steps();
    message = last();
    anydim_context_destroy(context);
    anydim_context_destroy(other);
    anydim_model_destroy(model);
    anydim_model_destroy(plain);
    anydim_engine_destroy(mine);
    EXPECT_OK(anydim_engine_unregister(kind));
    EXPECT_OK(anydim_primitive_cache_clear());
    EXPECT_EQ(from.finalized, 1);
    EXPECT_TRUE(from.alive.empty()) << from.alive.size() << " objects are left";
    return status;
  }
  anydim_status_t run_both(anydim_context_t context, anydim_context_t other, int64_t n) {
    std::vector<float> x(static_cast<size_t>(4 * n)), y(x.size(), 77.f), expected(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 2654435761u % 1000) / 250.f - 2.f;
    const anydim_view_t in = tensor({n, 4}, x.data());
    anydim_view_t out = tensor({n, 4}, y.data());
    const anydim_status_t s = anydim_context_run(context, &in, 1, &out, 1, nullptr);
    if (s != ANYDIM_STATUS_OK) return s;
    out = tensor({n, 4}, expected.data());
    EXPECT_OK(anydim_context_run(other, &in, 1, &out, 1, nullptr));
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)), 0) << n << " rows";
    return s;
  }
  anydim_model_builder_t graph = nullptr;
  std::string message;
};

// Claims the nodes of the model in their order: sin, neg, abs, softmax.
Taker::Claim numbers(std::vector<int32_t> of_nodes) {
  return [of_nodes](const Graph& g, int32_t* parts) -> int32_t {
    EXPECT_EQ(g.node_count, static_cast<int64_t>(of_nodes.size()));
    std::copy(of_nodes.begin(), of_nodes.end(), parts);
    return ANYDIM_STATUS_OK;
  };
}

TEST_F(EngineParts, RunAtEveryShapeWithOneCompilation) {
  Taker t;
  t.claim = numbers({0, 1, 1, 0});
  EXPECT_EQ(run(t, {3, 1, 7, 7, 0}), ANYDIM_STATUS_OK) << message;
  EXPECT_EQ(t.compiled, 1);
  EXPECT_EQ(t.launched, 5);
  EXPECT_EQ(t.seen, (std::vector<std::vector<int64_t>>{{3, 4}, {1, 4}, {7, 4}, {7, 4}, {0, 4}}));
}

TEST_F(EngineParts, MayBeSeveralThatReadEachOther) {
  Taker t;
  t.claim = numbers({0, 1, 2, 0});
  EXPECT_EQ(run(t), ANYDIM_STATUS_OK) << message;
  EXPECT_EQ(t.compiled, 2);
  EXPECT_EQ(t.launched, 2);
}

TEST_F(EngineParts, SeeTheGraphWithItsDimsAndConstants) {
  const int64_t dims[1] = {4};
  float elements[4] = {1, 2, 3, 4};
  ASSERT_OK(anydim_model_builder_add_constant(graph, "k", ANYDIM_F32, 1, dims, elements, nullptr, nullptr));
  node("Max", {"y", "k"}, "z");
  ASSERT_OK(anydim_model_builder_add_output(graph, "z"));
  Taker t;
  t.claim = [](const Graph& g, int32_t*) -> int32_t {
    EXPECT_EQ(g.node_count, 5);
    EXPECT_EQ(g.input_count, 1);
    EXPECT_EQ(g.output_count, 2);
    const anydim_view_t& x = value_of(g, entry(g.inputs, 0));
    EXPECT_EQ(x.dtype, ANYDIM_F32);
    EXPECT_EQ(x.dims.rank, 2);
    EXPECT_LT(x.dims.values[0], 0);
    EXPECT_EQ(x.dims.values[1], 4);
    EXPECT_EQ(x.data, nullptr);
    const auto& max = node_of(g, 4);
    const anydim_view_t& z = value_of(g, entry(max.outputs, 0));
    EXPECT_EQ(z.dims.values[0], x.dims.values[0]) << "the same number for the same dim";
    const int32_t k = entry(max.inputs, 1);
    EXPECT_EQ(entry(g.constants, k), 1);
    EXPECT_EQ(entry(g.constants, entry(max.inputs, 0)), 0);
    const float expected[4] = {1, 2, 3, 4};
    EXPECT_EQ(std::memcmp(value_of(g, k).data, expected, sizeof expected), 0);
    EXPECT_EQ(static_cast<const anydim_op_t*>(max.op)->kind, ANYDIM_OP_BINARY);
    return ANYDIM_STATUS_NOT_FOUND;  // enough seen
  };
  EXPECT_EQ(run(t), ANYDIM_STATUS_NOT_FOUND);
  EXPECT_NE(message.find("claim of engine taker failed: a test says so"), std::string::npos) << message;
}

TEST_F(EngineParts, ThatAreClaimedWronglyFailTheLoad) {
  const std::pair<std::vector<int32_t>, const char*> wrong[] = {
      {{0, -1, 0, 0}, "is in part -1; expected 0 to 4"},
      {{0, 5, 0, 0}, "is in part 5; expected 0 to 4"},
      {{0, 1, 0, 1}, "is outside of part"},
      {{1, 2, 1, 0}, "is outside of part"},
  };
  for (const auto& [parts, words] : wrong) {
    Taker t;
    t.claim = numbers(parts);
    EXPECT_EQ(run(t), ANYDIM_STATUS_INTERNAL);
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_NE(message.find("engine taker claims"), std::string::npos) << message;
  }
}

// What a run determines the dims of, and what the host alone can do, is not offered.
TEST_F(EngineParts, HaveNoNodesThatWereNotOffered) {
  node("NonZero", {"y"}, "z");
  ASSERT_OK(anydim_model_builder_add_output(graph, "z"));
  Taker t;
  int offered = 0, nodes = 0;
  t.claim = [&](const Graph& g, int32_t* parts) -> int32_t {
    for (int64_t i = 0; i < g.node_count; ++i) {
      offered += node_of(g, i).offered;
      if (!node_of(g, i).offered && nodes++ == 0) parts[i] = 1;
    }
    return ANYDIM_STATUS_OK;
  };
  EXPECT_EQ(run(t), ANYDIM_STATUS_INTERNAL);
  EXPECT_NE(message.find("was not offered"), std::string::npos) << message;
  EXPECT_GE(offered, 4);
  EXPECT_GE(nodes, 1);
}

TEST_F(EngineParts, ThatAreNotCompiledAfterAllRunElsewhere) {
  Taker t;
  t.claim = numbers({0, 1, 1, 0});
  t.refuses = true;
  EXPECT_EQ(run(t), ANYDIM_STATUS_OK) << message;
  EXPECT_EQ(t.launched, 0);
}

TEST_F(EngineParts, ThatFailEndTheRunWithAStatus) {
  const std::pair<int32_t, anydim_status_t> returns[] = {
      {ANYDIM_STATUS_OUT_OF_MEMORY, ANYDIM_STATUS_OUT_OF_MEMORY}, {1000, ANYDIM_STATUS_INTERNAL}, {-3, ANYDIM_STATUS_INTERNAL}};
  for (const auto& [returned, status] : returns) {
    Taker t;
    t.claim = numbers({0, 1, 1, 0});
    t.launch = returned;
    EXPECT_EQ(run(t), status);
    EXPECT_NE(message.find("part_launch of engine taker failed: a test says so"), std::string::npos) << message;
  }
  Taker t;
  t.claim = numbers({0, 1, 1, 0});
  t.late = 1;
  EXPECT_EQ(run(t), ANYDIM_STATUS_DEVICE_LOST);
  EXPECT_NE(message.find("stream_wait of engine taker"), std::string::npos) << message;
}

TEST_F(EngineParts, NeedAllOfTheirFunctions) {
  const std::pair<const char*, std::function<void(anydim_engine_definition_t&)>> wrong[] = {
      {"part_compile", [](auto& d) { d.part_compile = nullptr; }},
      {"part_release", [](auto& d) { d.part_release = nullptr; }},
      {"part_launch", [](auto& d) { d.part_launch = nullptr; }},
      {"part_compile", [](auto& d) { d.claim = nullptr; }},
  };
  for (const auto& [field, break_it] : wrong) {
    Taker t;
    anydim_engine_definition_t d = t.definition();
    break_it(d);
    int32_t kind = 77;
    EXPECT_STATUS(anydim_engine_register(&d, &kind), ANYDIM_STATUS_INVALID_ARGUMENT, field);
    EXPECT_EQ(kind, 77);
  }
}

// The classifier ends in a softmax.
TEST_F(EngineParts, OfTheExampleRunAModelWithTheProcessorsBits) {
  int32_t kind = 0;
  ASSERT_OK(anydim_engine_load(ANYDIM_EXAMPLE_PARTS, &kind));
  anydim_engine_t chains = nullptr;
  ASSERT_OK(anydim_engine_create(kind, 0, nullptr, &chains));
  std::vector<float> results[2];
  for (int i = 0; i < 2; ++i) {
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.engines = &chains;
    options.engine_count = i;
    anydim_model_t model = nullptr;
    ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", &options, &model));
    anydim_context_t context = nullptr;
    ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &context));
    for (const int64_t batch : {1, 3}) {
      std::vector<float> x(static_cast<size_t>(batch * 3 * 48 * 192));
      for (size_t n = 0; n < x.size(); ++n) x[n] = static_cast<float>(n * 2654435761u % 1000) / 500.f - 1.f;
      const anydim_view_t in = tensor({batch, 3, 48, 192}, x.data());
      anydim_view_t out{};
      out.dtype = ANYDIM_F32;
      ASSERT_OK(anydim_context_run(context, &in, 1, &out, 1, nullptr));
      const auto* const y = static_cast<const float*>(out.data);
      results[i].insert(results[i].end(), y, y + 2 * batch);
    }
    anydim_text_t text = nullptr;
    ASSERT_OK(anydim_context_explain(context, nullptr, 0, nullptr, &text));
    anydim_string_t explained;
    ASSERT_OK(anydim_text_get_data(text, &explained));
    EXPECT_EQ(std::string(explained.data, static_cast<size_t>(explained.length)).find("\"chains.part\"") != std::string::npos, i == 1);
    anydim_text_destroy(text);
    anydim_context_destroy(context);
    anydim_model_destroy(model);
  }
  ASSERT_EQ(results[0].size(), results[1].size());
  EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(float)), 0);
  anydim_engine_destroy(chains);
  EXPECT_OK(anydim_engine_unregister(kind));
  EXPECT_OK(anydim_primitive_cache_clear());
}

}  // namespace
