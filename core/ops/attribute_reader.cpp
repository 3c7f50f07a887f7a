// SPDX-License-Identifier: Apache-2.0
// Words of an operator's text; see attribute_reader.h.
#include "core/ops/attribute_reader.h"

#include <algorithm>

namespace anydim {

namespace {

// Calls f(word) for each word between commas; none for an empty text. False as soon as f is.
template <class F> bool each(std::string_view list, F f) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    if (!f(list.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
    if (list.empty()) return false;  // nothing after a comma
  }
  return true;
}

}  // namespace

Status AttributeReader::split(std::string_view text, size_t from) {
  for (size_t at = text.find_first_not_of(' ', from); at < text.size(); at = text.find_first_not_of(' ', at)) {
    size_t end = at;
    for (int depth = 0; end < text.size() && (text[end] != ' ' || depth > 0); ++end) depth += (text[end] == '[') - (text[end] == ']');
    const std::string_view word = text.substr(at, end - at);
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return invalid("{}: `{}` at byte {} is no attribute; expected name=value", op(), word, at);
    for (const Field& f : fields_)
      if (f.name == word.substr(0, equals)) return invalid("{}: attribute {} at byte {} is there twice", op(), f.name, at);
    fields_.push_back({word.substr(0, equals), word.substr(equals + 1), at, false});
    at = end;
  }
  return {};
}

Status AttributeReader::read(void* attributes) {
  const std::span<const AttributeField> all = attributes_of(kind_);
  for (const AttributeField& f : all)
    if (counts(f, all, attributes)) read(f, all, attributes);
  check_used();
  return std::move(bad_);
}

const AttributeReader::Field* AttributeReader::find(std::string_view name) {
  for (Field& f : fields_)
    if (f.name == name) return f.used = true, &f;
  return nullptr;
}

void AttributeReader::refuse(std::string_view name, std::string_view expected) {
  if (!bad_.ok()) return;
  const Field* f = find(name);
  bad_ = f != nullptr ? invalid("{}: attribute {} at byte {} is `{}`; expected {}", op(), name, f->place, f->value, expected)
                      : invalid("{}: attribute {} is missing; expected {}", op(), name, expected);
}

void AttributeReader::check_used() {
  for (const Field& f : fields_)
    if (!f.used && bad_.ok()) bad_ = invalid("{}: attribute {} at byte {} is not one of this operator", op(), f.name, f.place);
}

void AttributeReader::read(const AttributeField& f, std::span<const AttributeField> all, void* at) {
  if (f.type == AttributeType::spatial) return;  // the lists determine it
  const Field* found = find(f.name());
  if (found == nullptr) {
    if (f.required && f.type == AttributeType::word) refuse(f.name(), "one of " + words(f));
    if (f.required && f.type == AttributeType::dtype) refuse(f.name(), "an element type such as f32");
    return;
  }
  switch (f.type) {
    case AttributeType::flag: {
      const int64_t v = number(f, f.in<bool>(at));
      if (v != 0 && v != 1) refuse(f.name(), "0 or 1");
      f.in<bool>(at) = v != 0;
      break;
    }
    case AttributeType::integer: f.in<int64_t>(at) = number(f, f.in<int64_t>(at)); break;
    case AttributeType::real:
      if (!parse_number(found->value, &f.in<float>(at))) refuse(f.name(), "a number");
      break;
    case AttributeType::wide:
      if (!parse_number(found->value, &f.in<double>(at))) refuse(f.name(), "a number");
      break;
    case AttributeType::dtype:
      if (!parse_dtype(found->value, &f.in<DType>(at))) refuse(f.name(), "an element type such as f32");
      break;
    case AttributeType::word: {
      int value = 0;
      while (value < word_count(f) && found->value != word_name(f, value)) ++value;
      if (value == word_count(f)) refuse(f.name(), "one of " + words(f));
      else f.in<uint8_t>(at) = static_cast<uint8_t>(value);
      break;
    }
    case AttributeType::spatial: break;
    case AttributeType::per_spatial: read_per_spatial(f, all, at); break;
    case AttributeType::integers: f.in<RankArray<int64_t>>(at) = RankArray<int64_t>(std::span<const int64_t>(list(f, kMaxRank))); break;
    case AttributeType::perm: {
      Perm perm;
      for (const int64_t v : list(f, kMaxRank)) perm.push_back(static_cast<int32_t>(std::clamp<int64_t>(v, -1, kMaxRank)));
      f.in<Perm>(at) = perm;
      break;
    }
    case AttributeType::reals: {
      std::vector<float>& values = f.in<std::vector<float>>(at);
      values.clear();
      const bool good = each(found->value, [&](std::string_view word) { return parse_number(word, &values.emplace_back()); });
      if (!good) refuse(f.name(), "numbers between commas");
      break;
    }
    case AttributeType::dim: {
      const std::vector<Dim> one = dims(f, 1);
      if (one.size() != 1) refuse(f.name(), "a whole number");
      else f.in<Dim>(at) = one[0];
      break;
    }
    case AttributeType::dims: f.in<SymDims>(at) = SymDims(std::span<const Dim>(dims(f, kMaxRank))); break;
    case AttributeType::dim_list: f.in<std::vector<Dim>>(at) = dims(f, SIZE_MAX); break;
  }
}

std::string AttributeReader::words(const AttributeField& f) {
  std::string all;
  for (int i = 0; i < word_count(f); ++i) all += (i > 0 ? ", " : "") + std::string(word_name(f, i));
  return all;
}

int64_t AttributeReader::number(const AttributeField& f, int64_t otherwise) {
  if (!parse_number(find(f.name())->value, &otherwise)) refuse(f.name(), "a whole number");
  return otherwise;
}

std::vector<int64_t> AttributeReader::list(const AttributeField& f, size_t most) {
  std::vector<int64_t> values;
  const bool good = each(find(f.name())->value, [&](std::string_view word) { return parse_number(word, &values.emplace_back()); });
  if (!good) refuse(f.name(), "whole numbers between commas");
  if (values.size() > most) refuse(f.name(), formatted("at most {} numbers", most));
  return values;
}

std::vector<Dim> AttributeReader::dims(const AttributeField& f, size_t most) {
  std::vector<Dim> values;
  if (read_dims_ != nullptr && find(f.name())->value.starts_with('[')) {
    if (!read_dims_(context_, find(f.name())->value, &values)) refuse(f.name(), "sizes in brackets");
    if (values.size() > most) refuse(f.name(), formatted("at most {} sizes", most));
    return values;
  }
  for (const int64_t v : list(f, most)) values.emplace_back(v);
  return values;
}

void AttributeReader::read_per_spatial(const AttributeField& f, std::span<const AttributeField> all, void* at) {
  constexpr int kMost = 3;
  const std::vector<int64_t> values = list(f, SIZE_MAX);
  const int n = static_cast<int>(values.size());
  if (n < 1 || n > kMost) return refuse(f.name(), formatted("1 to {} numbers", kMost));
  if (spatial_ > 0 && n != spatial_) return refuse(f.name(), formatted("{} numbers, as the lists before it have", spatial_));
  all[f.more].in<int32_t>(at) = spatial_ = n;
  std::copy(values.begin(), values.end(), &f.in<int64_t>(at));
}

}  // namespace anydim
