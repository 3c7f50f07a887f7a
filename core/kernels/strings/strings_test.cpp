// SPDX-License-Identifier: Apache-2.0
// Kernels on strings: by hand, against definitions over std::string, and what wrong views, bytes and automata give.
#include "core/kernels/strings/strings.h"

#include <algorithm>

#include "core/base/text/letter_case.h"
#include "core/base/text/utf8.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/count_string_pieces.h"
#include "core/ops/operators/ngram_counts.h"
#include "core/ops/operators/string_case.h"
#include "core/ops/operators/string_concat.h"
#include "core/ops/operators/string_equal.h"
#include "core/ops/operators/string_format.h"
#include "core/ops/operators/string_lookup.h"
#include "core/ops/operators/string_match.h"
#include "core/ops/operators/string_parse.h"
#include "core/ops/operators/string_split.h"
#include "core/ops/string_views.h"

namespace anydim::testing {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

template <class T> OwnedTensor filled(DType t, const Dims& d, const std::vector<T>& v, Layout layout = Layout::row_major) {
  OwnedTensor x(t, d, layout);
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &v[static_cast<size_t>(i)], sizeof(T)); });
  return x;
}
template <class T> std::vector<T> elements(const OwnedTensor& x) {
  std::vector<T> v;
  x.each([&](int64_t, std::byte* p) {
    T y;
    std::memcpy(&y, p, sizeof y);
    v.push_back(y);
  });
  return v;
}

struct Strings {
  OwnedTensor views, heap;
};
Strings strings_of(const Dims& d, const Texts& texts, Layout layout = Layout::row_major) {
  std::vector<uint8_t> bytes;
  Numbers views;
  for (const std::string& t : texts) {
    views.push_back(string_view_of(static_cast<int64_t>(bytes.size()), static_cast<int64_t>(t.size())));
    bytes.insert(bytes.end(), t.begin(), t.end());
  }
  return {filled(DType::i64, d, views, layout), filled(DType::u8, {static_cast<int64_t>(bytes.size())}, bytes)};
}
Texts texts_of(const OwnedTensor& views, const OwnedTensor& heap) {
  const auto bytes = elements<uint8_t>(heap);
  Texts texts;
  for (const int64_t v : elements<int64_t>(views)) {
    const auto first = bytes.begin() + string_offset(v);
    texts.emplace_back(first, first + string_length(v));
  }
  return texts;
}

Outcome outcome_of(const HostKernel& kernel, const OperatorPtr& op, std::vector<OwnedTensor> in) {
  testing::Run run{op.get()};
  run.in = std::move(in);
  Outcome o = run_kernel(kernel, run);
  EXPECT_EQ(o.refusal, nullptr);
  return o;
}

TEST(StringLookup, GivesThePlaceInASortedTableOrMinusOne) {
  const Strings x = strings_of({2, 3}, {"b", "", "é", "ab", "zz", "a"}, Layout::padded_rows),
                table = strings_of({4}, {"a", "ab", "b", "é"});
  const Outcome o = outcome_of(*kStringLookup, *StringLookup::make(StringLookup::Attributes{}), {x.views, x.heap, table.views, table.heap});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_EQ(elements<int64_t>(o.out[0]), (Numbers{2, -1, 3, 1, -1, 0}));
}

TEST(StringEqual, ComparesBytesAndBroadcasts) {
  const Strings a = strings_of({2, 2}, {"x", "y", "", "yy"}), b = strings_of({2}, {"x", "yy"});
  const Outcome o = outcome_of(*kStringEqual, *StringEqual::make(StringEqual::Attributes{}), {a.views, a.heap, b.views, b.heap});
  EXPECT_EQ(elements<uint8_t>(o.out[0]), (std::vector<uint8_t>{1, 0, 0, 1}));
}

TEST(StringConcat, JoinsPairsIntoAHeapWhoseRestIsZeros) {
  const Strings a = strings_of({2, 1}, {"ab", ""}), b = strings_of({3}, {"c", "", "éd"});
  const Outcome o = outcome_of(*kStringConcat, *StringConcat::make({20}), {a.views, a.heap, b.views, b.heap});
  EXPECT_EQ(texts_of(o.out[0], o.out[1]), (Texts{"abc", "ab", "abéd", "c", "", "éd"}));
  EXPECT_EQ(elements<uint8_t>(o.out[1])[19], 0);
  const Outcome tight = outcome_of(*kStringConcat, *StringConcat::make({10}), {a.views, a.heap, b.views, b.heap});
  EXPECT_EQ(tight.status.code(), Code::invalid_data);
}

TEST(StringCase, ChangesCharactersThatHaveOneOfTheOtherCase) {
  const Strings x = strings_of({5}, {"aÉß", "", "ÿ9", "ДжЖ", "ⱥ"});
  Outcome o = outcome_of(*kStringCase, *StringCase::make({true, 60}), {x.views, x.heap});
  EXPECT_EQ(texts_of(o.out[0], o.out[1]), (Texts{"AÉß", "", "Ÿ9", "ДЖЖ", "Ⱥ"}));
  o = outcome_of(*kStringCase, *StringCase::make({false, 60}), {x.views, x.heap});
  EXPECT_EQ(texts_of(o.out[0], o.out[1]), (Texts{"aéß", "", "ÿ9", "джж", "ⱥ"}));
}

TEST(StringCase, NoCharacterGrowsByMoreThanHalf) {
  char bytes[4];
  for (uint32_t c = 0; c <= 0x10FFFF; ++c) {
    const size_t length = utf8_encoded(c, bytes);
    for (const uint32_t other : {lower_case(c), upper_case(c)}) {
      char made[4];
      ASSERT_LE(2 * utf8_encoded(other, made), 3 * length) << c;
      ASSERT_TRUE(c >= 0xD800 && c < 0xE000 ? other == c : utf8_character({made, utf8_encoded(other, made)}) != 0) << c;
    }
  }
}

Texts pieces(StringRule rule, int64_t most_splits, const std::string& text) {
  const Strings x = strings_of({1}, {text});
  const Outcome counted = outcome_of(*kCountStringPieces, *CountStringPieces::make({rule, most_splits, 1}), {x.views, x.heap});
  const int64_t count = elements<int64_t>(counted.out[1])[0];
  const Outcome o = outcome_of(*kStringSplit, *StringSplit::make({rule, most_splits, 1, count}), {x.views, x.heap});
  return texts_of(o.out[0], x.heap);
}

TEST(StringSplit, WhitespaceIsWhatPythonSays) {
  EXPECT_EQ(pieces(StringRule::whitespace, -1, " a \t bc\n"), (Texts{"a", "bc"}));
  EXPECT_EQ(pieces(StringRule::whitespace, 1, " a  b c "), (Texts{"a", "b c "}));
  EXPECT_EQ(pieces(StringRule::whitespace, 0, " a  b "), (Texts{"a  b "}));
  EXPECT_EQ(pieces(StringRule::whitespace, -1, "a\u00a0b\u3000c"), (Texts{"a", "b", "c"}));
  EXPECT_EQ(pieces(StringRule::whitespace, -1, "  "), Texts{});
}
TEST(StringSplit, CharactersAreThoseOfUtf8) { EXPECT_EQ(pieces(StringRule::characters, -1, "aé€😀"), (Texts{"a", "é", "€", "😀"})); }

TEST(StringSplit, FewerPiecesThanThereArePlacesLeaveEmptyOnes) {
  const Strings x = strings_of({2}, {"ab", "c"});
  const Outcome o = outcome_of(*kStringSplit, *StringSplit::make({StringRule::characters, -1, 1, 3}), {x.views, x.heap});
  EXPECT_EQ(elements<int64_t>(o.out[0]), (Numbers{string_view_of(0, 1), string_view_of(1, 1), 0, string_view_of(2, 1), 0, 0}));
}

TEST(StringParse, GivesNumbersOfAnyLayoutAndNamesTheFirstStringThatIsNone) {
  const Strings x = strings_of({2, 2}, {"1.5", " -2", "7", "1e1"}, Layout::padded_rows);
  Outcome o = outcome_of(*kStringParse, *StringParse::make({DType::f32}), {x.views, x.heap});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_EQ(elements<float>(o.out[0]), (std::vector<float>{1.5f, -2, 7, 10}));
  o = outcome_of(*kStringParse, *StringParse::make({DType::i16}), {x.views, x.heap});
  EXPECT_EQ(o.status.message(), "string_parse: the string '1e1' is no number of i16");
  const Strings bytes = strings_of({5}, {"1", "255", "0", "256", "x"});
  o = outcome_of(*kStringParse, *StringParse::make({DType::u8}), {bytes.views, bytes.heap});
  EXPECT_EQ(o.status.message(), "string_parse: the string '256' is beyond the range of u8");
  const Strings flags = strings_of({3}, {"1", "0", "-7"});
  o = outcome_of(*kStringParse, *StringParse::make({DType::boolean}), {flags.views, flags.heap});
  EXPECT_EQ(elements<uint8_t>(o.out[0]), (std::vector<uint8_t>{1, 0, 1}));
}

TEST(StringParse, AmongManyItIsTheFirstThatIsNamed) {
  Texts texts(5000, "1");
  texts[3777] = "late";
  texts[1234] = "early";
  const Strings x = strings_of({5000}, texts);
  const Outcome o = outcome_of(*kStringParse, *StringParse::make({DType::f64}), {x.views, x.heap});
  EXPECT_NE(o.status.message().find("'early'"), std::string::npos) << o.status.message();
}

TEST(StringFormat, EachNumberHasItsOwnPlaceAndZerosBehind) {
  const auto x = filled<float>(DType::f32, {2, 2}, {1, -0.1f, 1e30f, 0}, Layout::padded_rows);
  Outcome o = outcome_of(*kStringFormat, *StringFormat::make(StringFormat::Attributes{}), {x});
  ASSERT_TRUE(o.status.ok()) << o.status.message();
  EXPECT_EQ(texts_of(o.out[0], o.out[1]), (Texts{"1", "-0.1", "1e+30", "0"}));
  EXPECT_EQ(elements<int64_t>(o.out[0])[1], string_view_of(15, 4));
  EXPECT_EQ(elements<uint8_t>(o.out[1])[1], 0);
  const auto i = filled<int64_t>(DType::i64, {2}, {INT64_MIN, 7});
  o = outcome_of(*kStringFormat, *StringFormat::make(StringFormat::Attributes{}), {i});
  EXPECT_EQ(texts_of(o.out[0], o.out[1]), (Texts{"-9223372036854775808", "7"}));
}

// What is wrong with views, bytes and automata is a status, for every kernel that reads them.
TEST(Strings, BadInputIsRefused) {
  const auto good = filled<uint8_t>(DType::u8, {4}, {'a', 'b', 'c', 'd'}), broken = filled<uint8_t>(DType::u8, {4}, {'a', 0xC3, 'c', 0x80});
  const auto table = strings_of({1}, {"a"});
  const auto classes = filled(DType::u8, {1, 256}, std::vector<uint8_t>(256, 0));
  const auto transitions = filled<int32_t>(DType::i32, {4, 2}, {0, 1, 2, 1, 4, 1, 6, 1});
  const auto refused = [&](int64_t view, const OwnedTensor& heap, const OwnedTensor& c, const OwnedTensor& t, bool utf8_only,
                           bool automata_only) {
    const auto x = filled<int64_t>(DType::i64, {2}, {0, view});
    const auto check = [](const Outcome& o, const char* what) {
      EXPECT_EQ(o.status.code(), Code::invalid_data) << what;
      EXPECT_FALSE(o.status.message().empty());
    };
    if (!utf8_only && !automata_only) {
      check(outcome_of(*kStringLookup, *StringLookup::make(StringLookup::Attributes{}), {x, heap, table.views, table.heap}), "lookup");
      check(outcome_of(*kStringLookup, *StringLookup::make(StringLookup::Attributes{}), {table.views, table.heap, x, heap}), "its table");
      check(outcome_of(*kStringParse, *StringParse::make({DType::f32}), {x, heap}), "parse");
      check(outcome_of(*kStringEqual, *StringEqual::make(StringEqual::Attributes{}), {table.views, table.heap, x, heap}), "equal");
      check(outcome_of(*kStringConcat, *StringConcat::make({99}), {x, heap, table.views, table.heap}), "concat");
    }
    if (!automata_only) {
      check(outcome_of(*kStringCase, *StringCase::make({true, 99}), {x, heap}), "case");
      for (const StringRule rule : {StringRule::whitespace, StringRule::characters}) {
        check(outcome_of(*kCountStringPieces, *CountStringPieces::make({rule, -1, 1}), {x, heap}), "count");
        check(outcome_of(*kStringSplit, *StringSplit::make({rule, -1, 1, 3}), {x, heap}), "split");
      }
    }
    check(outcome_of(*kStringMatch, *StringMatch::make(StringMatch::Attributes{}), {x, heap, c, t}), "match");
    check(outcome_of(*kCountStringPieces, *CountStringPieces::make({StringRule::tokens, -1, 1}), {x, heap, c, t}), "count by tokens");
    check(outcome_of(*kStringSplit, *StringSplit::make({StringRule::separators, -1, 1, 2}), {x, heap, c, t}), "split by separators");
  };
  for (const int64_t view : {string_view_of(0, 5), string_view_of(4, 1), string_view_of(5, 0), string_view_of(kLargestStringHeap - 1, 1),
                             int64_t{-1}, INT64_MIN, INT64_MAX})
    refused(view, good, classes, transitions, false, false);
  refused(string_view_of(1, 1), broken, classes, transitions, true, false);
  refused(string_view_of(3, 1), broken, classes, transitions, true, false);
  const int64_t view = string_view_of(0, 3);
  refused(view, good, filled(DType::u8, {1, 256}, std::vector<uint8_t>(256, 1)), transitions, false, true);
  refused(view, good, classes, filled<int32_t>(DType::i32, {4, 2}, {8, 1, 8, 1, 8, 1, 8, 1}), false, true);
  refused(view, good, classes, filled<int32_t>(DType::i32, {4, 2}, {INT32_MAX - 1, 0, 8, 1, 8, 1, 8, 1}), false, true);
  refused(view, good, classes, filled<int32_t>(DType::i32, {3, 2}, {0, 1, 0, 1, 0, 1}), false, true);
}

TEST(StringSplit, AnAutomatonThatNeverMatchesEndsWithAStatus) {
  // State 0 reads any byte and accepts nothing: each start reads to the end.
  const auto classes = filled(DType::u8, {1, 256}, std::vector<uint8_t>(256, 0));
  const auto transitions = filled<int32_t>(DType::i32, {4, 2}, {0, -2, 0, -2, 0, -2, 0, -2});
  const Strings x = strings_of({1}, {std::string(100'000, 'a')});
  const Outcome o =
      outcome_of(*kCountStringPieces, *CountStringPieces::make({StringRule::tokens, -1, 1}), {x.views, x.heap, classes, transitions});
  EXPECT_NE(o.status.message().find("too many steps"), std::string::npos);
}

TEST(NgramCounts, ItemsNextToEachOtherAndApart) {
  const auto x = filled<int64_t>(DType::i64, {2, 4}, {1, 2, 1, 2, 2, 9, 1, 1});
  const auto pool = filled<int64_t>(DType::i64, {3, 2}, {2, 0, 1, 1, 1, 2});
  const auto lengths = filled<int64_t>(DType::i64, {3}, {1, 2, 2}), columns = filled<int64_t>(DType::i64, {3}, {0, 1, 3});
  Outcome o = outcome_of(*kNgramCounts, *NgramCounts::make({4, 0}), {x, pool, lengths, columns});
  EXPECT_EQ(elements<float>(o.out[0]), (std::vector<float>{2, 0, 0, 2, 1, 1, 0, 0}));
  o = outcome_of(*kNgramCounts, *NgramCounts::make({4, 5}), {x, pool, lengths, columns});
  EXPECT_EQ(elements<float>(o.out[0]), (std::vector<float>{2, 1, 0, 3, 1, 1, 0, 0}));
  const auto outside = filled<int64_t>(DType::i64, {3}, {0, 1, 4}), long_one = filled<int64_t>(DType::i64, {3}, {1, 2, 3});
  EXPECT_EQ(outcome_of(*kNgramCounts, *NgramCounts::make({4, 0}), {x, pool, lengths, outside}).status.code(), Code::invalid_data);
  EXPECT_EQ(outcome_of(*kNgramCounts, *NgramCounts::make({4, 0}), {x, pool, long_one, columns}).status.code(), Code::invalid_data);
}

TEST(NgramCounts, ThoseFoundByHashAreThoseFoundBySearch) {
  Random r(106);
  constexpr Layout kLayouts[] = {Layout::row_major, Layout::padded_rows, Layout::permuted};
  for (int n = 0; n < 200; ++n) {
    const int64_t longest = r.integer(1, 4), rows = r.chance(0.1) ? 0 : r.integer(1, 60), values = r.integer(1, 9),
                  outputs = r.integer(1, 9);
    OwnedTensor pool(DType::i64, {rows, longest}, kLayouts[r.integer(0, 2)]), lengths(DType::i64, {rows}), columns(DType::i64, {rows});
    const Dims d = r.flag() ? Dims{r.integer(1, 40)} : Dims{r.integer(1, 4), r.integer(1, 40)};
    OwnedTensor x(DType::i64, d, kLayouts[r.integer(0, 2)]);
    const auto draw = [&](OwnedTensor& t, int64_t least, int64_t most) {
      t.each([&](int64_t, std::byte* p) {
        const int64_t v = r.integer(least, most) * (most > 9 ? int64_t{1} << r.integer(0, 40) : 1);
        std::memcpy(p, &v, sizeof v);
      });
    };
    draw(pool, 0, values);
    draw(x, 0, values);
    draw(columns, 0, outputs - 1);
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < rows; ++i) sizes.push_back(r.integer(1, longest));
    std::sort(sizes.begin(), sizes.end());
    lengths.each([&](int64_t i, std::byte* p) { std::memcpy(p, &sizes[static_cast<size_t>(i)], sizeof(int64_t)); });
    // Rows of one length are sorted: first by the first item.
    std::vector<std::vector<int64_t>> items(static_cast<size_t>(rows));
    const auto drawn = elements<int64_t>(pool);
    for (int64_t i = 0; i < rows; ++i) {
      auto& row = items[static_cast<size_t>(i)];
      row.push_back(sizes[static_cast<size_t>(i)]);
      for (int64_t k = 0; k < longest; ++k) row.push_back(k < row[0] ? drawn[static_cast<size_t>(i * longest + k)] : 0);
    }
    std::sort(items.begin(), items.end());
    pool.each([&](int64_t i, std::byte* p) {
      std::memcpy(p, &items[static_cast<size_t>(i / longest)][static_cast<size_t>(1 + i % longest)], sizeof(int64_t));
    });
    const OperatorPtr op = *NgramCounts::make({outputs, r.integer(0, 3)});
    const Outcome searched = outcome_of(*kNgramCounts, op, {x, pool, lengths, columns});
    const Outcome hashed = outcome_of(*kHashedNgramCounts, op, {x, pool, lengths, columns});
    ASSERT_TRUE(searched.status.ok() && hashed.status.ok());
    ASSERT_EQ(elements<float>(hashed.out[0]), elements<float>(searched.out[0])) << "draw " << n;
  }
}

TEST(Strings, DrawnOnesGiveWhatTheDefinitionsSay) {
  Random r(105);
  constexpr Layout kLayouts[] = {Layout::row_major, Layout::padded_rows, Layout::channels_last};
  const Texts alphabet = {"a", "B", " ", "é", "Ж", ""};
  for (int n = 0; n < 200; ++n) {
    const Dims d{r.integer(1, 4), r.integer(1, 5)};
    const auto draw = [&](int64_t count) {
      Texts texts;
      for (int64_t i = 0; i < count; ++i) {
        std::string t;
        for (int64_t k = r.integer(0, 5); k > 0; --k) t += alphabet[static_cast<size_t>(r.integer(0, 5))];
        texts.push_back(t);
      }
      return texts;
    };
    const Texts a = draw(element_count(d)), b = draw(d[1]);
    Texts sorted = b;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    const Strings x = strings_of(d, a, kLayouts[r.integer(0, 2)]), y = strings_of({d[1]}, b),
                  table = strings_of({static_cast<int64_t>(sorted.size())}, sorted);
    const OperatorPtr lookup = *StringLookup::make(StringLookup::Attributes{});
    const Outcome found = outcome_of(*kStringLookup, lookup, {x.views, x.heap, table.views, table.heap}),
                  hashed = outcome_of(*kHashedStringLookup, lookup, {x.views, x.heap, table.views, table.heap});
    ASSERT_EQ(elements<int64_t>(hashed.out[0]), elements<int64_t>(found.out[0])) << "draw " << n;
    const Outcome equal = outcome_of(*kStringEqual, *StringEqual::make(StringEqual::Attributes{}), {x.views, x.heap, y.views, y.heap});
    const Outcome joined = outcome_of(*kStringConcat, *StringConcat::make({1000}), {x.views, x.heap, y.views, y.heap});
    const Texts made = texts_of(joined.out[0], joined.out[1]);
    for (size_t i = 0; i < a.size(); ++i) {
      const auto at = std::find(sorted.begin(), sorted.end(), a[i]);
      ASSERT_EQ(elements<int64_t>(found.out[0])[i], at == sorted.end() ? -1 : at - sorted.begin()) << "draw " << n;
      const std::string& other = b[i % b.size()];
      ASSERT_EQ(elements<uint8_t>(equal.out[0])[i] != 0, a[i] == other) << "draw " << n;
      ASSERT_EQ(made[i], a[i] + other) << "draw " << n;
    }
  }
}

}  // namespace
}  // namespace anydim::testing
