// SPDX-License-Identifier: Apache-2.0
// What entries take, as read from their text, beside what a driver's compiler reports of the same text.
#include "core/engines/opencl/kernels/program_text.h"
#include "core/engines/opencl/testing/engine_fixture.h"
#include "core/engines/opencl/wrapped_source.h"

namespace anydim::opencl {
namespace {

CompileKey key_with_chain() {
  CompileKey key;
  key.post_count = 3;
  key.post_ops[0].chosen_by_call = true;
  key.post_ops[1].kind = PostOp::Kind::binary;
  key.post_ops[2].unary = UnaryFunction::clip;
  return key;
}

DeviceSource plain(const char* text) { return {text, "", {"f"}, {}, true}; }

std::string arguments_of(const EntryFacts& facts) {
  std::string text;
  for (const ArgumentType t : facts.arguments)
    text += t == ArgumentType::memory ? 'm'
            : t == ArgumentType::i32  ? 'i'
            : t == ArgumentType::i64  ? 'l'
            : t == ArgumentType::f32  ? 'f'
                                      : '?';
  return text;
}

TEST(EntryParameters, AreReadThroughMacrosAndConditions) {
  const char* const text = R"CL(
#define ENTRY(name) kernel __attribute__((reqd_work_group_size(LOCAL, 2, 1))) void name(const int live,
#define LOCAL 64
#define TWICE(m) m(0) m(1)
#define NUMBER(k) , const long n##k // behind the name
#define MANY \
  TWICE(NUMBER)
#ifdef ABSENT
#define MORE , int never
#elif LOCAL > 63 && defined(TWICE)
#define MORE , const float x
#else
#define MORE
#endif
ENTRY(f) global float* y,
#if LOCAL == 32
  const int other,
#endif
  const long at MANY MORE) {
  if (!live) return;
}
)CL";
  std::vector<EntryFacts> facts;
  ASSERT_TRUE(entries_in(plain(text), &facts));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].name, "f");
  EXPECT_EQ(facts[0].local, (std::array<int64_t, 3>{64, 2, 1}));
  EXPECT_EQ(arguments_of(facts[0]), "imlllf");
}

TEST(EntryParameters, WhatIsNotUnderstoodIsLeftToTheCompiler) {
  const char* const head = "#define ENTRY(name) kernel __attribute__((reqd_work_group_size(1, 1, 1))) void name(const int live,\n";
  std::vector<EntryFacts> facts;
  for (const char* const rest : {
           "#if A + 1 == 2\n#endif\nENTRY(f) long a) {\n}\n",  // a condition
           "ENTRY(f) double a) {\n}\n",                        // a type
           "ENTRY(f) local float* a) {\n}\n",                  // a group's memory
           "ENTRY(g) long a) {\n}\n",                          // another entry
           "#define A A\nENTRY(f) long A) {\n}\n",             // a macro that comes back to itself
           "ENTRY(f) long a\n",                                // no end
       })
    EXPECT_FALSE(entries_in(plain((std::string(head) + rest).c_str()), &facts)) << rest;
  DeviceSource no = plain((std::string(head) + "ENTRY(f) long a) {\n}\n").c_str());
  EXPECT_TRUE(entries_in(no, &facts));
  no.wrappable = false;
  EXPECT_FALSE(entries_in(no, &facts));
}

TEST_F(OpenclEngineTest, EntriesAreReadAsTheCompilerReportsThem) {
  const Api& api = *faults_.real;
  const CompileKey key = key_with_chain();
  std::vector<DeviceSource> sources;
  sources.push_back(ProgramText(key, 16, 1, 1, 4)
                        .define("HAS_BIAS")
                        .define("COLUMNS", 8)
                        .define("NV", 1)
                        .define("MOST", 1)
                        .define("DISPATCH_TILE(count, arguments_)", "")
                        .add("windows")
                        .add("positions")
                        .add("finish")
                        .add("conv")
                        .source({"conv"}));
  sources.push_back(ProgramText(key, 16, 1, 1, 3).define("TWO").define("COMPUTE", "v = b_add(v, w);").add("eltwise").source({"eltwise"}));
  sources.push_back(ProgramText(key, 16, 1, 1, 2).define("COMPUTE", "v = u_relu(v, alpha, beta);").add("eltwise").source({"eltwise"}));
  sources.push_back(ProgramText(key, 16, 1, 1, 3)
                        .define("HAS_C")
                        .define("COLUMNS", 16)
                        .define("NV", 1)
                        .define("MOST", 1)
                        .define("DISPATCH_TILE(count, arguments_)", "")
                        .add("gemm")
                        .add("gemm_pack")
                        .source({"gemm", "gemm_pack"}));
  sources.push_back(ProgramText(key, 16, 1, 1, 2).define("HAS_GAMMA").add("norm").source({"layer_norm"}));
  for (const DeviceSource& source : sources) {
    std::vector<EntryFacts> facts;
    ASSERT_TRUE(entries_in(source, &facts)) << source.entries[0];
    const char* text = source.text.c_str();
    const size_t length = source.text.size();
    Int code = cl::kSuccess;
    const DeviceId device = engine_->device_facts().id;
    const Property properties[] = {cl::kContextPlatform, reinterpret_cast<Property>(engine_->device_facts().platform_id), 0};
    const OwnedContext context(api, api.create_context(properties, 1, &device, nullptr, nullptr, &code));
    const OwnedProgram program(api, api.create_program_with_source(context.get(), 1, &text, &length, &code));
    ASSERT_EQ(api.build_program(program.get(), 1, &device, "-cl-std=CL1.2 -cl-kernel-arg-info", nullptr, nullptr), cl::kSuccess)
        << source.entries[0];
    for (const EntryFacts& f : facts) {
      const OwnedKernel kernel(api, api.create_kernel(program.get(), f.name.c_str(), &code));
      Uint count = 0;
      ASSERT_EQ(api.get_kernel_info(kernel.get(), cl::kKernelNumArgs, sizeof count, &count, nullptr), cl::kSuccess);
      std::string reported;
      for (Uint i = 0; i < count; ++i) {
        Uint address = 0;
        api.get_kernel_arg_info(kernel.get(), i, cl::kKernelArgAddressQualifier, sizeof address, &address, nullptr);
        const std::string type = info_text([&](size_t bytes, void* to, size_t* needed) {
          return api.get_kernel_arg_info(kernel.get(), i, cl::kKernelArgTypeName, bytes, to, needed);
        });
        reported += address == cl::kKernelArgAddressGlobal ? 'm' : type == "int" ? 'i' : type == "long" ? 'l' : 'f';
      }
      EXPECT_EQ(arguments_of(f), reported) << f.name;
    }
  }
}

}  // namespace
}  // namespace anydim::opencl
