// SPDX-License-Identifier: Apache-2.0
// numpy arrays as tensors, and runs from arrays to arrays: one crossing from Python per run, the GIL released while the
// library computes. The Python layer has made sure that each array is one that can be viewed (arrays.py).
#include <pybind11/numpy.h>

#include <algorithm>

#include "bindings/python/context_pool.h"
#include "bindings/python/module_support.h"
#include "bindings/python/output_memory.h"

namespace anydim_python {

namespace {

// A C handle whose ownership is C++'s.
template <class H, void (*destroy)(H)> struct Owner {
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner(Owner&& o) noexcept : handle(std::exchange(o.handle, nullptr)) {}
  ~Owner() { destroy(handle); }
  H handle = nullptr;
};
void destroy_tensor(anydim_tensor_t t) { anydim_tensor_destroy(t); }
using Tensor = Owner<anydim_tensor_t, destroy_tensor>;

anydim_dtype_t dtype_of(const py::array& a) {
  const char kind = a.dtype().kind();
  const auto size = a.itemsize();
  switch (kind) {
    case 'f': return size == 4 ? ANYDIM_F32 : size == 8 ? ANYDIM_F64 : size == 2 ? ANYDIM_F16 : 0;
    case 'i': return size == 8 ? ANYDIM_I64 : size == 4 ? ANYDIM_I32 : size == 2 ? ANYDIM_I16 : ANYDIM_I8;
    case 'u': return size == 8 ? ANYDIM_U64 : size == 4 ? ANYDIM_U32 : size == 2 ? ANYDIM_U16 : ANYDIM_U8;
    case 'b': return ANYDIM_BOOL;
    case 'V':  // ml_dtypes.bfloat16, which numpy knows by name only; records and plain bytes are no numbers
      return size == 2 && a.dtype().attr("name").cast<std::string>() == "bfloat16" ? ANYDIM_BF16 : 0;
    default: return 0;
  }
}

py::dtype numpy_dtype(anydim_dtype_t t) {
  switch (t) {
    case ANYDIM_F32: return py::dtype::of<float>();
    case ANYDIM_F64: return py::dtype::of<double>();
    case ANYDIM_F16: return py::dtype("e");
    case ANYDIM_I8: return py::dtype::of<int8_t>();
    case ANYDIM_U8: return py::dtype::of<uint8_t>();
    case ANYDIM_I16: return py::dtype::of<int16_t>();
    case ANYDIM_U16: return py::dtype::of<uint16_t>();
    case ANYDIM_I32: return py::dtype::of<int32_t>();
    case ANYDIM_U32: return py::dtype::of<uint32_t>();
    case ANYDIM_I64: return py::dtype::of<int64_t>();
    case ANYDIM_U64: return py::dtype::of<uint64_t>();
    case ANYDIM_BOOL: return py::dtype::of<bool>();
    case ANYDIM_BF16: return py::dtype::from_args(py::module_::import("ml_dtypes").attr("bfloat16"));
    default: raise_invalid("dtype is " + std::to_string(t));
  }
}

// A tensor over an array's memory. The array must outlive it.
Tensor view(anydim_engine_t engine, const py::array& a) {
  if (a.ndim() > ANYDIM_MAX_RANK) raise_invalid("an array has " + std::to_string(a.ndim()) + " dims; expected at most 8");
  int64_t dims[ANYDIM_MAX_RANK], strides[ANYDIM_MAX_RANK];
  for (py::ssize_t i = 0; i < a.ndim(); ++i) {
    dims[i] = a.shape(i);
    strides[i] = a.strides(i) / a.itemsize();
  }
  Tensor t;
  check(anydim_tensor_create(engine, dtype_of(a), static_cast<int32_t>(a.ndim()), dims, strides, const_cast<void*>(a.data()), &t.handle));
  return t;
}

[[noreturn]] void no_memory_for(anydim_dtype_t dtype, const std::vector<py::ssize_t>& shape, const std::string& what) {
  raise(ANYDIM_STATUS_OUT_OF_MEMORY, "an output of dims " + py::repr(py::cast(shape)).cast<std::string>() + " and dtype " +
                                         py::str(numpy_dtype(dtype)).cast<std::string>() + " needs " + what);
}

// A new array of numpy's own of these strides in bytes; with a copy of `data`, if that is not null.
py::array numpy_array(anydim_dtype_t dtype, const std::vector<py::ssize_t>& shape, const std::vector<py::ssize_t>& strides, int64_t bytes,
                      const void* data = nullptr) {
  try {
    return py::array(numpy_dtype(dtype), shape, strides, data);
  } catch (const py::error_already_set& e) {
    if (!e.matches(PyExc_MemoryError)) throw;
  }
  no_memory_for(dtype, shape, std::to_string(bytes) + " bytes, which could not be had");
}

// A new array whose axes lie in memory in this order, outermost first; empty: row-major. Its elements are whatever was there.
py::array empty(anydim_dtype_t dtype, const anydim_dims_t& dims, const std::vector<int64_t>& order = {}) {
  const py::dtype type = numpy_dtype(dtype);
  const std::vector<py::ssize_t> shape(dims.values, dims.values + dims.rank);
  std::vector<py::ssize_t> strides(shape.size());
  py::ssize_t bytes = type.itemsize();
  for (size_t i = shape.size(); i-- > 0;) {
    const size_t axis = order.size() == shape.size() ? static_cast<size_t>(order[i]) : i;
    strides.at(axis) = bytes;
    if (__builtin_mul_overflow(bytes, std::max<py::ssize_t>(shape[axis], 1), &bytes))
      no_memory_for(dtype, shape, "more memory than any address space has");
  }
  const bool none = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (bytes < OutputMemory::kLeast || none) return numpy_array(dtype, shape, strides, bytes);
  void* block = nullptr;
  {
    const py::gil_scoped_release released;  // a large one takes milliseconds
    block = OutputMemory::instance().take(bytes);
  }
  if (block == nullptr) return numpy_array(dtype, shape, strides, bytes);  // numpy finds some, or there is none
  const py::capsule owner(block, [](void* mine) { OutputMemory::instance().give_back(mine); });
  return py::array(type, shape, strides, block, owner);
}

// The handle of a generated class.
template <class H> H handle_in(const py::object& object) { return reinterpret_cast<H>(object.attr("value").cast<uintptr_t>()); }

struct Tensors {
  std::vector<Tensor> owned;
  std::vector<anydim_tensor_t> handles;

  void add(Tensor t) {
    handles.push_back(t.handle);
    owned.push_back(std::move(t));
  }
  Tensors(anydim_engine_t engine, const std::vector<py::array>& arrays) {
    owned.reserve(arrays.size());
    handles.reserve(arrays.size());
    for (const py::array& a : arrays) add(view(engine, a));
  }
};

// Copies an output that the context owns, since its dims were known only after the run.
py::array copy_output(anydim_context_t context, int32_t index) {
  anydim_tensor_info_t info = ANYDIM_TENSOR_INFO_INIT;
  check(anydim_context_output(context, index, &info));
  if (info.data == nullptr) return empty(info.dtype, info.dims);
  const py::ssize_t size = numpy_dtype(info.dtype).itemsize();
  int64_t bytes = size;
  for (int i = 0; i < info.dims.rank; ++i) bytes *= info.dims.values[i];  // it is in memory, so it fits
  std::vector<py::ssize_t> dims(info.dims.values, info.dims.values + info.dims.rank), strides;
  for (int i = 0; i < info.strides.rank; ++i) strides.push_back(info.strides.values[i] * size);
  return numpy_array(info.dtype, dims, strides, bytes, info.data);  // without an owner: pybind11 copies
}

// Runs a model in a context of the pool. Outputs that are given are written; the others (None) are new arrays, those not wanted
// stay None. `orders`: the memory orders of new arrays, by output; empty: all row-major. `stop`: address of the int32 that ends the
// run while it is not 0, or 0.
py::list run_model(const py::object& engine_object, ContextPool& pool, const std::vector<py::array>& inputs,
                   const std::vector<std::pair<anydim_dtype_t, bool>>& wanted, const std::vector<std::optional<py::array>>& given,
                   const std::vector<std::vector<int64_t>>& orders, uintptr_t stop) {
  const auto* flag = reinterpret_cast<const int32_t*>(stop);
  if (flag != nullptr && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0)
    raise(ANYDIM_STATUS_CLOSED, "the run was ended by its flag, before it began");
  const auto engine = handle_in<anydim_engine_t>(engine_object);
  const Tensors in(engine, inputs);
  ContextPool::Lease lease = pool.lease();
  if (flag != nullptr) lease.watch(flag);
  const anydim_context_t context = lease.handle();
  const auto in_count = static_cast<int32_t>(in.handles.size());
  Tensors out(engine, {});
  std::vector<int32_t> late;
  py::list results;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    out.handles.push_back(nullptr);
    results.append(py::none());
    if (i < given.size() && given[i]) {
      if (!given[i]->writeable()) raise_invalid("the array bound to output " + std::to_string(i) + " is read-only");
      out.owned.push_back(view(engine, *given[i]));
      results[i] = *given[i];
    } else if (wanted[i].second) {
      anydim_dims_t dims;
      const anydim_status_t status = anydim_context_output_dims(context, in.handles.data(), in_count, index, &dims);
      if (status == ANYDIM_STATUS_UNIMPLEMENTED) {
        late.push_back(index);
        continue;
      }
      check(status);
      const py::array array = i < orders.size() ? empty(wanted[i].first, dims, orders[i]) : empty(wanted[i].first, dims);
      out.owned.push_back(view(engine, array));
      results[i] = array;
    } else {
      continue;
    }
    out.handles.back() = out.owned.back().handle;
  }
  check(without_gil([&] {
    const anydim_status_t status =
        anydim_context_run(context, in.handles.data(), in_count, out.handles.data(), static_cast<int32_t>(out.handles.size()));
    if (late.empty()) lease.give_back();  // before this thread waits for the GIL
    return status;
  }));
  for (const int32_t i : late) results[static_cast<size_t>(i)] = copy_output(context, i);
  return results;
}

// Executes a primitive into a new array, or into the given one.
py::array execute_primitive(const py::object& engine_object, const py::object& primitive_object, const py::object& stream_object,
                            const std::vector<py::array>& inputs, anydim_dtype_t dtype, const std::optional<py::array>& given) {
  const auto engine = handle_in<anydim_engine_t>(engine_object);
  const auto primitive = handle_in<anydim_primitive_t>(primitive_object);
  const auto stream = handle_in<anydim_stream_t>(stream_object);
  const Tensors in(engine, inputs);
  const auto in_count = static_cast<int32_t>(in.handles.size());
  py::array result;
  if (given) {
    if (!given->writeable()) raise_invalid("the output array is read-only");
    result = *given;
  } else {
    anydim_dims_t dims;
    check(anydim_primitive_output_dims(primitive, in.handles.data(), in_count, 0, &dims));
    result = empty(dtype, dims);
  }
  const Tensor out = view(engine, result);
  check(without_gil([&] { return anydim_primitive_execute(primitive, stream, in.handles.data(), in_count, &out.handle, 1); }));
  return result;
}

// JSON of a context of the pool, with input shapes or of the last run.
py::str explain_run(const py::object& engine_object, ContextPool& pool, const std::vector<py::array>& inputs) {
  const Tensors in(handle_in<anydim_engine_t>(engine_object), inputs);
  const ContextPool::Lease lease = pool.lease();
  anydim_text_t text = nullptr;
  check(without_gil(
      [&] { return anydim_context_explain(lease.handle(), in.handles.data(), static_cast<int32_t>(in.handles.size()), &text); }));
  anydim_string_t string;
  const anydim_status_t status = anydim_text_data(text, &string);
  py::str result = status == ANYDIM_STATUS_OK ? to_python(string) : py::str();
  anydim_text_destroy(text);
  return result;
}

py::str explain_primitive(const py::object& engine_object, const py::object& primitive_object, const std::vector<py::array>& inputs) {
  const Tensors in(handle_in<anydim_engine_t>(engine_object), inputs);
  anydim_text_t text = nullptr;
  check(anydim_primitive_explain(handle_in<anydim_primitive_t>(primitive_object), in.handles.data(),
                                 static_cast<int32_t>(in.handles.size()), &text));
  anydim_string_t string;
  const anydim_status_t status = anydim_text_data(text, &string);
  py::str result = status == ANYDIM_STATUS_OK ? to_python(string) : py::str();
  anydim_text_destroy(text);
  return result;
}

}  // namespace

void define_arrays(py::module_& m) {
  m.def("dtype_of", &dtype_of, py::arg("array"), "The number of an array's dtype; 0 for one that Anydim lacks.");
  m.def("run_model", &run_model, py::arg("engine"), py::arg("pool"), py::arg("inputs"), py::arg("wanted"), py::arg("given"),
        py::arg("orders") = std::vector<std::vector<int64_t>>(), py::arg("stop") = 0,
        "Runs a model from arrays to arrays, in a context of the pool.");
  m.def("execute_primitive", &execute_primitive, py::arg("engine"), py::arg("primitive"), py::arg("stream"), py::arg("inputs"),
        py::arg("dtype"), py::arg("given"), "Executes a primitive from arrays to an array.");
  m.def("explain_run", &explain_run, py::arg("engine"), py::arg("pool"), py::arg("inputs"), "Explains a run, as JSON.");
  m.def("explain_primitive", &explain_primitive, py::arg("engine"), py::arg("primitive"), py::arg("inputs"),
        "Explains a primitive, as JSON.");
}

}  // namespace anydim_python
