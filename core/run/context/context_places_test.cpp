// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs in memory of the program's devices: the bits that the host's memory gives, no way over the host where the device
// alone reads a dense input, memory between an output's elements left as it was, and what lies elsewhere refused.
#include "core/run/context/copy_elements.h"
#include "core/graph/testing/drawn_graph.h"
#include "core/graph/testing/on_engines.h"
#include "core/graph/testing/stages.h"

namespace anydim {
namespace {

using namespace testing;

// A tensor's memory as a device has it, with bytes before it.
struct There {
  MemoryPtr memory;
  TensorView view;  // its data is the device's number
  BufferRef place;

  There(const TestEnginePtr& device, const Tensor& from, int64_t before) : view(from.view) {
    const auto size = static_cast<int64_t>(from.memory.size() * sizeof(float));
    EXPECT_TRUE(device->allocate(before + size, &memory).ok());
    std::byte* data = nullptr;
    EXPECT_TRUE(memory->map(0, before + size, &data).ok());
    std::memcpy(data + before, from.memory.data(), static_cast<size_t>(size));
    EXPECT_TRUE(memory->unmap(0, before + size).ok());
    place = {memory.get(), before + (from.view.as<float>() - from.memory.data()) * static_cast<int64_t>(sizeof(float))};
    view.data = reinterpret_cast<void*>(memory->address() + static_cast<uintptr_t>(place.offset));
  }
  // What the device has now.
  std::vector<float> floats(size_t count, int64_t before) const {
    std::vector<float> all(count);
    std::byte* data = nullptr;
    const auto size = static_cast<int64_t>(count * sizeof(float));
    EXPECT_TRUE(memory->map(before, size, &data).ok());
    std::memcpy(all.data(), data, static_cast<size_t>(size));
    EXPECT_TRUE(memory->unmap(before, size).ok());
    return all;
  }
};

Tensor spaced(const Dims& dims, std::mt19937_64& random) {
  Dims wide = dims;
  if (wide.rank > 0) wide[wide.rank - 1] += static_cast<int64_t>(random() % 3);
  Tensor t(wide, random);
  t.view.dims = dims;
  return t;
}

TEST(ContextPlaces, EdgesInADevicesMemoryGiveTheHostsBits) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr one = TestEngine::create(), other = TestEngine::create();
  for (int g = 0; g < 120; ++g) {
    const Graph graph = random_graph(random);
    CompileOptions options = g % 3 == 0 ? on_devices({one, other}) : on_any({one, other}, random);
    if (random() % 2) options.input_layouts = {EdgeLayout(channels_last(4))};
    const auto here = context_of(compiled(graph)), there = context_of(compiled(graph, options));
    if (there->program().engines.size() < 3) continue;
    for (int i = 0; i < 3; ++i) {
      const Tensor x = any_strides(
          {static_cast<int64_t>(random() % 3), 4, 1 + static_cast<int64_t>(random() % 9), 1 + static_cast<int64_t>(random() % 9)}, random);
      const There in(random() % 2 ? one : other, x, static_cast<int64_t>(random() % 5) * 4);
      std::vector<TensorView> want(there->program().outputs.size());
      ASSERT_TRUE(here->run({&x.view, 1}, want).ok());
      std::vector<Dims> dims(want.size());
      ASSERT_TRUE(there->output_dims({&in.view, 1}, dims, {{&in.place, 1}, {}}).ok());
      std::vector<Tensor> before;
      std::vector<There> out;
      std::vector<TensorView> views;
      std::vector<BufferRef> places;
      for (size_t o = 0; o < want.size(); ++o) {
        ASSERT_EQ(to_string(dims[o]), to_string(want[o].dims));
        before.push_back(spaced(dims[o], random));
        out.emplace_back(random() % 2 ? one : other, before.back(), 64);
        views.push_back(out.back().view);
        places.push_back(out.back().place);
        if (random() % 4 != 0) continue;  // this one as the host has it
        views.back() = {};
        places.back() = {};
      }
      const Status s = there->run({&in.view, 1}, views, {{&in.place, 1}, places});
      ASSERT_TRUE(s.ok()) << s.message();
      for (size_t o = 0; o < want.size(); ++o) {
        if (places[o].memory == nullptr) {
          ASSERT_TRUE(same_bits(views[o], want[o])) << "graph " << g << ", output " << o;
          continue;
        }
        std::vector<float> after = out[o].floats(before[o].memory.size(), 64);
        TensorView got = before[o].view;
        got.data = after.data();
        ASSERT_TRUE(same_bits(got, want[o])) << "graph " << g << ", output " << o;
        ASSERT_TRUE(copy_tensor(*here->program().output_copies[o], got, before[o].view, Parallel(1)).ok());
        ASSERT_EQ(std::memcmp(after.data(), before[o].memory.data(), after.size() * sizeof(float)), 0) << "between its elements";
      }
      // The next run is given the host's memory again.
      const Outputs again = outputs_of(*there, {&x.view, 1});
      ASSERT_EQ(again, outputs_of(*here, {&x.view, 1}));
    }
  }
}

TEST(ContextPlaces, ADenseInputThatADeviceReadsNeverComesToTheHost) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  const auto context = context_of(compiled(everything(), on_devices({device})));
  const Tensor x({1, 3, 32, 32}, random);
  const There in(device, x, 0);
  std::vector<TensorView> out(2);
  ASSERT_TRUE(context->run({&in.view, 1}, out, {{&in.place, 1}, {}}).ok());
  const int64_t grown = context->growth_events();
  ASSERT_TRUE(context->run({&in.view, 1}, out, {{&in.place, 1}, {}}).ok());
  EXPECT_EQ(context->growth_events(), grown);
  const Tensor wide = spaced({1, 3, 32, 33}, random);
  TensorView narrow = wide.view;
  narrow.dims[3] = 32;
  There strided(device, wide, 0);
  strided.view.dims = narrow.dims;
  ASSERT_TRUE(context->run({&strided.view, 1}, out, {{&strided.place, 1}, {}}).ok());
  EXPECT_GT(context->growth_events(), grown) << "one in strides does";
}

TEST(ContextPlaces, ADenseOutputInTheMemoryOfItsDeviceNeverComesToTheHost) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  const auto here = context_of(compiled(everything())), context = context_of(compiled(everything(), on_devices({device})));
  const Tensor x({1, 3, 32, 32}, random);
  Dims dims[2];
  ASSERT_TRUE(context->output_dims({&x.view, 1}, dims).ok());
  Tensor scores(dims[0], random), map(dims[1], random);
  const There there[2] = {There(device, scores, 0), There(device, map, 0)};
  const BufferRef places[2] = {there[0].place, there[1].place};
  TensorView out[2] = {there[0].view, there[1].view}, want[2] = {};
  ASSERT_TRUE(here->run({&x.view, 1}, want).ok());
  device->count_copies_to_host();
  ASSERT_TRUE(context->run({&x.view, 1}, out, {{}, places}).ok());
  EXPECT_EQ(device->copies_to_host(), 0);
  for (int o = 0; o < 2; ++o) {
    std::vector<float> got = there[o].floats((o ? map : scores).memory.size(), 0);
    TensorView view = (o ? map : scores).view;
    view.data = got.data();
    EXPECT_TRUE(same_bits(view, want[o])) << o;
  }
  // A run whose caller wants one of them on the host brings that one.
  out[1] = map.view;
  const BufferRef first[1] = {there[0].place};
  ASSERT_TRUE(context->run({&x.view, 1}, out, {{}, first}).ok());
  EXPECT_TRUE(same_bits(map.view, want[1]));
  EXPECT_EQ(device->copies_to_host(), 1);
}

TEST(ContextPlaces, MemoryOfAnotherEngineAndTooFewBytesAreRefused) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create(), stranger = TestEngine::create();
  const auto alone = context_of(compiled(everything())), context = context_of(compiled(everything(), on_devices({device})));
  const Tensor x({1, 3, 8, 8}, random);
  const There in(stranger, x, 0);
  std::vector<TensorView> out(2);
  const auto refused = [&](Context& c, const EdgePlaces& places, std::span<const TensorView> provided, const char* words) {
    const Status s = c.run(provided, out, places);
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find(words), std::string::npos) << s.message();
    EXPECT_EQ(s.argument(), words[0] == 'o' ? "outputs[1]" : "inputs[0]");
  };
  refused(*context, {{&in.place, 1}, {}}, {&in.view, 1}, "input 'x' lies in memory of engine testing; the model runs on cpu, testing");
  refused(*alone, {{&in.place, 1}, {}}, {&in.view, 1}, "input 'x' lies in memory of engine testing; the model runs on cpu");
  const BufferRef elsewhere[2] = {{}, in.place};
  refused(*context, {{}, elsewhere}, {&x.view, 1}, "output 'map' lies in memory of engine testing");
  There own(device, x, 0);
  own.place.offset += 64;
  refused(*context, {{&own.place, 1}, {}}, {&own.view, 1}, "input 'x': it takes 768 bytes at 64 of its memory");
}

TEST(ContextPlaces, AFailureOfAnyCallIsReportedAndTheNextRunIsRight) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  const auto here = context_of(compiled(everything())), context = context_of(compiled(everything(), on_devices({device})));
  const Tensor x = spaced({1, 3, 8, 8}, random);
  const There in(device, x, 0);
  Dims dims[2];
  ASSERT_TRUE(context->output_dims({&in.view, 1}, dims, {{&in.place, 1}, {}}).ok());
  const Tensor scores(dims[0], random), map(dims[1], random);
  const There there[2] = {There(device, scores, 0), There(device, map, 0)};
  const BufferRef places[2] = {there[0].place, there[1].place};
  std::vector<TensorView> want(2);
  ASSERT_TRUE(here->run({&x.view, 1}, want).ok());
  const auto run = [&] {
    TensorView out[2] = {there[0].view, there[1].view};
    return context->run({&in.view, 1}, out, {{&in.place, 1}, places});
  };
  ASSERT_TRUE(run().ok());
  device->fail(-1, Failure::refused);
  ASSERT_TRUE(run().ok());
  const int64_t calls = device->calls();
  EXPECT_GT(calls, 10);
  for (int64_t k = 0; k < calls; ++k)
    for (const Failure how : {Failure::refused, Failure::deferred}) {
      device->fail(k, how);
      EXPECT_FALSE(run().ok()) << "call " << k;
      device->fail_nothing();
      const Status s = run();
      ASSERT_TRUE(s.ok()) << s.message();
      std::vector<float> got = there[0].floats(scores.memory.size(), 0);
      TensorView view = scores.view;
      view.data = got.data();
      ASSERT_TRUE(same_bits(view, want[0])) << "after call " << k;
    }
}

}  // namespace
}  // namespace anydim
