// SPDX-License-Identifier: Apache-2.0
// Strings as views for the importer functions: those of inputs, of constants, and what becomes of heaps where they meet.
#include <algorithm>
#include <map>

#include "core/base/text/utf8.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/gather.h"
#include "core/ops/string_views.h"
#include "onnx/walk/node_import.h"
#include "onnx/strings/strings.h"

namespace anydim::onnx {

NodeImport::Strings NodeImport::string_constant(const Dims& dims, std::span<const std::string_view> strings) {
  if (!ok()) return {};
  std::string heap;
  std::vector<int64_t> views;
  std::map<std::string_view, int64_t> seen;
  for (const std::string_view text : strings) {
    if (!valid_utf8(text)) return unsupported("a string is not valid UTF-8: '{}'", shown(text)), Strings{};
    if (static_cast<int64_t>(text.size()) > kLongestString) return unsupported("a string of {} bytes", text.size()), Strings{};
    const auto [at, added] = seen.emplace(text, string_view_of(static_cast<int64_t>(heap.size()), static_cast<int64_t>(text.size())));
    if (added) heap += text;
    views.push_back(at->second);
  }
  if (heap.empty()) heap.push_back('\0');
  return {constant(DType::i64, dims, views.data()), constant(DType::u8, {static_cast<int64_t>(heap.size())}, heap.data())};
}

NodeImport::Strings NodeImport::strings_in(size_t i) {
  const ValueId v = in(i);
  if (!ok()) return {};
  if (all_strings == nullptr || !all_strings->allowed()) {
    unsupported("it has strings, which are known in whole models' files only");
    return {};
  }
  return is_string(v) ? strings_of(v) : (wrong("input {} holds no strings", i), Strings{});
}

NodeImport::Strings NodeImport::strings_of(ValueId v) {
  if (const ValueId heap = all_strings->heap_of(graph_, v); heap != kNoValue) return {v, heap};
  if (all_strings->find(graph_, v) != ModelStrings::Known::all) return fail(all_strings->require_views()), Strings{};
  const std::span<const std::string_view> list = all_strings->list();
  if (const ConstantPtr numbers = graph_.value(v).constant; numbers != nullptr) {
    std::vector<std::string_view> strings;
    for (const int64_t number : numbers->as<int64_t>()) strings.push_back(list[static_cast<size_t>(number)]);
    Dims d;
    for (const Dim dim : dims(v)) d.push_back(dim.number());
    return string_constant(d, strings);
  }
  const Strings all = string_constant({static_cast<int64_t>(list.size())}, list);
  return {add(Gather::make(0), {all.views, v}), all.heap};
}

void NodeImport::out_strings(size_t i, const Strings& strings) {
  if (!ok() || strings.views == kNoValue || !wants(i)) return;
  if (all_strings == nullptr || !all_strings->allowed())
    return unsupported("its output {} holds strings, which are known in whole models' files only", i);
  all_strings->mark_views(graph_, strings.views, strings.heap);
  out(i, strings.views);
}

void NodeImport::share_heap(std::span<Strings> strings) {
  std::vector<ValueId> heaps;
  for (const Strings& s : strings)
    if (std::ranges::find(heaps, s.heap) == heaps.end()) heaps.push_back(s.heap);
  if (!ok() || heaps.size() < 2) return;
  // Those of known sizes first: what lies behind them is moved by a number.
  std::ranges::stable_partition(heaps, [&](ValueId h) { return dims(h)[0].is_number(); });
  const ValueId shared = add(Concat::make(0), heaps);
  std::map<ValueId, ValueId> moved_by;
  Dim before = 0;
  for (const ValueId heap : heaps) {
    if (before.is_number()) {
      const int64_t by = string_view_of(before.number(), 0);
      moved_by[heap] = before.is(0) ? kNoValue : constant(DType::i64, {}, &by);
    } else {
      const int64_t step = string_view_of(1, 0);
      moved_by[heap] = binary(BinaryFunction::mul, shape(DType::i64, {}, {before}), constant(DType::i64, {}, &step));
    }
    before = pool().add(before, dims(heap)[0]);
  }
  for (Strings& s : strings) {
    if (const ValueId by = moved_by[s.heap]; by != kNoValue) s.views = binary(BinaryFunction::add, s.views, by);
    s.heap = shared;
  }
}

ValueId NodeImport::share_heap_of(std::vector<ValueId>* values) {
  std::vector<ValueId*> places;
  bool views = false;
  for (ValueId& v : *values)
    if (v != kNoValue && is_string(v)) places.push_back(&v), views = views || all_strings->heap_of(graph_, v) != kNoValue;
  if (!views) return kNoValue;
  std::vector<Strings> strings;
  for (const ValueId* v : places) strings.push_back(strings_of(*v));
  share_heap(strings);
  if (!ok()) return kNoValue;
  for (size_t i = 0; i < places.size(); ++i) *places[i] = strings[i].views;
  return strings[0].heap;
}

// A step that moves elements: where some of them are strings, so is what it makes.
std::vector<ValueId> NodeImport::add_moved(Result<OperatorPtr> op, std::vector<ValueId> inputs, size_t outputs) {
  moves_strings = false;
  bool any = false, known = true;
  for (const ValueId v : inputs)
    if (is_string(v)) any = true, known = known && all_strings->find(graph_, v) == ModelStrings::Known::all;
  const ValueId heap = any ? share_heap_of(&inputs) : kNoValue;
  const std::vector<ValueId> made = add_many(std::move(op), std::move(inputs), outputs);
  if (ok() && any)
    for (const ValueId v : made) {
      if (heap != kNoValue) all_strings->mark_views(graph_, v, heap);
      else all_strings->mark(graph_, v, known ? ModelStrings::Known::all : ModelStrings::Known::some);
    }
  moves_strings = true;
  return made;
}

}  // namespace anydim::onnx
