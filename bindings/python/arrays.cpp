// SPDX-License-Identifier: Apache-2.0
// numpy arrays as tensors, and runs from arrays to arrays: one crossing from Python per run, the GIL released while the
// library computes. The Python layer has made sure that each array is one that can be viewed (arrays.py).
#include "bindings/python/arrays.h"

#include <algorithm>

namespace anydim_python {

namespace {

// The dtypes of the package ml_dtypes.
struct NamedDtype {
  const char* name;
  anydim_dtype_t dtype;
};
constexpr NamedDtype kNamed[] = {
    {"bfloat16", ANYDIM_BF16},
    {"float8_e4m3fn", ANYDIM_F8E4M3FN},
    {"float8_e4m3fnuz", ANYDIM_F8E4M3FNUZ},
    {"float8_e5m2", ANYDIM_F8E5M2},
    {"float8_e5m2fnuz", ANYDIM_F8E5M2FNUZ},
    {"float8_e8m0fnu", ANYDIM_F8E8M0},
    {"float4_e2m1fn", ANYDIM_F4E2M1},
    {"int4", ANYDIM_I4},
    {"uint4", ANYDIM_U4},
    {"int2", ANYDIM_I2},
    {"uint2", ANYDIM_U2},
};
anydim_dtype_t named_dtype(const std::string& name) {
  for (const NamedDtype& n : kNamed)
    if (name == n.name) return n.dtype;
  return 0;
}

anydim_dtype_t dtype_of(const py::array& a) {
  const char kind = a.dtype().kind();
  const auto size = a.itemsize();
  switch (kind) {
    case 'f':
      if (size == 1) return named_dtype(a.dtype().attr("name").cast<std::string>());
      return size == 4 ? ANYDIM_F32 : size == 8 ? ANYDIM_F64 : size == 2 ? ANYDIM_F16 : 0;
    case 'i': return size == 8 ? ANYDIM_I64 : size == 4 ? ANYDIM_I32 : size == 2 ? ANYDIM_I16 : ANYDIM_I8;
    case 'u': return size == 8 ? ANYDIM_U64 : size == 4 ? ANYDIM_U32 : size == 2 ? ANYDIM_U16 : ANYDIM_U8;
    case 'b': return ANYDIM_BOOL;
    case 'V':  // those of ml_dtypes, which numpy knows by name only; records and plain bytes are no numbers
      return size <= 2 ? named_dtype(a.dtype().attr("name").cast<std::string>()) : 0;
    default: return 0;
  }
}

}  // namespace

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
    default:
      for (const NamedDtype& n : kNamed)
        if (n.dtype == t) return py::dtype::from_args(py::module_::import("ml_dtypes").attr(n.name));
      raise_invalid("dtype is " + std::to_string(t));
  }
}

namespace {

// Elements in this machine's byte order at multiples of their size, with strides that count elements.
bool lies_well(const py::array& a) {
  const char order = a.dtype().byteorder();
  if ((order != '=' && order != '|') || (a.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) == 0) return false;
  const py::ssize_t size = a.itemsize();
  if (size == 0) return false;  // records of nothing
  for (py::ssize_t i = 0; i < a.ndim(); ++i)
    if (a.strides(i) % size != 0) return false;
  return true;
}

// Whether a value is an array that view() takes as it is.
bool is_viewable(const py::object& value) {
  if (!py::isinstance<py::array>(value)) return false;
  const auto a = py::reinterpret_borrow<py::array>(value);
  return dtype_of(a) != 0 && lies_well(a);
}

// An array as the library sees it.
anydim_view_t view(const py::array& a) {
  if (a.ndim() > ANYDIM_MAX_RANK) raise_invalid("an array has " + std::to_string(a.ndim()) + " dims; expected at most 8");
  if (!lies_well(a)) raise_invalid("an array has elements in another byte order or at odd places");
  anydim_view_t v{};
  v.data = const_cast<void*>(a.data());
  v.dtype = dtype_of(a);
  v.dims.rank = v.strides.rank = static_cast<int32_t>(a.ndim());
  for (py::ssize_t i = 0; i < a.ndim(); ++i) {
    v.dims.values[i] = a.shape(i);
    v.strides.values[i] = a.strides(i) / a.itemsize();
  }
  return v;
}

}  // namespace

std::vector<anydim_view_t> views(const std::vector<py::array>& arrays) {
  std::vector<anydim_view_t> out;
  out.reserve(arrays.size());
  for (const py::array& a : arrays) out.push_back(view(a));
  return out;
}

// The array that owns memory in which the library placed a result.
py::array array_of(const anydim_view_t& v) {
  const py::dtype type = numpy_dtype(v.dtype);
  const std::vector<py::ssize_t> shape(v.dims.values, v.dims.values + v.dims.rank);
  std::vector<py::ssize_t> strides(v.strides.values, v.strides.values + v.strides.rank);
  for (py::ssize_t& stride : strides) stride *= type.itemsize();
  return py::array(type, shape, strides, v.data, py::capsule(v.data, [](void* data) { anydim_result_release(data); }));
}

namespace {

// An array in the memory of others: of one, or of the parts of an input, which nobody writes through it.
py::array array_within(const anydim_view_t& v, const std::vector<py::array>& owners) {
  const py::dtype type = numpy_dtype(v.dtype);
  const std::vector<py::ssize_t> shape(v.dims.values, v.dims.values + v.dims.rank);
  std::vector<py::ssize_t> strides(v.strides.values, v.strides.values + v.strides.rank);
  for (py::ssize_t& stride : strides) stride *= type.itemsize();
  if (owners.size() == 1) return py::array(type, shape, strides, v.data, owners[0]);
  py::array made(type, shape, strides, v.data, py::cast(owners));
  made.attr("flags").attr("writeable") = false;
  return made;
}

// What a run may be given beside arrays: number of an input, axis, and the arrays behind its first one; whether outputs may lie in inputs.
using Parts = std::vector<std::tuple<int32_t, int32_t, std::vector<py::array>>>;
struct Edges {
  explicit Edges(const Parts& given) : parts(given) {
    for (const auto& [input, axis, arrays] : given) views_of_parts.push_back(views(arrays));
    for (size_t i = 0; i < given.size(); ++i)
      raw.push_back(
          {views_of_parts[i].data(), static_cast<int64_t>(views_of_parts[i].size()), std::get<0>(given[i]), std::get<1>(given[i])});
  }
  void write(anydim_run_options_t* options) {
    options->parts = raw.empty() ? nullptr : raw.data();
    options->part_count = static_cast<int32_t>(raw.size());
    options->aliases = inputs_of.empty() ? nullptr : inputs_of.data();
    options->alias_count = static_cast<int32_t>(inputs_of.size());
  }
  bool is_alias(size_t output) const { return output < inputs_of.size() && inputs_of[output] >= 0; }
  py::array alias(size_t output, const anydim_view_t& v, const std::vector<py::array>& inputs) const {
    std::vector<py::array> owners{inputs[static_cast<size_t>(inputs_of[output])]};
    for (const auto& [input, axis, arrays] : parts)
      if (input == inputs_of[output]) owners.insert(owners.end(), arrays.begin(), arrays.end());
    return array_within(v, owners);
  }
  const Parts& parts;
  std::vector<std::vector<anydim_view_t>> views_of_parts;
  std::vector<anydim_input_parts_t> raw;
  std::vector<int32_t> inputs_of;  // by output; empty: no aliases
};

// A run from arrays to arrays: run(in, in_count, out, out_count, options). Outputs that are given are written; the others (None) are new
// arrays, those not wanted stay None.
template <class Run>
py::list run_arrays(const std::vector<py::array>& inputs, const std::vector<std::pair<anydim_dtype_t, bool>>& requested,
                    const std::vector<std::optional<py::array>>& provided, const py::object& cancellation, int32_t timeout_ms, Run&& run,
                    Edges* edges = nullptr) {
  const std::vector<anydim_view_t> in = views(inputs);
  std::vector<anydim_view_t> out(requested.size());
  for (size_t i = 0; i < requested.size(); ++i) {
    if (i < provided.size() && provided[i]) {
      if (!provided[i]->writeable()) raise_invalid("the array bound to output " + std::to_string(i) + " is read-only");
      out[i] = view(*provided[i]);
    } else if (requested[i].second) {
      numpy_dtype(out[i].dtype = requested[i].first);  // or there is no array to make
    }
  }
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.timeout_ms = timeout_ms;
  if (!cancellation.is_none()) options.cancellation = handle_in<anydim_cancellation_t>(cancellation);
  // A handler of Python's runs here, and what it raises (KeyboardInterrupt) stays set until the call is back.
  options.interrupted = [](void* raised) -> int32_t {
    const CalledBack called;
    if (!called || exception_is_kept()) return 1;
    StaysAtTheEnd ending;
    const bool raises = PyErr_CheckSignals() != 0;
    ending.pass();
    return *static_cast<bool*>(raised) = raises;
  };
  bool raised = false;
  options.user = &raised;
  if (edges != nullptr) edges->write(&options);
  const anydim_status_t status =
      without_gil([&] { return run(in.data(), static_cast<int32_t>(in.size()), out.data(), static_cast<int32_t>(out.size()), &options); });
  if (raised) {
    const py::error_already_set error;  // takes what is set
    forget_kept();
    throw error;
  }
  check(status);
  py::list results;
  for (size_t i = 0; i < requested.size(); ++i) {
    if (i < provided.size() && provided[i]) results.append(*provided[i]);
    else if (edges != nullptr && edges->is_alias(i)) results.append(edges->alias(i, out[i], inputs));
    else if (requested[i].second) results.append(array_of(out[i]));
    else results.append(py::none());
  }
  return results;
}

using Requested = std::vector<std::pair<anydim_dtype_t, bool>>;
using Provided = std::vector<std::optional<py::array>>;

// In a session.
py::list run_model(const py::object& session, const std::vector<py::array>& inputs, const Requested& requested, const Provided& provided,
                   const py::object& cancellation, int32_t timeout_ms, bool aliases, const Parts& parts) {
  const auto handle = handle_in<anydim_session_t>(session);
  const auto run = [&](auto... all) { return anydim_session_run(handle, all...); };
  if (!aliases && parts.empty()) return run_arrays(inputs, requested, provided, cancellation, timeout_ms, run);
  Edges edges(parts);
  if (aliases) edges.inputs_of.assign(requested.size(), -1);
  return run_arrays(inputs, requested, provided, cancellation, timeout_ms, run, &edges);
}

// On a state and on the inputs that belong to none of its parts.
py::list step_state(const py::object& state, const std::vector<py::array>& inputs, const Requested& requested, const Provided& provided,
                    const py::object& cancellation, int32_t timeout_ms) {
  const auto handle = handle_in<anydim_state_t>(state);
  return run_arrays(inputs, requested, provided, cancellation, timeout_ms, [&](auto... all) { return anydim_state_step(handle, all...); });
}

// A chunk of a sequence.
py::list push_chunk(const py::object& streaming, const std::vector<py::array>& inputs, bool last, const Requested& requested,
                    const py::object& cancellation, int32_t timeout_ms) {
  const auto handle = handle_in<anydim_streaming_t>(streaming);
  return run_arrays(inputs, requested, {}, cancellation, timeout_ms, [&](auto* in, int32_t in_count, auto... outs) {
    return anydim_streaming_push(handle, in, in_count, last ? 1 : 0, outs...);
  });
}

// A copy of what a part of a state holds.
py::array read_state(const py::object& state, int32_t part) {
  anydim_view_t v{};
  check(anydim_state_read(handle_in<anydim_state_t>(state), part, &v));
  const py::dtype type = numpy_dtype(v.dtype);
  const std::vector<py::ssize_t> shape(v.dims.values, v.dims.values + v.dims.rank);
  std::vector<py::ssize_t> strides(v.strides.values, v.strides.values + v.strides.rank);
  for (py::ssize_t& stride : strides) stride *= type.itemsize();
  return py::array(type, shape, strides, v.data);  // without an owner: numpy copies it
}

void write_state(const py::object& state, const std::vector<py::array>& values) {
  const std::vector<anydim_view_t> in = views(values);
  const auto handle = handle_in<anydim_state_t>(state);
  check(without_gil([&] { return anydim_state_write(handle, in.data(), static_cast<int32_t>(in.size())); }));
}

// Executes a primitive into new arrays, or into those given (None: a new one).
py::list execute_primitive(const py::object& primitive_object, const py::object& stream_object, const std::vector<py::array>& inputs,
                           const std::vector<anydim_dtype_t>& dtypes, const std::vector<std::optional<py::array>>& provided) {
  const auto primitive = handle_in<anydim_primitive_t>(primitive_object);
  const auto stream = handle_in<anydim_stream_t>(stream_object);
  const std::vector<anydim_view_t> in = views(inputs);
  const auto in_count = static_cast<int32_t>(in.size()), out_count = static_cast<int32_t>(dtypes.size());
  std::vector<anydim_view_t> out(dtypes.size());
  const auto is_provided = [&](size_t i) { return i < provided.size() && provided[i]; };
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (is_provided(i)) {
      if (!provided[i]->writeable()) raise_invalid("the output array is read-only");
      out[i] = view(*provided[i]);
    } else {
      numpy_dtype(out[i].dtype = dtypes[i]);  // or there is no array to make
    }
  }
  check(without_gil([&] { return anydim_primitive_execute(primitive, stream, in.data(), in_count, out.data(), out_count); }));
  py::list results;
  for (size_t i = 0; i < dtypes.size(); ++i) results.append(is_provided(i) ? *provided[i] : array_of(out[i]));
  return results;
}

// JSON of a run in the session, of these inputs or the last one.
py::str explain_run(const py::object& session, const std::vector<py::array>& inputs) {
  const std::vector<anydim_view_t> in = views(inputs);
  const auto handle = handle_in<anydim_session_t>(session);
  anydim_text_t text = nullptr;
  check(without_gil([&] { return anydim_session_explain(handle, in.data(), static_cast<int32_t>(in.size()), &text); }));
  anydim_string_t string;
  const anydim_status_t status = anydim_text_get_data(text, &string);
  py::str result = status == ANYDIM_STATUS_OK ? to_python(string) : py::str();
  anydim_text_destroy(text);
  return result;
}

py::str explain_primitive(const py::object& primitive_object, const std::vector<py::array>& inputs) {
  const std::vector<anydim_view_t> in = views(inputs);
  anydim_text_t text = nullptr;
  check(anydim_primitive_explain(handle_in<anydim_primitive_t>(primitive_object), in.data(), static_cast<int32_t>(in.size()), &text));
  anydim_string_t string;
  const anydim_status_t status = anydim_text_get_data(text, &string);
  py::str result = status == ANYDIM_STATUS_OK ? to_python(string) : py::str();
  anydim_text_destroy(text);
  return result;
}

// A dict for each row of floats: what ZipMap gives. In Python this took longer than most models that end with it.
py::list rows_as_maps(const py::array_t<float, py::array::c_style | py::array::forcecast>& rows, const py::list& keys) {
  if (rows.ndim() != 2 || rows.shape(1) != static_cast<py::ssize_t>(keys.size()))
    throw py::value_error("expected rows of as many numbers as there are keys");
  py::list maps(rows.shape(0));
  const float* number = rows.data();
  for (py::ssize_t i = 0; i < rows.shape(0); ++i) {
    py::dict map;
    for (const py::handle key : keys) {
      const py::float_ value(*number++);
      if (PyDict_SetItem(map.ptr(), key.ptr(), value.ptr()) != 0) throw py::error_already_set();
    }
    PyList_SET_ITEM(maps.ptr(), i, map.release().ptr());
  }
  return maps;
}

}  // namespace

void define_arrays(py::module_& m) {
  m.def("dtype_of", &dtype_of, py::arg("array"), "The number of an array's dtype; 0 for one that Anydim lacks.");
  m.def("is_viewable", &is_viewable, py::arg("array"), "Whether this is an array that runs read or write where it lies.");
  m.def("rows_as_maps", &rows_as_maps, py::arg("rows"), py::arg("keys"), "A dict for each row of floats.");
  m.def("run_model", &run_model, py::arg("session"), py::arg("inputs"), py::arg("wanted"), py::arg("given"),
        py::arg("cancellation") = py::none(), py::arg("timeout_ms") = -1, py::arg("aliases") = false, py::arg("parts") = Parts(),
        "Runs a model from arrays to arrays, in a session.");
  m.def("step_state", &step_state, py::arg("state"), py::arg("inputs"), py::arg("wanted"), py::arg("given"),
        py::arg("cancellation") = py::none(), py::arg("timeout_ms") = -1, "Runs a step of a state from arrays to arrays.");
  m.def("push_chunk", &push_chunk, py::arg("streaming"), py::arg("inputs"), py::arg("last"), py::arg("wanted"),
        py::arg("cancellation") = py::none(), py::arg("timeout_ms") = -1, "Computes a chunk of a sequence from arrays to arrays.");
  m.def("read_state", &read_state, py::arg("state"), py::arg("part"), "A copy of what a part of a state holds.");
  m.def("write_state", &write_state, py::arg("state"), py::arg("values"), "Copies arrays into the parts of a state.");
  m.def("execute_primitive", &execute_primitive, py::arg("primitive"), py::arg("stream"), py::arg("inputs"), py::arg("dtypes"),
        py::arg("given"), "Executes a primitive from arrays to arrays.");
  m.def("explain_run", &explain_run, py::arg("session"), py::arg("inputs"), "Explains a run, as JSON.");
  m.def("explain_primitive", &explain_primitive, py::arg("primitive"), py::arg("inputs"), "Explains a primitive, as JSON.");
  define_submitted(m);
  define_log_lines(m);
  define_texts(m);
  define_custom_operators(m);
}

}  // namespace anydim_python
