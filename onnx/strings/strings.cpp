// SPDX-License-Identifier: Apache-2.0
// The numbers of a model's strings, and which operators take them.
#include "onnx/strings/strings.h"

#include <algorithm>

#include "core/base/text/format.h"
#include "core/base/text/utf8.h"
#include "onnx/format/schemas.h"

namespace anydim::onnx {
namespace {

std::string json(std::string_view text) {
  std::string s = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') s += '\\';
    if (static_cast<unsigned char>(c) < 0x20) s += formatted("\\u{:04x}", static_cast<int>(c));
    else s += c;
  }
  return s + '"';
}
std::string json(int64_t i) { return formatted("{}", i); }
const char* json(bool b) { return b ? "true" : "false"; }
template <class List> std::string json_list(const List& list) {
  std::string s = "[";
  for (const auto& v : list) s += (s.size() > 1 ? "," : "") + json(v);
  return s + ']';
}

}  // namespace

int64_t ModelStrings::number(std::string_view text) {
  const auto [at, added] = numbers_.emplace(text, count());
  if (added) list_.push_back(text);
  return at->second;
}

Result<ConstantPtr> ModelStrings::constant(const TensorProto& tensor) {
  if (!allowed_) return unimplemented("a tensor of strings; strings are known in whole models' files only");
  Dims dims;
  if (tensor.dims.size() > static_cast<size_t>(kMaxRank)) return unimplemented("it has rank {}; at most {}", tensor.dims.size(), kMaxRank);
  for (const int64_t d : tensor.dims) {
    if (d < 0) return error(Code::invalid_model, "it has a dim of {}", d);
    dims.push_back(d);
  }
  int64_t elements = 1;
  for (const int64_t d : dims) elements = saturating_mul(elements, d);
  if (elements != static_cast<int64_t>(tensor.string_data.size()))
    return error(Code::invalid_model, "it stores {} strings; its dims need {}", tensor.string_data.size(), elements);
  for (const std::string_view text : tensor.string_data)
    if (!valid_utf8(text)) return unimplemented("a string is not valid UTF-8: '{}'", shown(text));
  std::vector<int64_t> numbers;
  numbers.reserve(tensor.string_data.size());
  for (const std::string_view text : tensor.string_data) numbers.push_back(number(text));
  return ConstantTensor::copy(DType::i64, dims, numbers.data());
}

std::optional<ModelStrings::Known> ModelStrings::find(const Graph& graph, ValueId value) const {
  const auto at = values_.find({&graph, value});
  if (at == values_.end()) return std::nullopt;
  return at->second;
}

ValueId ModelStrings::heap_of(const Graph& graph, ValueId value) const {
  const auto at = heaps_.find({&graph, value});
  return at == heaps_.end() ? kNoValue : at->second;
}

void ModelStrings::mark_like(const Graph& graph, ValueId value, ValueId made) {
  if (const ValueId heap = heap_of(graph, value); heap != kNoValue) mark_views(graph, made, heap);
  else if (const auto known = find(graph, value)) mark(graph, made, *known);
}

ValueId ModelStrings::captured(const Graph& body, ValueId heap) const {
  const auto at = captured_.find({&body, heap});
  return at == captured_.end() ? kNoValue : at->second;
}

void ModelStrings::forget(const Graph& body) {
  const auto of_body = [&](const auto& entry) { return entry.first.first == &body; };
  std::erase_if(values_, of_body);
  std::erase_if(heaps_, of_body);
  std::erase_if(captured_, of_body);
}

bool ModelStrings::is_map_input(std::string_view name) const {
  return std::ranges::find(map_inputs_, name, &std::pair<std::string_view, Keys>::first) != map_inputs_.end();
}

const ModelStrings::Keys* ModelStrings::maps_of(std::string_view value) const {
  const auto at = maps_.find(value);
  return at == maps_.end() ? nullptr : &at->second;
}

std::string ModelStrings::border(std::span<const std::string_view> inputs, std::span<const std::string_view> outputs) const {
  std::string maps;
  for (const std::string_view name : outputs)
    if (const Keys* keys = maps_of(name))
      maps += formatted("{}{}:{}", maps.empty() ? "" : ",", json(name),
                        keys->strings.empty() ? json_list(keys->integers) : json_list(keys->strings));
  const bool views = !view_inputs_.empty() || !view_outputs_.empty();
  const bool made = !made_inputs_.empty() || !made_outputs_.empty() || views;
  if (inputs_.empty() && outputs_.empty() && maps.empty() && map_inputs_.empty() && !made) return {};
  const auto json_made = [](const std::vector<std::pair<std::string_view, Made>>& all) {
    std::string text;
    for (const auto& [name, m] : all)
      text += formatted("{}{}:{{\"optional\":{},\"sequence\":{},\"absent\":{},\"dtype\":{},\"elements\":{},\"strings\":{}}}",
                        text.empty() ? "" : ",", json(name), json(m.optional), json(m.sequence), json(m.absent), static_cast<int>(m.dtype),
                        m.elements, json(m.strings));
    return text;
  };
  std::string text = formatted("{{\"inputs\":{},\"outputs\":{},\"maps\":{{{}}},\"texts\":{}", json_list(inputs_), json_list(outputs_), maps,
                               json_list(inputs_.empty() && outputs_.empty() ? std::vector<std::string_view>() : list_));
  const auto json_heaps = [](const std::vector<std::pair<std::string, std::string>>& all) {
    std::string text;
    for (const auto& [name, heap] : all) text += formatted("{}{}:{}", text.empty() ? "" : ",", json(name), json(heap));
    return text;
  };
  if (views) text += formatted(",\"view_inputs\":{{{}}},\"view_outputs\":{{{}}}", json_heaps(view_inputs_), json_heaps(view_outputs_));
  if (!map_inputs_.empty()) {
    std::string rows;
    for (const auto& [name, keys] : map_inputs_)
      rows += formatted("{}{}:{}", rows.empty() ? "" : ",", json(name),
                        keys.every             ? "null"
                        : keys.count > 0       ? json(keys.count)
                        : keys.strings.empty() ? json_list(keys.integers)
                                               : json_list(keys.strings));
    std::string fills;
    for (const auto& [name, keys] : map_inputs_) fills += formatted("{}{}:{}", fills.empty() ? "" : ",", json(name), json(keys.fill));
    text += formatted(",\"map_inputs\":{{{}}},\"map_fills\":{{{}}}", rows, fills);
  }
  if (made)
    text += formatted(",\"input_names\":{},\"output_names\":{},\"made_inputs\":{{{}}},\"made_outputs\":{{{}}}", json_list(inputs),
                      json_list(outputs), json_made(made_inputs_), json_made(made_outputs_));
  return text + '}';
}

StringUse string_use(std::string_view domain, std::string_view op_type) noexcept {
  constexpr std::string_view kMoved[] = {"Concat", "Expand",  "Flatten", "Gather",    "Identity",  "Reshape", "Slice",
                                         "Split",  "Squeeze", "Tile",    "Transpose", "Unsqueeze", "Where"};
  constexpr std::string_view kOwn[] = {"CastMap", "CategoryMapper", "DictVectorizer", "LabelEncoder", "OneHotEncoder"};
  constexpr std::string_view kStrings[] = {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer"};
  if (op_type == "Tokenizer" && domain != kLearnedDomain && !domain.empty()) return StringUse::own;
  if (domain == kLearnedDomain) {
    if (op_type == "ArrayFeatureExtractor") return StringUse::moved;
    return std::ranges::find(kOwn, op_type) != std::end(kOwn) ? StringUse::own : StringUse::none;
  }
  if (!domain.empty() && domain != "ai.onnx") return StringUse::none;
  if (op_type == "Equal") return StringUse::compared;
  if (op_type.starts_with("Sequence") || op_type.starts_with("Optional")) return StringUse::own;
  constexpr std::string_view kAnywhere[] = {"Cast",  "CastLike", "ConcatFromSequence", "If", "Loop", "Scan",
                                            "Shape", "Size",     "SplitToSequence"};
  if (std::ranges::find(kAnywhere, op_type) != std::end(kAnywhere)) return StringUse::own;
  if (std::ranges::find(kStrings, op_type) != std::end(kStrings)) return StringUse::own;
  return std::ranges::find(kMoved, op_type) != std::end(kMoved) ? StringUse::moved : StringUse::none;
}

}  // namespace anydim::onnx
