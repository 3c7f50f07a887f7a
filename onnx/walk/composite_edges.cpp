// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of a model that are sequences or optionals: which tensors of the graph they are made of. Callers see those tensors,
// and how they belong together in the model's metadata (ModelStrings::border, docs/onnx.md).
#include <algorithm>
#include <charconv>

#include "onnx/walk/model_import.h"
#include "onnx/format/tensor_data.h"

namespace anydim::onnx {

// "NAME=RANK,RANK,...;NAME=-": the ranks of a sequence's elements, or - for an optional that holds nothing.
Status ModelImport::read_sequences() {
  if (sequences_.empty()) return {};
  const auto wrong = [](std::string_view item, const char* expected) {
    return error(Code::invalid_argument, "options.sequences has '{}'; expected {}", shown(item), expected).about("options.sequences");
  };
  for (std::string_view rest = sequences_; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const size_t at = item.rfind('=');
    if (at == std::string_view::npos) return wrong(item, "NAME=RANK,RANK,...");
    SequenceOption option;
    if (item.substr(at + 1) != "-") {
      option.ranks.emplace();
      for (std::string_view ranks = item.substr(at + 1); !ranks.empty();) {
        const std::string_view text = ranks.substr(0, ranks.find(','));
        ranks.remove_prefix(std::min(ranks.size(), text.size() + 1));
        int rank = -1;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), rank);
        if (failure != std::errc{} || end != text.data() + text.size() || rank < 0 || rank > kMaxRank)
          return wrong(item, formatted("ranks from 0 to {}", kMaxRank).c_str());
        option.ranks->push_back(rank);
      }
    }
    if (!sequence_options_.emplace(item.substr(0, at), std::move(option)).second) return wrong(item, "each name once");
  }
  return {};
}

Status ModelImport::add_composite_input(const ValueInfo& v, Scope* scope) {
  const std::string where = formatted("input '{}'", shown(v.name));
  const bool optional = v.type.kind == TypeProto::Kind::optional;
  const bool sequence = !optional || v.type.holds == TypeProto::Kind::sequence;
  const bool strings = v.type.element_type == kString;
  Result<DType> dtype = strings ? Result<DType>(DType::i64) : dtype_of(v.type.element_type);
  if (!dtype.ok()) return std::move(dtype.status()).at(where);
  ModelStrings::Made made{optional, sequence, false, *dtype, 1, strings};
  const auto option = sequence_options_.find(v.name);
  if (option != sequence_options_.end()) option->second.used = true;
  const std::vector<int>* ranks = option != sequence_options_.end() && option->second.ranks ? &*option->second.ranks : nullptr;
  made.absent = option != sequence_options_.end() && ranks == nullptr;
  if (made.absent && !optional)
    return error(Code::invalid_argument, "{} is a sequence, which cannot be absent", where).about("options.sequences");
  if (ranks != nullptr && !sequence && ranks->size() != 1)
    return error(Code::invalid_argument, "{} is an optional tensor; it is given with {} ranks", where, ranks->size())
        .about("options.sequences");
  ValueId composite = kNoValue;
  if (sequence && !made.absent) {
    Composite c;
    c.dtype = *dtype;
    c.strings = strings;
    if (ranks != nullptr) {
      made.elements = static_cast<int64_t>(ranks->size());
      for (size_t i = 0; i < ranks->size(); ++i) {
        ValueId part = kNoValue;
        const std::string name = formatted("{}[{}]", v.name, i);
        if (std::ranges::find(model_.graph.input, name, &ValueInfo::name) != model_.graph.input.end())
          return unimplemented("the input '{}' has the name of an element of '{}'", name, shown(v.name));
        ANYDIM_TRY(add_tensor_input(name, v.type, false, (*ranks)[i], scope, &part).at(where));
        c.parts.push_back(part);
      }
    } else {
      made.elements = ModelStrings::Made::kSlices;
      ANYDIM_TRY(add_tensor_input(v.name, v.type, true, -1, scope, &c.stacked).at(where));
    }
    composite = composites_.add(std::move(c));
  } else if (!made.absent) {
    ANYDIM_TRY(add_tensor_input(v.name, v.type, false, ranks != nullptr ? (*ranks)[0] : -1, scope, &composite).at(where));
  }
  if (optional) {
    Composite c;
    c.kind = Composite::Kind::optional;
    if (!made.absent) c.parts.push_back(composite);
    composite = composites_.add(std::move(c));
  }
  scope->values.emplace(v.name, composite);
  strings_.add_made(true, v.name, made);
  return {};
}

Status ModelImport::add_composite_output(const ValueInfo& output, ValueId value, const std::set<std::string_view>& names) {
  if (!strings_.allowed())
    return unimplemented("graph output '{}' is {}; such outputs are known in whole models' files only", shown(output.name),
                         composites_.at(value).name());
  ModelStrings::Made made;
  made.strings = output.type.element_type == kString;
  const Composite* c = &composites_.at(value);
  if (c->kind == Composite::Kind::optional) {
    made.optional = true;
    made.sequence = output.type.holds == TypeProto::Kind::sequence;
    made.absent = c->parts.empty();
    if (const Result<DType> dtype = dtype_of(output.type.element_type); dtype.ok()) made.dtype = *dtype;
    if (!made.absent && !is_composite(c->parts[0])) {
      made.dtype = graph_.value(c->parts[0]).type.dtype;
      ANYDIM_TRY(add_tensor_output(c->parts[0], std::string(output.name)));
    }
    c = !made.absent && is_composite(c->parts[0]) ? &composites_.at(c->parts[0]) : nullptr;
  }
  if (c != nullptr) {
    if (c->kind != Composite::Kind::sequence) return unimplemented("graph output '{}' is an optional of an optional", shown(output.name));
    made.sequence = true;
    made.dtype = c->dtype;
    made.elements = c->stacked != kNoValue ? ModelStrings::Made::kSlices : static_cast<int64_t>(c->parts.size());
    if (c->stacked != kNoValue) ANYDIM_TRY(add_tensor_output(c->stacked, std::string(output.name)));
    for (size_t i = 0; i < c->parts.size(); ++i) {
      std::string name = formatted("{}[{}]", output.name, i);
      if (names.count(name) > 0) return unimplemented("the output '{}' has the name of an element of '{}'", name, shown(output.name));
      if (is_composite(c->parts[i])) return unimplemented("graph output '{}' is a sequence of what are no tensors", shown(output.name));
      ANYDIM_TRY(add_tensor_output(c->parts[i], std::move(name)));
    }
  }
  strings_.add_made(false, output.name, made);
  return {};
}

}  // namespace anydim::onnx
