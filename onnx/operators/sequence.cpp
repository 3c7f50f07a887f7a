// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals, but for SequenceMap, which has a body (control_flow.cpp). What is decided when a model is loaded
// costs a run nothing: a sequence of known length is a list of tensors. Where only a run knows the length, or the position of an
// element, the elements are the slices of one tensor.
#include <algorithm>
#include <array>

#include "core/ops/operators/concat.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/reduce.h"
#include "onnx/walk/composite.h"
#include "onnx/walk/node_import.h"
#include "onnx/strings/strings.h"

namespace anydim::onnx {

ValueId stacked_parts(NodeImport& n, const std::vector<ValueId>& parts) {
  std::vector<ValueId> rows;
  for (const ValueId part : parts) {
    SymDims dims = n.dims(part);
    if (dims.rank == kMaxRank) n.unsupported("elements of rank {}; at most {} is supported", kMaxRank, kMaxRank - 1);
    if (!n.ok()) return kNoValue;
    dims.insert(0, 1);
    rows.push_back(n.reshape(part, dims));
  }
  return rows.size() == 1 ? rows[0] : n.add(Concat::make(0), std::move(rows));
}

namespace {

// ONNX has sequences of elements of any dims; those of tensors that become one have the same, from axis `from` of both.
void require_one_dims(NodeImport& n, ValueId first, ValueId second, int from) {
  if (!n.ok()) return;
  const SymDims a = n.dims(first), b = n.dims(second);
  const auto differ = [&] {
    n.unsupported("a length or position that only a run knows, in a sequence with elements of dims {} and {}{}; one is expected",
                  n.pool().text(a), n.pool().text(b), from == 0 ? "" : " behind their number");
  };
  if (a.rank != b.rank) return differ();
  for (int i = from; i < a.rank; ++i) {
    if (n.pool().provably_equal(a[i], b[i])) continue;
    const Dim same = n.pool().equal(a[i], b[i]);
    if (same.is(0)) return differ();
    n.graph().add_guard(same, std::string(NodeImport::name_of(n.proto())),
                        formatted("elements of one dims in a sequence of which only a run knows a length or position: {} is equal to {}",
                                  n.pool().text(a[i]), n.pool().text(b[i])),
                        1);
    if (n.graph().stage(a[i]) == 0 && n.graph().stage(b[i]) == 0) n.pool().assume_equal(a[i], b[i]);
  }
}

}  // namespace

void require_one_element_dims(NodeImport& n, ValueId first, ValueId second) { require_one_dims(n, first, second, 1); }

ValueId stacked_sequence(NodeImport& n, const Composite& s) {
  if (!n.ok()) return kNoValue;
  if (s.stacked != kNoValue) return s.stacked;
  if (s.parts.empty()) {
    n.unsupported("a position or length that only a run knows, in a sequence without elements; expected one element at least");
    return kNoValue;
  }
  for (const ValueId part : s.parts) require_one_dims(n, s.parts[0], part, 0);
  return stacked_parts(n, s.parts);
}

ValueId joined(NodeImport& n, ValueId first, ValueId second) {
  require_one_element_dims(n, first, second);
  return n.add(Concat::make(0), {first, second});
}

namespace {

using Inputs = std::vector<ValueId>;

Composite sequence_of(DType dtype, bool strings, std::vector<ValueId> parts) {
  Composite c;
  c.dtype = dtype;
  c.strings = strings;
  c.parts = std::move(parts);
  return c;
}
Composite stack_of(NodeImport& n, ValueId stacked) {
  Composite c;
  c.dtype = n.dtype(stacked);
  c.strings = n.is_string(stacked);
  c.stacked = stacked;
  return c;
}

// Input i, which must be a sequence; one that a loop appends to only where `may_grow`. Null after a failure.
const Composite* sequence_in(NodeImport& n, const Composites& all, const Inputs& inputs, size_t i, bool may_grow = false) {
  if (i >= inputs.size() || !is_composite(inputs[i]) || all.at(inputs[i]).kind != Composite::Kind::sequence) {
    n.wrong("input {} is no sequence", i);
    return nullptr;
  }
  const Composite& c = all.at(inputs[i]);
  if (c.grows >= 0 && !may_grow) {
    n.unsupported(
        "it reads a sequence to which its loop appends, and only a run knows how often; expected a loop whose count is a constant, up to "
        "256");
    return nullptr;
  }
  return &c;
}

// Input i as a position among `count` elements, or behind the last; false where only a run knows it. `absent` where there is none.
bool known_position(NodeImport& n, size_t i, int64_t count, int64_t last, int64_t absent, int64_t* to) {
  *to = absent;
  if (!n.has(i)) return true;
  n.require_single(n.in(i), "its position");
  const ShapeValues& c = n.value(n.in(i)).shape_values;
  if (!c.known || c.elements.size() != 1 || !c.elements[0].is_number()) return false;
  const int64_t at = c.elements[0].number();
  if (n.ok() && (at < -count || at > last)) n.wrong("position {} in a sequence of {} elements", at, count);
  *to = at < 0 ? at + count : at;
  return true;
}

// The same as a size: from 0 to `last` of a tensor of `count` slices.
Dim position(NodeImport& n, size_t i, Dim count, Dim last) {
  DimPool& pool = n.pool();
  n.require_single(n.in(i), "its position");
  Dim at = n.element_of(n.in(i), "its position");
  if (!n.ok()) return 0;
  at = pool.select(pool.less(at, 0), pool.add(at, count), at);
  n.require(pool.mul(pool.less(-1, at), pool.less(at, pool.add(last, 1))),
            formatted("its position is in a sequence of {} elements", pool.text(count)));
  return at;
}

ValueId sequence_empty(NodeImport& n, Composites& all, const Inputs&) {
  const auto type = static_cast<int32_t>(n.integer("dtype", kFloat));
  const bool strings = type == kString && n.all_strings->allowed();
  Result<DType> dtype = strings ? Result<DType>(DType::i64) : dtype_of(type);
  if (!dtype.ok()) return n.fail(dtype.take_status().at("attribute dtype")), kNoValue;
  return all.add(sequence_of(*dtype, strings, {}));
}

ValueId sequence_construct(NodeImport& n, Composites& all, const Inputs& inputs) {
  if (inputs.empty()) n.wrong("no inputs; expected 1 at least");
  for (size_t i = 0; i < inputs.size() && n.ok(); ++i) n.in(i);  // all of one type, as for any node
  for (size_t i = 0; i < inputs.size() && n.ok(); ++i)
    if (n.holds_strings(i) != n.holds_strings(0)) n.wrong("inputs 0 and {} are not both strings, nor both numbers", i);
  return n.ok() ? all.add(sequence_of(n.dtype(inputs[0]), n.holds_strings(0), inputs)) : kNoValue;
}

ValueId sequence_length(NodeImport& n, Composites& all, const Inputs& inputs) {
  const Composite* s = sequence_in(n, all, inputs, 0);
  if (s == nullptr) return kNoValue;
  const Dim count = s->stacked != kNoValue ? n.dims(s->stacked)[0] : Dim(static_cast<int64_t>(s->parts.size()));
  return n.shape(DType::i64, {}, {count});
}

ValueId sequence_at(NodeImport& n, Composites& all, const Inputs& inputs) {
  const Composite* s = sequence_in(n, all, inputs, 0);
  const ValueId index = n.in(1);
  if (!n.ok()) return kNoValue;
  const auto count = static_cast<int64_t>(s->parts.size());
  if (int64_t at = 0; s->stacked == kNoValue && known_position(n, 1, count, count - 1, 0, &at))
    return n.ok() ? s->parts[static_cast<size_t>(at)] : kNoValue;
  n.require_single(index, "its position");
  return n.add(Gather::make(0), {stacked_sequence(n, *s), n.reshape(index, {})});
}

ValueId sequence_insert(NodeImport& n, Composites& all, const Inputs& inputs) {
  const Composite* s = sequence_in(n, all, inputs, 0, !n.has(2));
  const ValueId x = n.in(1);
  if (!n.ok()) return kNoValue;
  const auto name_of = [](DType dtype, bool strings) { return strings ? "strings" : dtype_name(dtype); };
  if (s->dtype != DType::none && (s->dtype != n.dtype(x) || s->strings != n.is_string(x)))
    n.wrong("a tensor of {} in a sequence of {}", name_of(n.dtype(x), n.is_string(x)), name_of(s->dtype, s->strings));
  const auto count = static_cast<int64_t>(s->parts.size());
  if (int64_t at = 0; s->stacked == kNoValue && known_position(n, 2, count, count, count, &at)) {
    if (!n.ok()) return kNoValue;
    Composite made = *s;
    made.dtype = n.dtype(x);
    made.strings = n.is_string(x);
    made.parts.insert(made.parts.begin() + at, x);
    return all.add(std::move(made));
  }
  if (s->stacked == kNoValue && s->parts.empty()) {
    position(n, 2, 0, 0);
    return n.ok() ? all.add(sequence_of(n.dtype(x), n.is_string(x), {x})) : kNoValue;
  }
  const ValueId row = stacked_parts(n, {x}), rows = stacked_sequence(n, *s);
  if (!n.ok()) return kNoValue;
  if (!n.has(2)) return all.add(stack_of(n, joined(n, rows, row)));
  // The position first: what it is does not rest on dims that only this library wants.
  const Dim whole = n.dims(rows)[0], at = position(n, 2, whole, whole);
  require_one_element_dims(n, rows, row);
  const ValueId made = n.add(Concat::make(0), {n.slice(rows, 0, 0, at), row, n.slice(rows, 0, at, n.pool().sub(whole, at))});
  return n.ok() ? all.add(stack_of(n, made)) : kNoValue;
}

ValueId sequence_erase(NodeImport& n, Composites& all, const Inputs& inputs) {
  const Composite* s = sequence_in(n, all, inputs, 0);
  if (!n.ok()) return kNoValue;
  const auto count = static_cast<int64_t>(s->parts.size());
  if (int64_t at = 0; s->stacked == kNoValue && known_position(n, 1, count, count - 1, count - 1, &at)) {
    if (n.ok() && count == 0) n.wrong("its sequence has no element");
    if (!n.ok()) return kNoValue;
    Composite made = *s;
    made.parts.erase(made.parts.begin() + at);
    return all.add(std::move(made));
  }
  const ValueId rows = stacked_sequence(n, *s);
  if (!n.ok()) return kNoValue;
  DimPool& pool = n.pool();
  const Dim whole = n.dims(rows)[0], last = pool.sub(whole, 1);
  if (!n.has(1)) {
    n.require(pool.less(0, whole), "its sequence has an element");
    return n.ok() ? all.add(stack_of(n, n.slice(rows, 0, 0, last))) : kNoValue;
  }
  const Dim at = position(n, 1, whole, last);
  const ValueId made = joined(n, n.slice(rows, 0, 0, at), n.slice(rows, 0, pool.add(at, 1), pool.sub(last, at)));
  return n.ok() ? all.add(stack_of(n, made)) : kNoValue;
}

ValueId concat_from_sequence(NodeImport& n, Composites& all, const Inputs& inputs) {
  const Composite* s = sequence_in(n, all, inputs, 0);
  const int64_t axis = n.integer("axis");
  const bool fresh = n.integer("new_axis", 0) != 0;
  if (s != nullptr && n.ok() && s->stacked == kNoValue && s->parts.empty()) n.wrong("its sequence has no element");
  if (!n.ok()) return kNoValue;
  if (s->stacked == kNoValue) {
    const int rank = n.rank(s->parts[0]);
    const int at = n.axis(axis, rank + (fresh ? 1 : 0));
    if (n.ok() && fresh && rank == kMaxRank) n.unsupported("elements of rank {}; at most {} is supported", rank, kMaxRank - 1);
    std::vector<ValueId> parts;
    for (const ValueId part : s->parts) {
      SymDims dims = n.dims(part);
      if (n.ok() && dims.rank != rank) n.wrong("elements of ranks {} and {} are concatenated", rank, dims.rank);
      if (!n.ok()) return kNoValue;
      if (fresh) dims.insert(at, 1);
      parts.push_back(n.reshape(part, dims));
    }
    return parts.size() == 1 ? parts[0] : n.add(Concat::make(at), std::move(parts));
  }
  // The axis of the elements goes to where they are concatenated, and there it becomes one with the axis that they have.
  const SymDims whole = n.dims(s->stacked);
  const int at = n.axis(axis, whole.rank - (fresh ? 0 : 1));
  if (!n.ok()) return kNoValue;
  Perm perm;
  SymDims dims;
  for (int i = 1; i < whole.rank; ++i) perm.push_back(i);
  perm.insert(at, 0);
  for (const int i : perm) dims.push_back(whole[i]);
  const ValueId moved = at == 0 ? s->stacked : n.transpose(s->stacked, perm);
  if (fresh) return moved;
  SymDims merged;
  for (int i = 0; i < dims.rank; ++i) {
    if (i == at + 1) merged[at] = n.pool().mul(merged[at], dims[i]);
    else merged.push_back(dims[i]);
  }
  return n.reshape(moved, merged);
}

// --- SplitToSequence -------------------------------------------------------------------------------------------------

constexpr int64_t kMostElements = 1000;  // of a list; longer sequences are a tensor's slices

// Equal parts of `each` along the axis, `count` of them, as the slices of one tensor.
ValueId equal_parts(NodeImport& n, ValueId x, int axis, Dim count, Dim each, bool keep) {
  const SymDims whole = n.dims(x);
  if (whole.rank == kMaxRank && keep) n.unsupported("elements of rank {}; at most {} is supported", kMaxRank, kMaxRank - 1);
  if (!n.ok()) return kNoValue;
  SymDims dims = whole;
  dims[axis] = each;
  if (keep) dims.insert(axis, count);
  else dims[axis] = count;
  Perm perm{axis};
  for (int i = 0; i < dims.rank; ++i)
    if (i != axis) perm.push_back(i);
  const ValueId cut = n.reshape(x, dims);
  return axis == 0 ? cut : n.transpose(cut, perm);
}

// Parts of these sizes along the axis; without `keep` of size 1, which goes.
std::vector<ValueId> parts_of(NodeImport& n, ValueId x, int axis, const std::vector<Dim>& sizes, bool keep) {
  std::vector<ValueId> parts;
  Dim first = 0;
  for (const Dim size : sizes) {
    ValueId part = n.slice(x, axis, first, size);
    if (!keep && n.ok()) {
      SymDims dims = n.dims(part);
      dims.erase(axis);
      part = n.reshape(part, dims);
    }
    parts.push_back(part);
    first = n.pool().add(first, size);
  }
  return parts;
}

// Sizes of which only a run knows how many there are: each of them, if it is one number that is repeated, or if the run finds them equal.
Dim one_of_equal_sizes(NodeImport& n, ValueId split) {
  if (const Node* made = n.graph().producer(split); made != nullptr && as<Expand>(*made->op) != nullptr)
    if (const SymDims& dims = n.dims(made->inputs[0]); std::ranges::all_of(dims, [](Dim d) { return d.is(1); }))
      return n.element_of(made->inputs[0], "its split");
  const ValueId sizes = n.cast(split, DType::i64);
  const Dim least = n.element_of(n.add(Reduce::make(ReduceKind::min, std::array<int64_t, 1>{0}, false), {sizes}), "its split");
  const Dim most = n.element_of(n.add(Reduce::make(ReduceKind::max, std::array<int64_t, 1>{0}, false), {sizes}), "its split");
  if (n.ok())
    n.graph().add_guard(n.pool().equal(least, most), std::string(NodeImport::name_of(n.proto())),
                        "the sizes of its split, of which only a run knows the number, are equal", 1);
  return most;
}

// Parts of such sizes.
ValueId split_into_equal(NodeImport& n, Composites& all, ValueId x, int axis) {
  DimPool& pool = n.pool();
  const Dim count = n.dims(n.in(1))[0], each = one_of_equal_sizes(n, n.in(1)), whole = n.ok() ? n.dims(x)[axis] : Dim(0);
  if (n.ok() && !pool.provably_at_least(each, 0)) n.require(pool.less(-1, each), "a size of its split is not negative");
  if (n.ok() && !pool.provably_equal(pool.mul(count, each), whole))
    n.require(pool.equal(pool.mul(count, each), whole),
              formatted("the split sizes add up to dim {} of its input, {}", axis, pool.text(whole)));
  return n.ok() ? all.add(stack_of(n, equal_parts(n, x, axis, count, each, true))) : kNoValue;
}

ValueId split_to_sequence(NodeImport& n, Composites& all, const Inputs&) {
  const ValueId x = n.in(0);
  const int axis = n.axis(n.integer("axis", 0), n.rank(x));
  const bool keep = n.has(1) || n.integer("keepdims", 1) != 0;
  if (!n.ok()) return kNoValue;
  DimPool& pool = n.pool();
  const Dim whole = n.dims(x)[axis];
  std::vector<Dim> sizes;
  if (n.has(1) && n.rank(n.in(1)) == 1 && !n.dims(n.in(1))[0].is_number()) return split_into_equal(n, all, x, axis);
  if (n.has(1) && n.rank(n.in(1)) == 1) {
    sizes = n.elements(1, "split");
    Dim total = 0;
    for (const Dim size : sizes) {
      if (size.is_number() && size.number() < 0) n.wrong("split has a size of {}; expected 0 or more", size.number());
      if (!pool.provably_at_least(size, 0)) n.require(pool.less(-1, size), "a size of its split is not negative");
      total = pool.add(total, size);
    }
    if (total.is_number() && whole.is_number() && !(total == whole))
      n.wrong("split sizes add up to {}; dim {} is {}", total.number(), axis, whole.number());
    if (!pool.provably_equal(total, whole))
      n.require(pool.equal(total, whole), formatted("the split sizes add up to dim {} of its input, {}", axis, pool.text(whole)));
  } else {
    Dim each = 1;
    if (n.has(1)) {
      n.require_single(n.in(1), "its split");
      each = n.element_of(n.in(1), "its split");
      if (n.ok() && each.is_number() && each.number() < 1) n.wrong("split is {}; expected 1 or more", each.number());
      if (n.ok() && !pool.provably_at_least(each, 1)) n.require(pool.less(0, each), "split is 1 or more");
    }
    if (!n.ok()) return kNoValue;
    // Without elements it is a tensor, too, from which others can infer the elements' dims.
    if (!whole.is_number() || whole.is(0) || !each.is_number() || pool.ceil_div(whole, each).number() > kMostElements) {
      const Dim count = pool.floor_div(whole, pool.max(each, 1));
      if (!pool.provably_equal(pool.mul(count, each), whole))
        n.graph().add_guard(pool.equal(pool.mul(count, each), whole), std::string(NodeImport::name_of(n.proto())),
                            formatted("dim {} of its input, {}, is divisible by {}", axis, pool.text(whole), pool.text(each)), 1);
      return n.ok() ? all.add(stack_of(n, equal_parts(n, x, axis, count, each, keep))) : kNoValue;
    }
    for (int64_t left = whole.number(); left > 0; left -= each.number()) sizes.push_back(std::min(left, each.number()));
  }
  std::vector<ValueId> parts = parts_of(n, x, axis, sizes, keep);
  return n.ok() ? all.add(sequence_of(n.dtype(x), n.is_string(x), std::move(parts))) : kNoValue;
}

// --- optionals -------------------------------------------------------------------------------------------------------

ValueId optional(NodeImport& n, Composites& all, const Inputs& inputs) {
  Composite c;
  c.kind = Composite::Kind::optional;
  for (const ValueId v : inputs)
    if (v != kNoValue) c.parts.push_back(v);
  if (c.parts.empty() && n.find("type") == nullptr) n.wrong("neither an input nor a type");
  return n.ok() ? all.add(std::move(c)) : kNoValue;
}

// Since opset 18 a tensor or sequence may stand for an optional that holds it.
bool is_empty(const Composites& all, const Inputs& inputs) {
  if (inputs.empty() || inputs[0] == kNoValue) return true;
  return is_composite(inputs[0]) && all.at(inputs[0]).kind == Composite::Kind::optional && all.at(inputs[0]).parts.empty();
}

ValueId optional_has_element(NodeImport& n, Composites& all, const Inputs& inputs) {
  return n.scalar(DType::boolean, is_empty(all, inputs) ? 0 : 1);
}

ValueId optional_get_element(NodeImport& n, Composites& all, const Inputs& inputs) {
  if (is_empty(all, inputs)) return n.wrong("its optional holds nothing"), kNoValue;
  if (!is_composite(inputs[0]) || all.at(inputs[0]).kind != Composite::Kind::optional) return inputs[0];
  return all.at(inputs[0]).parts[0];
}

constexpr CompositeOperator kSequenceOperators[] = {
    {"ConcatFromSequence", 11, concat_from_sequence},
    {"Optional", 15, optional},
    {"OptionalGetElement", 15, optional_get_element},
    {"OptionalHasElement", 15, optional_has_element},
    {"SequenceAt", 11, sequence_at},
    {"SequenceConstruct", 11, sequence_construct},
    {"SequenceEmpty", 11, sequence_empty},
    {"SequenceErase", 11, sequence_erase},
    {"SequenceInsert", 11, sequence_insert},
    {"SequenceLength", 11, sequence_length},
    {"SplitToSequence", 11, split_to_sequence},
};

}  // namespace

const CompositeOperator* find_composite_operator(const NodeProto& node) {
  if (!node.domain.empty() && node.domain != "ai.onnx") return nullptr;
  const auto found = std::ranges::find(kSequenceOperators, node.op_type, &CompositeOperator::op_type);
  return found == std::end(kSequenceOperators) ? nullptr : found;
}

}  // namespace anydim::onnx
