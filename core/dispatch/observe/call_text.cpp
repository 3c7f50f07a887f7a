// SPDX-License-Identifier: Apache-2.0
// Writing lines of the verbose format; reading them is in call_text_parse.cpp. See docs/verbose.md.
#include "core/dispatch/observe/call_text.h"

#include <algorithm>

namespace anydim {

namespace {

// A field as RFC 4180 has it: in quotation marks where it holds a comma or a quotation mark, those doubled.
void append_field(std::string* line, std::string_view field) {
  if (!line->empty()) *line += ',';
  if (field.find_first_of(",\"") == std::string_view::npos) {
    *line += field;
    return;
  }
  *line += '"';
  for (char c : field) {
    if (c == '"') *line += '"';
    *line += c;
  }
  *line += '"';
}

// Names come from model files: what would end or hide a line is written as \xNN.
std::string printable(std::string_view name) {
  std::string text;
  for (unsigned char c : name) {
    if (c < 0x20 || c == 0x7F || c == '\\') text += formatted("\\x{:02x}", c);
    else text += static_cast<char>(c);
  }
  return text;
}

void append_dim(std::string* text, int64_t value, bool dynamic, const DimPromise& p) {
  if (value >= 0) *text += formatted("{}", value);
  if (!dynamic) return;
  *text += '?';
  if (p.min > 0 || p.max < kMaxSize) *text += formatted("{}..", p.min);
  if (p.max < kMaxSize) *text += formatted("{}", p.max);
  if (p.multiple_of > 1) *text += formatted("%{}", p.multiple_of);
  if (p.hint >= 0) *text += formatted("~{}", p.hint);
}

// Axes from the outermost in memory to the innermost, if the strides are exactly those of a dense tensor in that order.
bool dense_order(const TensorText& t, Perm* order) {
  for (int i = 0; i < t.dims.rank; ++i) order->push_back(i);
  std::stable_sort(order->begin(), order->end(),
                   [&](int a, int b) { return t.strides[a] != t.strides[b] ? t.strides[a] > t.strides[b] : t.dims[a] > t.dims[b]; });
  return dense_strides(t.dims, *order) == t.strides;
}

void append_tensor(std::string* text, const char* role, size_t index, const TensorText& t) {
  if (!text->empty()) *text += ' ';
  *text += formatted("{}{}={}", t.weights ? "w" : role, index, write_tensor(t));
}

}  // namespace

std::string write_tensor(const TensorText& t) {
  if (t.dtype == DType::none) return "-";
  std::string text = dtype_name(t.dtype);
  text += '[';
  for (int i = 0; i < t.dims.rank; ++i) {
    if (i > 0) text += ',';
    append_dim(&text, t.dims[i], t.dynamic[i], t.promises[i]);
  }
  text += ']';
  if (t.strides.rank != t.dims.rank || dense_strides(t.dims) == t.strides) return text;
  Perm order;
  if (dense_order(t, &order)) text += "@" + joined(order, ",");
  else text += ":" + joined(t.strides, ",");
  return text;
}

std::string write_call(const CallText& c) {
  std::string tensors;
  for (size_t i = 0; i < c.in.size(); ++i) append_tensor(&tensors, "in", i, c.in[i]);
  for (size_t i = 0; i < c.post_in.size(); ++i) append_tensor(&tensors, "post", i, c.post_in[i]);
  for (size_t i = 0; i < c.out.size(); ++i) append_tensor(&tensors, "out", i, c.out[i]);
  std::string line = "anydim";
  append_field(&line, "v1");
  append_field(&line, c.event == CallText::Event::execute ? "execute" : "create");
  append_field(&line, c.engine);
  append_field(&line, printable(c.name));
  append_field(&line, c.op);
  append_field(&line, tensors);
  append_field(&line, describe(c.post_ops));
  append_field(&line, formatted("math={} reuse={} threads={}", math_name(c.mode), policy_name(c.reuse), c.threads));
  append_field(&line, c.kernel);
  append_field(&line, c.tier);
  append_field(&line, formatted("{:.3f}", c.microseconds));
  std::string more = c.quantization ? describe(*c.quantization) : "";
  if (!more.empty() && !c.more.empty()) more += ' ';
  append_field(&line, more + c.more);
  return line;
}

}  // namespace anydim
