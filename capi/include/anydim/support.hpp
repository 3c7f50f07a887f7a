// SPDX-License-Identifier: Apache-2.0
// What anydim.hpp stands on, written by hand: owners of handles, failures as exceptions, arrays as parameters, views over vectors,
// and results that a call placed. C++11 and its standard library only. Programs include anydim/anydim.hpp.
//
// Without exceptions (-fno-exceptions) there are the owners, and views over pointers; calls are those of C then:
//   anydim::Model model;
//   if (anydim_model_load_file(engine, "rec.onnx", nullptr, model.put()) != ANYDIM_STATUS_OK) return anydim_last_error();
#ifndef ANYDIM_SUPPORT_HPP
#define ANYDIM_SUPPORT_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "anydim/anydim.h"

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define ANYDIM_HPP_CALLS 1  // functions that throw
#endif

namespace anydim {

// Owns a handle, which goes with it. Moves, and is not copied. It converts to the handle, so that functions of C take it; the
// empty one is null.
template <typename Handle, void (*destroy)(Handle)> class Owner {
 public:
  Owner() noexcept : handle_(nullptr) {}
  explicit Owner(Handle handle) noexcept : handle_(handle) {}
  Owner(Owner&& other) noexcept : handle_(other.release()) {}
  Owner& operator=(Owner&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { reset(); }

  Handle get() const noexcept { return handle_; }
  operator Handle() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  // Gives up what it owned; owns another one then, or none.
  void reset(Handle handle = nullptr) noexcept {
    if (handle_ != nullptr) destroy(handle_);
    handle_ = handle;
  }
  // The handle, which is the caller's from now on.
  Handle release() noexcept {
    const Handle handle = handle_;
    handle_ = nullptr;
    return handle;
  }
  // Where a function of C puts a new handle.
  Handle* put() noexcept {
    reset();
    return &handle_;
  }

 private:
  Handle handle_;
};

// Elements that lie one after the other, for the length of a call: a vector, a list in braces, one element, a pointer and a number.
template <typename T> class Span {
  typedef typename std::remove_const<T>::type Element;

 public:
  Span() noexcept : data_(nullptr), size_(0) {}
  Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  Span(T& one) noexcept : data_(&one), size_(1) {}  // NOLINT(google-explicit-constructor)
  template <typename Allocator>
  Span(std::vector<Element, Allocator>& v) noexcept : data_(v.data()), size_(v.size()) {}  // NOLINT(google-explicit-constructor)
  template <typename Allocator, typename U = T, typename = typename std::enable_if<std::is_const<U>::value>::type>
  Span(const std::vector<Element, Allocator>& v) noexcept  // NOLINT(google-explicit-constructor)
      : data_(v.data()), size_(v.size()) {}
  // Good until the end of the call that has it as an argument, as the list itself is.
  template <typename U = T, typename = typename std::enable_if<std::is_const<U>::value>::type>
  Span(std::initializer_list<Element> list) noexcept : data_(nullptr), size_(list.size()) {  // NOLINT(google-explicit-constructor)
    data_ = list.begin();
  }

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  T* data_;
  std::size_t size_;
};

// The dtype of the numbers of a C++ type. float16 and bfloat16 have none: views over them name their dtype.
template <typename T> struct DtypeOf;
#define ANYDIM_HPP_DTYPE(type, name) \
  template <> struct DtypeOf<type> { static constexpr anydim_dtype_t value = name; };
ANYDIM_HPP_DTYPE(float, ANYDIM_F32)
ANYDIM_HPP_DTYPE(double, ANYDIM_F64)
ANYDIM_HPP_DTYPE(std::int8_t, ANYDIM_I8)
ANYDIM_HPP_DTYPE(std::uint8_t, ANYDIM_U8)
ANYDIM_HPP_DTYPE(std::int16_t, ANYDIM_I16)
ANYDIM_HPP_DTYPE(std::uint16_t, ANYDIM_U16)
ANYDIM_HPP_DTYPE(std::int32_t, ANYDIM_I32)
ANYDIM_HPP_DTYPE(std::uint32_t, ANYDIM_U32)
ANYDIM_HPP_DTYPE(std::int64_t, ANYDIM_I64)
ANYDIM_HPP_DTYPE(std::uint64_t, ANYDIM_U64)
ANYDIM_HPP_DTYPE(bool, ANYDIM_BOOL)
#undef ANYDIM_HPP_DTYPE

// Dense row-major elements at an address, which must stay for the call. More than ANYDIM_MAX_RANK dims are told by the call.
inline anydim_view_t view(const void* data, anydim_dtype_t dtype, Span<const std::int64_t> dims) noexcept {
  anydim_view_t v = anydim_view_t();
  v.data = const_cast<void*>(data);
  v.dtype = dtype;
  v.dims.rank = static_cast<std::int32_t>(dims.size());
  for (std::size_t i = 0; i < dims.size() && i < ANYDIM_MAX_RANK; ++i) v.dims.values[i] = dims.data()[i];
  return v;
}
template <typename T> anydim_view_t view(const T* data, Span<const std::int64_t> dims) noexcept {
  return view(data, DtypeOf<T>::value, dims);
}

// How many elements a tensor has; -1 for dims that are none.
inline std::int64_t count(const anydim_dims_t& dims) noexcept {
  std::int64_t n = 1;
  if (dims.rank < 0 || dims.rank > ANYDIM_MAX_RANK) return -1;
  for (std::int32_t i = 0; i < dims.rank; ++i) {
    const std::int64_t d = dims.values[i];
    if (d < 0 || (d > 0 && n > INT64_MAX / d)) return -1;
    n *= d;
  }
  return n;
}

#ifdef ANYDIM_HPP_CALLS

// A call that failed. what() names the argument, the value found and what was expected.
class Error : public std::runtime_error {
 public:
  // Of the thread's last call.
  explicit Error(anydim_status_t status) : std::runtime_error(anydim_last_error()), status_(status) {
    anydim_error_info_t info = ANYDIM_ERROR_INFO_INIT;
    if (anydim_last_error_query(&info) != ANYDIM_STATUS_OK || info.status != status) return;
    function_.assign(info.function.data, static_cast<std::size_t>(info.function.length));
    argument_.assign(info.argument.data, static_cast<std::size_t>(info.argument.length));
    node_.assign(info.node.data, static_cast<std::size_t>(info.node.length));
  }
  Error(anydim_status_t status, const std::string& message) : std::runtime_error(message), status_(status) {}

  anydim_status_t status() const noexcept { return status_; }
  const std::string& function() const noexcept { return function_; }  // of the C API
  const std::string& argument() const noexcept { return argument_; }  // such as inputs[1]; or empty
  const std::string& node() const noexcept { return node_; }          // of the model; or empty

 private:
  anydim_status_t status_;
  std::string function_, argument_, node_;
};

inline void check(anydim_status_t status) {
  if (status != ANYDIM_STATUS_OK) throw Error(status);
}

namespace detail {

inline void same_length(std::size_t size, std::size_t expected, const char* name) {
  if (size == expected) return;
  throw Error(ANYDIM_STATUS_INVALID_ARGUMENT,
              std::string(name) + " has " + std::to_string(size) + " entries; expected " + std::to_string(expected));
}

inline std::int32_t length(std::size_t size) {
  if (size > INT32_MAX) throw Error(ANYDIM_STATUS_INVALID_ARGUMENT, "an array has more entries than 2^31 - 1");
  return static_cast<std::int32_t>(size);
}

// C takes text up to a zero; what lies behind one would be lost without a word.
inline const char* text(const std::string& s, const char* name) {
  if (s.find('\0') != std::string::npos)
    throw Error(ANYDIM_STATUS_INVALID_ARGUMENT, std::string(name) + " has a zero character in it; expected text without one");
  return s.c_str();
}

inline std::string text(const anydim_string_t& s) { return std::string(s.data, static_cast<std::size_t>(s.length)); }

}  // namespace detail

// Dense row-major elements of a vector, which must stay as it is for the call. Throws if it has fewer than the dims say.
template <typename T, typename Allocator> anydim_view_t view(const std::vector<T, Allocator>& data, Span<const std::int64_t> dims) {
  const anydim_view_t v = view(data.data(), dims);
  const std::int64_t n = count(v.dims);
  if (n < 0 || static_cast<std::uint64_t>(n) > data.size())
    throw Error(ANYDIM_STATUS_INVALID_ARGUMENT, "a view over a vector has " +
                                                    (n < 0 ? std::string("dims that are none") : std::to_string(n) + " elements") +
                                                    "; the vector has " + std::to_string(data.size()));
  return v;
}

// An output that the library placed: its memory is this object's.
class Result {
 public:
  Result() noexcept : view_(anydim_view_t()) {}
  explicit Result(const anydim_view_t& placed) noexcept : view_(placed) {}
  Result(Result&& other) noexcept : view_(other.view_) { other.view_ = anydim_view_t(); }
  Result& operator=(Result&& other) noexcept {
    std::swap(view_, other.view_);
    return *this;
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  ~Result() { anydim_result_release(view_.data); }

  const anydim_view_t& view() const noexcept { return view_; }
  anydim_dtype_t dtype() const noexcept { return view_.dtype; }
  std::vector<std::int64_t> dims() const { return std::vector<std::int64_t>(view_.dims.values, view_.dims.values + view_.dims.rank); }
  std::size_t size() const noexcept { return static_cast<std::size_t>(count(view_.dims)); }
  const void* data() const noexcept { return view_.data; }
  // Its dense elements, in the order that its view tells. Throws if they are of another type.
  template <typename T> const T* data() const {
    if (view_.dtype != DtypeOf<T>::value)
      throw Error(ANYDIM_STATUS_INVALID_ARGUMENT,
                  "the result has dtype " + std::to_string(view_.dtype) + "; asked for was " + std::to_string(DtypeOf<T>::value));
    return static_cast<const T*>(view_.data);
  }

 private:
  anydim_view_t view_;
};

// Runs the session of a model and gives all of its outputs, in the model's order. Any number of threads may call it.
inline std::vector<Result> run(anydim_session_t session, anydim_model_t model, Span<const anydim_view_t> inputs,
                               const anydim_run_options_t* options = nullptr) {
  std::int32_t input_count = 0, output_count = 0;
  check(anydim_model_counts(model, &input_count, &output_count));
  std::vector<anydim_view_t> outputs(static_cast<std::size_t>(output_count), anydim_view_t());
  for (std::int32_t i = 0; i < output_count; ++i) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(anydim_model_output(model, i, &info));
    outputs[static_cast<std::size_t>(i)].dtype = info.dtype;
  }
  std::vector<Result> results;
  results.reserve(outputs.size());
  check(anydim_session_run(session, inputs.data(), detail::length(inputs.size()), outputs.data(), output_count, options));
  for (const anydim_view_t& placed : outputs) results.emplace_back(placed);
  return results;
}

#endif  // ANYDIM_HPP_CALLS

}  // namespace anydim

#endif  // ANYDIM_SUPPORT_HPP
