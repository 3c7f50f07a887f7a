// SPDX-License-Identifier: Apache-2.0
// The rows of convert_rows.h as plain loops, which the compiler turns into vectors. Include it INSIDE an anonymous namespace in a
// file of one instruction set, after <cmath>, <cstdint>, <limits>, <type_traits> and convert_rows.h. Where the instruction set has AVX2,
// include vectors_avx2.inl.h (and, with AVX-512, vectors_avx512.inl.h) before it: what is most frequent stays in registers there.

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

// --- functions of two -------------------------------------------------------------------------------------------------

inline void read_real(const CombineRow& row, int i, DType t, int64_t r, int64_t at, int64_t n, float* __restrict real) {
  const RowFactor scale{row.in_scale[i], 0}, zero{row.in_zero[i], 0};
  const auto read = [&](const auto* x) {
    x += r * row.in_apart[i];
    if (row.step[i] == 0) {
      to_real(x, scale, zero, 1, real);
      const float one = real[0];
      for (int64_t k = 1; k < n; ++k) real[k] = one;
    } else {
      to_real(x + at, scale, zero, n, real);
    }
  };
  if (t == DType::f32) read(static_cast<const float*>(row.in[i]));
  else if (t == DType::i8) read(static_cast<const int8_t*>(row.in[i]));
  else read(static_cast<const uint8_t*>(row.in[i]));
}

// NaN if either is NaN; +0 > -0 (docs/numerics.md, section 4).
inline float larger(float a, float b) { return a != a || b != b ? a + b : a > b ? a : b > a ? b : __builtin_signbit(a) ? b : a; }
inline float smaller(float a, float b) { return a != a || b != b ? a + b : a < b ? a : b < a ? b : __builtin_signbit(a) ? a : b; }

#ifdef __AVX2__
template <BinaryFunction F> inline Reals combined(Reals x, Reals y) {
  return F == BinaryFunction::add ? x + y : F == BinaryFunction::sub ? x - y : F == BinaryFunction::mul ? x * y : x / y;
}
// All rows of sums, differences, products or quotients; false: of another function, nothing is done. load(i, row, at, n) gives n
// elements of input i, store(y, row, at, n) takes them.
template <BinaryFunction F, class Load, class Store> inline void combine_all(const CombineRow& row, const Load& load, const Store& store) {
  for (int64_t r = 0; r < row.rows; ++r)
    for (int64_t at = 0; at < row.n; at += Reals::kLanes) {
      const int64_t left = row.n - at, n = left < Reals::kLanes ? left : Reals::kLanes;
      store(combined<F>(load(0, r, at, n), load(1, r, at, n)), r, at, n);
    }
}
// The largest magnitude of a real number that stands for one of `t`.
inline float most_real(DType t, float scale, float zero) {
  const float low = (t == DType::i8 ? -128.f : 0.f) - zero, high = (t == DType::i8 ? 127.f : 255.f) - zero;
  return __builtin_fabsf(scale) * (__builtin_fabsf(low) > __builtin_fabsf(high) ? __builtin_fabsf(low) : __builtin_fabsf(high));
}
#ifdef __AVX512F__
// V vectors of columns of all rows, of bytes alone, whose quotients are numbers of at most 30 bits. kOnce: input 1 is the same in all rows.
template <BinaryFunction F, int V, bool kOnce, class A, class B, class To>
void combine_columns(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, int64_t c, int64_t n) {
  const auto* a = static_cast<const A*>(row.in[0]) + c;
  const auto* b = static_cast<const B*>(row.in[1]) + c;
  auto* to = static_cast<To*>(row.out) + c;
  const auto of_vector = [n](int v) { return n - 16 * v < 16 ? n - 16 * v : int64_t{16}; };
  const __m512i zero = _mm512_maskz_cvtps_epi32(0xFFFF, write.zero.v);
  const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __mmask64 mask = n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
  Reals y[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) y[v] = read[1](b + 16 * v, of_vector(v));
  for (int64_t r = 0; r < row.rows; ++r, a += row.in_apart[0], b += row.in_apart[1], to += row.out_apart) {
    __m512i whole[4] = {};
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      const int64_t lanes = v + 1 < V ? 16 : of_vector(v);
      const Reals x = read[0](a + 16 * v, lanes);
      const Reals z = combined<F>(x, kOnce ? y[v] : read[1](b + 16 * v, lanes));
      whole[v] = _mm512_add_epi32(_mm512_maskz_cvtps_epi32(0xFFFF, (z / write.scale).v), zero);
    }
    const __m512i first = _mm512_packs_epi32(whole[0], whole[1]), second = _mm512_packs_epi32(whole[2], whole[3]);
    const __m512i bytes =
        _mm512_permutexvar_epi32(in_order, std::is_signed_v<To> ? _mm512_packs_epi16(first, second) : _mm512_packus_epi16(first, second));
    if (V == 4 && n >= 64) _mm512_storeu_si512(to, bytes);
    else _mm512_mask_storeu_epi8(to, mask, bytes);
  }
}
template <BinaryFunction F, class A, class B, class To>
void combine_bytes_as(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write) {
  const auto columns = [&](auto vectors, int64_t c, int64_t n) {
    constexpr int V = decltype(vectors)::value;
    if (row.in_apart[1] == 0 || row.rows == 1) combine_columns<F, V, true, A, B, To>(row, read, write, c, n);
    else combine_columns<F, V, false, A, B, To>(row, read, write, c, n);
  };
  int64_t c = 0;
  if (row.rows == 1 && row.n >= 128) {
    // One long row is many short ones.
    CombineRow parts = row;
    parts.rows = row.n / 64;
    parts.in_apart[0] = parts.in_apart[1] = parts.out_apart = 64;
    combine_columns<F, 4, false, A, B, To>(parts, read, write, 0, 64);
    c = parts.rows * 64;
  }
  for (; c < row.n; c += 64) {
    const int64_t n = row.n - c < 64 ? row.n - c : 64;
    if (n > 48) columns(std::integral_constant<int, 4>{}, c, n);
    else if (n > 32) columns(std::integral_constant<int, 3>{}, c, n);
    else if (n > 16) columns(std::integral_constant<int, 2>{}, c, n);
    else columns(std::integral_constant<int, 1>{}, c, n);
  }
}
#else
// 32 columns of all rows, of bytes alone, without dividing; see quick_number() of vectors_avx512.inl.h. kOnce: input 1 is the same in all
// rows.
template <BinaryFunction F, bool kOnce, class T>
__attribute__((noinline)) void combine_columns(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, int64_t c) {
  const auto* a = static_cast<const T*>(row.in[0]) + c;
  const auto* b = static_cast<const T*>(row.in[1]) + c;
  auto* to = static_cast<T*>(row.out) + c;
  const __m256 quick = _mm256_div_ps(_mm256_set1_ps(0x1p14f), write.scale.v);
  const __m256 centre = _mm256_add_ps(_mm256_mul_ps(write.zero.v, _mm256_set1_ps(0x1p14f)), _mm256_set1_ps(0x1p13f + 1));
  const __m256i low = _mm256_set1_epi32((1 << 14) - 4), in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  Reals y[4];
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) y[v] = read[1](b + 8 * v, 8);
  for (int64_t r = 0; r < row.rows; ++r, a += row.in_apart[0], b += row.in_apart[1], to += row.out_apart) {
    const auto of_row = [&](int v) { return combined<F>(read[0](a + 8 * v, 8), kOnce ? y[v] : read[1](b + 8 * v, 8)); };
    __m256i whole[4], clear = _mm256_set1_epi32(-1);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m256i q = _mm256_cvtps_epi32(_mm256_fmadd_ps(of_row(v).v, quick, centre));
      clear = _mm256_min_epu32(clear, _mm256_and_si256(q, low));
      whole[v] = _mm256_srai_epi32(q, 14);
    }
    clear = _mm256_cmpeq_epi32(clear, _mm256_setzero_si256());
    if (__builtin_expect(_mm256_testz_si256(clear, clear) == 0, 0)) {
      T bytes[32];  // `to` may be an input
      for (int v = 0; v < 4; ++v) write(of_row(v), bytes + 8 * v, 8);
      __builtin_memcpy(to, bytes, sizeof bytes);
      continue;
    }
    const __m256i first = _mm256_packs_epi32(whole[0], whole[1]), second = _mm256_packs_epi32(whole[2], whole[3]);
    const __m256i bytes = std::is_signed_v<T> ? _mm256_packs_epi16(first, second) : _mm256_packus_epi16(first, second);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(bytes, in_order));
  }
}
// The most whole 32 columns of each row; how many.
template <BinaryFunction F, class T> int64_t combine_most(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write) {
  if (row.rows == 1) {
    // One long row is many short ones.
    CombineRow parts = row;
    parts.rows = row.n / 32;
    parts.in_apart[0] = parts.in_apart[1] = parts.out_apart = 32;
    if (parts.rows > 0) combine_columns<F, false, T>(parts, read, write, 0);
    return parts.rows * 32;
  }
  int64_t c = 0;
  for (; c + 32 <= row.n; c += 32)
    if (row.in_apart[1] == 0) combine_columns<F, true, T>(row, read, write, c);
    else combine_columns<F, false, T>(row, read, write, c);
  return c;
}
#endif
// Sums and products of u8, or of i8, in tame ranges: the first columns of each row, how many.
template <BinaryFunction F>
int64_t combine_bytes(const CombineRow& row, DType a, DType b, DType out, const VectorRead (&read)[2], const VectorWrite& write) {
  if constexpr (F == BinaryFunction::add || F == BinaryFunction::mul) {
    if (a != b || a != out || (a != DType::u8 && a != DType::i8) || row.step[0] != 1 || row.step[1] != 1 || row.out_scale == nullptr)
      return 0;
    float most[2];
    for (int i = 0; i < 2; ++i)
      most[i] = most_real(a, row.in_scale[i] == nullptr ? 1.f : *row.in_scale[i], row.in_zero[i] == nullptr ? 0.f : *row.in_zero[i]);
    const float most_result = F == BinaryFunction::add ? most[0] + most[1] : most[0] * most[1], scale = *row.out_scale;
#ifdef __AVX512F__
    if (!(most_result <= scale * 0x1p29f && scale > 0.f && scale < 0x1p98f)) return 0;  // no infinity is compared
    if (a == DType::u8) combine_bytes_as<F, uint8_t, uint8_t, uint8_t>(row, read, write);
    else combine_bytes_as<F, int8_t, int8_t, int8_t>(row, read, write);
    return row.n;
#else
    if (!(most_result <= scale * 0x1p16f && scale > 0x1p-100f && scale < 0x1p100f)) return 0;
    return a == DType::u8 ? combine_most<F, uint8_t>(row, read, write) : combine_most<F, int8_t>(row, read, write);
#endif
  } else {
    return 0;
  }
}
template <BinaryFunction F> bool combine_vectors(const CombineRow& all, DType a, DType b, DType out) {
  constexpr bool kPlain = F == BinaryFunction::add || F == BinaryFunction::sub || F == BinaryFunction::mul || F == BinaryFunction::div;
  if constexpr (kPlain) {
    const DType dtypes[2] = {a, b};
    const auto factor = [](const float* f, float absent) { return f == nullptr ? absent : *f; };
    CombineRow row = all;
    const VectorRead read[2] = {{factor(row.in_scale[0], 1.f), factor(row.in_zero[0], 0.f)},
                                {factor(row.in_scale[1], 1.f), factor(row.in_zero[1], 0.f)}};
    const VectorWrite write(row.out_scale, row.out_zero);
    if (const int64_t done = combine_bytes<F>(row, a, b, out, read, write); done > 0) {
      row.n -= done;
      row.out = static_cast<std::byte*>(row.out) + done;
      for (auto& in : row.in) in = static_cast<const std::byte*>(in) + done;
    }
    const auto load_as = [&](auto tag, int i, int64_t r, int64_t at, int64_t n) {
      return read[i](static_cast<const decltype(tag)*>(row.in[i]) + r * row.in_apart[i] + at, n);
    };
    const auto store_as = [&](auto tag, Reals y, int64_t r, int64_t at, int64_t n) {
      write(y, static_cast<decltype(tag)*>(row.out) + r * row.out_apart + at, n);
    };
    // The commonest: numbers of the result's dtype, side by side, of both or beside real ones.
    const bool bytes = a == DType::u8 && out == DType::u8 && row.step[0] != 0 && row.step[1] != 0;
    const auto store_bytes_of = [&](Reals y, int64_t r, int64_t at, int64_t n) { store_as(uint8_t{}, y, r, at, n); };
    if (bytes && b == DType::u8) {
      combine_all<F>(
          row, [&](int i, int64_t r, int64_t at, int64_t n) { return load_as(uint8_t{}, i, r, at, n); }, store_bytes_of);
      return true;
    }
    if (bytes && b == DType::f32) {
      const auto load = [&](int i, int64_t r, int64_t at, int64_t n) {
        return i == 0 ? load_as(uint8_t{}, 0, r, at, n) : load_as(float{}, 1, r, at, n);
      };
      combine_all<F>(row, load, store_bytes_of);
      return true;
    }
    const auto load = [&](int i, int64_t r, int64_t at, int64_t n) {
      const bool one = row.step[i] == 0;
      const int64_t from = one ? 0 : at, count = one ? 1 : n;
      const Reals x = dtypes[i] == DType::f32  ? load_as(float{}, i, r, from, count)
                      : dtypes[i] == DType::i8 ? load_as(int8_t{}, i, r, from, count)
                                               : load_as(uint8_t{}, i, r, from, count);
      return one ? x.first() : x;
    };
    const auto store = [&](Reals y, int64_t r, int64_t at, int64_t n) {
      switch (out) {
        case DType::f32: store_as(float{}, y, r, at, n); break;
        case DType::i8: store_as(int8_t{}, y, r, at, n); break;
        default: store_as(uint8_t{}, y, r, at, n); break;
      }
    };
    combine_all<F>(row, load, store);
    return true;
  } else {
    return false;
  }
}
#else
template <BinaryFunction F> bool combine_vectors(const CombineRow&, DType, DType, DType) { return false; }
#endif

template <BinaryFunction F> void combine_row(const CombineRow& row, DType a, DType b, DType out) noexcept {
  if (combine_vectors<F>(row, a, b, out)) return;
  alignas(64) float x[kConvertedAtOnce], y[kConvertedAtOnce];
  for (int64_t r = 0; r < row.rows; ++r)
    for (int64_t at = 0; at < row.n; at += kConvertedAtOnce) {
      const int64_t n = row.n - at < kConvertedAtOnce ? row.n - at : kConvertedAtOnce, to = r * row.out_apart + at;
      read_real(row, 0, a, r, at, n, x);
      read_real(row, 1, b, r, at, n, y);
      for (int64_t i = 0; i < n; ++i) {
        if constexpr (F == BinaryFunction::add) x[i] = x[i] + y[i];
        else if constexpr (F == BinaryFunction::sub) x[i] = x[i] - y[i];
        else if constexpr (F == BinaryFunction::mul) x[i] = x[i] * y[i];
        else if constexpr (F == BinaryFunction::div) x[i] = x[i] / y[i];
        else if constexpr (F == BinaryFunction::max) x[i] = larger(x[i], y[i]);
        else x[i] = smaller(x[i], y[i]);
      }
      const RowFactor scale{row.out_scale, 0}, zero{row.out_zero, 0};
      if (out == DType::f32) to_number(x, scale, zero, n, static_cast<float*>(row.out) + to);
      else if (out == DType::i8) to_number(x, scale, zero, n, static_cast<int8_t*>(row.out) + to);
      else to_number(x, scale, zero, n, static_cast<uint8_t*>(row.out) + to);
    }
}

inline CombineFunction combines(BinaryFunction f) noexcept {
  switch (f) {
    case BinaryFunction::add: return combine_row<BinaryFunction::add>;
    case BinaryFunction::sub: return combine_row<BinaryFunction::sub>;
    case BinaryFunction::mul: return combine_row<BinaryFunction::mul>;
    case BinaryFunction::div: return combine_row<BinaryFunction::div>;
    case BinaryFunction::max: return combine_row<BinaryFunction::max>;
    case BinaryFunction::min: return combine_row<BinaryFunction::min>;
    default: return nullptr;
  }
}

// --- tables ----------------------------------------------------------------------------------------------------------

#ifdef __AVX2__
// Sixteen tables of sixteen. A shuffle gives an element of a table for an index of 0 to 127, by its low bits, and 0 for a negative one: so
// tables hold what differs from the one before, and each counts for the indices at or above its own. Both halves of the indices begin at 0;
// what is negative then stays so. Tables without a difference are left out.
struct Differences {
  struct Part {
    __m128i table, first;  // the least index it counts for
  };
  Part parts[2][8];  // of each half
  int count[2] = {};
};
inline Differences differences_of(const uint8_t* table) {
  Differences d;
  for (int t = 0; t < 16; ++t) {
    const auto part = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * i)); };
    const __m128i difference = t % 8 == 0 ? part(t) : _mm_xor_si128(part(t), part(t - 1));
    int& count = d.count[t / 8];
    if (_mm_testz_si128(difference, difference) == 0) d.parts[t / 8][count++] = {difference, _mm_set1_epi8(static_cast<char>(t % 8 * 16))};
  }
  return d;
}
constexpr int kLookedUp = 4;  // vectors at once
inline void look_up_vectors(const Differences& d, const uint8_t* from, uint8_t* to) {
  __m256i x[kLookedUp], y[kLookedUp];
#pragma GCC unroll 4
  for (int i = 0; i < kLookedUp; ++i) {
    x[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32 * i));
    y[i] = _mm256_setzero_si256();
  }
  for (int half = 0; half < 2; ++half) {
    for (int t = 0; t < d.count[half]; ++t) {
      const __m256i table = _mm256_broadcastsi128_si256(d.parts[half][t].table),
                    first = _mm256_broadcastsi128_si256(d.parts[half][t].first);
#pragma GCC unroll 4
      for (int i = 0; i < kLookedUp; ++i) y[i] = _mm256_xor_si256(y[i], _mm256_shuffle_epi8(table, _mm256_subs_epi8(x[i], first)));
    }
#pragma GCC unroll 4
    for (int i = 0; i < kLookedUp; ++i) x[i] = _mm256_xor_si256(x[i], _mm256_set1_epi8(static_cast<char>(0x80)));
  }
#pragma GCC unroll 4
  for (int i = 0; i < kLookedUp; ++i) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32 * i), y[i]);
}
#endif
[[maybe_unused]] void look_up_row(const uint8_t* table, const uint8_t* from, uint8_t* to, int64_t n) noexcept {
  int64_t i = 0;
#ifdef __AVX2__
  constexpr int64_t kBytes = 32 * kLookedUp;
  if (n >= kBytes / 2) {
    const Differences d = differences_of(table);
    for (; i + kBytes <= n; i += kBytes) look_up_vectors(d, from + i, to + i);
    if (n - i >= kBytes / 4) {
      uint8_t last[kBytes] = {};
      __builtin_memcpy(last, from + i, static_cast<size_t>(n - i));
      look_up_vectors(d, last, last);
      __builtin_memcpy(to + i, last, static_cast<size_t>(n - i));
      return;
    }
  }
#endif
  for (; i < n; ++i) to[i] = table[from[i]];
}

// --- the range of a tensor --------------------------------------------------------------------------------------------

Extremes range_of_rows(const RangeJob& job) noexcept {
  Extremes e;
  bool number = true;
  const auto take = [&](float x) {
    e.low = x < e.low ? x : e.low;
    e.high = x > e.high ? x : e.high;
    number = number && x == x;
  };
  int64_t done = 0;  // columns of each row
#ifdef __AVX2__
  if (job.column_step == 1 && job.columns >= 8) {
    constexpr int kAtOnce = 4;
    __m256 low[kAtOnce], high[kAtOnce], none[kAtOnce];
    for (int i = 0; i < kAtOnce; ++i) low[i] = high[i] = none[i] = _mm256_setzero_ps();
    const auto eight = [&](const float* p, int i) {
      const __m256 x = _mm256_loadu_ps(p);
      low[i] = _mm256_min_ps(x, low[i]);  // NaN of x is passed over
      high[i] = _mm256_max_ps(x, high[i]);
      none[i] = _mm256_or_ps(none[i], _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    };
    done = job.columns & ~INT64_C(7);
    for (int64_t r = 0; r < job.rows; ++r) {
      const float* const row = job.x + r * job.row_step;
      int64_t c = 0;
      for (; c + 8 * kAtOnce <= done; c += 8 * kAtOnce)
#pragma GCC unroll 4
        for (int i = 0; i < kAtOnce; ++i) eight(row + c + 8 * i, i);
      for (; c < done; c += 8) eight(row + c, 0);
    }
    alignas(32) float ends[2][8];
    for (int i = 1; i < kAtOnce; ++i) {
      low[0] = _mm256_min_ps(low[0], low[i]);
      high[0] = _mm256_max_ps(high[0], high[i]);
      none[0] = _mm256_or_ps(none[0], none[i]);
    }
    _mm256_store_ps(ends[0], low[0]);
    _mm256_store_ps(ends[1], high[0]);
    for (const auto& end : ends)
      for (const float x : end) take(x);
    number = number && _mm256_movemask_ps(none[0]) == 0;
  }
#endif
  for (int64_t r = 0; done < job.columns && r < job.rows; ++r)
    for (int64_t c = done; c < job.columns; ++c) take(job.x[r * job.row_step + c * job.column_step]);
  if (!number) e.low = e.high = std::numeric_limits<float>::quiet_NaN();
  return e;
}
