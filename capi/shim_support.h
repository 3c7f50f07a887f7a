// SPDX-License-Identifier: Apache-2.0
// What the generated shims call: catching everything, the thread's message, reading what a caller passed and writing
// what it gets. Nothing here knows what a function does.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string_view>

#include "anydim/anydim.h"
#include "capi/custom_operators.h"
#include "capi/handles.h"
#include "capi/model_objects.h"
#include "capi/objects.h"
#include "capi/views.h"

namespace anydim::capi {

// Keeps the failure as the thread's last error, with the message "function: message", logs it at level debug, and gives the number
// of its code.
anydim_status_t report(const char* function, const Status& failure) noexcept;
anydim_status_t report(const char* function, const std::bad_alloc& failure) noexcept;
anydim_status_t report(const char* function, Code code, const char* message) noexcept;

template <class F> anydim_status_t guarded(const char* function, F&& body) noexcept {
  try {
    const Status s = body();
    return s.ok() ? ANYDIM_STATUS_OK : report(function, s);
  } catch (const std::bad_alloc& e) {
    return report(function, e);
  } catch (const std::exception& e) {
    return report(function, Code::internal, e.what());
  } catch (...) {
    return report(function, Code::internal, "an exception of unknown type");
  }
}

inline Status require(const void* pointer, const char* what) {
  return pointer != nullptr ? Status() : invalid("{} is null", what).about(what);
}

inline std::string_view text_or_empty(const char* text) noexcept { return text != nullptr ? text : ""; }
Status read_string(const char* text, const char* what, std::string_view* out);

template <class T> Status read_array(const T* data, int64_t count, const char* what, bool optional, std::span<const T>* out) {
  if (count < 0) return invalid("the number of {} is {}; expected 0 or more", what, count).about(what);
  if (data == nullptr && count > 0 && !optional) return invalid("{} is null; expected {} values", what, count).about(what);
  *out = data != nullptr ? std::span<const T>(data, static_cast<size_t>(count)) : std::span<const T>();
  return {};
}
inline Status read_array(const void* data, int64_t count, const char* what, bool optional, std::span<const std::byte>* out) {
  return read_array(static_cast<const std::byte*>(data), count, what, optional, out);
}

// The checks that do not depend on the type: the caller's size against ours.
Status check_struct_size(const void* from, uint32_t size, uint32_t known, const char* what);

// Options of a caller that may be older (fewer fields: the rest keep their defaults) or newer (more fields: they must be
// zero, since we do not know what they ask for).
template <class T> Status read_struct(const T* from, const char* what, bool optional, T* out) {
  if (from == nullptr) return optional ? Status() : require(from, what);
  uint32_t size;
  std::memcpy(&size, from, sizeof(size));
  ANYDIM_TRY(check_struct_size(from, size, sizeof(T), what));
  std::memcpy(out, from, std::min<size_t>(size, sizeof(T)));
  out->size = sizeof(T);
  return {};
}

// Information for a caller: `local` is filled in whole, then as much is copied as the caller has room for.
template <class T> Status begin_out(const T* to, const char* what, T* local) {
  uint32_t size;
  std::memcpy(&size, to, sizeof(size));
  if (size < 8)
    return invalid("{}.size is {}; expected sizeof the struct ({}), as its _INIT value sets it", what, size, sizeof(T)).about(what);
  *local = T{};
  local->size = size;
  return {};
}
template <class T> void finish_out(const T& local, T* to) noexcept { std::memcpy(to, &local, std::min<size_t>(local.size, sizeof(T))); }

// An operator's struct as the core's operator (operators.cpp). `rank` is that of its input 0, from whose end a negative axis counts; -1
// where it is unknown.
Status read_operator(const anydim_op_t* op, int rank, OperatorPtr* out);
// That rank: of the first descriptor, or of the first constant if that is operand 0.
int rank_of_first(std::span<DescObject* const> inputs, std::span<const TensorView> constants, std::span<const int32_t> operands) noexcept;
inline int rank_of_first(std::span<DescObject* const> inputs) noexcept { return rank_of_first(inputs, {}, {}); }

// Makes the handle of a new object.
template <class T> Status publish(std::unique_ptr<T> object, typename HandleTraits<T>::Handle* handle) {
  if (object == nullptr) return error(Code::internal, "no {} was made", HandleTraits<T>::name);
  uint64_t value = 0;
  ANYDIM_TRY(table::insert(std::move(object), HandleTraits<T>::type, &value));
  *handle = reinterpret_cast<typename HandleTraits<T>::Handle>(value);
  return {};
}

template <class H> void destroy(H handle, const char* function) noexcept {
  table::remove(value_of_handle(handle), HandleTraits<typename ObjectOfHandle<H>::type>::type, function);
}

}  // namespace anydim::capi
