// SPDX-License-Identifier: Apache-2.0
// Engines from outside, through the C API: what a definition must have, an engine that fails at each of its functions, and the engine of
// examples/engine from its shared object: bits of rec, the primitive cache, unloading.
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "tests/capi/support.h"

namespace {

// An engine over memory of the host whose functions count, and fail where a test says so. It has a kernel for abs.
struct Faulty {
  std::string fails;                        // the function that fails
  int32_t status = ANYDIM_STATUS_INTERNAL;  // with what
  int late = 0;                             // launches that fail when they are waited for
  std::map<std::string, int> calls;
  std::set<void*> alive;
  int finalized = 0;
  const anydim_engine_kernel_t kernels[1] = {{"faulty.unary", ANYDIM_OP_UNARY, 0}};

  bool fail(const char* name) {
    ++calls[name];
    return fails == name;
  }
  void* object(const char* name, size_t bytes = 1) {
    if (fail(name)) return nullptr;
    void* const made = std::malloc(bytes);
    alive.insert(made);
    return made;
  }
  static Faulty& of(void* user) { return *static_cast<Faulty*>(user); }
  static void destroy(void* user, void* object) {
    EXPECT_EQ(of(user).alive.erase(object), 1u) << "destroyed twice, or never made";
    std::free(object);
  }
  template <int which> static int32_t copy(void* user, void*, void* to, int64_t to_at, void* from, int64_t from_at, int64_t bytes) {
    constexpr const char* kNames[] = {"upload", "download", "copy"};
    if (of(user).fail(kNames[which])) return of(user).status;
    std::memmove(static_cast<char*>(to) + to_at, static_cast<char*>(from) + from_at, static_cast<size_t>(bytes));
    return ANYDIM_STATUS_OK;
  }

  anydim_engine_definition_t definition() {
    anydim_engine_definition_t d = ANYDIM_ENGINE_DEFINITION_INIT;
    d.name = "faulty";
    d.device = "of a test";
    d.driver = "1";
    d.kernels = const_cast<anydim_engine_kernel_t*>(kernels);
    d.kernel_count = 1;
    d.user = this;
    d.finalizer = [](void* user) { ++of(user).finalized; };
    d.create = [](void* user) { return of(user).object("create"); };
    d.destroy = d.free = d.release = d.stream_destroy = destroy;
    d.allocate = [](void* user, void*, int64_t bytes) { return of(user).object("allocate", static_cast<size_t>(bytes)); };
    d.supports = [](void* user, const anydim_engine_call_t* call) -> void* {
      const auto* const op = static_cast<const anydim_unary_t*>(call->op);
      if (of(user).fail("supports")) return const_cast<char*>("a test refuses it");
      return op->function == ANYDIM_UNARY_ABS ? nullptr : const_cast<char*>("it has abs only");
    };
    d.prepare = [](void* user, void*, const anydim_engine_call_t*) { return of(user).object("prepare"); };
    d.stream_create = [](void* user, void*) { return of(user).object("stream_create"); };
    d.stream_wait = [](void* user, void*) -> int32_t {
      if (of(user).fail("stream_wait")) return of(user).status;
      return of(user).late > 0 && of(user).late-- ? ANYDIM_STATUS_OUT_OF_MEMORY : ANYDIM_STATUS_OK;
    };
    d.upload = copy<0>;
    d.download = copy<1>;
    d.copy = copy<2>;
    d.launch = [](void* user, void*, void* executable, const anydim_engine_call_t* call) -> int32_t {
      EXPECT_NE(executable, nullptr);
      if (of(user).fail("launch")) return of(user).status;
      const auto &x = *static_cast<const anydim_view_t*>(call->inputs), &y = *static_cast<const anydim_view_t*>(call->outputs);
      const auto* const from = reinterpret_cast<const float*>(static_cast<char*>(x.data) + x.offset);
      auto* const to = reinterpret_cast<float*>(static_cast<char*>(y.data) + y.offset);
      for (int64_t i = 0; i < x.dims.values[0]; ++i) to[i * y.strides.values[0]] = std::fabs(from[i * x.strides.values[0]]);
      return ANYDIM_STATUS_OK;
    };
    d.last_error = [](void* user) -> void* { return of(user).fails.empty() ? nullptr : const_cast<char*>("a test says so"); };
    return d;
  }
};

class EnginePlugins : public Api {
 protected:
  // Registers it, makes everything for |x| and runs it; the first status that is not ok.
  anydim_status_t run(Faulty& from, std::vector<float>* y, anydim_unary_function_t function = ANYDIM_UNARY_ABS) {
    const anydim_engine_definition_t d = from.definition();
    int32_t kind = 0;
    anydim_engine_t mine = nullptr;
    anydim_stream_t order = nullptr;
    anydim_primitive_t p = nullptr;
    anydim_memory_t memory = nullptr;
    anydim_view_t in = tensor({5}, nullptr), out = in;
    out.offset = 64;
    const auto mapped = [&](const auto& use) {
      void* data = nullptr;
      anydim_status_t s = anydim_memory_map(memory, 0, 128, &data);
      if (s != ANYDIM_STATUS_OK) return s;
      use(static_cast<float*>(data));
      return anydim_memory_unmap(memory, 0, 128);
    };
    const auto steps = [&]() -> anydim_status_t {
      anydim_status_t s = anydim_engine_register(&d, &kind);
      if (s == ANYDIM_STATUS_OK) s = anydim_engine_create(kind, 0, nullptr, &mine);
      if (s == ANYDIM_STATUS_OK) s = anydim_stream_create(mine, nullptr, &order);
      anydim_unary_t op = ANYDIM_UNARY_INIT;
      op.function = function;
      anydim_desc_t described = desc({anydim_dim_fixed(5)});
      if (s == ANYDIM_STATUS_OK) s = anydim_primitive_create(mine, &op.op, nullptr, &described, 1, nullptr, &p);
      anydim_desc_destroy(described);
      if (s == ANYDIM_STATUS_OK) s = anydim_memory_allocate(mine, 128, &memory);
      in.memory = out.memory = memory;
      if (s == ANYDIM_STATUS_OK)
        s = mapped([](float* x) {
          for (int i = 0; i < 5; ++i) x[i] = static_cast<float>((i + 1) * (i % 2 ? 1 : -1));
        });
      from.late += late;
      if (s == ANYDIM_STATUS_OK) s = anydim_primitive_execute(p, order, &in, 1, &out, 1);
      if (s == ANYDIM_STATUS_OK) s = anydim_stream_wait(order);
      if (s == ANYDIM_STATUS_OK) s = mapped([&](const float* x) { std::copy_n(x + 16, 5, y->data()); });
      return s;
    };
    const anydim_status_t status = steps();
    message = last();
    from.fails.clear();
    anydim_primitive_destroy(p);
    anydim_memory_destroy(memory);
    anydim_stream_destroy(order);
    anydim_engine_destroy(mine);
    EXPECT_OK(anydim_engine_unregister(kind));
    EXPECT_OK(anydim_primitive_cache_clear());
    return status;
  }
  std::string message;
  int late = 0;  // launches that fail when they are waited for
};

TEST_F(EnginePlugins, RunTheirKernelsAndGoWithTheLastObject) {
  Faulty f;
  std::vector<float> y(5);
  EXPECT_EQ(run(f, &y), ANYDIM_STATUS_OK) << message;
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(f.finalized, 1);
  EXPECT_TRUE(f.alive.empty());
  EXPECT_EQ(f.calls["launch"], 1);
}

TEST_F(EnginePlugins, AreContainedWhicheverFunctionFails) {
  const std::pair<const char*, anydim_status_t> functions[] = {
      {"create", ANYDIM_STATUS_NOT_FOUND},      {"allocate", ANYDIM_STATUS_OUT_OF_MEMORY},
      {"prepare", ANYDIM_STATUS_UNIMPLEMENTED}, {"stream_create", ANYDIM_STATUS_OUT_OF_MEMORY},
      {"upload", ANYDIM_STATUS_DEVICE_LOST},    {"download", ANYDIM_STATUS_DEVICE_LOST},
      {"launch", ANYDIM_STATUS_DEVICE_LOST},    {"stream_wait", ANYDIM_STATUS_DEVICE_LOST}};
  for (const auto& [name, status] : functions) {
    Faulty f;
    f.fails = name;
    f.status = ANYDIM_STATUS_DEVICE_LOST;
    std::vector<float> y(5);
    EXPECT_EQ(run(f, &y), status) << name << ": " << message;
    EXPECT_NE(message.find(std::string(name) + " of engine faulty failed"), std::string::npos) << message;
    EXPECT_NE(message.find("a test says so"), std::string::npos) << message;
    EXPECT_NE(message.find("faulty"), std::string::npos) << message;
    EXPECT_EQ(f.finalized, 1) << name;
    EXPECT_TRUE(f.alive.empty()) << name << ": " << f.alive.size() << " objects are left";
  }
}

TEST_F(EnginePlugins, ThatReturnNoStatusAreAnInternalError) {
  for (const int32_t wrong : {-1, 1000}) {
    Faulty f;
    f.fails = "launch";
    f.status = wrong;
    std::vector<float> y(5);
    EXPECT_EQ(run(f, &y), ANYDIM_STATUS_INTERNAL) << message;
  }
}

TEST_F(EnginePlugins, ReportLateErrorsWhereTheStreamIsWaitedFor) {
  Faulty f;
  late = 1;
  std::vector<float> y(5);
  EXPECT_EQ(run(f, &y), ANYDIM_STATUS_OUT_OF_MEMORY) << message;
  EXPECT_NE(message.find("stream_wait of engine faulty"), std::string::npos) << message;
}

TEST_F(EnginePlugins, ThatRefuseAProblemSayWhy) {
  Faulty f;
  std::vector<float> y(5);
  EXPECT_EQ(run(f, &y, ANYDIM_UNARY_RELU), ANYDIM_STATUS_UNIMPLEMENTED);
  EXPECT_NE(message.find("faulty.unary: it has abs only"), std::string::npos) << message;
  EXPECT_EQ(f.calls["launch"], 0);
}

TEST_F(EnginePlugins, WithoutWhatTheyNeedAreRefused) {
  using D = anydim_engine_definition_t;
  const anydim_engine_kernel_t twice[2] = {{"same", ANYDIM_OP_UNARY, 0}, {"same", ANYDIM_OP_UNARY, 0}}, none[1] = {{"x", 9999, 0}};
  const std::pair<const char*, std::function<void(D&)>> wrong[] = {
      {"version", [](D& d) { d.version = 2; }},
      {"name", [](D& d) { d.name = nullptr; }},
      {"name", [](D& d) { d.name = "Has Blanks"; }},
      {"name", [](D& d) { d.name = "cpu"; }},
      {"launch", [](D& d) { d.launch = nullptr; }},
      {"destroy", [](D& d) { d.destroy = nullptr; }},
      {"release", [](D& d) { d.release = nullptr; }},
      {"event_record", [](D& d) { d.event_record = d.stream_create; }},
      {"base_alignment", [](D& d) { d.base_alignment = 3; }},
      {"base_alignment", [](D& d) { d.base_alignment = 0; }},
      {"largest_allocation", [](D& d) { d.largest_allocation = -1; }},
      {"kernel_count", [](D& d) { d.kernel_count = -1; }},
      {"kernels", [&](D& d) { d.kernels = const_cast<anydim_engine_kernel_t*>(twice), d.kernel_count = 2; }},
      {"kernels", [&](D& d) { d.kernels = const_cast<anydim_engine_kernel_t*>(none); }},
  };
  for (const auto& [field, break_it] : wrong) {
    Faulty f;
    D d = f.definition();
    break_it(d);
    int32_t kind = 77;
    EXPECT_STATUS(anydim_engine_register(&d, &kind), ANYDIM_STATUS_INVALID_ARGUMENT, field);
    EXPECT_EQ(kind, 77);
    EXPECT_EQ(f.finalized, 0);
  }
  EXPECT_STATUS(anydim_engine_unregister(1), ANYDIM_STATUS_NOT_FOUND, "1");
  int32_t kind = 0;
  EXPECT_STATUS(anydim_engine_load("/nowhere/libmine.so", &kind), ANYDIM_STATUS_NOT_FOUND, "/nowhere/libmine.so");
  EXPECT_STATUS(anydim_engine_load(ANYDIM_MODELS "/rec.onnx", &kind), ANYDIM_STATUS_IO_ERROR, "rec.onnx");
}

// -- the example ----------------------------------------------------------------------------------------------------------------------

TEST_F(EnginePlugins, OfTheExampleRunRecWithTheProcessorsBitsAndUnload) {
  int32_t kind = 0;
  ASSERT_OK(anydim_engine_load(ANYDIM_EXAMPLE_ENGINE, &kind));
  EXPECT_STATUS(anydim_engine_load(ANYDIM_EXAMPLE_ENGINE, &kind), ANYDIM_STATUS_INVALID_ARGUMENT, "tally");
  anydim_engine_t tally = nullptr;
  ASSERT_OK(anydim_engine_create(kind, 0, nullptr, &tally));
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  ASSERT_OK(anydim_engine_query(tally, &info));
  EXPECT_EQ(info.kind, kind);
  EXPECT_EQ(info.kernels, 2);
  std::vector<float> results[2];
  for (int i = 0; i < 2; ++i) {
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.engines = &tally;
    options.engine_count = i;
    anydim_model_t model = nullptr;
    ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/rec.onnx", &options, &model));
    anydim_model_info_t about = ANYDIM_MODEL_INFO_INIT;
    ASSERT_OK(anydim_model_query(model, &about));
    EXPECT_EQ(about.engines, 1 + i);
    anydim_context_t context = nullptr;
    ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &context));
    for (const int64_t width : {32, 64}) {
      std::vector<float> x(static_cast<size_t>(3 * 48 * width));
      for (size_t n = 0; n < x.size(); ++n) x[n] = static_cast<float>(n * 2654435761u % 1000) / 500.f - 1.f;
      const anydim_view_t in = tensor({1, 3, 48, width}, x.data());
      anydim_view_t out{};
      out.dtype = ANYDIM_F32;
      ASSERT_OK(anydim_context_run(context, &in, 1, &out, 1, nullptr));
      int64_t count = 1;
      for (int a = 0; a < out.dims.rank; ++a) count *= out.dims.values[a];
      const auto* const y = static_cast<const float*>(out.data);
      results[i].insert(results[i].end(), y, y + count);
    }
    anydim_context_destroy(context);
    anydim_model_destroy(model);
  }
  ASSERT_EQ(results[0].size(), results[1].size());
  EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(float)), 0);
  EXPECT_OK(anydim_engine_unregister(kind));
  anydim_stream_t order = nullptr;
  EXPECT_OK(anydim_stream_create(tally, nullptr, &order)) << "those that are there go on";
  anydim_stream_destroy(order);
  anydim_engine_destroy(tally);
  EXPECT_OK(anydim_primitive_cache_clear());
  ASSERT_OK(anydim_engine_load(ANYDIM_EXAMPLE_ENGINE, &kind)) << "its name is free again";
  EXPECT_OK(anydim_engine_unregister(kind));
}

}  // namespace
