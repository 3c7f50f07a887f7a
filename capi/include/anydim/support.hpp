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
#include <cstring>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#if __cplusplus >= 201703L
#include <string_view>
#endif
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
  // Frees what it owned; owns another one then, or none.
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

// Whether all of these types are integers.
template <typename... T> struct AllIntegers : std::true_type {};
template <typename T, typename... More>
struct AllIntegers<T, More...> : std::integral_constant<bool, std::is_integral<T>::value && AllIntegers<More...>::value> {};

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

  // Of what else has its elements in one piece: std::array, std::span.
  template <typename C, typename = typename std::enable_if<std::is_convertible<decltype(std::declval<C&>().data()), T*>::value &&
                                                           std::is_integral<decltype(std::declval<C&>().size())>::value>::type>
  Span(C&& container) noexcept : data_(container.data()), size_(container.size()) {}  // NOLINT(google-explicit-constructor)

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  T* data_;
  std::size_t size_;
};

// Text as a parameter, for the length of a call: a literal, a std::string, or a std::string_view (from C++17 on), which is copied for
// the zero at its end.
class StringView {
 public:
  StringView(const char* s) noexcept : data_(s), size_(s != nullptr ? std::strlen(s) : 0) {}  // NOLINT(google-explicit-constructor)
  StringView(const std::string& s) noexcept : data_(s.c_str()), size_(s.size()) {}            // NOLINT(google-explicit-constructor)
#if __cplusplus >= 201703L
  StringView(std::string_view s) : copy_(s), data_(copy_.c_str()), size_(copy_.size()) {}  // NOLINT(google-explicit-constructor)
#endif
  StringView(const StringView&) = delete;
  StringView& operator=(const StringView&) = delete;

  const char* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
#if __cplusplus >= 201703L
  std::string copy_;
#endif
  const char* data_;
  std::size_t size_;
};

// Dims from numbers of any integer types, {1, 3, image.rows, image.cols}, or from a container of them. One that does not fit becomes
// negative, which the call refuses.
class Dims {
 public:
  Dims() noexcept : size_(0) {}
  template <typename... Integers, typename = typename std::enable_if<(sizeof...(Integers) > 0) && AllIntegers<Integers...>::value>::type>
  Dims(Integers... numbers) noexcept : size_(0) {  // NOLINT(google-explicit-constructor)
    const std::int64_t all[] = {static_cast<std::int64_t>(numbers)...};
    for (const std::int64_t d : all) add(d);
  }
  template <typename C, typename = typename std::enable_if<std::is_integral<
                            typename std::remove_reference<decltype(*std::declval<const C&>().data())>::type>::value>::type>
  Dims(const C& container) noexcept : size_(0) {  // NOLINT(google-explicit-constructor)
    for (std::size_t i = 0; i < static_cast<std::size_t>(container.size()); ++i) add(static_cast<std::int64_t>(container.data()[i]));
  }

  std::size_t size() const noexcept { return size_; }  // also of more than ANYDIM_MAX_RANK
  const std::int64_t* data() const noexcept { return values_; }

 private:
  void add(std::int64_t d) noexcept {
    if (size_ < ANYDIM_MAX_RANK) values_[size_] = d;
    ++size_;
  }
  std::int64_t values_[ANYDIM_MAX_RANK];
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

// Dense row-major elements at an address, which must stay for the call. More than ANYDIM_MAX_RANK dims are refused by the call.
inline anydim_view_t view(const void* data, anydim_dtype_t dtype, const Dims& dims) noexcept {
  anydim_view_t v = anydim_view_t();
  v.data = const_cast<void*>(data);
  v.dtype = dtype;
  v.dims.rank = static_cast<std::int32_t>(dims.size());
  for (std::size_t i = 0; i < dims.size() && i < ANYDIM_MAX_RANK; ++i) v.dims.values[i] = dims.data()[i];
  return v;
}
template <typename T> anydim_view_t view(const T* data, const Dims& dims) noexcept { return view(data, DtypeOf<T>::value, dims); }

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

inline std::string dtype_name(anydim_dtype_t dtype) {
  const std::string name = anydim_dtype_name(dtype);
  return name != "unknown" ? name : "number " + std::to_string(dtype);
}

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
inline const char* text(const StringView& s, const char* name) {
  if (s.data() == nullptr) throw Error(ANYDIM_STATUS_INVALID_ARGUMENT, std::string(name) + " is null; expected text");
  if (std::strlen(s.data()) != s.size())
    throw Error(ANYDIM_STATUS_INVALID_ARGUMENT, std::string(name) + " has a zero character in it; expected text without one");
  return s.data();
}

inline std::string text(const anydim_string_t& s) { return std::string(s.data, static_cast<std::size_t>(s.length)); }

}  // namespace detail

// Dense row-major elements of a vector, a std::array or a std::span, which must stay as they are for the call. Throws if there are fewer
// than the dims say.
template <typename C,
          typename T = typename std::remove_const<typename std::remove_reference<decltype(*std::declval<const C&>().data())>::type>::type,
          typename = typename std::enable_if<std::is_integral<decltype(std::declval<const C&>().size())>::value>::type>
anydim_view_t view(const C& data, const Dims& dims) {
  const anydim_view_t v = view(static_cast<const T*>(data.data()), dims);
  const std::int64_t n = count(v.dims);
  if (n < 0 || static_cast<std::uint64_t>(n) > data.size())
    throw Error(ANYDIM_STATUS_INVALID_ARGUMENT, "a view over a container has " +
                                                    (n < 0 ? std::string("dims that are none") : std::to_string(n) + " elements") +
                                                    "; the container has " + std::to_string(data.size()));
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
  // Its dense elements, in the order that its view describes. Throws if they are of another type.
  template <typename T> const T* data() const {
    if (view_.dtype != DtypeOf<T>::value)
      throw Error(ANYDIM_STATUS_INVALID_ARGUMENT, std::string("the result has dtype ") + detail::dtype_name(view_.dtype) +
                                                      "; requested is " + detail::dtype_name(DtypeOf<T>::value));
    return static_cast<const T*>(view_.data);
  }

 private:
  anydim_view_t view_;
};

namespace detail {

inline Owner<anydim_model_t, anydim_model_destroy> model_of(anydim_session_t session) {
  Owner<anydim_model_t, anydim_model_destroy> model;
  check(anydim_session_acquire_model(session, model.put()));
  return model;
}

}  // namespace detail

// Runs the session of a model and gives all of its outputs, in the model's order. Any number of threads may call it.
inline std::vector<Result> run(anydim_session_t session, anydim_model_t model, Span<const anydim_view_t> inputs,
                               const anydim_run_options_t* options = nullptr) {
  std::int32_t input_count = 0, output_count = 0;
  check(anydim_model_get_counts(model, &input_count, &output_count));
  std::vector<anydim_view_t> outputs(static_cast<std::size_t>(output_count), anydim_view_t());
  for (std::int32_t i = 0; i < output_count; ++i) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(anydim_model_get_output(model, i, &info));
    outputs[static_cast<std::size_t>(i)].dtype = info.dtype;
  }
  std::vector<Result> results;
  results.reserve(outputs.size());
  check(anydim_session_run(session, inputs.data(), detail::length(inputs.size()), outputs.data(), output_count, options));
  for (const anydim_view_t& placed : outputs) results.emplace_back(placed);
  return results;
}

// An input by its name.
struct NamedView {
  NamedView(const StringView& input, const anydim_view_t& tensor) : name(input.data(), input.size()), view(tensor) {}
  std::string name;
  anydim_view_t view;
};

// The same without the model at hand: the session knows it.
inline std::vector<Result> run(anydim_session_t session, Span<const anydim_view_t> inputs, const anydim_run_options_t* options = nullptr) {
  const Owner<anydim_model_t, anydim_model_destroy> model = detail::model_of(session);
  return run(session, model.get(), inputs, options);
}

// As `run`, with inputs by name in any order: `run_by_name(session, model, {{"x", anydim::view(pixels, {1, 3, h, w})}})["scores"]`. Throws
// if a name is none of the model's, or an input is missing or there twice.
inline std::map<std::string, Result> run_by_name(anydim_session_t session, anydim_model_t model, Span<const NamedView> inputs,
                                                 const anydim_run_options_t* options = nullptr) {
  std::int32_t input_count = 0, output_count = 0;
  check(anydim_model_get_counts(model, &input_count, &output_count));
  std::vector<anydim_view_t> ordered(static_cast<std::size_t>(input_count), anydim_view_t());
  std::vector<bool> there(ordered.size(), false);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const NamedView& input = inputs.data()[i];
    std::int32_t index = 0;
    check(anydim_model_find_input(model, detail::text(input.name, "an input's name"), &index));
    const auto at = static_cast<std::size_t>(index);
    if (there[at]) throw Error(ANYDIM_STATUS_INVALID_ARGUMENT, "input '" + input.name + "' is there twice");
    there[at] = true;
    ordered[at] = input.view;
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i]) continue;
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(anydim_model_get_input(model, static_cast<std::int32_t>(i), &info));
    throw Error(ANYDIM_STATUS_INVALID_ARGUMENT, "input '" + detail::text(info.name) + "' is missing");
  }
  std::vector<Result> results = run(session, model, ordered, options);
  std::map<std::string, Result> named;
  for (std::int32_t i = 0; i < output_count; ++i) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(anydim_model_get_output(model, i, &info));
    named[detail::text(info.name)] = std::move(results[static_cast<std::size_t>(i)]);
  }
  return named;
}

// The same without the model at hand.
inline std::map<std::string, Result> run_by_name(anydim_session_t session, Span<const NamedView> inputs,
                                                 const anydim_run_options_t* options = nullptr) {
  const Owner<anydim_model_t, anydim_model_destroy> model = detail::model_of(session);
  return run_by_name(session, model.get(), inputs, options);
}

#endif  // ANYDIM_HPP_CALLS

}  // namespace anydim

#endif  // ANYDIM_SUPPORT_HPP
