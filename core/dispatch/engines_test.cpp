// SPDX-License-Identifier: Apache-2.0
// Primitives on an engine that is not the CPU: the same bits for every operator, weights that the engine packs, a status whatever
// call fails, and no handle of one engine in the hands of the other.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "core/dispatch/cost.h"
#include "core/dispatch/primitive_cache.h"
#include "core/dispatch/testing/packed_weights.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/testing/engine.h"
#include "core/engines/testing/problems.h"
#include "core/ops/text.h"

namespace anydim {
namespace {

using testing::DrawnProblem;
using testing::Failure;
using testing::Random;
using testing::TestEngine;
using TestEnginePtr = std::shared_ptr<const TestEngine>;

// A problem with its tensors.
struct Drawn {
  OperatorPtr op;
  std::vector<HostTensor> in;
  PostOps post_ops;
  std::vector<HostTensor> post_in;
  OperandSet constant;  // the inputs that are weights
  std::string text;
};

std::vector<TensorView> views_of(const std::vector<HostTensor>& tensors) {
  std::vector<TensorView> all;
  for (const HostTensor& t : tensors) all.push_back(t.view);
  return all;
}

std::vector<TensorType> types_of(const std::vector<HostTensor>& tensors) {
  std::vector<TensorType> all;
  for (const HostTensor& t : tensors) {
    all.push_back({t.view.dtype, {}});
    for (const int64_t d : t.view.dims) all.back().dims.push_back(d);
  }
  return all;
}

void fill(const TensorView& t, const ValueRange& range, Random& r) {
  for (int64_t i = 0; i < t.count(); ++i) switch (t.dtype) {
      case DType::f32: t.as<float>()[i] = r.normal(); break;
      case DType::i64: t.as<int64_t>()[i] = r.integer(range.low, range.high); break;
      case DType::i32: t.as<int32_t>()[i] = static_cast<int32_t>(r.integer(range.low, range.high)); break;
      default: t.as<uint8_t>()[i] = r.flag(); break;
    }
}

// False if the shape rule refuses what was drawn.
bool draw(OpKind kind, Random& r, Drawn* p) {
  const DrawnProblem drawn = testing::ProblemDrawer(r).draw(kind);
  p->text = drawn.op;
  const Status parsed = parse_operator(drawn.op, &p->op);
  EXPECT_TRUE(parsed.ok()) << drawn.op << ": " << parsed.message();
  if (!parsed.ok()) return false;
  std::vector<Dims> dims;
  for (const auto& in : drawn.in) dims.push_back(in.dims);
  for (size_t i = 0; i < drawn.in.size(); ++i) {
    EXPECT_TRUE(HostTensor::allocate(drawn.in[i].dtype, dims[i], &p->in.emplace_back()).ok());
    fill(p->in.back().view, p->op->sensible_values(dims, i), r);
    p->text += formatted(" {}[{}]", dtype_name(drawn.in[i].dtype), to_string(dims[i]));
  }
  const std::vector<TensorType> types = types_of(p->in);
  std::vector<TensorType> out(static_cast<size_t>(p->op->output_count()));
  DimPool pool;
  if (!p->op->infer(pool, types, out).ok()) return false;
  if (has_trait(kind, Trait::products) && r.flag())
    for (size_t i = 1; i < p->in.size(); ++i) p->constant.add(i);
  else if (r.flag())
    for (size_t i = 0; i < p->in.size(); ++i)
      if (r.flag()) p->constant.add(i);
  if (has_trait(kind, Trait::products) && r.flag()) {
    PostOp add;
    add.kind = PostOp::Kind::binary;
    p->post_ops.append(add);
    p->post_ops.append({});
    p->post_ops.steps[1].unary = UnaryFunction::relu;
    Dims shape;
    for (const Dim d : out[0].dims) shape.push_back(d.number());
    EXPECT_TRUE(HostTensor::allocate(DType::f32, shape, &p->post_in.emplace_back()).ok());
    fill(p->post_in[0].view, {}, r);
  }
  return true;
}

// Makes and runs a problem on an engine, through memory and a stream of it.
Status run_on(const EnginePtr& engine, const Drawn& p, std::vector<std::string>* results, PrimitivePtr* made = nullptr) {
  PrimitiveAttributes attributes;
  attributes.post_ops = p.post_ops;
  WeightsPtr weights;
  std::vector<TensorView> given, constants(p.in.size());
  std::vector<TensorType> types;
  for (size_t i = 0; i < p.in.size(); ++i) {
    if (p.constant.has(i)) constants[i] = p.in[i].view;
    else given.push_back(p.in[i].view), types.push_back(types_of(p.in)[i]);
  }
  const std::vector<TensorType> post_types = types_of(p.post_in);
  WeightsUse use;
  use.in = types;
  use.post_ops = p.post_ops;
  if (!p.constant.empty()) ANYDIM_TRY(Weights::create(engine, p.op, constants, use, &weights));
  PrimitivePtr primitive;
  ANYDIM_TRY(Primitive::create(engine, p.op, {nullptr, types, post_types}, attributes, weights, &primitive));
  if (made != nullptr) *made = primitive;

  // Memory of the host stays until the stream is gone, whatever fails.
  std::vector<HostTensor> host(primitive->out().size());
  std::vector<std::unique_ptr<HostMemory>> of_host;
  StreamPtr uploads, stream;
  ANYDIM_TRY(engine->create_stream(1, &uploads));
  ANYDIM_TRY(engine->create_stream(1, &stream));
  std::vector<MemoryPtr> memories;
  const auto take = [&](const TensorView& view, PlacedTensor* to) -> Status {
    MemoryPtr memory;
    ANYDIM_TRY(engine->allocate(view.count() * dtype_size(view.dtype), &memory));
    *to = {view, {memory.get(), 0}};
    memories.push_back(std::move(memory));
    return {};
  };
  const auto upload = [&](std::span<const TensorView> tensors, std::vector<PlacedTensor>* to) -> Status {
    for (const TensorView& t : tensors) {
      ANYDIM_TRY(take(t, &to->emplace_back()));
      of_host.push_back(std::make_unique<HostMemory>(t.data, t.count() * dtype_size(t.dtype)));
      ANYDIM_TRY(uploads->copy(to->back().place, {of_host.back().get()}, of_host.back()->bytes()));
    }
    return {};
  };
  std::vector<PlacedTensor> in, post_in, out;
  ANYDIM_TRY(upload(given, &in));
  ANYDIM_TRY(upload(views_of(p.post_in), &post_in));
  EventPtr uploaded;
  ANYDIM_TRY(uploads->record(&uploaded));
  ANYDIM_TRY(stream->wait_for(uploaded));
  for (size_t i = 0; i < host.size(); ++i) {
    Dims dims;
    for (const Dim d : primitive->out()[i].dims) dims.push_back(d.number());
    ANYDIM_TRY(HostTensor::allocate(primitive->out()[i].dtype, dims, &host[i]));
    ANYDIM_TRY(take(host[i].view, &out.emplace_back()));
  }
  int64_t scratch = 0;
  ANYDIM_TRY(primitive->scratch_bytes(given, views_of(host), views_of(p.post_in), 1, &scratch));
  MemoryPtr scratch_memory;
  if (scratch > 0) ANYDIM_TRY(engine->allocate(scratch, &scratch_memory));
  ANYDIM_TRY(primitive->submit(*stream, in, post_in, out, {scratch_memory.get(), 0}, scratch));
  // The queue has what it needs.
  primitive.reset();
  weights.reset();
  for (size_t i = 0; i < host.size(); ++i) {
    of_host.push_back(std::make_unique<HostMemory>(host[i].view.data, host[i].view.count() * dtype_size(host[i].view.dtype)));
    ANYDIM_TRY(stream->copy({of_host.back().get()}, out[i].place, of_host.back()->bytes()));
  }
  const MemoryPtr last = memories.back();  // of the last output, which is read by mapping, too
  memories.clear();
  ANYDIM_TRY(stream->wait());
  std::byte* mapped = nullptr;
  ANYDIM_TRY(last->map(0, last->bytes(), &mapped));
  const std::string seen(reinterpret_cast<const char*>(mapped), static_cast<size_t>(last->bytes()));
  ANYDIM_TRY(last->unmap(0, last->bytes()));
  for (const HostTensor& t : host) results->push_back(bits(t));
  EXPECT_EQ(seen, results->back());
  return {};
}

TEST(Engines, GiveTheSameBitsForEveryOperatorOverRandomShapes) {
  Random r(11);
  const TestEnginePtr device = TestEngine::create();
  for (int k = 1; k < static_cast<int>(OpKind::count_); ++k) {
    int compared = 0;
    for (int i = 0; i < 60; ++i) {
      Drawn p;
      if (!draw(static_cast<OpKind>(k), r, &p)) continue;
      std::vector<std::string> theirs, ours, direct;
      PrimitivePtr on_cpu, on_device;
      const Status there = run_on(device, p, &theirs, &on_device), here = run_on(cpu_engine(), p, &ours, &on_cpu);
      ASSERT_EQ(there.ok(), here.ok()) << p.text << ": " << there.message() << " / " << here.message();
      if (!here.ok()) continue;
      ++compared;
      ASSERT_EQ(theirs, ours) << p.text << ", " << p.constant.count() << " constant";
      EXPECT_NE(&on_device->kernel(), &on_cpu->kernel());
      EXPECT_EQ(on_device->engine().kind(), std::string("testing"));
    }
    EXPECT_GT(compared, 15) << op_name(static_cast<OpKind>(k)) << ": hardly any problem that was drawn has an answer";
  }
  EXPECT_GT(device->launches(), 0);
  EXPECT_EQ(device->blocks(), 0);
}

// What the comparison is worth: an engine whose arithmetic is its own, and wrong in one bit, does not pass it.
TEST(Engines, AreFoundOutWhereOneBitIsWrong) {
  TestEngine::Options options;
  options.own = true;
  const TestEnginePtr right = TestEngine::create(options);
  options.wrong = true;
  const TestEnginePtr wrong = TestEngine::create(options);
  for (const OpKind kind : {OpKind::matmul, OpKind::binary}) {
    Random r(14);
    int own = 0;
    for (int i = 0; i < 200; ++i) {
      Drawn p;
      if (!draw(kind, r, &p)) continue;
      PrimitivePtr made;
      std::vector<std::string> ours, theirs, bad;
      if (!run_on(cpu_engine(), p, &ours).ok()) continue;
      ASSERT_TRUE(run_on(right, p, &theirs, &made).ok());
      ASSERT_EQ(theirs, ours) << p.text;
      if (std::string_view(made->kernel().name()).find("testing.own.") != 0 || ours[0].empty()) continue;
      ++own;
      ASSERT_TRUE(run_on(wrong, p, &bad).ok());
      ASSERT_NE(bad, ours) << p.text;
    }
    EXPECT_GT(own, 20) << op_name(kind);
  }
}

TEST(Engines, RefuseAnOperatorThatTheyHaveNoKernelFor) {
  TestEngine::Options options;
  options.without = {OpKind::softmax};
  const TestEnginePtr device = TestEngine::create(options);
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("softmax axis=-1", &op).ok());
  const TensorType in{DType::f32, {3, 4}};
  PrimitivePtr p;
  const Status s = Primitive::create(device, op, {nullptr, {&in, 1}, {}}, {}, nullptr, &p);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(), "engine testing has no kernel for operator softmax");
}

// Convolution with weights, scratch or not, and a post-op: every call of an engine once.
Drawn a_problem(Random& r) {
  Drawn p;
  while (!draw(OpKind::convolution, r, &p) || !(p.constant.has(1) && !p.constant.has(0)) || p.post_in.empty()) p = {};
  return p;
}

TEST(Engines, TellWhateverCallFailsLeakNothingAndRunRightAfterwards) {
  Random r(12);
  const Drawn p = a_problem(r);
  const TestEnginePtr device = TestEngine::create();
  std::vector<std::string> right;
  ASSERT_TRUE(run_on(device, p, &right).ok());
  const int64_t calls = device->calls();
  ASSERT_GT(calls, 13);
  for (const Failure how : {Failure::refused, Failure::late, Failure::lost})
    for (int64_t call = 0; call < calls; ++call) {
      std::vector<std::string> none, again;
      device->fail(call, how);
      const Status s = run_on(device, p, &none);
      EXPECT_FALSE(s.ok()) << "call " << call;
      EXPECT_NE(s.code(), Code::internal) << s.message();
      EXPECT_FALSE(s.message().empty());
      EXPECT_TRUE(none.empty());
      EXPECT_EQ(device->blocks(), 0) << "call " << call << ": " << s.message();
      device->fail_nothing();
      device->restore();
      const Status after = run_on(device, p, &again);
      ASSERT_TRUE(after.ok()) << "after call " << call << ": " << after.message();
      EXPECT_EQ(again, right);
    }
}

TEST(Engines, RefuseWhatIsOfAnotherEngine) {
  Random r(13);
  const Drawn p = a_problem(r);
  const TestEnginePtr device = TestEngine::create(), other = TestEngine::create();
  const std::vector<TensorView> views = views_of(p.in);
  std::vector<TensorType> types = types_of(p.in);
  types.resize(1);
  WeightsPtr of_device, of_cpu;
  ASSERT_TRUE(weights_of(device, p.op, std::span(views).subspan(1), &of_device).ok());
  ASSERT_TRUE(weights_of(cpu_engine(), p.op, std::span(views).subspan(1), &of_cpu).ok());
  PrimitivePtr primitive, none;
  ASSERT_TRUE(Primitive::create(device, p.op, {nullptr, types, {}}, {}, of_device, &primitive).ok());
  const auto refused = [](const Status& s, const std::string& message) {
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_EQ(s.message(), message);
  };
  refused(Primitive::create(cpu_engine(), p.op, {nullptr, types, {}}, {}, of_device, &none),
          "the weights are of engine testing; the primitive is made for engine cpu");
  refused(Primitive::create(device, p.op, {nullptr, types, {}}, {}, of_cpu, &none),
          "the weights are of engine cpu; the primitive is made for engine testing");
  refused(Primitive::create(other, p.op, {nullptr, types, {}}, {}, of_device, &none),
          "the weights are of engine testing; the primitive is made for engine testing");

  const TensorView x = views[0];
  HostTensor y;
  Dims dims;
  for (const Dim d : primitive->out()[0].dims) dims.push_back(d.number());
  ASSERT_TRUE(HostTensor::allocate(DType::f32, dims, &y).ok());
  refused(primitive->execute({&x, 1}, {}, {&y.view, 1}, nullptr, 0, Parallel(1)),
          "the primitive is of engine testing, whose memory has no addresses; expected places and a stream");

  StreamPtr on_device, on_cpu;
  ASSERT_TRUE(device->create_stream(1, &on_device).ok());
  ASSERT_TRUE(cpu_engine()->create_stream(1, &on_cpu).ok());
  MemoryPtr mine, foreign;
  ASSERT_TRUE(device->allocate(1 << 20, &mine).ok());
  ASSERT_TRUE(other->allocate(1 << 20, &foreign).ok());
  HostMemory host(x.data, x.count() * 4);
  const PlacedTensor in{x, {mine.get(), 0}}, out{y.view, {mine.get(), 1 << 19}};
  const auto submit = [&](Stream& stream, const PlacedTensor& from, const PlacedTensor& to) {
    return primitive->submit(stream, {&from, 1}, {}, {&to, 1}, {}, 0);
  };
  refused(submit(*on_cpu, in, out), "the stream is of engine cpu; the primitive is of engine testing");
  refused(submit(*on_device, {x, {&host, 0}}, out), "input 0 lies in memory of engine cpu; the primitive is of engine testing");
  refused(submit(*on_device, in, {y.view, {foreign.get(), 0}}),
          "output 0 lies in memory of engine testing; the primitive is of engine testing");
  refused(submit(*on_device, in, {y.view, {mine.get(), 4}}), "output 0 overlaps input 0 in memory");
  refused(submit(*on_device, in, {}), "output 0 has dtype none; expected f32");
  const Status outside = submit(*on_device, in, {y.view, {mine.get(), (1 << 20) - 4}});
  EXPECT_EQ(outside.code(), Code::invalid_argument);
  EXPECT_NE(outside.message().find("of its memory, which has 1048576"), std::string::npos) << outside.message();
  EXPECT_TRUE(submit(*on_device, in, out).ok());
  EXPECT_TRUE(on_device->wait().ok());
}

using DeviceWeights = WeightsFile;

TEST_F(DeviceWeights, AreNeitherSavedNorLoaded) {
  const TestEnginePtr device = TestEngine::create();
  const Case c = cases()[1];
  const Values values = c.values(1);
  const auto views = values.views();
  WeightsPtr of_device, none;
  ASSERT_TRUE(weights_of(device, c.op, views, &of_device).ok());
  const Status saved = save_weights(*of_device, path);
  EXPECT_EQ(saved.code(), Code::unimplemented);
  EXPECT_EQ(saved.message(), "weights in the memory of engine testing are not saved");
  EXPECT_EQ(files(), 0);
  ASSERT_TRUE(save_weights(*pack(c, values), path).ok());
  EXPECT_EQ(load_weights(device, c.op, {}, path, &none).code(), Code::unimplemented);
  std::shared_ptr<const MappedWeights> file;
  const SavedWeights of_model{of_device.get(), source_of(views)};
  ASSERT_TRUE(save_weights(std::span(&of_model, 1), path).ok());
  ASSERT_TRUE(MappedWeights::open(path, &file).ok());
  EXPECT_TRUE(find_in(*file, c.op, views, &none).ok());
  EXPECT_EQ(none, nullptr) << "a device's weights were left out";
}

TEST(Engines, KeepTheirPrimitivesApartInThePrimitiveCache) {
  const TestEnginePtr device = TestEngine::create();
  PrimitiveCache cache(1 << 20);
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("unary function=relu", &op).ok());
  const TensorDescriptor in{DType::f32, {{71, {}}, {17, {}}}};
  const TensorDescriptor* described = &in;
  const auto make = [&](const EnginePtr& engine, Creation* how) {
    PrimitivePtr p;
    EXPECT_TRUE(cache.create(engine, op, {&described, 1}, {}, nullptr, &p, how).ok());
    return p;
  };
  Creation how;
  const PrimitivePtr here = make(cpu_engine(), &how), there = make(device, &how);
  EXPECT_EQ(how.hit, CacheHit::miss);
  EXPECT_NE(here->core(), there->core());
  EXPECT_EQ(make(device, &how)->core(), there->core());
  EXPECT_EQ(how.hit, CacheHit::hit);
  EnginePtr with_one_thread;
  ASSERT_TRUE(CpuEngine::create(1, &with_one_thread).ok());
  EXPECT_EQ(make(with_one_thread, &how)->core(), here->core()) << "CPU engines are one device";
}

TEST(Engines, AreWhatExpectedTimesComeFrom) {
  const TestEnginePtr device = TestEngine::create();
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("unary function=relu", &op).ok());
  const TensorType type{DType::f32, {8, 8}};
  PrimitivePtr p;
  ASSERT_TRUE(Primitive::create(device, op, {nullptr, {&type, 1}, {}}, {}, nullptr, &p).ok());
  TensorView view;
  view.dtype = DType::f32;
  view.dims = {8, 8};
  view.strides = dense_strides(view.dims);
  Args args;
  args.in = {&view, 1};
  args.out = {&view, 1};
  p->fill_in(&args);
  std::vector<Choice> choices;
  ASSERT_TRUE(list_choices(*p, args, 0, &choices).ok());
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_GT(choices[0].expected_nanoseconds, 10000) << "what a call of the test engine costs";
  EXPECT_EQ(list_choices(*p, args, 3, &choices).code(), Code::unimplemented);
}

}  // namespace
}  // namespace anydim
