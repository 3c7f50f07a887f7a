// SPDX-License-Identifier: Apache-2.0
// Words of an operator's text; see attribute_reader.h.
#include "core/ops/attribute_reader.h"

#include "core/ops/text.h"

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
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return invalid("{}: `{}` at byte {} is no attribute; expected name=value", op_, word, at);
    for (const Field& f : fields_)
      if (f.name == word.substr(0, equals)) return invalid("{}: attribute {} at byte {} is there twice", op_, f.name, at);
    fields_.push_back({word.substr(0, equals), word.substr(equals + 1), at, false});
    at = end;
  }
  return {};
}

const AttributeReader::Field* AttributeReader::find(std::string_view name) {
  for (Field& f : fields_)
    if (f.name == name) return f.used = true, &f;
  return nullptr;
}

bool AttributeReader::has(std::string_view name) const {
  for (const Field& f : fields_)
    if (f.name == name) return true;
  return false;
}

void AttributeReader::refuse(std::string_view name, std::string_view expected) {
  if (!bad_.ok()) return;
  const Field* f = find(name);
  bad_ = f != nullptr ? invalid("{}: attribute {} at byte {} is `{}`; expected {}", op_, name, f->place, f->value, expected)
                      : invalid("{}: attribute {} is missing; expected {}", op_, name, expected);
}

void AttributeReader::check_used() {
  for (const Field& f : fields_)
    if (!f.used && bad_.ok()) bad_ = invalid("{}: attribute {} at byte {} is not one of this operator", op_, f.name, f.place);
}

std::string_view AttributeReader::text(std::string_view name) {
  const Field* f = find(name);
  return f != nullptr ? f->value : std::string_view();
}

int64_t AttributeReader::number(std::string_view name, int64_t otherwise) {
  const Field* f = find(name);
  if (f != nullptr && !parse_number(f->value, &otherwise)) refuse(name, "a whole number");
  return otherwise;
}

int AttributeReader::small(std::string_view name, int otherwise) {
  const int64_t v = number(name, otherwise);
  if (v != static_cast<int>(v)) refuse(name, "a number that fits 32 bits");
  return static_cast<int>(v);
}

bool AttributeReader::flag(std::string_view name, bool otherwise) {
  const int64_t v = number(name, otherwise);
  if (v != 0 && v != 1) refuse(name, "0 or 1");
  return v != 0;
}

double AttributeReader::wide(std::string_view name, double otherwise) {
  const Field* f = find(name);
  if (f != nullptr && !parse_number(f->value, &otherwise)) refuse(name, "a number");
  return otherwise;
}

float AttributeReader::real(std::string_view name, double otherwise) { return static_cast<float>(wide(name, otherwise)); }

DType AttributeReader::dtype(std::string_view name, DType otherwise) {
  const Field* f = find(name);
  if (f != nullptr && !parse_dtype(f->value, &otherwise)) refuse(name, "an element type such as f32");
  return otherwise;
}

int AttributeReader::word_of(std::string_view name, std::span<const char* const> words, int otherwise) {
  const Field* f = find(name);
  for (size_t i = 0; f != nullptr && i < words.size(); ++i)
    if (f->value == words[i]) return static_cast<int>(i);
  if (f != nullptr || otherwise < 0) refuse(name, "one of " + joined(words, ", "));
  return otherwise < 0 ? 0 : otherwise;
}

std::vector<int64_t> AttributeReader::list(std::string_view name) {
  std::vector<int64_t> values;
  const bool good = each(text(name), [&](std::string_view word) {
    int64_t v = 0;
    if (!parse_number(word, &v)) return false;
    values.push_back(v);
    return true;
  });
  if (!good) refuse(name, "whole numbers between commas");
  return values;
}

std::vector<float> AttributeReader::reals(std::string_view name) {
  std::vector<float> values;
  const bool good = each(text(name), [&](std::string_view word) {
    double v = 0;
    if (!parse_number(word, &v)) return false;
    values.push_back(static_cast<float>(v));
    return true;
  });
  if (!good) refuse(name, "numbers between commas");
  return values;
}

SymDims AttributeReader::dims(std::string_view name) {
  SymDims d;
  const std::vector<int64_t> values = list(name);
  if (values.size() > static_cast<size_t>(kMaxRank)) refuse(name, formatted("at most {} numbers", kMaxRank));
  for (int64_t v : values) d.push_back(v);
  return d;
}

bool AttributeReader::fixed_into(std::string_view name, int64_t* to, int room, int* count) {
  if (!has(name)) return false;
  const std::vector<int64_t> values = list(name);
  const int n = static_cast<int>(values.size());
  if (n < 1 || n > room) refuse(name, formatted("1 to {} numbers", room));
  else if (*count > 0 && n != *count) refuse(name, formatted("{} numbers, as the lists before it have", *count));
  else *count = n;
  for (int i = 0; i < n && i < room; ++i) to[i] = values[static_cast<size_t>(i)];
  return true;
}

}  // namespace anydim
