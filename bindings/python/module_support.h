// SPDX-License-Identifier: Apache-2.0
// What the generated module calls: statuses as exceptions, values as Python objects, dicts as option structs. And the few
// functions written by hand, declared here: numpy arrays as tensors and a run from arrays to arrays.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "anydim/anydim.h"
#include "bindings/python/interpreter_lock.h"

namespace anydim_python {

// Raise what anydim.errors.from_status makes of the thread's last error, and of what the module itself finds wrong.
[[noreturn]] void raise_status(anydim_status_t status);
[[noreturn]] void raise_invalid(const std::string& message);
// The message of a failure is per thread, and the call returns to the thread that made it, so it is still there. An exception that an
// operator of Python's let through goes before a status, whatever that is.
inline void check(anydim_status_t status) {
  if (exception_is_kept()) raise_kept();
  if (status != ANYDIM_STATUS_OK) raise_status(status);
}

inline py::str to_python(anydim_string_t s) {
  // Names from damaged files need not be UTF-8.
  PyObject* text = PyUnicode_DecodeUTF8(s.data, static_cast<Py_ssize_t>(s.length), "replace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}
inline py::str to_python(const char* s) { return py::str(s); }
inline py::list to_python(const anydim_dims_t& d) {
  py::list list;
  for (int i = 0; i < d.rank; ++i) list.append(d.values[i]);
  return list;
}
inline py::tuple to_python(const anydim_dim_t& d) { return py::make_tuple(d.value, d.min, d.max, d.hint, d.multiple_of); }
inline py::tuple to_python(const anydim_view_t& v) {
  return py::make_tuple(v.dtype, to_python(v.dims), to_python(v.strides), reinterpret_cast<uintptr_t>(v.data));
}
inline py::list to_python(const std::vector<anydim_view_t>& views) {
  py::list list;
  for (const anydim_view_t& v : views) list.append(to_python(v));
  return list;
}
inline py::int_ to_python(void* address) { return py::int_(reinterpret_cast<uintptr_t>(address)); }
template <class T>
requires std::is_integral_v<T> py::int_ to_python(T value) { return py::int_(value); }
template <class T, size_t n> py::list to_python(const T (&values)[n]) {
  py::list list;
  for (const T& v : values) list.append(to_python(v));
  return list;
}

// Fields of a dict, over a struct's defaults.
template <class T> void read_value(const py::handle& from, const char*, T* to) {
  // pybind11 alone would cut the fraction off a number of numpy's.
  if (std::is_integral_v<T> && !PyIndex_Check(from.ptr())) throw py::cast_error();
  *to = from.cast<T>();
}
void read_value(const py::handle& from, const char* name, anydim_dims_t* to);
// Text (str or bytes) that lives as long as the Python object, which the dict holds during the call; null for None.
void read_value(const py::handle& from, const char* name, const char** to);
template <class T, size_t n> void read_value(const py::handle& from, const char* name, T (*to)[n]) {
  const auto values = from.cast<std::vector<py::object>>();
  if (values.size() > n)
    raise_invalid(std::string(name) + " has " + std::to_string(values.size()) + " values; expected at most " + std::to_string(n));
  for (size_t i = 0; i < values.size(); ++i) read_value(values[i], name, *to + i);
}
template <class T> void take(const py::dict& dict, const char* name, T* to, size_t* used) {
  if (!dict.contains(name)) return;
  ++*used;
  try {
    read_value(dict[name], name, to);
  } catch (const py::cast_error&) {
    raise_invalid(std::string(name) + " is " + py::repr(dict[name]).cast<std::string>() + ", which is of the wrong type");
  }
}
// As take(), for an object of a generated class, or None.
template <class Object, class Handle> void take_handle(const py::dict& dict, const char* name, Handle* to, size_t* used) {
  if (!dict.contains(name)) return;
  ++*used;
  try {
    const auto* object = dict[name].cast<const Object*>();
    *to = object ? object->handle : nullptr;
  } catch (const py::cast_error&) {
    raise_invalid(std::string(name) + " is " + py::repr(dict[name]).cast<std::string>() + ", which is of the wrong type");
  }
}
// Arrays that a struct points to, for the length of a call.
using KeptArrays = std::deque<std::vector<void*>>;
// A sequence of objects of a generated class.
template <class Object, class Handle>
void take_handles(const py::dict& dict, const char* name, Handle const** to, int32_t* count, size_t* used, KeptArrays* kept) {
  if (!dict.contains(name)) return;
  ++*used;
  static_assert(sizeof(Handle) == sizeof(void*));
  std::vector<void*>& handles = kept->emplace_back();
  try {
    for (const py::handle one : dict[name].cast<py::sequence>())
      handles.push_back(const_cast<void*>(static_cast<const void*>(one.cast<const Object&>().handle)));
  } catch (const py::cast_error&) {
    raise_invalid(std::string(name) + " is " + py::repr(dict[name]).cast<std::string>() + ", which is of the wrong type");
  }
  *to = reinterpret_cast<Handle const*>(handles.data());
  *count = static_cast<int32_t>(handles.size());
}
// Fails if the dict has keys that no field took.
void all_used(const py::dict& dict, size_t used, const char* name);
template <class A, class B> void same_length(const A& a, const B& b, const char* a_name, const char* b_name) {
  size_t n = 0;
  if constexpr (requires { b->size(); }) {
    if (!b) return;
    n = b->size();
  } else {
    n = b.size();
  }
  if (n != a.size())
    raise_invalid(std::string(b_name) + " has " + std::to_string(n) + " values; expected " + std::to_string(a.size()) + ", as many as " +
                  a_name);
}

// Text for C: a str, or bytes as they are. Bytes of a file name that are not UTF-8 come back out of a str as Python put them in
// (surrogateescape).
struct TextArgument {
  std::string bytes;
  const char* c_str() const noexcept { return bytes.c_str(); }
};
TextArgument read_text(const py::handle& from);

// The bytes of an object's memory, which it keeps where they are meanwhile. They lie one behind the other, or it is refused.
class BytesArgument {
 public:
  BytesArgument(const py::buffer& from, const char* name);
  ~BytesArgument() { PyBuffer_Release(&view_); }
  BytesArgument(const BytesArgument&) = delete;
  BytesArgument& operator=(const BytesArgument&) = delete;
  const void* data() const noexcept { return view_.buf; }
  int64_t size() const noexcept { return view_.len; }

 private:
  Py_buffer view_;
};

// Handles of a list; none for None.
template <class H, class Object> std::vector<H> handles(const std::vector<const Object*>& objects) {
  std::vector<H> out;
  out.reserve(objects.size());
  for (const Object* o : objects) out.push_back(o != nullptr ? o->handle : nullptr);
  return out;
}
template <class Object> auto handle_of(const Object* object) { return object != nullptr ? object->handle : nullptr; }

// By hand (module_support.cpp, arrays.cpp).
void define_text(py::module_& m);
void define_arrays(py::module_& m);

}  // namespace anydim_python

namespace pybind11::detail {
template <> struct type_caster<anydim_python::TextArgument> {
  PYBIND11_TYPE_CASTER(anydim_python::TextArgument, const_name("str | bytes"));
  bool load(handle from, bool) {
    if (!PyUnicode_Check(from.ptr()) && !PyBytes_Check(from.ptr())) return false;
    value = anydim_python::read_text(from);
    return true;
  }
};
// (dtype, dims, strides or None, address)
template <> struct type_caster<anydim_view_t> {
  PYBIND11_TYPE_CASTER(anydim_view_t, const_name("View"));
  bool load(handle from, bool) {
    if (!PyTuple_Check(from.ptr()) || PyTuple_GET_SIZE(from.ptr()) != 4) return false;
    const auto parts = reinterpret_borrow<tuple>(from);
    value = {};
    value.dtype = parts[0].cast<int32_t>();
    anydim_python::read_value(parts[1], "dims", &value.dims);
    if (!parts[2].is_none()) anydim_python::read_value(parts[2], "strides", &value.strides);
    value.data = reinterpret_cast<void*>(parts[3].cast<uintptr_t>());
    return true;
  }
};
// (value, min, max, hint, multiple_of)
template <> struct type_caster<anydim_dim_t> {
  PYBIND11_TYPE_CASTER(anydim_dim_t, const_name("tuple[int, int, int, int, int]"));
  bool load(handle from, bool convert) {
    make_caster<std::array<int64_t, 5>> numbers;
    if (!numbers.load(from, convert)) return false;
    const auto& n = cast_op<const std::array<int64_t, 5>&>(numbers);
    value = {n[0], n[1], n[2], n[3], n[4]};
    return true;
  }
  static handle cast(const anydim_dim_t& d, return_value_policy, handle) { return anydim_python::to_python(d).release(); }
};
}  // namespace pybind11::detail
