// SPDX-License-Identifier: Apache-2.0
// numpy arrays as tensors and results as arrays: what the functions written by hand share.
#pragma once

#include <pybind11/numpy.h>

#include "bindings/python/module_support.h"

namespace anydim_python {

// Fails for one that has no place in numpy.
py::dtype numpy_dtype(anydim_dtype_t t);
// Arrays as the library sees them; they have to stay meanwhile.
std::vector<anydim_view_t> views(const std::vector<py::array>& arrays);
// The array that owns memory in which the library placed a result.
py::array array_of(const anydim_view_t& v);

// The handle of a generated class.
template <class H> H handle_in(const py::object& object) { return reinterpret_cast<H>(object.attr("value").cast<uintptr_t>()); }

// submitted.cpp
void define_submitted(py::module_& m);
void define_log_lines(py::module_& m);
void define_texts(py::module_& m);
void define_custom_operators(py::module_& m);

}  // namespace anydim_python
