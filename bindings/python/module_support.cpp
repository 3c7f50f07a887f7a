// SPDX-License-Identifier: Apache-2.0
// Statuses as exceptions and dicts as structs; see module_support.h.
#include "bindings/python/module_support.h"

#include <cstring>

namespace anydim_python {

namespace {

[[noreturn]] void raise(const anydim_error_info_t& failure) {
  const auto text = [](anydim_string_t s) {
    // The module's own messages quote what it was given, which need not be UTF-8.
    PyObject* decoded = PyUnicode_DecodeUTF8(s.data, static_cast<Py_ssize_t>(s.length), "backslashreplace");
    if (decoded == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::str>(decoded);
  };
  const py::object error = call_python(py::module_::import("anydim.errors").attr("from_status"), failure.status, text(failure.message),
                                       text(failure.function), text(failure.argument), text(failure.node));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

}  // namespace

void raise_status(anydim_status_t status) {
  anydim_error_info_t failure = ANYDIM_ERROR_INFO_INIT;
  (void)anydim_last_error_query(&failure);
  failure.status = status;
  raise(failure);
}

void raise_invalid(const std::string& message) {
  anydim_error_info_t failure = ANYDIM_ERROR_INFO_INIT;
  failure.status = ANYDIM_STATUS_INVALID_ARGUMENT;
  failure.message = {message.data(), static_cast<int64_t>(message.size())};
  raise(failure);
}

void read_value(const py::handle& from, const char* name, anydim_dims_t* to) {
  const auto values = from.cast<std::vector<int64_t>>();
  if (values.size() > ANYDIM_MAX_RANK)
    raise_invalid(std::string(name) + " has " + std::to_string(values.size()) + " values; expected at most 8");
  *to = {};
  to->rank = static_cast<int32_t>(values.size());
  std::copy(values.begin(), values.end(), to->values);
}

void read_value(const py::handle& from, const char* name, const char** to) {
  *to = nullptr;
  if (from.is_none()) return;
  Py_ssize_t length = 0;
  if (PyBytes_Check(from.ptr())) {
    *to = PyBytes_AS_STRING(from.ptr());
    length = PyBytes_GET_SIZE(from.ptr());
  } else {
    if (!PyUnicode_Check(from.ptr())) throw py::cast_error();
    *to = PyUnicode_AsUTF8AndSize(from.ptr(), &length);
    if (*to == nullptr) throw py::error_already_set();
  }
  if (std::strlen(*to) != static_cast<size_t>(length)) raise_invalid(std::string(name) + " has a zero character within");
}

TextArgument read_text(const py::handle& from) {
  py::object bytes = py::reinterpret_borrow<py::object>(from);
  if (PyUnicode_Check(from.ptr())) {
    bytes = py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(from.ptr(), "utf-8", "surrogateescape"));
    if (!bytes) throw py::error_already_set();
  }
  TextArgument text{std::string(PyBytes_AS_STRING(bytes.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr())))};
  if (text.bytes.find('\0') != std::string::npos) raise_invalid(py::repr(from).cast<std::string>() + " has a zero character within");
  return text;
}

BytesArgument::BytesArgument(const py::buffer& from, const char* name) {
  if (PyObject_GetBuffer(from.ptr(), &view_, PyBUF_SIMPLE) == 0) return;
  PyErr_Clear();
  raise_invalid(std::string(name) + " is " + py::repr(from).cast<std::string>() + ", whose bytes do not lie one behind the other");
}

void all_used(const py::dict& dict, size_t used, const char* name) {
  if (used == dict.size()) return;
  raise_invalid(std::string("the options of ") + name + " are " + py::repr(dict).cast<std::string>() + ", of which " +
                std::to_string(dict.size() - used) + " are unknown");
}

void define_text(py::module_& m) {
  m.def(
      "text_bytes",
      [](const py::object& text) {
        anydim_string_t string;
        check(anydim_text_get_data(reinterpret_cast<anydim_text_t>(text.attr("value").cast<uintptr_t>()), &string));
        return py::bytes(string.data, static_cast<size_t>(string.length));
      },
      py::arg("text"), "A text's bytes as they are: names of files need not be UTF-8.");
}

}  // namespace anydim_python

extern "C" PyObject* PyInit__capi_of_main();

// The module's entry point. Handles, exceptions and what waits for the interpreter's lock are of one interpreter (PyGILState_Ensure
// knows no other, and would wait without end).
extern "C" PYBIND11_EXPORT PyObject* PyInit__capi() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return PyInit__capi_of_main();
  PyErr_SetString(PyExc_ImportError, "anydim cannot be imported in a subinterpreter; import it in the main interpreter, or use processes");
  return nullptr;
}
