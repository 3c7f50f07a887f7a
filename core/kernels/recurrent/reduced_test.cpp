// SPDX-License-Identifier: Apache-2.0
// Recurrent layers in math mode reduced: every kernel equals the loops of docs/numerics.md bit for bit, over cells, directions, layouts and
// threads, with denormals and infinities; a sequence has the same bits in a batch, and in pieces; states stay near those of strict.
#include <cmath>

#include "core/kernels/recurrent/recurrent.h"
#include "core/kernels/testing/emulated_instructions.h"
#include "core/kernels/testing/golden.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/recurrent.h"

namespace anydim::testing {
namespace {

// For the tests *_emulated: before anything asks for kernels.
const bool emulates = [] {
  if constexpr (is_built_for(Processor::x86)) return emulate_if_asked();
  return false;
}();

constexpr Layout kOrders[] = {Layout::row_major, Layout::permuted, Layout::padded_rows};

struct DrawnLayer {
  OperatorPtr op;
  anydim::testing::Run run;
  std::string text;
};

DrawnLayer draw_layer(Random& r, int64_t most_steps, int64_t most_batch, int64_t most_inputs, int64_t most_hidden, double special) {
  DrawnLayer l;
  RecurrentAttributes at;
  at.cell = static_cast<RecurrentCell>(r.integer(0, 2));
  at.direction = static_cast<RecurrentDirection>(r.integer(0, 2));
  const bool lstm = at.cell == RecurrentCell::lstm;
  at.cell_state = lstm && r.flag();
  at.linear_before_reset = at.cell == RecurrentCell::gru && r.flag();
  l.op = *Recurrent::make(at);
  const int64_t d = Recurrent::directions_of(at.direction), steps = r.integer(1, most_steps), batch = r.integer(1, most_batch);
  const int64_t inputs = r.integer(1, most_inputs), hidden = r.integer(64, most_hidden), columns = Recurrent::gates_of(at.cell) * hidden;
  const auto tensor = [&](const Dims& dims, float scale, double specials = 0) {
    OwnedTensor t(DType::f32, dims, kOrders[r.integer(0, 2)], &r);
    t.fill(r, specials).each([&](int64_t, std::byte* p) {
      float v;
      std::memcpy(&v, p, sizeof v);
      v *= scale;
      std::memcpy(p, &v, sizeof v);
    });
    return t;
  };
  l.run.op = l.op.get();
  l.run.in.push_back(tensor({steps, batch, inputs}, 1, special));
  l.run.in.push_back(tensor({d, columns, inputs}, 0.2f));
  l.run.in.push_back(tensor({d, columns, hidden}, 0.1f));
  l.run.in.push_back(r.flag() ? tensor({d, 2 * columns}, 1) : OwnedTensor());
  l.run.in.emplace_back();
  l.run.in.push_back(r.flag() ? tensor({d, batch, hidden}, 1) : OwnedTensor());
  l.run.in.push_back(lstm && r.flag() ? tensor({d, batch, hidden}, 1) : OwnedTensor());
  l.run.in.push_back(lstm && r.flag() ? tensor({d, 3 * hidden}, 1) : OwnedTensor());
  for (int i = 0; i < l.op->output_count(); ++i) l.run.out_layouts.push_back(kOrders[r.integer(0, 2)]);
  l.run.constants = {1, 2};
  l.text = formatted("{}: {} steps of {}, {} inputs, {} hidden", describe(*l.op), steps, batch, inputs, hidden);
  return l;
}

void expect_reference_bits(Random& r, DrawnLayer& l) {
  l.run.threads = 1;
  Outcome want = run_kernel(recurrent_reduced_reference(), l.run, &r);
  ASSERT_EQ(want.refusal, nullptr) << want.refusal << "; " << l.text;
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  for (const HostKernel* k : runnable(recurrent_reduced_kernels()))
    for (const int threads : {1, 2, 3}) {
      l.run.threads = threads;
      Outcome got = run_kernel(*k, l.run, &r);
      ASSERT_EQ(got.refusal, nullptr) << k->name() << ": " << got.refusal << "; " << l.text;
      ASSERT_TRUE(got.status.ok()) << k->name() << ": " << got.status.message();
      for (size_t o = 0; o < want.out.size(); ++o)
        ASSERT_TRUE(same_bits(want.out[o], got.out[o])) << k->name() << ", threads " << threads << ", output " << o << "; " << l.text;
    }
}

TEST(ReducedRecurrent, EqualsTheReferenceOnRandomLayers) {
  Random r(301);
  for (int i = 0; i < 40 && !HasFatalFailure(); ++i) {
    DrawnLayer l = draw_layer(r, 5, 4, 90, 100, i % 3 == 0 ? 0.02 : 0);
    expect_reference_bits(r, l);
  }
}

TEST(ReducedRecurrent, EqualsTheReferenceWhereThreadsShareAStepAndRowsAreMany) {
  Random r(302);
  for (int i = 0; i < 4 && !HasFatalFailure(); ++i) {
    DrawnLayer l = draw_layer(r, 3, i % 2 == 0 ? 1 : 40, 150, 280, 0);
    expect_reference_bits(r, l);
  }
}

TEST(ReducedRecurrent, StatesAreNearThoseOfStrict) {
  Random r(303);
  for (int i = 0; i < 10; ++i) {
    DrawnLayer l = draw_layer(r, 8, 3, 80, 90, 0);
    Outcome exact = run_kernel(recurrent_reference(), l.run, &r), reduced = run_kernel(recurrent_reduced_reference(), l.run, &r);
    ASSERT_TRUE(exact.status.ok() && reduced.status.ok());
    double error = 0, size = 0;
    for (int64_t k = 0; k < exact.out[0].view().count(); ++k) {
      const double want = static_cast<double>(exact.out[0].get<float>(k)), have = static_cast<double>(reduced.out[0].get<float>(k));
      error += (want - have) * (want - have);
      size += want * want;
    }
    EXPECT_LT(std::sqrt(error / size), 0.05) << l.text;
    EXPECT_GT(error, 0) << "it computes in more bits than its operands have; " << l.text;
  }
}

TEST(ReducedRecurrent, AreRefusedWhereStatesAreSmallOrWeightsNoConstants) {
  Random r(304);
  DrawnLayer l = draw_layer(r, 2, 2, 70, 80, 0);
  for (const OperandSet constants : {OperandSet{1}, OperandSet{2}}) {
    l.run.constants = constants;
    for (const HostKernel* k : recurrent_reduced_kernels()) EXPECT_NE(run_kernel(*k, l.run, &r).refusal, nullptr) << k->name();
  }
}

TEST(ReducedRecurrent, HaveAKernelForAmxWhereItIsEmulated) {
  if (!emulates) GTEST_SKIP() << "ANYDIM_TEST_EMULATE is not set";
  if constexpr (is_built_for(Processor::x86)) {
    const std::string best = runnable(recurrent_reduced_kernels())[0]->name();
    EXPECT_EQ(best, "recurrent.bf16.amx");
    Random r(305);
    DrawnLayer l = draw_layer(r, 3, 3, 70, 80, 0);
    expect_reference_bits(r, l);
  }
}

}  // namespace
}  // namespace anydim::testing
