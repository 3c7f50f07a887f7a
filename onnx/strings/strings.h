// SPDX-License-Identifier: Apache-2.0
// What a model's inputs and outputs are besides tensors of numbers, for whoever calls.
// Strings: each one that a model knows has a number, and a graph computes with these numbers (i64). What a caller feeds and
// gets is translated at the border, by the list that the model's metadata has (docs/onnx.md, decision 075). Strings that come with a run and
// that the model does not know are all -1, so such a value may only be looked up and compared with known ones.
// A model that does more with them is imported again with views: strings that come with a run, or are made by it, are then views of
// bytes in a heap (core/ops/string_views.h, decision 105); those that the model knows keep their numbers.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/ir.h"
#include "onnx/format/proto.h"

namespace anydim::onnx {

class ModelStrings {
 public:
  // Whether a model may have any: those of files may; parts of other programs' graphs may not.
  // `views`: strings that come with a run are views.
  explicit ModelStrings(bool allowed, bool views = false) : allowed_(allowed), views_(views) {}
  bool allowed() const noexcept { return allowed_; }
  bool views() const noexcept { return views_; }
  // Something was found that needs views.
  Status require_views() noexcept {
    views_required_ = true;
    return unimplemented("strings that come with a run are needed as views");
  }
  bool views_required() const noexcept { return views_required_ && !views_; }

  enum class Known : uint8_t { all, some };  // of a value's strings: constants and labels; or what comes with a run
  int64_t number(std::string_view text);
  int64_t count() const noexcept { return static_cast<int64_t>(list_.size()); }
  std::span<const std::string_view> list() const noexcept { return list_; }
  Result<ConstantPtr> constant(const TensorProto& tensor);
  void mark(const Graph& graph, ValueId value, Known known) { values_[{&graph, value}] = known; }
  std::optional<Known> find(const Graph& graph, ValueId value) const;
  // A value of views, and where their heap is.
  void mark_views(const Graph& graph, ValueId value, ValueId heap) {
    mark(graph, value, Known::some);
    heaps_[{&graph, value}] = heap;
  }
  ValueId heap_of(const Graph& graph, ValueId value) const;  // kNoValue: it holds no views
  // `made` is another value of the same strings.
  void mark_like(const Graph& graph, ValueId value, ValueId made);
  // A heap that a body reads from the graph around it.
  void mark_captured(const Graph& body, ValueId heap, ValueId outside) { captured_[{&body, heap}] = outside; }
  ValueId captured(const Graph& body, ValueId heap) const;  // kNoValue: it is the body's own
  // A body's graph is written again, perhaps where another one lay.
  void forget(const Graph& body);
  bool empty() const noexcept { return values_.empty(); }

  // The keys of a ZipMap: its output is the tensor that it would have made maps of.
  struct Keys {
    std::vector<int64_t> integers;
    std::vector<std::string_view> strings;
    // Of an input instead of a list: all of them, in increasing order; or 0, 1, ... below `count`.
    bool every = false;
    int64_t count = 0;
    std::string_view fill;  // of an input of strings: what stands for a key that a map lacks
    bool operator==(const Keys&) const = default;
  };
  void add_maps(std::string_view value, Keys keys) { maps_.emplace(value, std::move(keys)); }
  const Keys* maps_of(std::string_view value) const;

  // An input or output that is a sequence or optional, of which the graph has the tensors: NAME[0], NAME[1], ... of a sequence, or NAME
  // alone, whose first axis counts the elements (elements: kSlices); NAME of an optional's tensor; none of an optional that is empty.
  struct Made {
    static constexpr int64_t kSlices = -1;
    bool optional = false, sequence = false, absent = false;
    DType dtype = DType::none;
    int64_t elements = 1;
    bool strings = false;
  };
  void add_made(bool input, std::string_view name, const Made& made) { (input ? made_inputs_ : made_outputs_).emplace_back(name, made); }

  // The border: inputs and outputs that hold strings, outputs that are maps, the strings in the order of their numbers, and where some are no
  // tensors what those are and the names of all, as JSON; empty if there is nothing to translate.
  void add_input(std::string_view name) { inputs_.emplace_back(name); }
  void add_output(std::string name) { outputs_.push_back(std::move(name)); }
  // Those of views, and the inputs and outputs that are their heaps.
  void add_view_input(std::string_view name, std::string heap) { view_inputs_.emplace_back(name, std::move(heap)); }
  void add_view_output(std::string name, std::string heap) { view_outputs_.emplace_back(std::move(name), std::move(heap)); }
  // An input whose row of numbers is made of a map by its keys.
  void add_map_input(std::string_view name, Keys keys) { map_inputs_.emplace_back(name, std::move(keys)); }
  bool is_map_input(std::string_view name) const;
  static constexpr const char* kHeapSuffix = ".bytes";
  std::string border(std::span<const std::string_view> inputs, std::span<const std::string_view> outputs) const;
  static constexpr const char* kMetadataKey = "anydim.border";

 private:
  const bool allowed_, views_;
  bool views_required_ = false;
  std::vector<std::string_view> list_;
  std::unordered_map<std::string_view, int64_t> numbers_;
  std::map<std::pair<const Graph*, ValueId>, Known> values_;
  std::map<std::pair<const Graph*, ValueId>, ValueId> heaps_, captured_;
  std::map<std::string_view, Keys> maps_;
  std::vector<std::pair<std::string_view, Keys>> map_inputs_;
  std::vector<std::pair<std::string, std::string>> view_inputs_, view_outputs_;
  std::vector<std::string> inputs_, outputs_;
  std::vector<std::pair<std::string_view, Made>> made_inputs_, made_outputs_;
};

// What an operator does with strings among its inputs. Others refuse them.
enum class StringUse : uint8_t {
  none,      // refuses them
  moved,     // its first input, or with `all` each of them, is moved
  compared,  // two values of which one is known
  own,       // the importer's own business
};
StringUse string_use(std::string_view domain, std::string_view op_type) noexcept;

}  // namespace anydim::onnx
