// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: every instruction set against the reference, bit for bit, over random shapes, layouts, cells and functions; the
// reference against long double; sequences that are cut give the bits of the whole.
#include "core/kernels/recurrent/recurrent.h"

#include <cmath>

#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/recurrent.h"

namespace anydim::testing {
namespace {

using KernelRun = Run;  // inside a TEST, Run is GoogleTest's
using Cell = RecurrentCell;
using Direction = RecurrentDirection;
constexpr Layout kLayouts[] = {Layout::row_major, Layout::permuted, Layout::padded_rows};

struct Sizes {
  int64_t steps, batch, inputs, hidden;
};

OwnedTensor tensor(Random& r, const Dims& dims, double special = 0.0) {
  return OwnedTensor(DType::f32, dims, kLayouts[r.integer(0, 2)], &r).fill(r, special);
}

OwnedTensor lengths_of(Random& r, const Sizes& s) {
  OwnedTensor t(DType::i32, Dims{s.batch}, Layout::row_major, &r);
  for (int64_t b = 0; b < s.batch; ++b) t.view().as<int32_t>()[b] = static_cast<int32_t>(r.integer(0, s.steps));
  return t;
}

// The inputs of a layer, optional ones by chance.
KernelRun drawn(Random& r, const Operator& op, const Sizes& s, bool optional, double special = 0.0) {
  const RecurrentAttributes& at = as<Recurrent>(op)->get();
  const int64_t d = Recurrent::directions_of(at.direction), columns = Recurrent::gates_of(at.cell) * s.hidden;
  const bool lstm = at.cell == Cell::lstm;
  const auto maybe = [&](bool there, auto make) { return optional && there && r.chance(0.6) ? make() : OwnedTensor(); };
  KernelRun run;
  run.op = &op;
  run.in.push_back(tensor(r, {s.steps, s.batch, s.inputs}, special));
  run.in.push_back(tensor(r, {d, columns, s.inputs}));
  run.in.push_back(tensor(r, {d, columns, s.hidden}));
  run.in.push_back(maybe(true, [&] { return tensor(r, {d, 2 * columns}); }));
  run.in.push_back(maybe(true, [&] { return lengths_of(r, s); }));
  run.in.push_back(maybe(true, [&] { return tensor(r, {d, s.batch, s.hidden}); }));
  run.in.push_back(maybe(lstm, [&] { return tensor(r, {d, s.batch, s.hidden}); }));
  run.in.push_back(maybe(lstm, [&] { return tensor(r, {d, 3 * s.hidden}); }));
  for (int i = 0; i < op.output_count(); ++i) run.out_layouts.push_back(kLayouts[r.integer(0, 2)]);
  return run;
}

RecurrentAttributes drawn_attributes(Random& r) {
  RecurrentAttributes at;
  at.cell = static_cast<Cell>(r.integer(0, 2));
  at.direction = static_cast<Direction>(r.integer(0, 2));
  at.cell_state = at.cell == Cell::lstm && r.chance(0.7);
  at.input_forget = at.cell == Cell::lstm && r.chance(0.2);
  at.linear_before_reset = at.cell == Cell::gru && r.chance(0.5);
  if (r.chance(0.3)) at.clip = 0.75f;
  constexpr UnaryFunction kOthers[] = {UnaryFunction::relu,     UnaryFunction::hard_sigmoid, UnaryFunction::affine,
                                       UnaryFunction::softsign, UnaryFunction::scaled_tanh,  UnaryFunction::leaky_relu};
  const auto other = [&](UnaryFunction* f, float* alpha, float* beta) {
    if (!r.chance(0.2)) return;
    *f = kOthers[r.integer(0, 5)];
    *alpha = 0.25f;
    *beta = 0.5f;
  };
  other(&at.gates, &at.gates_alpha, &at.gates_beta);
  other(&at.candidate, &at.candidate_alpha, &at.candidate_beta);
  other(&at.output, &at.output_alpha, &at.output_beta);
  return at;
}

std::vector<const HostKernel*> kernels_of(std::string_view family) {
  std::vector<const HostKernel*> those;
  for (const HostKernel* k : runnable(recurrent_kernels()))
    if (std::string_view(k->name()).starts_with(family)) those.push_back(k);
  return those;
}
// Those of f64, those that take weights of 8 bits, or the others.
std::vector<const HostKernel*> kernels_for(const KernelRun& run) {
  const bool wide = run.in[0].view().dtype == DType::f64,
             numbers = Recurrent::of_numbers(run.in[Recurrent::kRecurrentWeights].view().dtype);
  return kernels_of(wide ? "recurrent.doubles" : numbers ? "recurrent.integers" : "recurrent.tiles");
}

void expect_all_equal(KernelRun& run) {
  run.threads = 1;
  Outcome want = run_kernel(recurrent_reference(), run);
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  int others = 0;
  for (const HostKernel* k : kernels_for(run)) {
    for (int threads : {1, 2, 3}) {
      run.threads = threads;
      Outcome got = run_kernel(*k, run);
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_EQ(got.refusal, nullptr) << got.refusal;
      for (size_t o = 0; o < want.out.size(); ++o)
        ASSERT_TRUE(same_bits(want.out[o], got.out[o]))
            << k->name() << " threads " << threads << " output " << o << " of " << describe(*run.op) << " on "
            << to_string(run.in[0].view().dims) << ", hidden " << run.in[2].view().dims[2];
      ++others;
    }
  }
  EXPECT_GT(others, 0);
}

TEST(Recurrent, KernelsHaveTheReferencesBits) {
  Random r(91);
  for (int i = 0; i < 250; ++i) {
    const OperatorPtr op = *Recurrent::make(drawn_attributes(r));
    const auto size = [&](int64_t most) { return r.chance(0.05) ? 0 : r.chance(0.2) ? 1 : r.integer(1, most); };
    const Sizes s{size(7), size(9), size(40), size(40)};
    KernelRun run = drawn(r, *op, s, true, r.chance(0.2) ? 0.02 : 0.0);
    run.constant_weights = r.chance(0.7);
    expect_all_equal(run);
    if (HasFatalFailure()) return;
  }
}

TEST(Recurrent, KernelsOfBinary64HaveTheReferencesBits) {
  Random r(98);
  for (int i = 0; i < 200; ++i) {
    const OperatorPtr op = *Recurrent::make(drawn_attributes(r));
    const auto size = [&](int64_t most) { return r.chance(0.05) ? 0 : r.chance(0.2) ? 1 : r.integer(1, most); };
    const bool large = r.chance(0.04);
    KernelRun run = drawn(r, *op, {size(large ? 3 : 7), size(large ? 90 : 9), size(large ? 9 : 40), size(large ? 150 : 25)}, true,
                          r.chance(0.2) ? 0.02 : 0.0);
    for (OwnedTensor& t : run.in) {
      if (t.view().dtype != DType::f32) continue;
      std::vector<double> values;
      t.each([&](int64_t, std::byte* p) {
        float x;
        std::memcpy(&x, p, sizeof x);
        values.push_back(static_cast<double>(x));
      });
      OwnedTensor to(DType::f64, t.view().dims, kLayouts[r.integer(0, 2)], &r);
      size_t at = 0;
      to.each([&](int64_t, std::byte* p) { std::memcpy(p, &values[at++], sizeof(double)); });
      t = to;
    }
    run.constant_weights = r.chance(0.7);
    expect_all_equal(run);
    if (HasFatalFailure()) return;
  }
}

// All operands are 16-bit floats: what the next step reads is what was rounded.
TEST(Recurrent, KernelsOf16BitFloatsHaveTheReferencesBits) {
  Random r(95);
  for (int i = 0; i < 200; ++i) {
    const OperatorPtr op = *Recurrent::make(drawn_attributes(r));
    const auto size = [&](int64_t most) { return r.chance(0.05) ? 0 : r.chance(0.2) ? 1 : r.integer(1, most); };
    KernelRun run = drawn(r, *op, {size(7), size(9), size(40), size(r.chance(0.1) ? 300 : 40)}, true);
    const DType dtype = r.flag() ? DType::f16 : DType::bf16;
    for (OwnedTensor& t : run.in)
      if (t.view().dtype == DType::f32) t = as_half(t, dtype, r, 0.01);
    run.constant_weights = r.chance(0.7);
    run.threads = 1;
    const Outcome want = run_kernel(recurrent_reference(), run);
    ASSERT_TRUE(want.status.ok()) << want.status.message();
    int others = 0;
    for (const HostKernel* k : runnable(half_kernels())) {
      if (k->key().op != OpKind::recurrent) continue;
      run.threads = static_cast<int>(r.integer(1, 3));
      const Outcome got = run_kernel(*k, run);
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_EQ(got.refusal, nullptr) << got.refusal;
      for (size_t o = 0; o < want.out.size(); ++o)
        ASSERT_TRUE(same_bits(want.out[o], got.out[o])) << k->name() << " output " << o << " of " << describe(*op) << " on "
                                                        << to_string(run.in[0].view().dims) << ", hidden " << run.in[2].view().dims[2];
      ++others;
    }
    ASSERT_GT(others, 0);
  }
}

// An lstm with weights of 8 bits: numbers for the weights of `run`, scales, and zero points by chance.
void make_weights_numbers(Random& r, KernelRun* run, double extreme) {
  for (const size_t i : {size_t{Recurrent::kInputWeights}, size_t{Recurrent::kRecurrentWeights}}) {
    const DType dtype = r.chance(0.5) ? DType::i8 : DType::u8;
    const Dims dims = run->in[i].view().dims;
    const auto numbers_of = [&](const Dims& of) {
      OwnedTensor t(dtype, of, kLayouts[r.integer(0, 2)], &r);
      const bool all = r.chance(extreme);
      t.each([&](int64_t, std::byte* p) { *p = std::byte(all ? dtype == DType::i8 ? 0x80 : 0xFF : r.integer(0, 255)); });
      return t;
    };
    run->in[i] = numbers_of(dims);
    const size_t scales = i == Recurrent::kInputWeights ? Recurrent::kInputScales : Recurrent::kRecurrentScales;
    run->in.resize(std::max(run->in.size(), scales + 2));
    run->in[scales] = OwnedTensor(DType::f32, Dims{dims[0], dims[1]}, kLayouts[r.integer(0, 2)], &r);
    run->in[scales].each([&](int64_t, std::byte* p) {
      const float scale = 0.01f * std::abs(r.normal());
      std::memcpy(p, &scale, sizeof scale);
    });
    if (r.chance(0.6)) run->in[scales + 1] = numbers_of(Dims{dims[0], dims[1]});
  }
}

TEST(Recurrent, KernelsOfWeightsOf8BitsHaveTheReferencesBits) {
  Random r(94);
  const auto of_numbers = [&](const Sizes& s, double special) {
    RecurrentAttributes at = drawn_attributes(r);
    at.cell = Cell::lstm;
    at.linear_before_reset = false;
    at.cell_state = true;
    const OperatorPtr op = *Recurrent::make(at);
    KernelRun run = drawn(r, *op, s, true, special);
    make_weights_numbers(r, &run, 0.1);
    run.constant_weights = r.chance(0.7);
    expect_all_equal(run);
  };
  for (int i = 0; i < 250; ++i) {
    const auto size = [&](int64_t most) { return r.chance(0.05) ? 0 : r.chance(0.2) ? 1 : r.integer(1, most); };
    of_numbers({size(7), size(9), size(40), size(40)}, r.chance(0.2) ? 0.02 : 0.0);
    if (HasFatalFailure()) return;
  }
  // More rows than a block, more steps than at once, and steps whose columns threads share.
  for (const Sizes& s : {Sizes{3, 110, 6, 5}, Sizes{210, 1, 9, 8}, Sizes{3, 1, 150, 520}, Sizes{2, 5, 20, 260}, Sizes{40, 11, 20, 17}}) {
    of_numbers(s, 0.0);
    if (HasFatalFailure()) return;
  }
}

// Sums of more than one block, more rows than are computed at once, and steps whose columns threads share.
TEST(Recurrent, LargeStatesAndManyStepsHaveTheReferencesBits) {
  Random r(92);
  for (const Sizes& s : {Sizes{5, 1, 150, 264}, Sizes{3, 4, 20, 140}, Sizes{300, 1, 9, 8}, Sizes{3, 300, 6, 5}, Sizes{40, 11, 20, 17}})
    for (const Cell cell : {Cell::rnn, Cell::lstm, Cell::gru}) {
      RecurrentAttributes at;
      at.cell = cell;
      at.direction = static_cast<Direction>(r.integer(0, 2));
      at.linear_before_reset = cell == Cell::gru && s.batch == 1;
      const OperatorPtr op = *Recurrent::make(at);
      KernelRun run = drawn(r, *op, s, true);
      run.constant_weights = true;
      expect_all_equal(run);
      if (HasFatalFailure()) return;
    }
}

TEST(Recurrent, ASequenceThatIsCutHasTheBitsOfTheWhole) {
  Random r(93);
  for (const Cell cell : {Cell::rnn, Cell::lstm, Cell::gru})
    for (const HostKernel* k : kernels_of("recurrent.tiles")) {
      RecurrentAttributes at;
      at.cell = cell;
      at.cell_state = cell == Cell::lstm;
      const OperatorPtr op = *Recurrent::make(at);
      const Sizes s{11, 2, 13, 19};
      KernelRun whole = drawn(r, *op, s, false);
      Outcome want = run_kernel(*k, whole);
      ASSERT_TRUE(want.status.ok()) << want.status.message();
      KernelRun part = whole;
      int64_t at_step = 0;
      for (const int64_t steps : {1, 7, 3}) {
        part.in[0] = OwnedTensor(DType::f32, Dims{steps, s.batch, s.inputs});
        for (int64_t i = 0; i < steps * s.batch * s.inputs; ++i)
          part.in[0].view().as<float>()[i] = whole.in[0].get<float>(at_step * s.batch * s.inputs + i);
        Outcome got = run_kernel(*k, part);
        ASSERT_TRUE(got.status.ok()) << got.status.message();
        for (int64_t i = 0; i < steps * s.batch * s.hidden; ++i)
          ASSERT_EQ(got.out[0].get<float>(i), want.out[0].get<float>(at_step * s.batch * s.hidden + i)) << k->name();
        at_step += steps;
        part.in[Recurrent::kInitialHidden] = got.out[1];
        if (cell == Cell::lstm) part.in[Recurrent::kInitialCell] = got.out[2];
      }
    }
}

// Against the textbook's formulas in long double. Each step begins with the state that the reference gave: some drawn weights enlarge a
// difference from step to step.
TEST(Recurrent, TheReferenceIsCloseToExact) {
  using Real = long double;
  Random r(94);
  const auto sigmoid = [](Real x) { return 1 / (1 + std::exp(-x)); };
  for (const Cell cell : {Cell::rnn, Cell::lstm, Cell::gru}) {
    RecurrentAttributes at;
    at.cell = cell;
    const OperatorPtr op = *Recurrent::make(at);
    const Sizes s{6, 1, 5, 4};
    KernelRun run;
    run.op = op.get();
    const int64_t columns = Recurrent::gates_of(cell) * s.hidden;
    run.in.push_back(OwnedTensor(DType::f32, Dims{s.steps, 1, s.inputs}).fill(r));
    run.in.push_back(OwnedTensor(DType::f32, Dims{1, columns, s.inputs}).fill(r));
    run.in.push_back(OwnedTensor(DType::f32, Dims{1, columns, s.hidden}).fill(r));
    run.in.push_back(OwnedTensor(DType::f32, Dims{1, 2 * columns}).fill(r));
    Outcome o = run_kernel(recurrent_reference(), run);
    ASSERT_TRUE(o.status.ok()) << o.status.message();
    std::vector<Real> h(static_cast<size_t>(s.hidden)), c(h), was(h);
    const auto sum = [&](int64_t t, int64_t gate, int64_t j, const std::vector<Real>& state) {
      const int64_t column = gate * s.hidden + j;
      Real total = static_cast<Real>(run.in[3].get<float>(column)) + static_cast<Real>(run.in[3].get<float>(columns + column));
      for (int64_t k = 0; k < s.inputs; ++k)
        total += static_cast<Real>(run.in[0].get<float>(t * s.inputs + k)) * static_cast<Real>(run.in[1].get<float>(column * s.inputs + k));
      for (int64_t k = 0; k < s.hidden; ++k)
        total += state[static_cast<size_t>(k)] * static_cast<Real>(run.in[2].get<float>(column * s.hidden + k));
      return total;
    };
    for (int64_t t = 0; t < s.steps; ++t) {
      was = h;
      std::vector<Real> kept(was);
      if (cell == Cell::gru)
        for (int64_t j = 0; j < s.hidden; ++j) kept[static_cast<size_t>(j)] *= sigmoid(sum(t, 1, j, was));
      for (int64_t j = 0; j < s.hidden; ++j) {
        const auto i = static_cast<size_t>(j);
        if (cell == Cell::rnn) {
          h[i] = std::tanh(sum(t, 0, j, was));
        } else if (cell == Cell::lstm) {
          c[i] = sigmoid(sum(t, 2, j, was)) * c[i] + sigmoid(sum(t, 0, j, was)) * std::tanh(sum(t, 3, j, was));
          h[i] = sigmoid(sum(t, 1, j, was)) * std::tanh(c[i]);
        } else {
          const Real z = sigmoid(sum(t, 0, j, was));
          h[i] = (1 - z) * std::tanh(sum(t, 2, j, kept)) + z * was[i];
        }
        EXPECT_NEAR(o.out[0].get<float>(t * s.hidden + j), static_cast<double>(h[i]), 2e-6) << describe(*op) << " step " << t;
      }
      for (int64_t j = 0; j < s.hidden; ++j) h[static_cast<size_t>(j)] = o.out[0].get<float>(t * s.hidden + j);
    }
  }
}

TEST(Recurrent, Binary64FollowsTheSameFormulas) {
  Random r(97);
  for (int i = 0; i < 60; ++i) {
    const OperatorPtr op = *Recurrent::make(drawn_attributes(r));
    KernelRun single = drawn(r, *op, {4, 3, 6, 5}, true), wide = single;
    for (size_t input = 0; input < wide.in.size(); ++input) {
      const OwnedTensor& from = single.in[input];
      if (from.view().dtype != DType::f32) continue;
      OwnedTensor to(DType::f64, from.view().dims);
      for (int64_t k = 0; k < from.view().count(); ++k) to.view().as<double>()[k] = static_cast<double>(from.get<float>(k));
      wide.in[input] = to;
    }
    const Outcome a = run_kernel(recurrent_reference(), single), b = run_kernel(recurrent_reference(), wide);
    ASSERT_TRUE(a.status.ok() && b.status.ok()) << b.status.message();
    for (size_t o = 0; o < a.out.size(); ++o)
      for (int64_t k = 0; k < a.out[o].view().count(); ++k)
        ASSERT_NEAR(a.out[o].get<float>(k), b.out[o].get<double>(k), 2e-4 * std::max(1.0, std::fabs(b.out[o].get<double>(k))))
            << describe(*op);
  }
}

TEST(Recurrent, StepsBeyondALengthAreZerosAndLeaveTheState) {
  Random r(95);
  for (const Direction direction : {Direction::forward, Direction::reverse}) {
    RecurrentAttributes at;
    at.cell = Cell::gru;
    at.direction = direction;
    const OperatorPtr op = *Recurrent::make(at);
    KernelRun run = drawn(r, *op, {5, 1, 3, 4}, false), shorter = run;
    run.in[Recurrent::kLengths] = OwnedTensor(DType::i32, Dims{1});
    run.in[Recurrent::kLengths].view().as<int32_t>()[0] = 3;
    OwnedTensor x(DType::f32, Dims{3, 1, 3});
    const OwnedTensor all = run.in[0].relaid(Layout::row_major);
    for (int64_t i = 0; i < 9; ++i) x.view().as<float>()[i] = all.get<float>(i);
    shorter.in[0] = x;
    run.out_layouts = shorter.out_layouts = {};
    for (const HostKernel* k : kernels_of("recurrent.tiles")) {
      Outcome padded = run_kernel(*k, run), exact = run_kernel(*k, shorter);
      for (int64_t i = 0; i < 20; ++i) EXPECT_EQ(padded.out[0].get<float>(i), i < 12 ? exact.out[0].get<float>(i) : 0.f) << k->name();
      EXPECT_TRUE(same_bits(padded.out[1], exact.out[1])) << k->name();
    }
  }
}

TEST(Recurrent, ALengthThatIsNoneIsNamed) {
  Random r(96);
  RecurrentAttributes at;
  at.cell = Cell::rnn;
  const OperatorPtr op = *Recurrent::make(at);
  for (const int32_t wrong : {-1, 6}) {
    KernelRun run = drawn(r, *op, {5, 2, 3, 4}, false);
    run.in[Recurrent::kLengths] = OwnedTensor(DType::i32, Dims{2});
    run.in[Recurrent::kLengths].view().as<int32_t>()[0] = 5;
    run.in[Recurrent::kLengths].view().as<int32_t>()[1] = wrong;
    for (const HostKernel* k : kernels_of("recurrent.tiles")) {
      const Outcome o = run_kernel(*k, run);
      EXPECT_EQ(o.status.code(), Code::invalid_data) << k->name();
      EXPECT_NE(o.status.message().find("lengths[1] is " + std::to_string(wrong)), std::string::npos) << o.status.message();
    }
  }
}

TEST(Recurrent, SixteenBitStatesAreRoundedAfterEachStep) {
  // A plain cell of one number that adds its input: 2048 + 1 is 2048 in float16, again and again.
  RecurrentAttributes at;
  at.cell = Cell::rnn;
  at.candidate = UnaryFunction::identity;
  const OperatorPtr op = *Recurrent::make(at);
  KernelRun run;
  run.op = op.get();
  const auto halves = [](const Dims& dims, std::initializer_list<uint16_t> bits) {
    OwnedTensor t(DType::f16, dims);
    int64_t i = 0;
    for (const uint16_t b : bits) t.view().as<uint16_t>()[i++] = b;
    return t;
  };
  constexpr uint16_t one = 0x3c00, k2048 = 0x6800;
  run.in = {halves({3, 1, 1}, {one, one, one}), halves({1, 1, 1}, {one}), halves({1, 1, 1}, {one}), {}, {}, halves({1, 1, 1}, {k2048})};
  Outcome o = run_kernel(recurrent_reference(), run);
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_EQ(o.out[1].get<uint16_t>(0), k2048);
}

TEST(Recurrent, NamesTheOperandThatDoesNotFit) {
  DimPool pool;
  const auto message = [&](const RecurrentAttributes& at, std::vector<TensorType> in) {
    const Result<OperatorPtr> op = Recurrent::make(at);
    if (!op.ok()) return std::string(op.status().message());
    std::vector<TensorType> out(static_cast<size_t>((*op)->output_count()));
    return std::string((*op)->infer(pool, in, out).message());
  };
  RecurrentAttributes lstm;
  lstm.cell = Cell::lstm;
  const TensorType x{DType::f32, {7, 3, 20}}, w{DType::f32, {1, 64, 20}}, r{DType::f32, {1, 64, 16}}, none;
  EXPECT_EQ(message(lstm, {x, w, r}), "");
  EXPECT_NE(message(lstm, {x, {DType::f32, {1, 48, 20}}, r}).find("input_weights has dims [1, 48, 20]; expected [1, 64, 20]"),
            std::string::npos);
  EXPECT_NE(message(lstm, {x, w, r, {DType::f32, {1, 64}}}).find("bias has dims [1, 64]; expected [1, 128]"), std::string::npos);
  EXPECT_NE(message(lstm, {x, w, r, none, {DType::i64, {3}}}).find("lengths has dtype i64; expected i32"), std::string::npos);
  EXPECT_NE(message(lstm, {x, w, r, none, none, {DType::f32, {1, 2, 16}}}).find("initial_hidden has dims"), std::string::npos);
  const TensorType w8{DType::i8, {1, 64, 20}}, r8{DType::u8, {1, 64, 16}}, scales{DType::f32, {1, 64}};
  EXPECT_EQ(message(lstm, {x, w8, r8, none, none, none, none, none, scales, none, scales, {DType::u8, {1, 64}}}), "");
  EXPECT_NE(message(lstm, {x, w8, r8, none, none, none, none, none, scales}).find("recurrent_scales is absent"), std::string::npos);
  EXPECT_NE(message(lstm, {x, w8, r}).find("expected both of 8 bits or none"), std::string::npos);
  EXPECT_NE(message(lstm, {x, w, r, none, none, none, none, none, scales}).find("input_scales is given"), std::string::npos);
  RecurrentAttributes gru;
  gru.cell = Cell::gru;
  EXPECT_NE(message(gru, {x, {DType::i8, {1, 48, 20}}, {DType::i8, {1, 48, 16}}}).find("expected floats, or lstm"), std::string::npos);
  EXPECT_NE(message(gru, {x, {DType::f32, {1, 48, 20}}, {DType::f32, {1, 48, 16}}, none, none, none, {DType::f32, {1, 3, 16}}})
                .find("initial_cell is given; only lstm has one"),
            std::string::npos);
  gru.input_forget = true;
  EXPECT_NE(message(gru, {x}).find("input_forget belongs to lstm"), std::string::npos);
  lstm.clip = -1;
  EXPECT_NE(message(lstm, {x}).find("clip is -1"), std::string::npos);
  lstm.clip = 0;
  lstm.gates = UnaryFunction::sin;
  EXPECT_NE(message(lstm, {x}).find("sin is no function"), std::string::npos);
}

}  // namespace
}  // namespace anydim::testing
