// SPDX-License-Identifier: Apache-2.0
// Filling in operators' structs from dicts; see operator_structs.h.
#include "bindings/python/operator_structs.h"

#include <cstring>

namespace anydim_python {

namespace {

void read_value(const py::handle& from, const char* name, anydim_reals_t* to) {
  const auto values = from.cast<std::vector<float>>();
  if (values.size() > std::size(to->values))
    raise_invalid(std::string(name) + " has " + std::to_string(values.size()) + " values; expected at most " +
                  std::to_string(std::size(to->values)));
  *to = {};
  to->count = static_cast<int32_t>(values.size());
  std::copy(values.begin(), values.end(), to->values);
}

const StructLayout& layout_of(const py::dict& dict) {
  if (!dict.contains("op")) raise_invalid("the operator's dict has no 'op'");
  const auto name = dict["op"].cast<std::string>();
  for (size_t i = 0; i < kStructCount; ++i)
    if (name == kStructs[i].name) return kStructs[i];
  raise_invalid("op is '" + name + "', which is no operator of the API");
}

}  // namespace

OperatorStruct::OperatorStruct(const py::dict& dict) {
  const StructLayout& layout = layout_of(dict);
  if (layout.init->size > sizeof(bytes_)) raise_invalid(std::string(layout.name) + " is larger than any operator's struct should be");
  std::memcpy(bytes_, layout.init, layout.init->size);
  size_t used = 1;  // "op"
  for (size_t i = 0; i < layout.field_count; ++i) fill(dict, layout.fields[i], &used);
  all_used(dict, used, layout.name);
}

void OperatorStruct::fill(const py::dict& dict, const StructField& f, size_t* used) {
  if (!dict.contains(f.name)) return;
  ++*used;
  const py::object value = dict[f.name];
  char* const at = bytes_ + f.offset;
  try {
    switch (f.type) {
      case StructField::int32: anydim_python::read_value(value, f.name, reinterpret_cast<int32_t*>(at)); break;
      case StructField::int64:
        if (f.count == 1) anydim_python::read_value(value, f.name, reinterpret_cast<int64_t*>(at));
        else anydim_python::read_value(value, f.name, reinterpret_cast<int64_t(*)[ANYDIM_MAX_SPATIAL]>(at));
        break;
      case StructField::real: anydim_python::read_value(value, f.name, reinterpret_cast<float*>(at)); break;
      case StructField::wide: anydim_python::read_value(value, f.name, reinterpret_cast<double*>(at)); break;
      case StructField::dims: anydim_python::read_value(value, f.name, reinterpret_cast<anydim_dims_t*>(at)); break;
      case StructField::reals: read_value(value, f.name, reinterpret_cast<anydim_reals_t*>(at)); break;
      case StructField::numbers: {
        numbers_ = value.cast<std::vector<int64_t>>();
        const int64_t* const data = numbers_.data();
        const auto count = static_cast<int64_t>(numbers_.size());
        std::memcpy(at, &data, sizeof(data));
        std::memcpy(at + sizeof(data), &count, sizeof(count));
        break;
      }
    }
  } catch (const py::cast_error&) {
    raise_invalid(std::string(f.name) + " is " + py::repr(value).cast<std::string>() + ", which is of the wrong type");
  }
}

}  // namespace anydim_python
