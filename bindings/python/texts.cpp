// SPDX-License-Identifier: Apache-2.0
// Arrays of str as a model's tensors have them, and back (anydim/border.py): numbers of known texts, or views of their bytes in UTF-8,
// which lie one behind the other. In Python each text cost 100 to 500 ns, more than most models of texts take.
#include <string_view>

#include "bindings/python/arrays.h"

namespace anydim_python {

namespace {

// The objects of an array of them, in order, and what its elements are in a message.
struct Texts {
  py::array array;
  std::string name;
  PyObject* const* begin;
  py::ssize_t count;
  PyObject* at(py::ssize_t i) const {
    PyObject* const text = begin[i];
    if (text == nullptr || !PyUnicode_Check(text))
      raise_invalid("input " + name + " has an element of type " + (text == nullptr ? "NoneType" : Py_TYPE(text)->tp_name) +
                    "; expected str");
    return text;
  }
};
Texts texts_of(const std::string& name, const py::array& array) {
  if (array.dtype().kind() != 'O') throw py::type_error("expected an array of objects");
  const py::array dense = py::array::ensure(array, py::array::c_style);
  if (!dense) throw py::error_already_set();
  return {dense, name, static_cast<PyObject* const*>(dense.data()), dense.size()};
}
std::vector<py::ssize_t> shape_of(const py::array& a) { return {a.shape(), a.shape() + a.ndim()}; }

std::string_view bytes_of(const Texts& texts, py::ssize_t i) {
  Py_ssize_t length = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(texts.at(i), &length);
  if (data == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw py::error_already_set();
    PyErr_Clear();
    raise_invalid("input " + texts.name + " has a string with a surrogate, which UTF-8 cannot hold");
  }
  return {data, static_cast<size_t>(length)};
}

// Views, offset << bits | length, and the bytes. A text is of less than 2^bits bytes.
py::tuple views_of_texts(const std::string& name, const py::array& array, int bits) {
  const Texts texts = texts_of(name, array);
  py::array_t<int64_t> views(shape_of(texts.array));
  int64_t* const view = views.mutable_data();
  int64_t size = 0;
  const int64_t longest = (int64_t{1} << bits) - 1;
  for (py::ssize_t i = 0; i < texts.count; ++i) {
    const auto length = static_cast<int64_t>(bytes_of(texts, i).size());
    if (length > longest)
      raise_invalid("input " + name + " has a string of " + std::to_string(length) + " bytes; at most " + std::to_string(longest));
    view[i] = size << bits | length;
    size += length;
  }
  py::array_t<uint8_t> heap(size);
  auto* to = reinterpret_cast<char*>(heap.mutable_data());
  for (py::ssize_t i = 0; i < texts.count; ++i) {
    const std::string_view bytes = bytes_of(texts, i);
    to += bytes.copy(to, bytes.size());
  }
  return py::make_tuple(views, heap);
}

// The texts of views. They lie within the heap, or it is an error.
py::array texts_of_views(const py::array_t<int64_t, py::array::c_style | py::array::forcecast>& views,
                         const py::array_t<uint8_t, py::array::c_style | py::array::forcecast>& heap, int bits) {
  py::array texts(py::dtype("O"), shape_of(views));
  auto* const text = static_cast<PyObject**>(texts.mutable_data());
  const auto* const bytes = reinterpret_cast<const char*>(heap.data());
  for (py::ssize_t i = 0; i < views.size(); ++i) {
    const int64_t view = views.data()[i], offset = view >> bits, length = view & ((int64_t{1} << bits) - 1);
    if (offset < 0 || offset + length > heap.size()) throw py::value_error("a view of a string lies outside of its heap");
    PyObject* const made = PyUnicode_DecodeUTF8(bytes + offset, length, "strict");
    if (made == nullptr) throw py::error_already_set();
    Py_XSETREF(text[i], made);
  }
  return texts;
}

// The numbers that a dict has for texts; -1 for one that it has not.
py::array numbers_of_texts(const std::string& name, const py::array& array, const py::dict& known) {
  const Texts texts = texts_of(name, array);
  py::array_t<int64_t> numbers(shape_of(texts.array));
  for (py::ssize_t i = 0; i < texts.count; ++i) {
    PyObject* const number = PyDict_GetItemWithError(known.ptr(), texts.at(i));
    if (number == nullptr && PyErr_Occurred()) throw py::error_already_set();
    numbers.mutable_data()[i] = number == nullptr ? -1 : PyLong_AsLongLong(number);
  }
  return numbers;
}

}  // namespace

void define_texts(py::module_& m) {
  m.def("views_of_texts", &views_of_texts, py::arg("name"), py::arg("array"), py::arg("bits"), "Views of texts, and their bytes.");
  m.def("texts_of_views", &texts_of_views, py::arg("views"), py::arg("heap"), py::arg("bits"), "An array of str.");
  m.def("numbers_of_texts", &numbers_of_texts, py::arg("name"), py::arg("array"), py::arg("known"),
        "A dict's numbers for texts, -1 for others.");
}

}  // namespace anydim_python
