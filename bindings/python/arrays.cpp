// SPDX-License-Identifier: Apache-2.0
// numpy arrays as tensors, and runs from arrays to arrays: one crossing from Python per run, the GIL released while the
// library computes. The Python layer has made sure that each array is one that can be viewed (arrays.py).
#include <pybind11/numpy.h>

#include <algorithm>
#include <cstdlib>

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
  Owner& operator=(Owner&& o) noexcept {
    std::swap(handle, o.handle);
    return *this;
  }
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

// An array to be made. First its memory, without the GIL, by whoever computes into it; then, with the GIL, the array of numpy's
// that owns it. What is in it at first is whatever was there.
class NewArray {
 public:
  // `order`: how its axes lie in memory, outermost first; empty: row-major.
  explicit NewArray(anydim_dtype_t dtype, std::vector<int64_t> order = {})
      : dtype_(dtype), type_(numpy_dtype(dtype)), item_(type_.itemsize()), order_(std::move(order)) {}
  NewArray(const NewArray&) = delete;
  NewArray& operator=(const NewArray&) = delete;
  ~NewArray() {
    if (data_ != nullptr) (pooled_ ? free_pooled : std::free)(data_);
  }

  // Memory for these dims. False if there is none, for which raise_no_memory() has the words.
  bool allocate(const anydim_dims_t& dims) noexcept {
    dims_ = dims;
    const auto rank = static_cast<size_t>(dims.rank);
    bool none = false;
    bytes_ = item_;
    for (size_t i = rank; i-- > 0;) {
      const size_t axis = order_.size() == rank ? static_cast<size_t>(order_[i]) : i;
      strides_[axis] = bytes_ / item_;
      none = none || dims.values[i] == 0;
      if (__builtin_mul_overflow(bytes_, std::max<int64_t>(dims.values[axis], 1), &bytes_)) {
        bytes_ = -1;
        return false;
      }
    }
    if (none) bytes_ = 0;
    pooled_ = bytes_ >= OutputMemory::kLeast;
    if (pooled_) data_ = OutputMemory::instance().take(bytes_);
    if (data_ == nullptr) {
      pooled_ = false;
      data_ = std::malloc(static_cast<size_t>(std::max<int64_t>(bytes_, 1)));
    }
    return data_ != nullptr;
  }

  anydim_status_t make_tensor(anydim_engine_t engine, Tensor* tensor) const noexcept {
    return anydim_tensor_create(engine, dtype_, dims_.rank, dims_.values, strides_, data_, &tensor->handle);
  }

  // The memory is the array's from now on. With the GIL.
  py::array array() {
    const std::vector<py::ssize_t> shape(dims_.values, dims_.values + dims_.rank);
    std::vector<py::ssize_t> strides(strides_, strides_ + dims_.rank);
    for (py::ssize_t& stride : strides) stride *= item_;
    const py::capsule owner(data_, pooled_ ? free_pooled : std::free);
    void* const data = std::exchange(data_, nullptr);
    return py::array(type_, shape, strides, data, owner);
  }

  [[noreturn]] void raise_no_memory() const {
    const std::vector<int64_t> shape(dims_.values, dims_.values + dims_.rank);
    const std::string what =
        bytes_ < 0 ? "more memory than any address space has" : std::to_string(bytes_) + " bytes, which could not be had";
    raise(ANYDIM_STATUS_OUT_OF_MEMORY, "an output of dims " + py::repr(py::cast(shape)).cast<std::string>() + " and dtype " +
                                           py::str(type_).cast<std::string>() + " needs " + what);
  }

 private:
  static void free_pooled(void* data) { OutputMemory::instance().give_back(data); }

  anydim_dtype_t dtype_;
  py::dtype type_;
  int64_t item_;  // bytes of an element
  std::vector<int64_t> order_;
  anydim_dims_t dims_ = {};
  int64_t strides_[ANYDIM_MAX_RANK] = {};  // in elements
  int64_t bytes_ = 0;                      // -1: more than a number holds
  void* data_ = nullptr;
  bool pooled_ = false;  // of OutputMemory, else of the C library
};

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
  const auto in_count = static_cast<int32_t>(in.handles.size());
  const auto count = static_cast<int32_t>(wanted.size());
  Tensors out(engine, {});
  out.owned.resize(wanted.size());
  out.handles.resize(wanted.size());
  std::vector<std::optional<NewArray>> made(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i < given.size() && given[i]) {
      if (!given[i]->writeable()) raise_invalid("the array bound to output " + std::to_string(i) + " is read-only");
      out.owned[i] = view(engine, *given[i]);
      out.handles[i] = out.owned[i].handle;
    } else if (wanted[i].second) {
      made[i].emplace(wanted[i].first, i < orders.size() ? orders[i] : std::vector<int64_t>());
    }
  }
  const NewArray* lacking = nullptr;
  pool.use(
      [&](anydim_context_t context) -> anydim_status_t {
        for (size_t i = 0; i < made.size(); ++i) {
          if (!made[i]) continue;
          anydim_dims_t dims;
          anydim_status_t status = anydim_context_output_dims(context, in.handles.data(), in_count, static_cast<int32_t>(i), &dims);
          if (status == ANYDIM_STATUS_OK && !made[i]->allocate(dims)) {
            lacking = &*made[i];
            return ANYDIM_STATUS_OK;
          }
          if (status == ANYDIM_STATUS_OK) status = made[i]->make_tensor(engine, &out.owned[i]);
          if (status != ANYDIM_STATUS_OK) return status;
          out.handles[i] = out.owned[i].handle;
        }
        return anydim_context_run(context, in.handles.data(), in_count, out.handles.data(), count);
      },
      flag);
  if (lacking != nullptr) lacking->raise_no_memory();
  py::list results;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (made[i]) results.append(made[i]->array());
    else if (i < given.size() && given[i]) results.append(*given[i]);
    else results.append(py::none());
  }
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
  std::optional<NewArray> made;
  Tensor out;
  if (given) {
    if (!given->writeable()) raise_invalid("the output array is read-only");
    out = view(engine, *given);
  } else {
    anydim_dims_t dims;
    check(anydim_primitive_output_dims(primitive, in.handles.data(), in_count, 0, &dims));
    made.emplace(dtype);
    const bool enough = without_gil([&] { return made->allocate(dims); });  // a large one takes milliseconds
    if (!enough) made->raise_no_memory();
    check(made->make_tensor(engine, &out));
  }
  check(without_gil([&] { return anydim_primitive_execute(primitive, stream, in.handles.data(), in_count, &out.handle, 1); }));
  return made ? made->array() : *given;
}

// JSON of a context of the pool, with input shapes or of the last run.
py::str explain_run(const py::object& engine_object, ContextPool& pool, const std::vector<py::array>& inputs) {
  const Tensors in(handle_in<anydim_engine_t>(engine_object), inputs);
  anydim_text_t text = nullptr;
  pool.use([&](anydim_context_t context) {
    return anydim_context_explain(context, in.handles.data(), static_cast<int32_t>(in.handles.size()), &text);
  });
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
