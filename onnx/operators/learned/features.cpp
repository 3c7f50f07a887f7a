// SPDX-License-Identifier: Apache-2.0
// What becomes of features before a model that learned from tables sees them, and of its labels: scaling, imputing, picking, encoding.
// Each is a few operators of Anydim's.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/ops/operators/concat.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/reduce.h"
#include "onnx/operators/learned/learned.h"
#include "onnx/walk/operators.h"
#include "onnx/strings/strings.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;
constexpr int64_t kLast[] = {-1};

// A value per feature, or one for all: along the last axis of x.
ValueId per_feature(NodeImport& n, ValueId x, ValueId values, const char* what) {
  if (!n.ok()) return kNoValue;
  const SymDims d = n.dims(x);
  if (d.rank < 1) n.wrong("input 0 is a scalar; expected features");
  else if (!n.dims(values)[0].is(1)) n.require_equal(d[d.rank - 1], n.dims(values)[0], formatted("the features, as many as {},", what));
  return values;
}
ValueId reals_per_feature(NodeImport& n, ValueId x, const char* what, DType t) {
  const std::vector<float> values = n.reals(what);
  if (n.ok() && values.empty()) n.wrong("attribute {} has no values", what);
  if (!n.ok()) return kNoValue;
  const Dims dims{static_cast<int64_t>(values.size())};
  if (t != DType::f64) return per_feature(n, x, n.constant(DType::f32, dims, values.data()), what);
  const std::vector<double> wide(values.begin(), values.end());
  return per_feature(n, x, n.constant(DType::f64, dims, wide.data()), what);
}

// (x - offset) * scale, of f64 in f64, rounded to f32.
void scaler(NodeImport& n) {
  const ValueId input = n.in(0);
  if (!n.ok()) return;
  const DType t = n.dtype(input) == DType::f64 ? DType::f64 : DType::f32;
  ValueId x = n.cast(input, t);
  if (n.has_attribute("offset")) x = n.binary(B::sub, x, reals_per_feature(n, x, "offset", t));
  if (n.has_attribute("scale")) x = n.binary(B::mul, x, reals_per_feature(n, x, "scale", t));
  n.out(0, n.cast(x, DType::f32));
}

// By the largest element (not by magnitude), the sum of magnitudes, or the root of the sum of squares; where that is 0, not at all.
void normalizer(NodeImport& n) {
  const int norm = n.choice("norm", "MAX", {"MAX", "L1", "L2"});
  const ValueId input = n.in(0);
  if (!n.ok()) return;
  if (n.rank(input) < 1 || n.rank(input) > 2) return n.wrong("input 0 has rank {}; expected 1 or 2", n.rank(input));
  const ValueId x = n.cast(input, DType::f32), zero = n.scalar(DType::f32, 0);
  const ValueId square = norm == 2 ? n.unary(U::square, x) : kNoValue;
  const ReduceKind kind = norm == 0 ? ReduceKind::max : ReduceKind::sum;
  const ValueId of = norm == 0 ? x : norm == 1 ? n.unary(U::abs, x) : square;
  const ValueId size = n.add(Reduce::make(kind, kLast, true), {of});
  const ValueId none = n.binary(B::equal, size, zero), divisor = n.where(none, n.scalar(DType::f32, 1), size);
  if (norm != 2) return n.out(0, n.binary(B::div, x, divisor));
  const ValueId root = n.unary(U::sqrt, n.binary(B::div, square, divisor));
  const ValueId y = n.where(n.binary(B::less, x, zero), n.unary(U::neg, root), root);
  n.out(0, n.where(none, x, y));
}

void binarizer(NodeImport& n) {
  const ValueId x = n.in(0);
  if (!n.ok()) return;
  const DType t = n.dtype(x), wide = t == DType::f32 ? DType::f32 : DType::f64;
  n.out(0, n.cast(n.binary(B::less, n.scalar(wide, n.real("threshold", 0.f)), n.cast(x, wide)), t));
}

void imputer(NodeImport& n) {
  const ValueId x = n.in(0);
  if (!n.ok()) return;
  const DType t = n.dtype(x);
  if (dtype_is_float(t)) {
    const ValueId values = n.cast(reals_per_feature(n, x, "imputed_value_floats", t), t);
    const float replaced = n.real("replaced_value_float", 0.f);
    const ValueId found = std::isnan(replaced) ? n.unary(U::is_nan, x) : n.binary(B::equal, x, n.scalar(t, replaced));
    return n.out(0, n.where(found, values, x));
  }
  const std::vector<int64_t> values = n.integers("imputed_value_int64s");
  if (n.ok() && values.empty()) n.wrong("attribute imputed_value_int64s has no values");
  if (!n.ok()) return;
  const ValueId all = per_feature(n, x, n.constant(DType::i64, {static_cast<int64_t>(values.size())}, values.data()), "imputed values");
  const int64_t replaced = n.integer("replaced_value_int64", 0);
  const ValueId found = n.binary(B::equal, n.cast(x, DType::i64), n.constant(DType::i64, {}, &replaced));
  n.out(0, n.where(found, n.cast(all, t), x));
}

// Features as many as `size`: those behind are left out, and those that lack are 0, as both runtimes do it where ONNX's text
// only says that `size` is their number.
ValueId sized(NodeImport& n, ValueId x, int64_t size, size_t input) {
  const Dim have = n.dims(x)[1];
  if (!have.is_number()) {
    n.graph().add_guard(n.pool().equal(have, size), std::string(NodeImport::name_of(n.proto())),
                        formatted("the features of input {}, {}, are {}", input, n.pool().text(have), size), 1);
    n.require_equal(have, size, formatted("the features of input {}", input));
    return x;
  }
  if (have.number() > size) return n.slice(x, 1, 0, size);
  if (have.number() == size) return x;
  return n.add(Pad::make(PadMode::constant, {0, 0}, {0, size - have.number()}), {x, n.scalar(n.dtype(x), 0)});
}

void feature_vectorizer(NodeImport& n) {
  const std::vector<int64_t> sizes = n.integers("inputdimensions");
  if (n.ok() && !sizes.empty() && sizes.size() != n.input_count())
    n.wrong("inputdimensions has {} entries; expected one for each of {} inputs", sizes.size(), n.input_count());
  std::vector<ValueId> parts;
  for (size_t i = 0; i < n.input_count() && n.ok(); ++i) {
    ValueId x = n.in(i);
    if (!n.ok()) return;
    const SymDims d = n.dims(x);
    if (d.rank < 1 || d.rank > 2) return n.wrong("input {} has rank {}; expected 1 or 2", i, d.rank);
    if (d.rank == 1) x = n.reshape(x, {1, d[0]});
    if (!sizes.empty() && sizes[i] < 0) return n.wrong("inputdimensions has {}; expected 0 or more", sizes[i]);
    if (!sizes.empty()) x = sized(n, x, sizes[i], i);
    parts.push_back(n.cast(x, DType::f32));
  }
  if (n.ok() && parts.empty()) n.wrong("it has no input");
  n.out(0, parts.size() == 1 ? parts[0] : n.add(Concat::make(1), parts));
}

// Elements of the last axis; those of a vector are a row.
void array_feature_extractor(NodeImport& n) {
  ValueId x = n.in(0);
  const ValueId y = n.in(1);
  if (!n.ok()) return;
  if (n.rank(x) < 1) return n.wrong("input 0 is a scalar; expected features");
  if (n.rank(x) == 1) x = n.reshape(x, {1, n.dims(x)[0]});
  const ValueId indices = n.reshape(y, {n.product(n.dims(y), 0, n.rank(y))});
  n.out(0, n.add(Gather::make(n.rank(x) - 1), {x, indices}));
}

// The caller gets a map for each row: of the keys to its numbers. A graph has the rows.
void zip_map(NodeImport& n) {
  const Labels keys = labels_of(n, "classlabels_int64s", "classlabels_strings");
  const ValueId x = n.in(0);
  if (n.ok() && (n.all_strings == nullptr || !n.all_strings->allowed()))
    n.unsupported("it gives a sequence of maps; expected a model that is read from a file");
  if (!n.ok()) return;
  const SymDims d = n.dims(x);
  if (d.rank < 1 || d.rank > 2) return n.wrong("input 0 has rank {}; expected 1 or 2", d.rank);
  if (n.dtype(x) != DType::f32) return n.wrong("input 0 has dtype {}; expected f32", dtype_name(n.dtype(x)));
  n.require_equal(d[d.rank - 1], keys.count(), "the numbers of a row, as many as there are labels,");
  for (const std::string_view key : keys.strings) n.string_number(key);
  if (!n.ok()) return;
  n.all_strings->add_maps(n.proto().output[0], {keys.integers, keys.strings});
  n.out(0, d.rank == 1 ? n.reshape(x, {1, d[0]}) : x);
}

// --- tables ----------------------------------------------------------------------------------------------------------

// What each of some keys becomes, and what every other value does.
struct Table {
  // One of these has the keys.
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string_view> strings;
  ValueId values = kNoValue;  // [keys + 1, ...]: the last is for what is no key

  int64_t keys() const noexcept { return static_cast<int64_t>(std::max({integers.size(), reals.size(), strings.size()})); }
};
constexpr int64_t kWidestRange = 1 << 16;

template <class T> bool are_distinct(const std::vector<T>& keys) {
  return std::unordered_set<T>(keys.begin(), keys.end()).size() == keys.size();
}
bool are_distinct(const std::vector<double>& keys) {
  std::unordered_set<double> seen;
  size_t nans = 0, zeros = 0;
  for (const double k : keys) std::isnan(k) ? void(++nans) : k == 0 ? void(++zeros) : void(seen.insert(k));
  return seen.size() + nans + zeros == keys.size() && nans <= 1 && zeros <= 1;
}

// The index of each element's key, or as many as there are keys.
ValueId key_index(NodeImport& n, ValueId x, const Table& table) {
  if (!n.ok()) return kNoValue;
  const int64_t keys = table.keys();
  if (!are_distinct(table.integers) || !are_distinct(table.reals) || !are_distinct(table.strings)) {
    n.unsupported("a key or category is there twice; expected each once");
    return kNoValue;
  }
  // By a table over the range of the keys, behind which stands what is no key.
  const auto by_range = [&](std::span<const int64_t> numbers, int64_t low, int64_t length, ValueId index) {
    std::vector<int64_t> of(static_cast<size_t>(length) + 1, keys);
    for (size_t i = 0; i < numbers.size(); ++i) of[static_cast<size_t>(numbers[i] - low)] = static_cast<int64_t>(i);
    return looked_up(n, n.constant(DType::i64, {length + 1}, of.data()), index);
  };
  if (!table.strings.empty() && n.holds_views(0)) {
    std::vector<int64_t> of;
    for (int64_t i = 0; i < keys; ++i) of.push_back(i);
    std::ranges::sort(of, {}, [&](int64_t i) { return table.strings[static_cast<size_t>(i)]; });
    of.push_back(keys);
    const ValueId found = string_index(n, n.strings_in(0), table.strings);
    const ValueId none = n.binary(B::less, found, n.scalar(DType::i64, 0));
    return looked_up(n, n.constant(DType::i64, {keys + 1}, of.data()),
                     n.where(none, n.scalar(DType::i64, static_cast<double>(keys)), found));
  }
  if (!table.strings.empty()) {
    std::vector<int64_t> numbers;
    for (const std::string_view text : table.strings) numbers.push_back(n.string_number(text));
    if (!n.ok()) return kNoValue;
    const int64_t length = *std::max_element(numbers.begin(), numbers.end()) + 1;
    // Strings that the model comes to know later have larger numbers, and -1 is one that it does not know.
    const ValueId number = n.binary(B::min, x, n.scalar(DType::i64, static_cast<double>(length)));
    return by_range(numbers, 0, length,
                    n.where(n.binary(B::less, number, n.scalar(DType::i64, 0)), n.scalar(DType::i64, static_cast<double>(length)), number));
  }
  if (!table.integers.empty()) {
    const auto [low, high] = std::minmax_element(table.integers.begin(), table.integers.end());
    if (static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low) < static_cast<uint64_t>(kWidestRange)) {
      const int64_t first = *low, length = *high - first + 1, last = *high;
      const ValueId wide = n.cast(x, DType::i64);
      const ValueId lowest = n.constant(DType::i64, {}, &first), highest = n.constant(DType::i64, {}, &last);
      const ValueId below = n.binary(B::less, wide, lowest), above = n.binary(B::less, highest, wide);
      const ValueId outside = n.binary(B::logical_or, below, above);
      const ValueId inside = n.binary(B::sub, n.where(outside, lowest, wide), lowest);
      return by_range(table.integers, first, length, n.where(outside, n.scalar(DType::i64, static_cast<double>(length)), inside));
    }
  }
  // Compared with each key.
  SymDims d = n.dims(x);
  if (d.rank >= kMaxRank) {
    n.unsupported("input 0 has rank {}; at most {}", d.rank, kMaxRank - 1);
    return kNoValue;
  }
  d.push_back(1);
  const bool real = !table.reals.empty();
  const DType t = real ? n.dtype(x) : DType::i64;
  const ValueId elements = n.reshape(n.cast(x, t), d);
  const ValueId all =
      real ? n.cast(n.constant(DType::f64, {keys}, table.reals.data()), t) : n.constant(DType::i64, {keys}, table.integers.data());
  ValueId equal = n.binary(B::equal, elements, all);
  if (real && std::any_of(table.reals.begin(), table.reals.end(), [](double k) { return std::isnan(k); }))
    equal = n.binary(B::logical_or, equal, n.binary(B::logical_and, n.unary(U::is_nan, elements), n.unary(U::is_nan, all)));
  std::vector<int64_t> places(static_cast<size_t>(keys));
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i);
  const ValueId index = n.where(equal, n.constant(DType::i64, {keys}, places.data()), n.scalar(DType::i64, static_cast<double>(keys)));
  return n.add(Reduce::make(ReduceKind::min, kLast, false), {index});
}

// Known categories become a row with a 1 among zeros. Others become zeros, or with `zeros` = 0 fail the run: there is no such row.
void one_hot_encoder(NodeImport& n) {
  const Labels categories = labels_of(n, "cats_int64s", "cats_strings");
  const bool zeros = n.integer("zeros", 1) != 0;
  const ValueId x = n.in(0);
  if (!n.ok()) return;
  if (n.holds_strings(0) != categories.are_strings()) return n.wrong("input 0 and the categories are not both strings, nor both numbers");
  Table table;
  table.integers = categories.integers;
  table.strings = categories.strings;
  const int64_t count = categories.count();
  if (count > 8192) return n.unsupported("{} categories; at most 8192", count);
  std::vector<float> rows(static_cast<size_t>((count + (zeros ? 1 : 0)) * count), 0.f);
  for (int64_t i = 0; i < count; ++i) rows[static_cast<size_t>(i * count + i)] = 1.f;
  const ValueId index = key_index(n, x, table);
  n.out(0, looked_up(n, n.constant(DType::f32, {count + (zeros ? 1 : 0), count}, rows.data()), index));
}

// One list of values of some dtype, or of strings.
struct List {
  DType dtype = DType::none;
  std::vector<double> reals;
  std::vector<int64_t> integers;
  std::vector<std::string_view> strings;
  size_t count() const noexcept { return std::max({reals.size(), integers.size(), strings.size()}); }
};

// Elements of an attribute that is a tensor, as numbers or strings.
void read_tensor_attribute(NodeImport& n, const Attribute& a, List* list) {
  if (a.tensor == nullptr) return n.wrong("attribute {} holds no tensor", shown(a.name));
  if (a.tensor->data_type == kString) {
    list->strings = a.tensor->string_data;
    return;
  }
  const ValueId v = n.constant(*a.tensor);
  if (!n.ok()) return;
  const ConstantTensor& c = *n.value(v).constant;
  list->dtype = c.dtype();
  const auto take = [](const auto& list, auto* to) { to->assign(list.begin(), list.end()); };
  switch (c.dtype()) {
    case DType::f32: take(c.as<float>(), &list->reals); break;
    case DType::f64: take(c.as<double>(), &list->reals); break;
    case DType::i64: take(c.as<int64_t>(), &list->integers); break;
    case DType::i32: take(c.as<int32_t>(), &list->integers); break;
    case DType::i16: take(c.as<int16_t>(), &list->integers); break;
    default:
      return n.unsupported("attribute {} is of {}; expected f32, f64, i16, i32, i64 or strings", shown(a.name), dtype_name(c.dtype()));
  }
}

List list_of(NodeImport& n, const std::string& role) {
  List list;
  int kinds = 0;
  const auto has = [&](const char* kind) { return n.has_attribute(role + kind) ? ++kinds : 0; };
  if (has("_floats") > 0) {
    const std::vector<float> v = n.reals(role + "_floats");
    list.reals.assign(v.begin(), v.end());
    list.dtype = DType::f32;
  }
  if (has("_int64s") > 0) {
    list.integers = n.integers(role + "_int64s");
    list.dtype = DType::i64;
  }
  if (has("_strings") > 0) {
    list.strings = n.strings(role + "_strings");
    list.dtype = DType::none;
  }
  if (has("_tensor") > 0) read_tensor_attribute(n, *n.find(role + "_tensor"), &list);
  if (n.ok() && kinds != 1) n.wrong("{} attributes {}_*; expected one", kinds, role);
  if (n.ok() && list.count() == 0) n.wrong("its {} are none", role);
  return list;
}

template <class T> ValueId numbers_of(NodeImport& n, const List& list, DType t) {
  std::vector<T> v;
  if (dtype_is_float(t))
    for (const double x : list.reals) v.push_back(static_cast<T>(x));
  else
    for (const int64_t x : list.integers) v.push_back(static_cast<T>(x));
  return n.constant(t, {static_cast<int64_t>(v.size())}, v.data());
}

// The table's values, with the one for what is no key at the end.
void give_from(NodeImport& n, List values, const Table& keys) {
  if (!n.ok()) return;
  const ValueId index = key_index(n, n.in(0), keys);
  if (!values.strings.empty()) return n.out_strings(0, looked_up(n, n.numbered_strings(values.strings), index), true);
  ValueId table = kNoValue;
  switch (values.dtype) {
    case DType::f32: table = numbers_of<float>(n, values, values.dtype); break;
    case DType::f64: table = numbers_of<double>(n, values, values.dtype); break;
    case DType::i32: table = numbers_of<int32_t>(n, values, values.dtype); break;
    case DType::i16: table = numbers_of<int16_t>(n, values, values.dtype); break;
    default: table = numbers_of<int64_t>(n, values, DType::i64); break;
  }
  n.out(0, looked_up(n, table, index));
}

// The integers of strings, or the strings of integers, by what the input holds.
void give_either_way(NodeImport& n, std::vector<int64_t> integers, std::vector<std::string_view> strings) {
  Table keys;
  List values;
  if (n.holds_strings(0)) {
    keys.strings = std::move(strings);
    values.integers = std::move(integers);
    values.integers.push_back(n.integer("default_int64", -1));
    values.dtype = DType::i64;
  } else {
    keys.integers = std::move(integers);
    values.strings = std::move(strings);
    values.strings.push_back(n.text("default_string", "_Unused"));
  }
  give_from(n, values, keys);
}

// Before version 2: strings to their places in a list, or places to strings.
void old_label_encoder(NodeImport& n) {
  const std::vector<std::string_view> classes = n.strings("classes_strings");
  if (n.ok() && classes.empty()) n.wrong("attribute classes_strings has no values");
  std::vector<int64_t> places;
  for (size_t i = 0; i < classes.size(); ++i) places.push_back(static_cast<int64_t>(i));
  give_either_way(n, std::move(places), classes);
}

void label_encoder(NodeImport& n) {
  const ValueId x = n.in(0);
  if (!n.ok()) return;
  if (n.opset() < 2) return old_label_encoder(n);
  List keys = list_of(n, "keys"), values = list_of(n, "values");
  if (n.ok() && keys.count() != values.count()) n.wrong("{} keys and {} values; expected as many", keys.count(), values.count());
  if (n.ok() && n.holds_strings(0) != !keys.strings.empty()) n.wrong("input 0 and the keys are not both strings, nor both numbers");
  if (n.ok() && keys.strings.empty() && n.dtype(x) != keys.dtype)
    n.wrong("input 0 has dtype {}; the keys have {}", dtype_name(n.dtype(x)), dtype_name(keys.dtype));
  if (!n.ok()) return;
  if (const Attribute* tensor = n.find("default_tensor")) {
    List other;
    read_tensor_attribute(n, *tensor, &other);
    if (n.ok() && (other.count() != 1 || other.dtype != values.dtype || other.strings.empty() != values.strings.empty()))
      n.wrong("default_tensor is not one element of the values' type");
    if (!n.ok()) return;
    values.reals.insert(values.reals.end(), other.reals.begin(), other.reals.end());
    values.integers.insert(values.integers.end(), other.integers.begin(), other.integers.end());
    values.strings.insert(values.strings.end(), other.strings.begin(), other.strings.end());
  } else if (!values.strings.empty()) {
    values.strings.push_back(n.text("default_string", "_Unused"));
  } else if (dtype_is_float(values.dtype)) {
    values.reals.push_back(n.real("default_float", -0.f));
  } else {
    values.integers.push_back(n.integer("default_int64", -1));
  }
  Table table;
  table.integers = keys.integers;
  table.reals = keys.reals;
  table.strings = keys.strings;
  give_from(n, values, table);
}

void category_mapper(NodeImport& n) {
  const std::vector<int64_t> integers = n.integers("cats_int64s");
  const std::vector<std::string_view> strings = n.strings("cats_strings");
  if (n.ok() && (integers.empty() || integers.size() != strings.size()))
    n.wrong("{} integers and {} strings; expected as many", integers.size(), strings.size());
  n.in(0);
  if (!n.ok()) return;
  give_either_way(n, integers, strings);
}

// The caller gives the row that a map makes (ModelImport::add_map_input).
void dict_vectorizer(NodeImport& n) {
  const ValueId x = n.in(0);
  if (n.ok() && (n.all_strings == nullptr || !n.all_strings->is_map_input(n.proto().input[0])))
    n.unsupported("input 0, '{}', is no map; expected an input of the model that is one", shown(n.proto().input[0]));
  n.out(0, x);
}

// The rows of a map's values, as the border makes them.
void cast_map(NodeImport& n) {
  const int to = n.choice("cast_to", "TO_FLOAT", {"TO_FLOAT", "TO_STRING", "TO_INT64"});
  const ValueId x = n.in(0);
  if (!n.ok()) return;
  if (n.all_strings == nullptr || !n.all_strings->is_map_input(n.proto().input[0]))
    return n.unsupported("input 0, '{}', is no map; expected an input of the model that is one", shown(n.proto().input[0]));
  if (n.holds_strings(0)) return n.out(0, to == 1 ? x : numbers_of_strings(n, 0, to == 0 ? DType::f32 : DType::i64));
  if (n.dtype(x) != DType::f32) return n.wrong("its input is a map to {}; expected float or string", dtype_name(n.dtype(x)));
  if (to == 1) return n.unsupported("attribute cast_to is TO_STRING, of a map to float; expected a map to string, TO_FLOAT or TO_INT64");
  n.out(0, n.cast(x, to == 0 ? DType::f32 : DType::i64));
}

constexpr Importer kFeaturesOperators[] = {
    {"ArrayFeatureExtractor", 1, array_feature_extractor},
    {"Binarizer", 1, binarizer},
    {"CastMap", 1, cast_map},
    {"CategoryMapper", 1, category_mapper},
    {"DictVectorizer", 1, dict_vectorizer},
    {"FeatureVectorizer", 1, feature_vectorizer},
    {"Imputer", 1, imputer},
    {"LabelEncoder", 1, label_encoder},
    {"Normalizer", 1, normalizer},
    {"OneHotEncoder", 1, one_hot_encoder},
    {"Scaler", 1, scaler},
    {"ZipMap", 1, zip_map},
};

}  // namespace

std::span<const Importer> feature_importers() { return kFeaturesOperators; }

}  // namespace anydim::onnx
