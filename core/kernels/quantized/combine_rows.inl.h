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
template <BinaryFunction F, bool kAdds = false, class Load, class Store>
inline void combine_all(const CombineRow& row, const Load& load, const Store& store) {
  for (int64_t r = 0; r < row.rows; ++r)
    for (int64_t at = 0; at < row.n; at += Reals::kLanes) {
      const int64_t left = row.n - at, n = left < Reals::kLanes ? left : Reals::kLanes;
      Reals y = combined<F>(load(0, r, at, n), load(1, r, at, n));
      if constexpr (kAdds)
        if (row.addend != nullptr) {
          const float* const addend = row.addend + r * row.addend_apart;
          y = y + (row.addend_step == 0 ? Reals::of(*addend) : Reals::load(addend + at, n));
        }
      store(y, r, at, n);
    }
}
// The largest magnitude of a real number that stands for one of `t`.
inline float most_real(DType t, float scale, float zero) {
  const float low = (t == DType::i8 ? -128.f : 0.f) - zero, high = (t == DType::i8 ? 127.f : 255.f) - zero;
  return __builtin_fabsf(scale) * (__builtin_fabsf(low) > __builtin_fabsf(high) ? __builtin_fabsf(low) : __builtin_fabsf(high));
}
// The largest magnitude of n real numbers; NaN if one is.
inline float most_of(const float* x, int64_t n) {
  float most = 0;
  for (int64_t i = 0; i < n; ++i) {
    const float y = __builtin_fabsf(x[i]);
    most = y <= most ? most : y;
    if (most != most) break;
  }
  return most;
}
// Columns of bytes. Numbers of i8 are read as those of u8 that are 128 more. B: what input 1 is of, bytes or real numbers; these are the
// same in all rows, and so is an addend.
template <class B> constexpr bool is_real = std::is_same_v<B, float>;
#ifdef __AVX512F__
// n columns of all rows, whose quotients are numbers of at most 30 bits: 64, of four vectors (V), or at most 32, of two. kOnce: input 1 is
// the same in all.
template <BinaryFunction F, int V, bool kOnce, class B>
__attribute__((noinline)) void combine_columns(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed,
                                               int64_t c, int64_t n) {
  const auto* a = static_cast<const uint8_t*>(row.in[0]) + c;
  const auto* b = static_cast<const B*>(row.in[1]) + c;
  auto* to = static_cast<uint8_t*>(row.out) + c;
  const int32_t moved = is_signed ? 128 : 0;
  const __m512i flip = _mm512_set1_epi8(is_signed ? static_cast<char>(0x80) : '\0');
  const __m512i zero[2] = {_mm512_set1_epi32(read[0].zero + moved), _mm512_set1_epi32(read[1].zero + moved)};
  const __m512i out_zero = _mm512_maskz_cvtps_epi32(0xFFFF, _mm512_add_ps(write.zero.v, _mm512_set1_ps(static_cast<float>(moved))));
  const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const auto lanes_of = [n](int v) {
    if (V == 4) return int64_t{16};
    const int64_t left = n > 16 * v ? n - 16 * v : 0;
    return left < 16 ? left : 16;
  };
  const auto number = [&](int i, const uint8_t* p, int64_t lanes) {
    const __m128i bytes = _mm_xor_si128(_mm_maskz_loadu_epi8(Reals::first_of(lanes), p), _mm512_castsi512_si128(flip));
    return Reals{_mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_cvtepu8_epi32(bytes), zero[i]))} * read[i].scale;
  };
  const auto right = [&](const B* p, int64_t lanes) {
    if constexpr (is_real<B>) return Reals::load(p, lanes);
    else return number(1, p, lanes);
  };
  constexpr bool kAdds = F == BinaryFunction::mul && is_real<B>;
  Reals y[V], addend[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    y[v] = right(b + 16 * v, lanes_of(v));
    // -0 changes no number.
    if constexpr (kAdds) addend[v] = row.addend == nullptr ? Reals::of(-0.f) : Reals::load(row.addend + c + 16 * v, lanes_of(v));
  }
  for (int64_t r = 0; r < row.rows; ++r, a += row.in_apart[0], b += row.in_apart[1], to += row.out_apart) {
    __m512i whole[4] = {};
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      Reals z = combined<F>(number(0, a + 16 * v, lanes_of(v)), kOnce ? y[v] : right(b + 16 * v, lanes_of(v)));
      if constexpr (kAdds) z = z + addend[v];
      whole[v] = _mm512_add_epi32(_mm512_maskz_cvtps_epi32(0xFFFF, (z / write.scale).v), out_zero);
    }
    const __m512i bytes = _mm512_packus_epi16(_mm512_packs_epi32(whole[0], whole[1]), _mm512_packs_epi32(whole[2], whole[3]));
    const __m512i ordered = _mm512_xor_si512(_mm512_permutexvar_epi32(in_order, bytes), flip);
    if (V == 4) _mm512_storeu_si512(to, ordered);
    else _mm512_mask_storeu_epi8(to, (UINT64_C(1) << n) - 1, ordered);
  }
}
template <BinaryFunction F, class B>
int64_t combine_most(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed) {
  constexpr bool kReal = is_real<B>;
  int64_t c = 0;
  if (!kReal && row.rows == 1 && row.n >= 128) {
    // One long row is many short ones.
    CombineRow parts = row;
    parts.rows = row.n / 64;
    parts.in_apart[0] = parts.in_apart[1] = parts.out_apart = 64;
    combine_columns<F, 4, kReal, B>(parts, read, write, is_signed, 0, 64);
    c = parts.rows * 64;
  }
  const bool once = kReal || row.in_apart[1] == 0 || row.rows == 1;
  for (int64_t n; c < row.n; c += n) {
    n = row.n - c >= 64 ? 64 : row.n - c < 32 ? row.n - c : 32;
    if (n < 64) combine_columns<F, 2, kReal, B>(row, read, write, is_signed, c, n);
    else if (once) combine_columns<F, 4, true, B>(row, read, write, is_signed, c, n);
    else combine_columns<F, 4, kReal, B>(row, read, write, is_signed, c, n);
  }
  return row.n;
}
#else
// 32 columns of all rows, without dividing; see quick_number() of bytes_avx512.inl.h. kOnce: input 1 is the same in all.
template <BinaryFunction F, bool kOnce, class B>
__attribute__((noinline)) void combine_columns(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed,
                                               int64_t c) {
  const auto* a = static_cast<const uint8_t*>(row.in[0]) + c;
  const auto* b = static_cast<const B*>(row.in[1]) + c;
  auto* to = static_cast<uint8_t*>(row.out) + c;
  const int32_t moved = is_signed ? 128 : 0;
  const __m256i flip = _mm256_set1_epi8(is_signed ? static_cast<char>(0x80) : '\0');
  const __m256i zero[2] = {_mm256_set1_epi32(read[0].zero + moved), _mm256_set1_epi32(read[1].zero + moved)};
  const __m256 quick = _mm256_div_ps(_mm256_set1_ps(0x1p14f), write.scale.v);
  const __m256 centre =
      _mm256_add_ps(_mm256_mul_ps(_mm256_add_ps(write.zero.v, _mm256_set1_ps(static_cast<float>(moved))), _mm256_set1_ps(0x1p14f)),
                    _mm256_set1_ps(0x1p13f + 1));
  const __m256i low = _mm256_set1_epi32((1 << 14) - 4), in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const auto number = [&](int i, const uint8_t* p) {
    const __m128i bytes = _mm_xor_si128(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)), _mm256_castsi256_si128(flip));
    return Reals{_mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_cvtepu8_epi32(bytes), zero[i]))} * read[i].scale;
  };
  const auto right = [&](const B* p) {
    if constexpr (is_real<B>) return Reals::load(p, 8);
    else return number(1, p);
  };
  constexpr bool kAdds = F == BinaryFunction::mul && is_real<B>;
  Reals y[4], addend[4];
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v) {
    y[v] = right(b + 8 * v);
    // -0 changes no number.
    if constexpr (kAdds) addend[v] = row.addend == nullptr ? Reals::of(-0.f) : Reals::load(row.addend + c + 8 * v, 8);
  }
  for (int64_t r = 0; r < row.rows; ++r, a += row.in_apart[0], b += row.in_apart[1], to += row.out_apart) {
    const auto of_row = [&](int v) {
      const Reals z = combined<F>(number(0, a + 8 * v), kOnce ? y[v] : right(b + 8 * v));
      return kAdds ? z + addend[v] : z;
    };
    __m256i whole[4], clear = _mm256_set1_epi32(-1);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m256i q = _mm256_cvtps_epi32(_mm256_fmadd_ps(of_row(v).v, quick, centre));
      clear = _mm256_min_epu32(clear, _mm256_and_si256(q, low));
      whole[v] = _mm256_srai_epi32(q, 14);
    }
    clear = _mm256_cmpeq_epi32(clear, _mm256_setzero_si256());
    __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(whole[0], whole[1]), _mm256_packs_epi32(whole[2], whole[3]));
    bytes = _mm256_xor_si256(_mm256_permutevar8x32_epi32(bytes, in_order), flip);
    if (__builtin_expect(_mm256_testz_si256(clear, clear) == 0, 0)) {
      alignas(32) uint8_t numbers[32];  // `to` may be an input
      for (int v = 0; v < 4; ++v)
        if (is_signed) write(of_row(v), reinterpret_cast<int8_t*>(numbers) + 8 * v, 8);
        else write(of_row(v), numbers + 8 * v, 8);
      bytes = _mm256_load_si256(reinterpret_cast<const __m256i*>(numbers));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
  }
}
// The most whole 32 columns of each row; how many.
template <BinaryFunction F, class B>
int64_t combine_most(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed) {
  constexpr bool kReal = is_real<B>;
  if (!kReal && row.rows == 1) {
    // One long row is many short ones.
    CombineRow parts = row;
    parts.rows = row.n / 32;
    parts.in_apart[0] = parts.in_apart[1] = parts.out_apart = 32;
    if (parts.rows > 0) combine_columns<F, kReal, B>(parts, read, write, is_signed, 0);
    return parts.rows * 32;
  }
  int64_t c = 0;
  for (; c + 32 <= row.n; c += 32)
    if (kReal || row.in_apart[1] == 0) combine_columns<F, true, B>(row, read, write, is_signed, c);
    else combine_columns<F, kReal, B>(row, read, write, is_signed, c);
  return c;
}
#endif
// The same of rows whose right side is one number each, which is read once.
template <BinaryFunction F>
int64_t combine_with_one(const CombineRow& row, const VectorRead (&read)[2], const VectorWrite& write, bool is_signed) {
#ifdef __AVX512F__
  constexpr int64_t kColumns = 64;
#else
  constexpr int64_t kColumns = 32;
#endif
  uint8_t same[kColumns];
  CombineRow parts = row;
  parts.rows = row.n / kColumns;
  parts.in_apart[0] = parts.out_apart = kColumns;
  parts.in_apart[1] = 0;
  parts.in[1] = same;
  for (int64_t r = 0; parts.rows > 0 && r < row.rows; ++r) {
    __builtin_memset(same, static_cast<const uint8_t*>(row.in[1])[r * row.in_apart[1]], sizeof same);
    parts.in[0] = static_cast<const uint8_t*>(row.in[0]) + r * row.in_apart[0];
    parts.out = static_cast<uint8_t*>(row.out) + r * row.out_apart;
#ifdef __AVX512F__
    combine_columns<F, 4, true, uint8_t>(parts, read, write, is_signed, 0, kColumns);
#else
    combine_columns<F, true, uint8_t>(parts, read, write, is_signed, 0);
#endif
  }
  return parts.rows * kColumns;
}
// Sums and products of u8, or of i8, with each other or with real numbers that are the same in all rows, in tame ranges: the first columns
// of each row, how many.
constexpr int64_t kManyRows = 16;
template <BinaryFunction F>
int64_t combine_bytes(const CombineRow& row, DType a, DType b, DType out, const VectorRead (&read)[2], const VectorWrite& write) {
  if constexpr (F == BinaryFunction::add || F == BinaryFunction::mul) {
    const bool real = b == DType::f32;
    if ((a != b && !real) || a != out || (a != DType::u8 && a != DType::i8) || row.step[0] != 1) return 0;
    const bool one = row.step[1] == 0;  // else 1
    if (row.out_scale == nullptr || (one && (real || row.addend != nullptr))) return 0;
    if (real && (row.in_apart[1] != 0 || row.rows < kManyRows)) return 0;  // its range is searched for
    if (row.addend != nullptr && (!real || row.addend_step != 1 || row.addend_apart != 0)) return 0;
    float most[2];
    for (int i = 0; i < 2; ++i)
      most[i] = i == 1 && real
                    ? most_of(static_cast<const float*>(row.in[1]), row.n)
                    : most_real(a, row.in_scale[i] == nullptr ? 1.f : *row.in_scale[i], row.in_zero[i] == nullptr ? 0.f : *row.in_zero[i]);
    float most_result = F == BinaryFunction::add ? most[0] + most[1] : most[0] * most[1];
    if (row.addend != nullptr) most_result += most_of(row.addend, row.n);
    const float scale = *row.out_scale;
#ifdef __AVX512F__
    if (!(most_result <= scale * 0x1p29f && scale > 0.f && scale < 0x1p98f)) return 0;  // no infinity is compared
#else
    if (!(most_result <= scale * 0x1p16f && scale > 0x1p-100f && scale < 0x1p100f)) return 0;
#endif
    const bool is_signed = a == DType::i8;
    if (one) return combine_with_one<F>(row, read, write, is_signed);
    return real ? combine_most<F, float>(row, read, write, is_signed) : combine_most<F, uint8_t>(row, read, write, is_signed);
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
      for (int i = 0; i < 2; ++i)
        row.in[i] = static_cast<const std::byte*>(row.in[i]) + done * row.step[i] * (dtypes[i] == DType::f32 ? 4 : 1);
      if (row.addend != nullptr) row.addend += done;
    }
    const auto load_as = [&](auto tag, int i, int64_t r, int64_t at, int64_t n) {
      return read[i](static_cast<const decltype(tag)*>(row.in[i]) + r * row.in_apart[i] + at, n);
    };
    const auto store_as = [&](auto tag, Reals y, int64_t r, int64_t at, int64_t n) {
      write(y, static_cast<decltype(tag)*>(row.out) + r * row.out_apart + at, n);
    };
    // The commonest, where combine_bytes() has not made them: numbers of the result's dtype, side by side, of both or beside real ones.
    if constexpr (F == BinaryFunction::sub || F == BinaryFunction::div) {
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
    combine_all<F, F == BinaryFunction::mul>(row, load, store);
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
      if (F == BinaryFunction::mul && row.addend != nullptr) {
        const float* const addend = row.addend + r * row.addend_apart;
        for (int64_t i = 0; i < n; ++i) x[i] = x[i] + addend[(at + i) * row.addend_step];
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
