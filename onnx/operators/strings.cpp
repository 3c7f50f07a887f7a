// SPDX-License-Identifier: Apache-2.0
// Operators that join, cut, search and count strings which a run brings: views of bytes in a heap (core/ops/string_views.h).
#include <algorithm>
#include <map>

#include "core/base/text/letter_case.h"
#include "core/base/text/utf8.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/count_non_zero.h"
#include "core/ops/operators/count_string_pieces.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/ngram_counts.h"
#include "core/ops/operators/non_zero.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/string_case.h"
#include "core/ops/operators/string_concat.h"
#include "core/ops/operators/string_equal.h"
#include "core/ops/operators/string_format.h"
#include "core/ops/operators/string_lookup.h"
#include "core/ops/operators/string_match.h"
#include "core/ops/operators/string_parse.h"
#include "core/ops/operators/string_split.h"
#include "core/ops/string_views.h"
#include "onnx/strings/expression.h"
#include "onnx/operators/learned/learned.h"
#include "onnx/walk/operators.h"
#include "onnx/strings/strings.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using Strings = NodeImport::Strings;
constexpr size_t kMostSeparators = 64;

ValueId whole(NodeImport& n, int64_t value) { return n.constant(DType::i64, {}, &value); }

// Their lengths in bytes.
ValueId lengths_of(NodeImport& n, ValueId views) { return n.binary(B::bitwise_and, views, whole(n, kLongestString)); }
// The sum of all elements, as a size of at most `most`.
Dim sum_of(NodeImport& n, ValueId x, Dim most) { return n.size_of(n.add(Reduce::make(ReduceKind::sum, {}, false), {x}), most); }

void concat_strings(NodeImport& n) {
  const Strings a = n.strings_in(0), b = n.strings_in(1);
  if (!n.ok()) return;
  const ValueId lengths = n.binary(B::add, lengths_of(n, a.views), lengths_of(n, b.views));
  if (!n.ok()) return;
  const Dim longest = n.pool().add(n.dims(a.heap)[0], n.dims(b.heap)[0]);
  const Dim bytes = sum_of(n, lengths, n.pool().mul(n.product(n.dims(lengths), 0, n.rank(lengths)), longest));
  const std::vector<ValueId> made = n.add_many(StringConcat::make({bytes}), {a.views, a.heap, b.views, b.heap}, 2);
  n.out_strings(0, {made[0], made[1]});
}

// A character becomes at most half as large again.
Strings in_case(NodeImport& n, const Strings& x, bool upper) {
  if (!n.ok()) return {};
  const Dim most = n.pool().mul(n.product(n.dims(x.views), 0, n.rank(x.views)), n.dims(x.heap)[0]);
  const Dim bytes = n.pool().mul(sum_of(n, lengths_of(n, x.views), most), 2);
  const std::vector<ValueId> made = n.add_many(StringCase::make({upper, bytes}), {x.views, x.heap}, 2);
  return {made[0], made[1]};
}

std::string in_case(std::string_view text, bool upper) {
  std::string out;
  while (!text.empty()) {
    const size_t length = std::max<size_t>(utf8_character(text), 1);
    const uint32_t c = utf8_decoded(text.data(), length);
    char made[4];
    out.append(made, utf8_encoded(upper ? upper_case(c) : lower_case(c), made));
    text.remove_prefix(length);
  }
  return out;
}

// --- numbers -------------------------------------------------------------------------------------------------------------

// The dtype among those that strings are made of in which each number of `t` is exact.
DType written_as(DType t) {
  if (t == DType::f64 || t == DType::u64) return t;
  return dtype_is_float(t) || (dtype_is_narrow(t) && t <= DType::f4e2m1) ? DType::f32 : DType::i64;
}

// --- automata ----------------------------------------------------------------------------------------------------------

struct AutomataValues {
  ValueId classes = kNoValue, transitions = kNoValue;
};

// Several: their first rows come first, four of each, then the others.
AutomataValues automata_constant(NodeImport& n, std::span<const Automaton> all) {
  int64_t columns = 0, states = 0;
  for (const Automaton& a : all) columns = std::max(columns, a.columns), states += a.states();
  const auto count = static_cast<int64_t>(all.size());
  std::vector<uint8_t> classes;
  std::vector<int32_t> transitions(static_cast<size_t>(states * columns), -2);
  int64_t behind = 4 * count;  // the next row that is free
  for (int64_t k = 0; k < count; ++k) {
    const Automaton& a = all[static_cast<size_t>(k)];
    classes.insert(classes.end(), a.classes.begin(), a.classes.end());
    const auto row_of = [&](int64_t state) { return state < 4 ? 4 * k + state : behind + state - 4; };
    for (int64_t s = 0; s < a.states(); ++s)
      for (int64_t c = 0; c < a.columns; ++c) {
        const int32_t entry = a.transitions[static_cast<size_t>(s * a.columns + c)];
        const int64_t column = c + 1 == a.columns ? columns - 1 : c;
        transitions[static_cast<size_t>(row_of(s) * columns + column)] =
            entry < 0 ? entry : static_cast<int32_t>(2 * row_of(entry >> 1) + (entry & 1));
      }
    behind += a.states() - 4;
  }
  return {n.constant(DType::u8, {count, 256}, classes.data()), n.constant(DType::i32, {states, columns}, transitions.data())};
}

bool add_automaton(NodeImport& n, Result<Automaton> a, std::vector<Automaton>* all) {
  if (!n.ok()) return false;
  if (!a.ok()) return n.fail(a.take_status()), false;
  all->push_back(*std::move(a));
  return true;
}

void match_expression(NodeImport& n) {
  std::vector<Automaton> automata;
  if (n.ok() && !n.has_attribute("pattern")) n.wrong("attribute pattern is absent");
  add_automaton(n, automaton_of(n.text("pattern", "")), &automata);
  const Strings x = n.strings_in(0);
  if (!n.ok()) return;
  const AutomataValues values = automata_constant(n, automata);
  n.out(0, n.add(StringMatch::make(StringMatch::Attributes{}), {x.views, x.heap, values.classes, values.transitions}));
}

struct Pieces {
  Strings strings;  // [..., most]
  ValueId counts = kNoValue;
  Dim most = 0;
};

Pieces pieces_of(NodeImport& n, const Strings& x, StringRule rule, std::span<const Automaton> automata, int64_t most_splits,
                 int64_t min_characters) {
  if (!n.ok()) return {};
  std::vector<ValueId> inputs{x.views, x.heap};
  if (!automata.empty()) {
    const AutomataValues values = automata_constant(n, automata);
    inputs.insert(inputs.end(), {values.classes, values.transitions});
  }
  const std::vector<ValueId> counted = n.add_many(CountStringPieces::make({rule, most_splits, min_characters}), inputs, 2);
  Pieces p;
  p.counts = counted[0];
  // Pieces of no bytes lie between others, at the beginning or at the end.
  if (n.ok()) p.most = n.size_of(counted[1], n.pool().add(n.dims(x.heap)[0], 1));
  p.strings = {n.add(StringSplit::make({rule, most_splits, min_characters, p.most}), inputs), x.heap};
  return p;
}

void split_strings(NodeImport& n) {
  const std::string_view delimiter = n.text("delimiter", "");
  const int64_t splits = n.has_attribute("maxsplit") ? n.integer("maxsplit") : -1;
  if (n.ok() && n.has_attribute("maxsplit") && splits < 0) n.wrong("maxsplit is {}; expected 0 or more", splits);
  const Strings x = n.strings_in(0);
  std::vector<Automaton> automata;
  if (!delimiter.empty()) add_automaton(n, automaton_of_text(delimiter), &automata);
  const Pieces p = pieces_of(n, x, delimiter.empty() ? StringRule::whitespace : StringRule::separators, automata, splits, 0);
  n.out_strings(0, p.strings);
  n.out(1, p.counts);
}

// Behind the pieces stand pads; around them, where they are marked, the controls 2 and 3. A tensor of no tokens has no marks.
void tokenizer(NodeImport& n) {
  const bool mark = n.integer("mark") != 0;
  const int64_t least = n.integer("mincharnum");
  const std::string_view pad = n.text("pad_value", ""), expression = n.text("tokenexp", "");
  const std::vector<std::string_view> separators = n.strings("separators");
  if (n.ok() && least < 1) n.wrong("mincharnum is {}; expected 1 or more", least);
  if (n.ok() && expression.empty() == separators.empty())
    n.wrong("it has {} separators and {}; expected one of both", separators.size(), expression.empty() ? "no tokenexp" : "a tokenexp");
  if (n.ok() && separators.size() > kMostSeparators) n.unsupported("{} separators; at most {}", separators.size(), kMostSeparators);
  const bool characters = separators.size() == 1 && separators[0].empty();
  if (n.ok() && characters && least > 1) n.wrong("mincharnum is {}; expected 1 where each character is a token", least);
  const Strings x = n.strings_in(0);
  if (!n.ok()) return;
  const int rank = n.rank(x.views);
  if (rank < 1 || rank > 2) return n.wrong("input 0 has rank {}; expected 1 or 2", rank);
  std::vector<Automaton> automata;
  if (!expression.empty()) add_automaton(n, automaton_of(expression), &automata);
  for (const std::string_view s : separators) {
    if (n.ok() && !characters && s.empty()) n.wrong("an empty separator among others");
    if (!characters) add_automaton(n, automaton_of(s), &automata);
  }
  const StringRule rule = characters ? StringRule::characters : expression.empty() ? StringRule::separators : StringRule::tokens;
  const Pieces p = pieces_of(n, x, rule, automata, -1, least);
  if (!n.ok()) return;
  const std::string_view around[] = {pad, "\x02", "\x03"};
  Strings all[] = {p.strings, n.string_constant({3}, around)};
  n.share_heap(all);
  const auto one = [&](int64_t i) { return n.reshape(n.slice(all[1].views, 0, i, 1), {}); };
  SymDims column = n.dims(x.views);
  column.push_back(1);
  const ValueId counts = n.reshape(p.counts, column);
  if (!n.ok()) return;
  if (!mark) {
    const ValueId place = n.add(Range::make(DType::i64, 0, 1, p.most), {});
    return n.out_strings(0, {n.where(n.binary(B::less, place, counts), all[0].views, one(0)), all[0].heap});
  }
  const ValueId place = n.add(Range::make(DType::i64, 0, 1, n.pool().add(p.most, 2)), {});
  const ValueId tokens =
      n.add(Concat::make(rank), {n.expand(n.reshape(one(1), {1}), column), all[0].views, n.expand(n.reshape(one(0), {1}), column)});
  const ValueId end = n.binary(B::add, counts, whole(n, 1));
  const ValueId padded = n.where(n.binary(B::less, end, place), one(0), tokens);
  const ValueId marked = n.where(n.binary(B::equal, place, end), one(2), padded);
  const Dim length = n.pool().select(n.pool().equal(p.most, 0), 0, n.pool().add(p.most, 2));
  n.out_strings(0, {n.slice(marked, rank, 0, length), all[0].heap});
}

// --- normalising ---------------------------------------------------------------------------------------------------------

void normalize_strings(NodeImport& n) {
  const int action = n.choice("case_change_action", "NONE", {"NONE", "LOWER", "UPPER"});
  const bool sensitive = n.integer("is_case_sensitive", 0) != 0;
  const std::vector<std::string_view> stop_words = n.strings("stopwords");
  const std::string_view locale = n.text("locale", "en_US");
  // Languages in which letters have other cases.
  for (const std::string_view language : {"tr", "az", "lt"})
    if (n.ok() && (action != 0 || !sensitive) &&
        (locale == language || (locale.size() > 2 && locale.substr(0, 2) == language && (locale[2] == '_' || locale[2] == '-'))))
      n.unsupported("attribute locale is {}, whose letters have cases of their own; expected another language, or no change of case",
                    locale);
  Strings x = n.strings_in(0);
  if (!n.ok()) return;
  const int rank = n.rank(x.views);
  if (rank < 1 || rank > 2) return n.wrong("input 0 has rank {}; expected 1 or 2", rank);
  if (rank == 2) n.require_equal(n.dims(x.views)[0], 1, "the first of two dims");
  const Dim count = n.dims(x.views)[rank - 1];
  x.views = n.reshape(x.views, {count});
  bool changed = action == 0;
  if (!stop_words.empty()) {
    std::vector<std::string> words;
    const bool upper = action == 2;
    for (const std::string_view word : stop_words) {
      if (!valid_utf8(word)) return n.unsupported("a stop word is not valid UTF-8: '{}'", shown(word));
      words.push_back(sensitive ? std::string(word) : in_case(word, upper));
    }
    const Strings compared = sensitive ? x : in_case(n, x, upper);
    const ValueId kept = n.binary(B::less, string_index(n, compared, {words.begin(), words.end()}), whole(n, 0));
    if (!n.ok()) return;
    if (!sensitive && !changed) x = compared, changed = true;
    const Dim left = n.size_of(n.add(CountNonZero::make(CountNonZero::Attributes{}), {kept}), count);
    const ValueId places = n.reshape(n.add(NonZero::make({left}), {kept}), {left});
    // An empty string where nothing is left: it stands behind the others.
    const Dim length = n.pool().max(left, 1);
    const ValueId behind = n.shape(DType::i64, {1}, {count});
    const int64_t empty = 0;
    const ValueId all = n.add(Concat::make(0), {x.views, n.constant(DType::i64, {1}, &empty)});
    const ValueId index = n.slice(n.add(Concat::make(0), {places, behind}), 0, 0, length);
    x.views = n.add(Gather::make(0), {all, index});
  }
  if (!changed) x = in_case(n, x, action == 2);
  if (n.ok() && rank == 2) x.views = n.reshape(x.views, {1, n.dims(x.views)[0]});
  n.out_strings(0, x);
}

// --- n-grams ---------------------------------------------------------------------------------------------------------------

// The n-grams that TfIdfVectorizer counts, in increasing order.
struct Gram {
  std::vector<int64_t> items;
  int64_t column;
};

// Input 0 as numbers like the pool's, which are in `items` then.
ValueId numbered_words(NodeImport& n, std::span<const std::string_view> words, std::vector<int64_t>* items) {
  ValueId x = n.in(0);
  if (!n.ok()) return x;
  if (n.holds_strings(0) == words.empty()) n.wrong("input 0 and the pool are not both strings, nor both integers");
  const int rank = n.rank(x);
  if (rank < 1 || rank > 2) n.wrong("input 0 has rank {}; expected 1 or 2", rank);
  if (!n.ok()) return x;
  if (words.empty()) {
    if (n.dtype(x) == DType::i64 || n.dtype(x) == DType::i32) return n.cast(x, DType::i64);
    n.wrong("input 0 has dtype {}; expected i32, i64 or strings", dtype_name(n.dtype(x)));
    return x;
  }
  // A word is its place among the distinct ones; no word is -1.
  std::map<std::string_view, int64_t> places;
  for (const std::string_view word : words) places.emplace(word, 0);
  std::vector<std::string_view> distinct;
  for (auto& [word, place] : places) place = static_cast<int64_t>(distinct.size()), distinct.push_back(word);
  for (const std::string_view word : words) items->push_back(places[word]);
  return string_index(n, n.strings_in(0), distinct);
}

// Those of `least` to `most` items; how many the pool has at all is in `all`. `starts`: where those of 1, 2, ... items begin in it.
std::vector<Gram> grams_of(NodeImport& n, std::span<const int64_t> items, std::span<const int64_t> starts, std::span<const int64_t> columns,
                           int64_t least, int64_t most, size_t* all) {
  std::vector<Gram> grams;
  for (size_t i = 0; i < starts.size(); ++i) {
    const auto size = static_cast<int64_t>(i + 1), end = i + 1 < starts.size() ? starts[i + 1] : static_cast<int64_t>(items.size());
    if (starts[i] < 0 || end < starts[i] || end > static_cast<int64_t>(items.size()) || (end - starts[i]) % size != 0) {
      n.wrong("the pool has no whole n-grams of {} from {} to {}", size, starts[i], end);
      return {};
    }
    for (int64_t at = starts[i]; at < end; at += size, ++*all) {
      if (*all >= columns.size()) {
        n.wrong("the pool has more n-grams than ngram_indexes has entries, {}", columns.size());
        return {};
      }
      if (size >= least && size <= most) grams.push_back({{items.begin() + at, items.begin() + at + size}, columns[*all]});
    }
  }
  std::ranges::sort(grams, [](const Gram& a, const Gram& b) {
    return a.items.size() != b.items.size() ? a.items.size() < b.items.size() : a.items < b.items;
  });
  for (size_t i = 1; i < grams.size(); ++i)
    if (grams[i].items == grams[i - 1].items) n.wrong("an n-gram is in the pool twice");
  return grams;
}

ValueId count_grams(NodeImport& n, ValueId x, std::span<const Gram> grams, int64_t outputs, int64_t skip) {
  const size_t longest = grams.back().items.size();
  std::vector<int64_t> pool, lengths, places;
  for (const Gram& g : grams) {
    pool.insert(pool.end(), g.items.begin(), g.items.end());
    pool.resize(pool.size() + longest - g.items.size(), 0);
    lengths.push_back(static_cast<int64_t>(g.items.size()));
    places.push_back(g.column);
  }
  const auto rows = static_cast<int64_t>(grams.size());
  return n.add(NgramCounts::make({outputs, skip}),
               {x, n.constant(DType::i64, {rows, static_cast<int64_t>(longest)}, pool.data()),
                n.constant(DType::i64, {rows}, lengths.data()), n.constant(DType::i64, {rows}, places.data())});
}

// A weight is an n-gram's; each of a column's n-grams has the same one.
ValueId weights_of_columns(NodeImport& n, std::span<const int64_t> columns, std::span<const float> weights, int64_t outputs) {
  if (weights.empty()) return n.scalar(DType::f32, 1);
  std::vector<float> of(static_cast<size_t>(outputs), 1.f);
  std::vector<bool> known(of.size(), false);
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto c = static_cast<size_t>(columns[i]);
    if (known[c] && of[c] != weights[i]) {
      n.unsupported("n-grams of weights {} and {} are counted in output {}; expected one weight", of[c], weights[i], c);
      return kNoValue;
    }
    of[c] = weights[i];
    known[c] = true;
  }
  return n.constant(DType::f32, {outputs}, of.data());
}

void tfidf_vectorizer(NodeImport& n) {
  const int mode = n.choice("mode", "", {"TF", "IDF", "TFIDF"});
  const int64_t least = n.integer("min_gram_length"), most = n.integer("max_gram_length"), skip = n.integer("max_skip_count");
  const std::vector<int64_t> starts = n.integers("ngram_counts"), columns = n.integers("ngram_indexes");
  const std::vector<std::string_view> words = n.strings("pool_strings");
  std::vector<int64_t> items = n.integers("pool_int64s");
  const std::vector<float> weights = n.reals("weights");
  if (!n.ok()) return;
  if (least < 1 || most < least || most > static_cast<int64_t>(starts.size()))
    return n.wrong("lengths from {} to {}; expected 1 to {}, the number of ngram_counts", least, most, starts.size());
  if (skip < 0) return n.wrong("max_skip_count is {}; expected 0 or more", skip);
  if (words.empty() == items.empty())
    return n.wrong("it has {} pool_strings and {} pool_int64s; expected one of both", words.size(), items.size());
  if (columns.empty()) return n.wrong("attribute ngram_indexes has no values");
  if (!weights.empty() && weights.size() != columns.size())
    return n.wrong("{} weights and {} ngram_indexes; expected as many", weights.size(), columns.size());
  int64_t outputs = 0;
  const ValueId x = numbered_words(n, words, &items);
  if (!n.ok()) return;
  for (const int64_t c : columns) {
    if (c < 0 || c >= (int64_t{1} << 31)) return n.wrong("ngram_indexes has {}; expected 0 or more", c);
    outputs = std::max(outputs, c + 1);
  }
  size_t all = 0;
  const std::vector<Gram> grams = grams_of(n, items, starts, columns, least, most, &all);
  if (!n.ok()) return;
  SymDims dims;
  if (n.rank(x) == 2) dims.push_back(n.dims(x)[0]);
  dims.push_back(outputs);
  if (grams.empty()) return n.out(0, n.expand(n.scalar(DType::f32, 0), dims));
  const ValueId counts = count_grams(n, x, grams, outputs, skip);
  if (mode == 0 || (mode == 2 && weights.empty())) return n.out(0, counts);
  const ValueId zero = n.scalar(DType::f32, 0);
  const ValueId factor = weights_of_columns(n, std::span(columns).first(all), weights, outputs);
  n.out(0, mode == 1 ? n.where(n.binary(B::less, zero, counts), factor, zero) : n.binary(B::mul, counts, factor));
}

constexpr Importer kStringImporters[] = {
    {"RegexFullMatch", 20, match_expression}, {"StringConcat", 20, concat_strings},     {"StringNormalizer", 10, normalize_strings},
    {"StringSplit", 20, split_strings},       {"TfIdfVectorizer", 9, tfidf_vectorizer},
};

}  // namespace

ValueId string_index(NodeImport& n, const Strings& x, std::vector<std::string_view> table) {
  std::ranges::sort(table);
  const Strings known = n.string_constant({static_cast<int64_t>(table.size())}, table);
  return n.add(StringLookup::make(StringLookup::Attributes{}), {x.views, x.heap, known.views, known.heap});
}

void import_string_equal(NodeImport& n) {
  const Strings a = n.strings_in(0), b = n.strings_in(1);
  n.out(0, n.add(StringEqual::make(StringEqual::Attributes{}), {a.views, a.heap, b.views, b.heap}));
}

void import_cast_to_strings(NodeImport& n) {
  const ValueId x = n.in(0);
  if (!n.ok()) return;
  if (n.opset() < 9) return n.wrong("to strings; the operator does that since opset 9, and the model imports {}", n.opset());
  if (n.holds_views(0)) return n.out_strings(0, n.strings_in(0));
  if (n.holds_strings(0)) return n.out_strings(0, x, n.all_strings->find(n.graph(), x) == ModelStrings::Known::all);
  const std::vector<ValueId> made = n.add_many(StringFormat::make(StringFormat::Attributes{}), {n.cast(x, written_as(n.dtype(x)))}, 2);
  if (n.ok()) n.out_strings(0, {made[0], made[1]});
}

ValueId numbers_of_strings(NodeImport& n, size_t input, DType to) {
  const Strings x = n.strings_in(input);
  return n.add(StringParse::make({to}), {x.views, x.heap});
}

void import_tokenizer(NodeImport& n) { tokenizer(n); }

std::span<const Importer> string_importers() { return kStringImporters; }

}  // namespace anydim::onnx
