// SPDX-License-Identifier: Apache-2.0
// Reads the generated tables; see description.h.
#include "core/ops/description.h"

#include <algorithm>
#include <vector>

#include "core/ops/description_tables.h"
#include "core/ops/op.h"
#include "core/ops/operands.h"
#include "core/ops/scalar_functions.h"
#include "core/ops/subset_reason.h"

namespace anydim {

namespace {

using described::kFields;
using described::kOperators;
using described::kTexts;
using described::kWordLists;
using described::kWords;

constexpr int kKinds = static_cast<int>(OpKind::count_);

const described::OperatorEntry* entry_of(OpKind kind) noexcept {
  const int k = static_cast<int>(kind);
  return k >= 1 && k < kKinds ? &kOperators[k - 1] : nullptr;
}

template <class T> Status refuse(const char* op, const char* name, int index, T value, const AttributeField& f) {
  const std::string at = index >= 0 ? formatted("{}[{}]", name, index) : std::string(name);
  if (f.max == INT64_MAX) return invalid("{}: {} is {}; expected at least {}", op, at, value, f.min).about("op." + at);
  return invalid("{}: {} is {}; expected {} to {}", op, at, value, f.min, f.max).about("op." + at);
}

// Calls visit(number, place in its list or -1) for each whole number of a field, while it returns true; what the last call returned.
template <class Visit> bool each_number(const AttributeField& f, std::span<const AttributeField> all, const void* at, Visit visit) {
  const auto each = [&](std::span<const int64_t> values) {
    for (size_t i = 0; i < values.size(); ++i)
      if (!visit(values[i], static_cast<int>(i))) return false;
    return true;
  };
  const auto each_dim = [&](std::span<const Dim> dims, bool list) {
    for (size_t i = 0; i < dims.size(); ++i)
      if (dims[i].is_number() && !visit(dims[i].number(), list ? static_cast<int>(i) : -1)) return false;
    return true;
  };
  switch (f.type) {
    case AttributeType::integer: return visit(f.in<int64_t>(at), -1);
    case AttributeType::spatial: return visit(f.in<int32_t>(at), -1);
    case AttributeType::dtype: return visit(static_cast<int64_t>(f.in<DType>(at)), -1);
    case AttributeType::word: return visit(f.in<uint8_t>(at), -1);
    case AttributeType::per_spatial: return each(per_spatial(f, all, at));
    case AttributeType::integers: return each({f.in<RankArray<int64_t>>(at).begin(), f.in<RankArray<int64_t>>(at).end()});
    case AttributeType::dim: return each_dim({&f.in<Dim>(at), 1}, false);
    case AttributeType::dims: return each_dim({f.in<SymDims>(at).begin(), f.in<SymDims>(at).end()}, true);
    case AttributeType::dim_list: return each_dim(f.in<std::vector<Dim>>(at), true);
    case AttributeType::flag:
    case AttributeType::real:
    case AttributeType::wide:
    case AttributeType::perm:
    case AttributeType::reals: return true;
  }
  return true;
}

// What else there is to say of reals and permutations.
Status check_others(const char* op, const AttributeField& f, const void* at) {
  switch (f.type) {
    case AttributeType::real:
    case AttributeType::wide: {
      const double v = f.type == AttributeType::real ? static_cast<double>(f.in<float>(at)) : f.in<double>(at);
      return f.min == INT64_MIN || v >= static_cast<double>(f.min) ? Status() : refuse(op, f.name(), -1, v, f);
    }
    case AttributeType::perm: {
      const auto& v = f.in<Perm>(at);
      uint32_t seen = 0;
      for (int i = 0; i < v.rank; ++i) {
        if (v[i] < 0 || v[i] >= v.rank || (seen >> v[i] & 1))
          return invalid("{}: {}[{}] is {}; expected each of 0..{} once", op, f.name(), i, v[i], v.rank - 1)
              .about(formatted("op.{}[{}]", f.name(), i));
        seen |= 1u << v[i];
      }
      return {};
    }
    case AttributeType::reals: {
      const auto& v = f.in<std::vector<float>>(at);
      if (v.size() <= f.more) return {};
      return unimplemented("{}: {} has {} numbers; expected at most {}", op, f.name(), v.size(), static_cast<int>(f.more));
    }
    default: return {};
  }
}

// Calls f(Dim*, count) for each attribute that may be dims of a run.
template <class F> void each_dims(OpKind kind, void* at, F f) {
  for (const AttributeField& field : attributes_of(kind)) {
    if (field.type == AttributeType::dim) f(&field.in<Dim>(at), 1);
    if (field.type == AttributeType::dims) f(field.in<SymDims>(at).values, field.in<SymDims>(at).rank);
    if (field.type == AttributeType::dim_list)
      f(field.in<std::vector<Dim>>(at).data(), static_cast<int>(field.in<std::vector<Dim>>(at).size()));
  }
}

}  // namespace

const char* AttributeField::name() const noexcept { return kTexts + name_place; }

const char* op_name(OpKind kind) noexcept {
  const described::OperatorEntry* e = entry_of(kind);
  return e != nullptr ? kTexts + e->name_place : kind == OpKind::count_ ? "part" : "unknown";
}

std::span<const AttributeField> attributes_of(OpKind kind) noexcept {
  const described::OperatorEntry* e = entry_of(kind);
  return e != nullptr ? std::span<const AttributeField>(kFields + e->first_field, e->field_count) : std::span<const AttributeField>();
}

bool has_trait(OpKind kind, Trait trait) noexcept {
  const described::OperatorEntry* e = entry_of(kind);
  return e != nullptr && (e->traits >> static_cast<unsigned>(trait) & 1) != 0;
}

bool is_optional(OpKind kind, size_t operand) noexcept {
  const described::OperatorEntry* e = entry_of(kind);
  return e != nullptr && operand < 16 && (e->optional >> operand & 1) != 0;
}

bool find_operator(std::string_view name, OpKind* out) noexcept {
  for (int k = 1; k < kKinds; ++k)
    if (name == op_name(static_cast<OpKind>(k))) return *out = static_cast<OpKind>(k), true;
  return false;
}

int word_count(const AttributeField& field) noexcept { return kWordLists[field.more].count; }
const char* word_name(const AttributeField& field, int value) noexcept { return word_in(field.more, static_cast<unsigned>(value)); }

const char* word_in(uint8_t list, unsigned value) noexcept {
  const described::WordList& l = kWordLists[list];
  return value < l.count ? kTexts + kWords[l.first + value] : "unknown";
}

Result<OperatorPtr> make_operator(OpKind kind, FillAttributes fill, void* context) {
  const described::OperatorEntry* e = entry_of(kind);
  if (e == nullptr) return invalid("there is no operator of kind {}", static_cast<int>(kind));
  if (e->make == nullptr) return unimplemented("operator {} is not there{}", op_name(kind), subset::reason());
  return e->make(fill, context);
}

Status check_attributes(OpKind kind, const void* attributes) {
  const std::span<const AttributeField> all = attributes_of(kind);
  for (const AttributeField& f : all) {
    if (!counts(f, all, attributes)) continue;
    const auto is_right = [&](int64_t v, int) { return v >= f.min && v <= f.max; };
    if (!each_number(f, all, attributes, is_right)) {
      Status wrong;
      each_number(f, all, attributes, [&](int64_t v, int index) {
        if (!is_right(v, index)) wrong = refuse(op_name(kind), f.name(), index, v, f);
        return wrong.ok();
      });
      return wrong;
    }
    const bool others =
        f.type == AttributeType::real || f.type == AttributeType::wide || f.type == AttributeType::perm || f.type == AttributeType::reals;
    if (others) ANYDIM_TRY(check_others(op_name(kind), f, attributes));
  }
  return {};
}

int collect_dims(OpKind kind, const void* attributes, Dim* out, int most) noexcept {
  int n = 0;
  each_dims(kind, const_cast<void*>(attributes), [&](const Dim* from, int count) {
    for (int i = 0; i < count && n < most; ++i) out[n++] = from[i];
  });
  return n;
}

void assign_dims(OpKind kind, void* attributes, std::span<const Dim> dims) noexcept {
  size_t n = 0;
  each_dims(kind, attributes, [&](Dim* to, int count) {
    for (int i = 0; i < count && n < dims.size(); ++i) to[i] = dims[n++];
  });
}

const char* function_name(UnaryFunction f) noexcept { return word_of(f); }
const char* function_name(BinaryFunction f) noexcept { return word_of(f); }
int parameter_count(UnaryFunction f) noexcept { return f < UnaryFunction::count_ ? described::kParameters[static_cast<unsigned>(f)] : 0; }

}  // namespace anydim
