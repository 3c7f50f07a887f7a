// SPDX-License-Identifier: Apache-2.0
// Conversions of rows (convert_rows.h) as plain loops, which the compiler turns into vectors. Include it INSIDE an anonymous namespace in a
// file of one instruction set, after <cmath>, <cstdint>, <limits>, <type_traits> and convert_rows.h. Where the instruction set has AVX2,
// include bytes_avx2.inl.h (and, with AVX-512, bytes_avx512.inl.h) before it: what is most frequent stays in registers there.

constexpr int64_t kConvertedAtOnce = 256;  // elements that lie in buffers of their own between the loops

// real[i] = scale * (x[i] - zero point); whole numbers are subtracted exactly, i32 becomes a float first and has no zero point.
template <class From>
inline void to_real(const From* __restrict x, const RowFactor& scale, const RowFactor& zero, int64_t n, float* __restrict real) {
  if constexpr (std::is_same_v<From, float>) {
    for (int64_t i = 0; i < n; ++i) real[i] = x[i];
    return;
  } else {
    if (zero.at == nullptr) {
      for (int64_t i = 0; i < n; ++i) real[i] = static_cast<float>(x[i]);
    } else if (zero.step == 0) {
      const auto z = static_cast<int32_t>(*zero.at);
      for (int64_t i = 0; i < n; ++i) real[i] = static_cast<float>(static_cast<int32_t>(x[i]) - z);
    } else {
      for (int64_t i = 0; i < n; ++i) real[i] = static_cast<float>(x[i]) - zero.at[i];
    }
    if (scale.at == nullptr) return;
    if (scale.step == 0) {
      const float s = *scale.at;
      for (int64_t i = 0; i < n; ++i) real[i] *= s;
    } else {
      for (int64_t i = 0; i < n; ++i) real[i] *= scale.at[i];
    }
  }
}

// Rounds to nearest even, shifts, saturates; NaN gives 0. Buffers of 32 bits between, so that each loop is of one width.
template <class To>
inline void to_number(float* __restrict real, const RowFactor& scale, const RowFactor& zero, int64_t n, To* __restrict out) {
  if (scale.at != nullptr && scale.step == 0) {
    const float s = *scale.at;
    for (int64_t i = 0; i < n; ++i) real[i] /= s;
  } else if (scale.at != nullptr) {
    for (int64_t i = 0; i < n; ++i) real[i] /= scale.at[i];
  }
  if constexpr (std::is_same_v<To, float>) {
    for (int64_t i = 0; i < n; ++i) out[i] = real[i];
  } else {
    // The largest float that is a number of the dtype, or the next: i32 saturates above it.
    constexpr bool kWide = std::is_same_v<To, int32_t>;
    constexpr float kLow = static_cast<float>(std::numeric_limits<To>::lowest());
    constexpr float kHigh = kWide ? 0x1.fffffep30f : static_cast<float>(std::numeric_limits<To>::max());
    const auto number = [](float y, float z) {
      float r = __builtin_rintf(y) + z;
      const bool above = r > kHigh;
      r = r < kLow ? kLow : r;
      r = above ? kHigh : r;
      r = r != r ? 0.f : r;
      auto v = static_cast<int32_t>(r);
      if constexpr (kWide) v = above ? std::numeric_limits<int32_t>::max() : v;
      return v;
    };
    alignas(64) int32_t whole[kConvertedAtOnce];
    if (zero.at == nullptr || zero.step == 0) {
      const float z = zero.at == nullptr ? 0.f : *zero.at;
      for (int64_t i = 0; i < n; ++i) whole[i] = number(real[i], z);
    } else {
      for (int64_t i = 0; i < n; ++i) whole[i] = number(real[i], zero.at[i]);
    }
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<To>(whole[i]);
  }
}

#ifdef __AVX2__
// A factor that is one number for a whole run.
inline float one_of(const RowFactor& f, float absent) { return f.at == nullptr ? absent : *f.at; }

// A vector of real numbers of those that stand at `p`, f32 or of 8 bits.
struct VectorRead {
  Reals scale;
  int32_t zero;
  VectorRead(float s, float z) : scale(Reals::of(s)), zero(static_cast<int32_t>(z)) {}
  // The first n elements; the others are anything.
  Reals operator()(const float* p, int64_t n) const { return Reals::load(p, n); }
  template <class From> Reals operator()(const From* p, int64_t n) const { return Reals::numbers(p, n, zero) * scale; }
};
struct VectorWrite {
  bool divides;
  Reals scale, zero;
  VectorWrite(const float* s, const float* z)
      : divides(s != nullptr), scale(Reals::of(s == nullptr ? 1.f : *s)), zero(Reals::of(z == nullptr ? 0.f : *z)) {}
  template <class To> void operator()(Reals y, To* to, int64_t n) const {
    if (divides) y = y / scale;
    if constexpr (std::is_same_v<To, float>) y.store(to, n);
    else y.store_numbers(to, n, zero);
  }
};

// A run whose factors are one number each; false: nothing is done.
template <class From, class To> bool convert_vectors(const ConvertRow& r) {
  constexpr bool kReads = sizeof(From) == 1 || std::is_same_v<From, float>, kWrites = sizeof(To) == 1 || std::is_same_v<To, float>;
  if constexpr (kReads && kWrites) {
    const auto single = [](const RowFactor& f) { return f.at == nullptr || f.step == 0; };
    if (!single(r.in_scale) || !single(r.in_zero) || !single(r.out_scale) || !single(r.out_zero)) return false;
    const VectorRead read(one_of(r.in_scale, 1.f), one_of(r.in_zero, 0.f));
    const VectorWrite write(r.out_scale.at, r.out_zero.at);
    const auto* from = static_cast<const From*>(r.in);
    auto* to = static_cast<To*>(r.out);
    int64_t i = 0;
    if constexpr (std::is_same_v<From, float> && sizeof(To) == 1)
      if (r.out_scale.at != nullptr) i = quantize_many(from, *r.out_scale.at, one_of(r.out_zero, 0.f), r.n, to);
    for (; i + Reals::kLanes <= r.n; i += Reals::kLanes) write(read(from + i, Reals::kLanes), to + i, Reals::kLanes);
    if (i < r.n) write(read(from + i, r.n - i), to + i, r.n - i);
    return true;
  } else {
    return false;
  }
}
#else
template <class From, class To> bool convert_vectors(const ConvertRow&) { return false; }
#endif

template <class From, class To> void convert_row(const ConvertRow& row) noexcept {
  alignas(64) float real[kConvertedAtOnce];
  ConvertRow r = row;
  if (convert_vectors<From, To>(row)) return;
  const auto move = [](RowFactor* f, int64_t n) {
    if (f->at != nullptr) f->at += f->step * n;
  };
  for (int64_t left = r.n; left > 0; left -= kConvertedAtOnce) {
    const int64_t n = left < kConvertedAtOnce ? left : kConvertedAtOnce;
    const auto* from = static_cast<const From*>(r.in);
    auto* to = static_cast<To*>(r.out);
    if constexpr (std::is_same_v<To, float>) {
      if (r.out_scale.at == nullptr) {
        to_real(from, r.in_scale, r.in_zero, n, to);
      } else {
        to_real(from, r.in_scale, r.in_zero, n, real);
        to_number(real, r.out_scale, r.out_zero, n, to);
      }
    } else {
      to_real(from, r.in_scale, r.in_zero, n, real);
      to_number(real, r.out_scale, r.out_zero, n, to);
    }
    r.in = from + n;
    r.out = to + n;
    move(&r.in_scale, n);
    move(&r.in_zero, n);
    move(&r.out_scale, n);
    move(&r.out_zero, n);
  }
}

template <class From> ConvertFunction converted_to(DType to) noexcept {
  switch (to) {
    case DType::f32: return convert_row<From, float>;
    case DType::i8: return convert_row<From, int8_t>;
    case DType::u8: return convert_row<From, uint8_t>;
    default: return nullptr;
  }
}
inline ConvertFunction converts(DType from, DType to) noexcept {
  switch (from) {
    case DType::f32:
      return to == DType::i16 ? convert_row<float, int16_t> : to == DType::u16 ? convert_row<float, uint16_t> : converted_to<float>(to);
    case DType::i8: return converted_to<int8_t>(to);
    case DType::u8: return converted_to<uint8_t>(to);
    case DType::i16: return to == DType::f32 ? convert_row<int16_t, float> : nullptr;
    case DType::u16: return to == DType::f32 ? convert_row<uint16_t, float> : nullptr;
    case DType::i32: return converted_to<int32_t>(to);
    default: return nullptr;
  }
}
