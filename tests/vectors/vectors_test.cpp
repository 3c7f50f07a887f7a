// SPDX-License-Identifier: Apache-2.0
// The golden hashes of strict mode (docs/numerics.md): graphs of one operator in text form, each with the XXH3 hash of its
// outputs' bits. Every kernel that this CPU can run and that supports a case must give the hash, the reference first. A change
// here is a change of every user's results.
//
// ANYDIM_WRITE_VECTORS=1 writes the reference's hashes into the file instead, after a change of docs/numerics.md.
#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "core/dispatch/primitive/primitive.h"
#include "core/dispatch/tuning/primitive_tuning.h"
#include "core/engines/cpu/engine.h"
#include "core/graph/testing/graph_text.h"

namespace anydim {
namespace {

struct Case {
  std::string text;  // with its comment
  uint64_t hash = 0;
};

std::string path() { return ANYDIM_VECTORS "/strict.txt"; }

// Paragraphs: graph text, then a line `hash 0123456789abcdef`.
std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream file(path());
  EXPECT_TRUE(file.good()) << path();
  Case c;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("hash ")) {
      c.hash = std::strtoull(line.c_str() + 5, nullptr, 16);
      cases.push_back(c);
      c = {};
    } else {
      c.text += line + "\n";
    }
  }
  return cases;
}

// Inputs: element i of the n-th declared input is a value in [-4, 4) with 20 significant bits from a SplitMix64 hash of (n, i), or
// every 61st one of a few special values. Integers are 0..7, booleans 0 or 1. No library function takes part.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

void fill(const TensorView& t, uint64_t input, bool specials) {
  constexpr float kSpecial[] = {0.f, -0.f, INFINITY, -INFINITY, NAN, 1e-40f, -1e-40f, 3e38f, 1e-30f, 88.5f, -104.f};
  for (int64_t i = 0; i < t.count(); ++i) {
    const uint64_t h = mix(input << 40 | static_cast<uint64_t>(i));
    if (t.dtype == DType::f32) {
      const auto v = static_cast<float>(static_cast<int64_t>(h >> 44) - (1 << 19)) / static_cast<float>(1 << 17);
      t.as<float>()[i] = specials && i % 61 == 60 ? kSpecial[static_cast<size_t>(h % std::size(kSpecial))] : v;
    } else if (t.dtype == DType::f64) {
      t.as<double>()[i] = static_cast<double>(static_cast<int64_t>(h >> 24) - (INT64_C(1) << 39)) / static_cast<double>(INT64_C(1) << 37);
    } else {
      const uint64_t v = t.dtype == DType::boolean ? h & 1 : h & 7;
      std::memcpy(static_cast<std::byte*>(t.data) + i * dtype_size(t.dtype), &v, static_cast<size_t>(dtype_size(t.dtype)));
    }
  }
}

// Bits in logical row-major order; every NaN counts as the same one.
uint64_t hash_of(const TensorView& t, uint64_t seed) {
  const auto size = static_cast<size_t>(dtype_size(t.dtype) * t.count());
  std::vector<std::byte> bits(size);
  if (size > 0) std::memcpy(bits.data(), t.data, size);
  if (t.dtype == DType::f32)
    for (int64_t i = 0; i < t.count(); ++i) {
      const float nan = std::numeric_limits<float>::quiet_NaN();
      if (std::isnan(t.as<float>()[i])) std::memcpy(bits.data() + i * 4, &nan, 4);
    }
  return XXH3_64bits_withSeed(bits.data(), size, seed);
}

// How a case's primitives are made and executed. Nothing of it may show in the bits.
struct Treatment {
  ReusePolicy policy = ReusePolicy::inherit;
  int64_t hint = 0;      // dims of the first input are dynamic, said to be probably so large; 0: they are numbers
  bool planted = false;  // executed with a plan of arbitrary numbers in the table of specialised plans
};
struct Treated {
  int dynamic = 0, specialised = 0;  // nodes that had dynamic dims; a specialised plan
};

// The first input's dims as symbols with a hint that is wrong nearly always.
std::vector<TensorType> with_dynamic_dims(std::vector<TensorType> types, int64_t hint, DimPool* pool) {
  int i = 0;
  for (Dim& d : types[0].dims) d = pool->symbol(formatted("d{}", i++), {0, 1 << 20, hint, 1});
  return types;
}

// The hash of the graph's outputs with every node on the kernel that `pick` names. Not ok: a node has no such kernel.
Status run(const std::string& text, const char* (*pick)(const Problem&), uint64_t* hash, std::string* kernels, const Treatment& how = {},
           Treated* treated = nullptr) {
  Graph g;
  ANYDIM_TRY(parse_graph(text, &g));
  const bool specials = text.find("specials") != std::string::npos;
  std::map<ValueId, HostTensor> made;
  uint64_t input = 0;
  for (ValueId v : g.inputs()) {
    Dims d;
    for (Dim x : g.value(v).type.dims) d.push_back(x.number());
    ANYDIM_TRY(HostTensor::allocate(g.value(v).type.dtype, d, &made[v]));
    fill(made[v].view, input++, specials);
  }
  const auto view = [&](ValueId v) {
    return v == kNoValue ? TensorView{} : g.value(v).constant ? g.value(v).constant->view() : made[v].view;
  };
  const auto type = [](const TensorView& t) {
    TensorType y;
    y.dtype = t.dtype;
    for (int64_t d : t.dims) y.dims.push_back(d);
    return y;
  };
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    std::vector<TensorView> in, post, out;
    std::vector<TensorType> types, post_types, result(n.outputs.size());
    for (ValueId v : n.inputs) in.push_back(view(v)), types.push_back(type(in.back()));
    for (ValueId v : n.post_inputs) post.push_back(view(v)), post_types.push_back(type(post.back()));
    DimPool pool;
    ANYDIM_TRY(n.op->infer(pool, types, result));
    PrimitiveAttributes attributes;
    attributes.post_ops = n.post_ops;
    const char* kernel = pick({n.op.get(), types, result, &n.post_ops, post_types, MathMode::strict, {}});
    if (kernel == nullptr) return unimplemented("no kernel");
    attributes.kernel = kernel;
    *kernels += std::string(kernel) + " ";
    attributes.reuse = how.policy;
    PrimitivePtr primitive;
    if (how.hint > 0) {  // not every operator takes dynamic dims on a primitive's own
      DimPool promises;
      const std::vector<TensorType> dynamic = with_dynamic_dims(types, how.hint, &promises);
      if (Primitive::create(cpu_engine(), n.op, {&promises, dynamic, post_types}, attributes, nullptr, &primitive).ok()) ++treated->dynamic;
    }
    if (!primitive) ANYDIM_TRY(Primitive::create(cpu_engine(), n.op, {nullptr, types, post_types}, attributes, nullptr, &primitive));
    if (how.policy == ReusePolicy::specialised) ANYDIM_TRY(specialise_primitive(*primitive, Parallel(1)));
    for (size_t i = 0; i < result.size(); ++i) {
      Dims d;
      for (Dim x : result[i].dims) d.push_back(x.number());
      ANYDIM_TRY(HostTensor::allocate(result[i].dtype, d, &made[n.outputs[i]]));
      out.push_back(made[n.outputs[i]].view);
    }
    int64_t bytes = 0;
    ANYDIM_TRY(primitive->scratch_bytes(in, out, post, 1, &bytes));
    auto scratch = AlignedBuffer::allocate(bytes);
    ANYDIM_TRY(primitive->execute(in, post, out, scratch->data(), bytes, Parallel(1)));
    if (how.planted && primitive->kernel().plan_revision() != 0) {
      Args args;
      args.in = in;
      args.parallel = Parallel(1);
      primitive->core()->tiers().publish({plan_key(args), {{5, 7, 1, 2, 3, 0}}, 1});
      std::memset(out[0].data, 0xA5, static_cast<size_t>(dtype_size(out[0].dtype) * out[0].count()));
      ANYDIM_TRY(primitive->scratch_bytes(in, out, post, 1, &bytes));
      scratch = AlignedBuffer::allocate(bytes);
      ANYDIM_TRY(primitive->execute(in, post, out, scratch->data(), bytes, Parallel(1)));
      treated->specialised += primitive->tier() == Tier::specialised;
    }
  }
  *hash = 0;
  for (const GraphOutput& o : g.outputs()) *hash = hash_of(view(o.value), *hash);
  return {};
}

// The last kernel of an operator's list is its reference. `rank` counts from it.
size_t rank = 0;
const char* pick_by_rank(const Problem& problem) {
  std::vector<const Kernel*> usable;
  for (const Kernel* k : cpu_kernels().of(problem.op->kind()))
    if (k->key().mode == MathMode::strict && cpu().usable.includes(k->key().isa) &&
        k->key().quantized == (problem.quantization != nullptr) && k->supports(problem))
      usable.push_back(k);
  return rank < usable.size() ? usable[usable.size() - 1 - rank]->name() : nullptr;
}

TEST(Vectors, every_kernel_gives_the_golden_hashes_of_strict_mode) {
  if (std::getenv("ANYDIM_WRITE_VECTORS")) GTEST_SKIP() << "writing";
  const std::vector<Case> cases = read_cases();
  ASSERT_GE(cases.size(), 100u);
  int runs = 0;
  for (const Case& c : cases) {
    for (rank = 0;; ++rank) {
      uint64_t hash = 0;
      std::string kernels;
      const Status s = run(c.text, pick_by_rank, &hash, &kernels);
      if (!s.ok() && rank > 0) break;
      ASSERT_TRUE(s.ok()) << s.message() << "\n" << c.text;
      ++runs;
      EXPECT_EQ(hash, c.hash) << std::hex << "got " << hash << " from " << kernels << "for" << c.text;
    }
  }
  std::printf("%zu cases, %d runs\n", cases.size(), runs);
  RecordProperty("golden_vectors", static_cast<int>(cases.size()));  // what tools/run_tests.py holds against its floor
  EXPECT_GT(runs, static_cast<int>(cases.size())) << "no kernel but the references ran";
}

// What the dims are said to be, which policy is asked for and which plan is in the table are matters of time.
TEST(Vectors, every_policy_gives_the_golden_hashes_also_with_contrary_hints_and_arbitrary_plans) {
  if (std::getenv("ANYDIM_WRITE_VECTORS")) GTEST_SKIP() << "writing";
  Treated treated;
  const auto best = [](const Problem& p) -> const char* {
    const Kernel* kernel = nullptr;
    return choose_kernel(*cpu_engine(), p, {}, &kernel).ok() ? kernel->name() : nullptr;
  };
  int runs = 0;
  for (const Case& c : read_cases())
    for (const ReusePolicy policy : {ReusePolicy::automatic, ReusePolicy::reusable, ReusePolicy::specialised, ReusePolicy::reusable_first})
      for (const int64_t hint : {0, 1, 97}) {
        uint64_t hash = 0;
        std::string kernels;
        const Treatment how{policy, hint, policy != ReusePolicy::specialised};
        const Status s = run(c.text, best, &hash, &kernels, how, &treated);
        ASSERT_TRUE(s.ok()) << s.message() << "\n" << c.text;
        ++runs;
        EXPECT_EQ(hash, c.hash) << policy_name(policy) << ", hint " << hint << ", " << kernels << "for" << c.text;
      }
  std::printf("%d runs; %d nodes with dynamic dims, %d with a plan from a table\n", runs, treated.dynamic, treated.specialised);
  EXPECT_GT(treated.dynamic, runs / 2);
  EXPECT_GT(treated.specialised, 100);
}

// A control: a hash notices the smallest change of one element, and that of the sign of a zero.
TEST(Vectors, a_hash_notices_one_bit) {
  std::vector<float> values(1000, 1.f);
  values[999] = 0.f;
  TensorView t;
  t.dtype = DType::f32;
  t.dims = {1000};
  t.strides = {1};
  t.data = values.data();
  const uint64_t before = hash_of(t, 0);
  values[500] = std::nextafter(1.f, 2.f);
  EXPECT_NE(hash_of(t, 0), before);
  values[500] = 1.f;
  EXPECT_EQ(hash_of(t, 0), before);
  values[999] = -0.f;
  EXPECT_NE(hash_of(t, 0), before);
}

TEST(Vectors, are_written_again_on_request) {
  if (!std::getenv("ANYDIM_WRITE_VECTORS")) GTEST_SKIP() << "ANYDIM_WRITE_VECTORS=1 writes " << path();
  std::ostringstream out;
  for (const Case& c : read_cases()) {
    rank = 0;
    uint64_t hash = 0;
    std::string kernels;
    const Status s = run(c.text, pick_by_rank, &hash, &kernels);
    ASSERT_TRUE(s.ok()) << s.message() << "\n" << c.text;
    out << c.text << "hash " << formatted("{:016x}", hash) << "\n";
  }
  std::ofstream(path()) << out.str();
}

}  // namespace
}  // namespace anydim
