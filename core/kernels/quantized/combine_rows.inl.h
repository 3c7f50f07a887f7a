// SPDX-License-Identifier: Apache-2.0
// Functions of two rows (convert_rows.h) whose numbers stand for real ones. Include it INSIDE an anonymous namespace, after
// convert_rows.inl.h, whose reads and writes it has.

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
