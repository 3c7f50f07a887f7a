// SPDX-License-Identifier: Apache-2.0
// Operators that a Python program brings: the library calls with the GIL acquired again, tensors are arrays over its memory, and whatever
// Python raises is the reason of a failure. What a program writes is called by anydim.custom, which knows numpy.
#include "bindings/python/arrays.h"

namespace anydim_python {

namespace {

struct PythonOperator {
  py::object shapes, compute;
};

// Over memory of the library's, for the length of a call.
py::array lent(const anydim_view_t& v, bool writeable) {
  const std::vector<py::ssize_t> shape(v.dims.values, v.dims.values + v.dims.rank);
  py::ssize_t count = 1;
  for (const py::ssize_t d : shape) count *= d;
  if (v.data == nullptr || count == 0) return py::array(numpy_dtype(v.dtype), shape);
  py::array a(numpy_dtype(v.dtype), shape, v.data, py::none());
  if (!writeable) a.attr("setflags")(py::arg("write") = false);
  return a;
}

py::object entry(const anydim_custom_attribute_t& a, int64_t i) {
  switch (a.type) {
    case ANYDIM_CUSTOM_ATTRIBUTE_INTEGERS: return py::int_(static_cast<const int64_t*>(a.data)[i]);
    case ANYDIM_CUSTOM_ATTRIBUTE_REALS: return py::float_(static_cast<const float*>(a.data)[i]);
    case ANYDIM_CUSTOM_ATTRIBUTE_TEXTS: return to_python(static_cast<const anydim_string_t*>(a.data)[i]);
    default: return lent(static_cast<const anydim_view_t*>(a.data)[i], false);
  }
}

py::dict attributes_of(const anydim_custom_node_t& node) {
  py::dict all;
  for (int64_t i = 0; i < node.attributes; ++i) {
    anydim_custom_attribute_t a{};
    check(anydim_custom_node_get_attribute(&node, i, &a));
    if (a.is_list == 0) {
      all[to_python(a.name)] = entry(a, 0);
      continue;
    }
    py::list list;
    for (int64_t k = 0; k < a.count; ++k) list.append(entry(a, k));
    all[to_python(a.name)] = list;
  }
  return all;
}

// (dtype, dims, the array where its data is known), or None.
py::list operands(const anydim_view_t* views, int64_t count) {
  py::list list;
  for (int64_t i = 0; i < count; ++i) {
    const anydim_view_t& v = views[i];
    bool known = true, empty = false;
    for (int a = 0; a < v.dims.rank; ++a) {
      known = known && v.dims.values[a] >= 0;
      empty = empty || v.dims.values[a] == 0;
    }
    if (v.dtype == 0) list.append(py::none());
    else if (known && (empty || v.data != nullptr)) list.append(py::make_tuple(v.dtype, to_python(v.dims), lent(v, false)));
    else list.append(py::make_tuple(v.dtype, to_python(v.dims), py::none()));
  }
  return list;
}

template <class F> int32_t guarded(int32_t status, F&& call) noexcept {
  const CalledBack called;
  if (!called || exception_is_kept()) {
    anydim_custom_operator_fail(called ? "an exception ends the run" : "the Python interpreter ends");
    return status;
  }
  StaysAtTheEnd ending;
  int32_t result = status;
  try {
    call();
    result = ANYDIM_STATUS_OK;
  } catch (const py::error_already_set& e) {
    if (called.of_python() && !e.matches(PyExc_Exception)) keep_exception(e);
    anydim_custom_operator_fail(e.what());
  } catch (const std::exception& e) {
    anydim_custom_operator_fail(e.what());
  }
  ending.pass();
  return result;
}

int32_t call_shapes(void* user, const anydim_custom_node_t* node, const anydim_view_t* inputs, int64_t input_count, anydim_view_t* outputs,
                    int64_t output_count) {
  return guarded(ANYDIM_STATUS_INVALID_ARGUMENT, [&] {
    const py::sequence found = call_python(static_cast<PythonOperator*>(user)->shapes, reinterpret_cast<uintptr_t>(node->facts),
                                           attributes_of(*node), operands(inputs, input_count), output_count);
    for (int64_t i = 0; i < output_count; ++i) {
      const auto [dtype, dims] = found[static_cast<size_t>(i)].cast<std::pair<int32_t, std::vector<int64_t>>>();
      if (dims.size() > ANYDIM_MAX_RANK) raise_invalid("output " + std::to_string(i) + " has more than 8 dims");
      outputs[i].dtype = dtype;
      outputs[i].dims.rank = static_cast<int32_t>(dims.size());
      std::copy(dims.begin(), dims.end(), outputs[i].dims.values);
    }
  });
}

int32_t call_compute(void* user, const anydim_custom_node_t* node, const anydim_view_t* inputs, int64_t input_count, anydim_view_t* outputs,
                     int64_t output_count) {
  return guarded(ANYDIM_STATUS_INVALID_DATA, [&] {
    py::list in, out;
    for (int64_t i = 0; i < input_count; ++i) in.append(inputs[i].dtype == 0 ? py::object(py::none()) : lent(inputs[i], false));
    for (int64_t i = 0; i < output_count; ++i) out.append(lent(outputs[i], true));
    call_python(static_cast<PythonOperator*>(user)->compute, reinterpret_cast<uintptr_t>(node->facts), attributes_of(*node), in, out);
  });
}

void add(const py::object& set, const std::string& domain, const std::string& op_type, py::object shapes, py::object compute) {
  auto made = std::make_unique<PythonOperator>(PythonOperator{std::move(shapes), std::move(compute)});
  anydim_custom_operator_t definition = ANYDIM_CUSTOM_OPERATOR_INIT;
  definition.shapes = call_shapes;
  definition.compute = call_compute;
  definition.user = made.get();
  definition.finalizer = [](void* user) {
    // What outlives the interpreter's end has no Python to go back to.
    const CalledBack called;
    if (!called) return;
    StaysAtTheEnd ending;
    delete static_cast<PythonOperator*>(user);
    ending.pass();
  };
  check(anydim_custom_operators_add(handle_in<anydim_custom_operators_t>(set), domain.c_str(), op_type.c_str(), &definition));
  static_cast<void>(made.release());
}

}  // namespace

void define_custom_operators(py::module_& m) {
  m.def("custom_operators_add", &add, py::arg("operators"), py::arg("domain"), py::arg("op_type"), py::arg("shapes"), py::arg("compute"),
        "Adds an operator whose rule of shapes and kernel are Python's.");
}

}  // namespace anydim_python
