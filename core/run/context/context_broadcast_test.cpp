// SPDX-License-Identifier: Apache-2.0
// Sizes that meet in a broadcast and are known at a run only: wherever NumPy's rule gives an answer a context gives it too, with its
// bits, and where the rule gives none the run is refused. What is expected is computed by hand here: no shape rule, kernel or pass
// of Anydim takes part.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/testing/random.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/reference_run.h"
#include "core/graph/testing/graph_text.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/where.h"

namespace anydim {
namespace {

using namespace testing;

// A dense row-major array.
struct Array {
  Dims dims;
  std::vector<float> values;
};

Array filled(const Dims& dims, std::mt19937_64& random) {
  Array a{dims, std::vector<float>(static_cast<size_t>(element_count(dims)))};
  std::uniform_int_distribution<int> any(-9, 9);
  for (float& v : a.values) v = static_cast<float>(any(random)) / 2;
  return a;
}

std::optional<Dims> broadcast(const Dims& a, const Dims& b) {
  Dims out = Dims::filled(std::max(a.rank, b.rank), 1);
  for (int i = 0; i < out.rank; ++i) {
    const int ia = i - (out.rank - a.rank), ib = i - (out.rank - b.rank);
    const int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    if (da != db && da != 1 && db != 1) return {};
    out[i] = da == 1 ? db : da;
  }
  return out;
}

// The element of `a` that an index of a larger array meets.
float element(const Array& a, const Dims& index) {
  const Strides s = dense_strides(a.dims);
  int64_t o = 0;
  for (int i = 0; i < a.dims.rank; ++i) o += a.dims[i] == 1 ? 0 : index[i + index.rank - a.dims.rank] * s[i];
  return a.values[static_cast<size_t>(o)];
}

template <class F> Array made(const Dims& dims, F value) {
  Array out{dims, {}};
  Dims at = Dims::filled(dims.rank, 0);
  for (int64_t i = 0; i < element_count(dims); ++i) {
    out.values.push_back(value(at));
    for (int d = dims.rank - 1; d >= 0 && ++at[d] == dims[d]; --d) at[d] = 0;
  }
  return out;
}

template <class F> std::optional<Array> combined(const Array& a, const Array& b, F f) {
  const auto dims = broadcast(a.dims, b.dims);
  if (!dims) return {};
  return made(*dims, [&](const Dims& at) { return f(element(a, at), element(b, at)); });
}

// x[first:last:step] along one axis, as Python reads it; INT64_MAX: to the end.
struct Cut {
  int axis;
  int64_t first, last, step;
};
Array cut(const Array& x, const Cut& c) {
  const int64_t n = x.dims[c.axis];
  const auto clamped = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + n : i, 0, n); };
  const int64_t first = clamped(c.first), last = clamped(c.last);
  Dims dims = x.dims;
  dims[c.axis] = last > first ? (last - first + c.step - 1) / c.step : 0;
  return made(dims, [&](Dims at) {
    at[c.axis] = first + at[c.axis] * c.step;
    const Strides s = dense_strides(x.dims);
    int64_t o = 0;
    for (int i = 0; i < at.rank; ++i) o += at[i] * s[i];
    return x.values[static_cast<size_t>(o)];
  });
}
ValueId cut(Builder& b, ValueId x, const Cut& c) {
  const SymDims& d = b.dims(x);
  SymDims starts = SymDims::filled(d.rank, Dim(0)), lengths = d;
  RankArray<int64_t> steps = RankArray<int64_t>::filled(d.rank, 1);
  steps[c.axis] = c.step;
  EXPECT_TRUE(Slice::normalise(b.graph.dims, d[c.axis], c.first, c.last, c.step, &starts[c.axis], &lengths[c.axis]).ok());
  return b.add(Slice::make(starts, steps, lengths), {x});
}

TensorView view_of(const Array& a) { return {const_cast<float*>(a.values.data()), DType::f32, a.dims, dense_strides(a.dims)}; }

// Runs it on x; `want` is none where NumPy refuses.
void expect_run(Context& context, std::span<const Array> in, const std::optional<Array>& want, const std::string& what) {
  std::vector<TensorView> views;
  float nothing = 0;
  for (const Array& a : in) {
    views.push_back(view_of(a));
    if (a.values.empty()) views.back().data = &nothing;
  }
  TensorView y;
  const Status s = context.run(views, {&y, 1});
  if (!want) {
    EXPECT_EQ(s.code(), Code::invalid_argument) << what << ": " << s.message();
    return;
  }
  ASSERT_TRUE(s.ok()) << what << ": " << s.message();
  ASSERT_TRUE(same_bits(y, view_of(*want))) << what;
}

constexpr int64_t kEnd = INT64_MAX;
const Cut kFirst{1, 0, 1, 1}, kLast{1, -1, kEnd, 1};
const Dims kSizes[] = {{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 5}, {1, 64}, {5, 1}, {4, 33}, {7, 16}, {2, 257}};

TEST(ContextBroadcast, AFirstOrLastColumnMeetsTheWholeAtEverySize) {
  std::mt19937_64 random(testing::run_seed());
  for (const Cut& c : {kFirst, kLast, Cut{0, 0, 1, 1}, Cut{0, -1, kEnd, 1}}) {
    Builder b;
    const ValueId x = b.input("x", {-1, -2});
    b.output(b.binary(BinaryFunction::sub, x, cut(b, x, c)));
    EXPECT_EQ(b.graph.dims.text(b.dims(b.graph.outputs()[0].value)), "[d1, d2]") << "no axis but those of x is made";
    const auto context = context_of(compiled(b.graph));
    for (const Dims& dims : kSizes) {
      const Array a = filled(dims, random);
      expect_run(*context, {&a, 1}, combined(a, cut(a, c), [](float p, float q) { return p - q; }), to_string(dims));
    }
  }
}

TEST(ContextBroadcast, AColumnOfWhatIsOverwrittenInPlaceIsReadBeforeItGoes) {
  // The difference could lie where its left side lies, but the column that every element needs lies there, too.
  std::mt19937_64 random(testing::run_seed());
  Builder b;
  const ValueId x = b.input("x", {-1, -2});
  const ValueId twice = b.unary(UnaryFunction::affine, x, 2, 1);
  const ValueId difference = b.binary(BinaryFunction::sub, twice, cut(b, twice, kFirst));
  b.output(b.unary(UnaryFunction::neg, b.binary(BinaryFunction::mul, difference, cut(b, difference, kLast))));
  const auto context = context_of(compiled(b.graph));
  for (const Dims& dims : kSizes) {
    const Array a = filled(dims, random);
    const Array t = made(dims, [&](const Dims& at) { return 2 * element(a, at) + 1; });
    const Array d = *combined(t, cut(t, kFirst), [](float p, float q) { return p - q; });
    expect_run(*context, {&a, 1}, combined(d, cut(d, kLast), [](float p, float q) { return -(p * q); }), to_string(dims));
  }
}

TEST(ContextBroadcast, WhereChoosesBetweenAWholeAndItsColumn) {
  std::mt19937_64 random(testing::run_seed());
  Builder b;
  const ValueId x = b.input("x", {-1, -2});
  const ValueId first = cut(b, x, kFirst), last = cut(b, x, kLast);
  b.output(b.add(Where::make(), {b.binary(BinaryFunction::less, x, first), x, last}));
  const auto context = context_of(compiled(b.graph));
  for (const Dims& dims : kSizes) {
    const Array a = filled(dims, random);
    const Array f = cut(a, kFirst), l = cut(a, kLast);
    expect_run(*context, {&a, 1},
               made(dims, [&](const Dims& at) { return element(a, at) < element(f, at) ? element(a, at) : element(l, at); }),
               to_string(dims));
  }
}

TEST(ContextBroadcast, AMatrixOfABatchMeetsTheWholeBatch) {
  std::mt19937_64 random(testing::run_seed());
  Builder b;
  const ValueId x = b.input("x", {-1, 2, 3}), z = b.input("z", {-1, 3, 2});
  b.output(b.matmul(cut(b, x, {0, -1, kEnd, 1}), z));
  const auto context = context_of(compiled(b.graph));
  for (const int64_t n : {0, 1, 2, 5, 17}) {
    const Array in[] = {filled({n, 2, 3}, random), filled({n, 3, 2}, random)};
    const Array one = cut(in[0], {0, -1, kEnd, 1});
    const Array want = made({n, 2, 2}, [&](const Dims& at) {
      float sum = 0;  // exact: halves of small numbers
      for (int64_t k = 0; k < 3; ++k) sum += element(one, {at[0], at[1], k}) * element(in[1], {at[0], k, at[2]});
      return sum;
    });
    expect_run(*context, in, want, formatted("{} matrices", n));
  }
}

TEST(ContextBroadcast, AColumnIsExpandedToTheWhole) {
  std::mt19937_64 random(testing::run_seed());
  for (const bool alone : {true, false}) {  // a copy, or a view that repeats
    Builder b;
    const ValueId x = b.input("x", {-1, -2});
    const ValueId wide = b.add(Expand::make(b.dims(x)), {cut(b, x, kLast)});
    b.output(alone ? wide : b.plus(wide, x));
    const auto context = context_of(compiled(b.graph));
    for (const Dims& dims : kSizes) {
      const Array a = filled(dims, random);
      const Array l = cut(a, kLast);
      expect_run(*context, {&a, 1}, made(dims, [&](const Dims& at) { return element(l, at) + (alone ? 0 : element(a, at)); }),
                 to_string(dims));
    }
  }
}

TEST(ContextBroadcast, AColumnOfAConvolutionMeetsTheConvolution) {
  // Nothing is fused into the convolution that is not there yet, or not as large, when it runs.
  std::mt19937_64 random(testing::run_seed());
  Builder b(3);
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  const ValueId c = b.conv(x, 8, 3);
  b.output(b.relu(b.binary(BinaryFunction::sub, c, cut(b, c, {3, 0, 1, 1}))));
  b.output(b.plus(b.conv(x, 8, 1), cut(b, c, {2, -1, kEnd, 1})), "z");
  const Graph graph = b.graph;
  const auto context = context_of(compiled(graph));
  for (const Dims& dims : {Dims{1, 4, 1, 1}, Dims{2, 4, 1, 6}, Dims{2, 4, 6, 1}, Dims{1, 4, 9, 12}, Dims{0, 4, 3, 3}}) {
    Tensor in(dims, random);
    TensorView y[2] = {};
    const Status s = context->run({&in.view, 1}, y);
    ASSERT_TRUE(s.ok()) << s.message();
    const auto want = reference_run(graph, {&in.view, 1});
    for (int o = 0; o < 2; ++o) ASSERT_TRUE(same_bits(y[o], want[static_cast<size_t>(o)].view)) << to_string(dims);
  }
}

TEST(ContextBroadcast, SizesWithoutRelationMeetIfOneIsOne) {
  std::mt19937_64 random(testing::run_seed());
  Builder b;
  const ValueId x = b.input("x", {-1, -2}), z = b.input("z", {-3, -4});
  b.output(b.relu(b.binary(BinaryFunction::sub, b.relu(x), b.unary(UnaryFunction::neg, z))));
  const auto context = context_of(compiled(b.graph));
  for (const Dims& dx : kSizes)
    for (const Dims& dz : kSizes) {
      const Array in[] = {filled(dx, random), filled(dz, random)};
      expect_run(*context, in, combined(in[0], in[1], [](float p, float q) { return std::max(std::max(p, 0.f) + q, 0.f); }),
                 to_string(dx) + " and " + to_string(dz));
    }
}

// What may be asked of a drawn graph: cuts, sums, products and comparisons of what there is.
TEST(ContextBroadcast, DrawnGraphsRunWhereverNumPyDoes) {
  std::mt19937_64 random(testing::run_seed());
  const Cut cuts[] = {{0, 0, 1, 1},     {0, -1, kEnd, 1}, {0, 1, kEnd, 1}, {0, 0, -1, 1},    {0, 0, kEnd, 2}, {0, 1, kEnd, 2}, {0, 0, 2, 1},
                      {0, -2, kEnd, 1}, {0, 0, 1, 3},     {0, 1, 2, 1},    {0, -1, kEnd, 2}, {0, 2, kEnd, 1}, {0, -2, -1, 1}};
  int ran = 0, refused = 0;
  for (int g = 0; g < 150; ++g) {
    Builder b(random());
    std::vector<ValueId> values{b.input("x", {-1, -2}), b.input("z", {-2, random() % 2 ? -3 : -1})};
    // The same graph by hand: value i + 2 is made by step i.
    struct Step {
      int kind;
      size_t p, q, r;
      Cut cut;
    };
    std::vector<Step> steps;
    const int count = 3 + static_cast<int>(random() % 8);
    for (int i = 0; i < count; ++i) {
      Step s{static_cast<int>(random() % 8), random() % values.size(), random() % values.size(), random() % values.size(), {}};
      s.cut = cuts[random() % std::size(cuts)];
      s.cut.axis = static_cast<int>(random() % 2);
      const ValueId p = values[s.p], q = values[s.q];
      switch (s.kind) {
        case 0:
        case 1:
        case 2: values.push_back(cut(b, p, s.cut)); break;
        case 3: values.push_back(b.binary(BinaryFunction::sub, p, q)); break;
        case 4: values.push_back(b.binary(BinaryFunction::max, p, q)); break;
        case 5: values.push_back(b.unary(UnaryFunction::neg, p)); break;
        case 6: values.push_back(b.transpose(p, {1, 0})); break;
        default: values.push_back(b.add(Where::make(), {b.binary(BinaryFunction::less, p, q), q, values[s.r]})); break;
      }
      steps.push_back(s);
    }
    b.output(values.back());
    const auto context = context_of(compiled(b.graph));
    for (int i = 0; i < 12; ++i) {
      int64_t d[3];
      for (int64_t& v : d) v = static_cast<int64_t>(random() % 3 ? random() % 4 : random() % 12);
      const bool square = b.dims(b.graph.inputs()[1])[1] == b.dims(b.graph.inputs()[0])[0];
      const Array in[] = {filled({d[0], d[1]}, random), filled({d[1], square ? d[0] : d[2]}, random)};
      std::vector<std::optional<Array>> arrays{in[0], in[1]};
      bool legal = true;
      for (const Step& s : steps) {
        const auto &p = arrays[s.p], &q = arrays[s.q], &r = arrays[s.r];
        std::optional<Array> made_now;
        if (s.kind <= 2 && p) made_now = cut(*p, s.cut);
        else if (s.kind == 3 && p && q) made_now = combined(*p, *q, [](float u, float v) { return u - v; });
        else if (s.kind == 4 && p && q)
          made_now = combined(*p, *q, [](float u, float v) { return u > v || (u == v && !std::signbit(u)) ? u : v; });
        else if (s.kind == 5 && p) made_now = made(p->dims, [&](const Dims& at) { return -element(*p, at); });
        else if (s.kind == 6 && p) made_now = made({p->dims[1], p->dims[0]}, [&](const Dims& at) { return element(*p, {at[1], at[0]}); });
        else if (s.kind == 7 && p && q && r) {
          if (const auto less = combined(*p, *q, [](float u, float v) { return u < v ? 1.f : 0.f; }))
            if (const auto chosen = broadcast(q->dims, r->dims))
              if (const auto all = broadcast(less->dims, *chosen))
                made_now = made(*all, [&](const Dims& at) { return element(*less, at) != 0 ? element(*q, at) : element(*r, at); });
        }
        legal = legal && made_now;
        arrays.push_back(std::move(made_now));
      }
      // A step that nobody reads may be refused or not: dead nodes have guards, too.
      if (!legal && arrays.back()) continue;
      ++(legal ? ran : refused);
      expect_run(*context, in, legal ? arrays.back() : std::nullopt,
                 formatted("graph {} at {} and {}\n{}", g, to_string(in[0].dims), to_string(in[1].dims), print_graph(b.graph)));
      if (::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure()) return;
    }
  }
  EXPECT_GT(ran, 100);
  EXPECT_GT(refused, 10);
}

TEST(ContextBroadcast, MapsThatAreTakenToBeEqualSayWhatTheyRefuse) {
  // A pyramid: a map and its half, enlarged again. Equal for even sizes; 1 against 2 is ONNX's, but not here.
  Builder b(4);
  const ValueId x = b.input("x", {-1, 4, -2, 8});
  b.output(b.plus(b.conv(x, 4, 1), b.enlarge(b.conv(x, 4, 3, 2), 2)));
  // The width is a number: nothing is assumed of it.
  ASSERT_EQ(b.graph.guards.size(), 1u);
  const auto context = context_of(compiled(b.graph));
  std::mt19937_64 random(2);
  const auto code = [&](int64_t height) {
    Tensor in({1, 4, height, 8}, random);
    TensorView y;
    return context->run({&in.view, 1}, {&y, 1}).code();
  };
  EXPECT_EQ(code(2), Code::ok);
  EXPECT_EQ(code(16), Code::ok);
  EXPECT_EQ(code(7), Code::invalid_argument) << "7 against 8 is nobody's";
  EXPECT_EQ(code(1), Code::unimplemented) << "1 against 2 broadcasts";
}

}  // namespace
}  // namespace anydim
