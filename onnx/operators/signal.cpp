// SPDX-License-Identifier: Apache-2.0
// Signals: Fourier transforms of lines and of frames, windows, the matrix from frequencies to mels; and determinants.
#include "core/ops/operators/det.h"
#include "core/ops/operators/dft.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/range.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

constexpr int64_t kLongest = int64_t{1} << 30;  // of a transform or window whose length a run computes

// The only element of an optional integer input.
Dim number_of(NodeImport& n, size_t i, const char* what) {
  n.require_single(n.in(i), what);
  return n.element_of(n.cast(n.in(i), DType::i64), what);
}

// A signal whose last axis, the real and imaginary part, is declared: a run that finds real numbers alone has imaginary parts of 0.
ValueId with_parts(NodeImport& n, ValueId x) {
  SymDims dims = n.dims(x);
  if (!n.ok() || dims.rank < 1 || dims[dims.rank - 1].is_number()) return x;
  DimPool& pool = n.pool();
  const Dim parts = dims[dims.rank - 1];
  n.require(pool.mul(pool.less(0, parts), pool.less(parts, 3)), formatted("the last dim of the signal, {}, is 1 or 2", pool.text(parts)));
  SymDims none = SymDims::filled(dims.rank, 0), after = none;
  after[dims.rank - 1] = pool.max(pool.sub(2, parts), 0);
  dims[dims.rank - 1] = 2;
  return n.reshape(n.add(Pad::make(Pad::Mode::constant, none, after), {x, n.scalar(n.dtype(x), 0.0)}), dims);
}

void dft(NodeImport& n) {
  const ValueId x = with_parts(n, n.in(0));
  const int rank = n.rank(x);
  if (n.ok() && rank < 2) n.wrong("input 0 has rank {}; expected 2 or more", rank);
  DimPool& pool = n.pool();
  Dim axis = n.opset() < 20 ? Dim(n.integer("axis", 1)) : n.has(2) ? number_of(n, 2, "axis") : Dim(-2);
  if (n.ok() && axis.is_number() && (axis.number() < -rank || axis.number() >= rank))
    n.wrong("axis is {}; expected {} to {}", axis.number(), -rank, rank - 1);
  if (!n.ok()) return;
  axis = pool.select(pool.less(axis, 0), pool.add(axis, rank), axis);
  if (!axis.is_number()) n.require(pool.less(-1, axis), formatted("the axis is {} or more", -rank));
  Dft::Attributes a;
  a.inverse = n.integer("inverse", 0) != 0;
  a.onesided = n.integer("onesided", 0) != 0;
  a.axis = axis;
  if (n.has(1)) {
    a.length = number_of(n, 1, "dft_length");
    if (!a.length.is_number()) n.require(pool.less(0, a.length), formatted("dft_length, {}, is 1 or more", pool.text(a.length)));
    else if (a.length.number() < 1) n.wrong("dft_length is {}; expected 1 or more", a.length.number());
  } else {
    Dim length = 0;
    for (int i = 0; i + 1 < rank; ++i) length = pool.select(pool.equal(axis, i), n.dims(x)[i], length);
    a.length = a.inverse && a.onesided ? pool.max(pool.mul(pool.sub(length, 1), 2), 0) : length;
  }
  n.out(0, n.add(Dft::make(a), {x}));
}

ValueId counted(NodeImport& n, Dim start, Dim delta, Dim count) { return n.add(Range::make(DType::i64, start, delta, count), {}); }

// Frames of the signal, of which each is transformed.
void stft(NodeImport& n) {
  const ValueId input = n.in(0), wide = n.widened(input), x = n.rank(wide) == 3 ? with_parts(n, wide) : wide;
  if (n.ok() && n.rank(x) != 2 && n.rank(x) != 3) n.wrong("the signal has rank {}; expected 3", n.rank(x));
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  const SymDims dims = n.dims(x);
  const Dim parts = dims.rank == 3 ? dims[2] : Dim(1), step = number_of(n, 1, "frame_step");
  Dim length = dims[1];
  if (n.has(3)) length = number_of(n, 3, "frame_length");
  else if (n.has(2)) length = n.dims(n.in(2))[0];
  n.require(pool.less(0, step), formatted("frame_step, {}, is 1 or more", pool.text(step)));
  n.require(pool.less(0, length), formatted("frame_length, {}, is 1 or more", pool.text(length)));
  n.require(pool.less(length, pool.add(dims[1], 1)), formatted("frame_length, {}, is at most that of the signal", pool.text(length)));
  if (n.has(2)) n.require_equal(n.dims(n.in(2))[0], length, "length of the window");
  if (!n.ok()) return;
  const Dim stride = pool.max(step, 1), count = pool.max(pool.add(pool.floor_div(pool.sub(dims[1], length), stride), 1), 0);
  const ValueId first = n.reshape(counted(n, 0, stride, count), {count, 1}), within = counted(n, 0, 1, length);
  const ValueId index = n.reshape(n.binary(B::add, first, within), {pool.mul(count, length)});
  ValueId frames = n.add(Gather::make(1), {n.reshape(x, {dims[0], dims[1], parts}), index});
  frames = n.reshape(frames, {dims[0], count, length, parts});
  if (n.has(2)) frames = n.binary(B::mul, frames, n.reshape(n.widened(n.in(2)), {length, 1}));
  Dft::Attributes a;
  a.axis = 2;
  a.length = length;
  a.onesided = n.integer("onesided", 1) != 0;
  n.out(0, n.cast(n.add(Dft::make(a), {frames}), n.dtype(input)));
}

// --- windows -------------------------------------------------------------------------------------------------------

DType output_type(NodeImport& n) {
  Result<DType> t = dtype_of(static_cast<int32_t>(n.integer("output_datatype", kFloat)));
  if (t.ok()) return *t;
  n.fail(t.take_status());
  return DType::f32;
}

// cos(2 pi times i / period) for i from 0 to count - 1, in binary64. Angles are folded at pi in whole numbers, so that both sides are equal.
ValueId cosines(NodeImport& n, int64_t times, Dim period, Dim count) {
  DimPool& pool = n.pool();
  const ValueId whole = n.shape(DType::i64, {}, {pool.max(period, 1)});
  const ValueId place = n.binary(B::mod_floor, counted(n, 0, times, count), whole);
  const ValueId folded = n.cast(n.binary(B::min, place, n.binary(B::sub, whole, place)), DType::f64);
  return n.unary(U::cos, n.binary(B::mul, n.binary(B::div, folded, n.cast(whole, DType::f64)), n.scalar(DType::f64, 6.283185307179586)));
}

// a - b cos + c cos of the double angle; periodic windows leave out their last element.
template <int Kind> void window(NodeImport& n) {
  constexpr double kTerms[3][3] = {{0.5, 0.5, 0}, {25.0 / 46.0, 21.0 / 46.0, 0}, {0.42, 0.5, 0.08}};
  const DType t = output_type(n);
  n.require_single(n.in(0), "the size");
  const ValueId size = n.reshape(n.cast(n.in(0), DType::i64), {});
  const Dim count = n.value(size).shape_values.known ? n.element_of(size, "the size") : n.size_of(size, kLongest);
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  n.require(pool.less(-1, count), formatted("the size, {}, is not negative", pool.text(count)));
  const bool periodic = n.integer("periodic", 1) != 0;
  const Dim period = periodic ? count : pool.max(pool.sub(count, 1), 1);
  const auto number = [&](double v) { return n.scalar(DType::f64, v); };
  ValueId y = n.binary(B::sub, number(kTerms[Kind][0]), n.binary(B::mul, cosines(n, 1, period, count), number(kTerms[Kind][1])));
  if (kTerms[Kind][2] != 0) y = n.binary(B::add, y, n.binary(B::mul, cosines(n, 2, period, count), number(kTerms[Kind][2])));
  n.out(0, n.cast(y, t));
}

// --- mel ------------------------------------------------------------------------------------------------------------

// Triangles over the frequencies: up from the bin before to the bin, down to the bin behind. All in binary64.
void mel_weight_matrix(NodeImport& n) {
  const DType t = output_type(n);
  const auto scalar = [&](size_t i) { return n.reshape(n.cast(n.in(i), DType::f64), {}); };
  const auto number = [&](double v) { return n.scalar(DType::f64, v); };
  const auto sized = [&](size_t i, const char* what) {
    n.require_single(n.in(i), what);
    const ValueId v = n.reshape(n.cast(n.in(i), DType::i64), {});
    return n.value(v).shape_values.known ? n.element_of(v, what) : n.size_of(v, kLongest);
  };
  const Dim bins = sized(0, "num_mel_bins"), length = sized(1, "dft_length");
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  n.require(pool.less(-1, bins), formatted("num_mel_bins, {}, is not negative", pool.text(bins)));
  n.require(pool.less(-1, length), formatted("dft_length, {}, is not negative", pool.text(length)));
  const Dim rows = pool.add(pool.floor_div(length, 2), 1), edges = pool.add(bins, 2);
  const ValueId wide = scalar(1), rate = scalar(2);
  const auto mel = [&](ValueId hertz) {
    const ValueId log = n.unary(U::log, n.binary(B::add, number(1), n.binary(B::div, hertz, number(700))));
    return n.binary(B::mul, log, number(2595.0 / 2.302585092994045684));
  };
  const ValueId low = mel(scalar(3)), high = mel(scalar(4));
  const ValueId step = n.binary(B::div, n.binary(B::sub, high, low), n.cast(n.shape(DType::i64, {}, {edges}), DType::f64));
  const ValueId mels = n.binary(B::add, n.binary(B::mul, n.cast(counted(n, 0, 1, edges), DType::f64), step), low);
  const ValueId power = n.unary(U::exp, n.binary(B::mul, mels, number(2.302585092994045684 / 2595.0)));
  const ValueId hertz = n.binary(B::mul, number(700), n.binary(B::sub, power, number(1)));
  const ValueId place = n.unary(U::floor, n.binary(B::div, n.binary(B::mul, n.binary(B::add, wide, number(1)), hertz), rate));
  const auto edge = [&](int64_t first) { return n.slice(place, 0, first, bins); };
  const ValueId left = edge(0), centre = edge(1), right = edge(2);
  const ValueId row = n.reshape(n.cast(counted(n, 0, 1, rows), DType::f64), {rows, 1});
  const auto both = [&](ValueId a, ValueId b) { return n.binary(B::logical_and, a, b); };
  const ValueId rise = n.binary(B::sub, centre, left), fall = n.binary(B::sub, right, centre), zero = number(0);
  const auto safe = [&](ValueId d) { return n.binary(B::max, d, number(1)); };
  const ValueId up = n.binary(B::div, n.binary(B::sub, row, left), safe(rise)),
                down = n.binary(B::div, n.binary(B::sub, right, row), safe(fall));
  const ValueId rises = both(n.binary(B::less_equal, left, row), n.binary(B::less_equal, row, centre));
  const ValueId falls = both(n.binary(B::less_equal, centre, row), n.binary(B::less, row, right));
  const ValueId peak = both(n.binary(B::equal, rise, zero), n.binary(B::equal, row, centre));
  ValueId y = n.where(both(rises, n.binary(B::less, zero, rise)), up, n.where(peak, number(1), zero));
  y = n.where(falls, down, y);
  n.out(0, n.cast(y, t));
}

void det(NodeImport& n) { n.out(0, n.add(Det::make({}), {n.in(0)})); }

constexpr Importer kSignalOperators[] = {
    {"BlackmanWindow", 17, window<2>},
    {"DFT", 17, dft},
    {"Det", 11, det},
    {"HammingWindow", 17, window<1>},
    {"HannWindow", 17, window<0>},
    {"MelWeightMatrix", 17, mel_weight_matrix},
    {"STFT", 17, stft},
};

}  // namespace

std::span<const Importer> signal_importers() { return kSignalOperators; }

}  // namespace anydim::onnx
