// SPDX-License-Identifier: Apache-2.0
// What the generated C side of Java's natives is written with: arrays and texts of Java as arguments of the C API, results as numbers
// and bytes, failures as Java exceptions. A function runs in guarded(), which lets no C++ exception out.
#pragma once

#include <anydim/anydim.h>
#include <jni.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace anydim_java {

static_assert(std::endian::native == std::endian::little && sizeof(void*) == 8, "Java writes images of structs for such machines");

// A Java exception is on its way: what is left of the native is skipped.
struct Pending {};

// Each throws into Java. `check` does so if the status is a failure, with what the C API knows of it.
void throw_failure(JNIEnv* env, anydim_status_t status, const anydim_error_info_t& failure) noexcept;
void throw_last_failure(JNIEnv* env, anydim_status_t status) noexcept;
void throw_out_of_memory(JNIEnv* env) noexcept;
[[noreturn]] void throw_invalid(JNIEnv* env, const char* message);

inline void check(JNIEnv* env, anydim_status_t status) {
  if (status == ANYDIM_STATUS_OK) return;
  throw_last_failure(env, status);
  throw Pending{};
}
inline void check_pending(JNIEnv* env) {
  if (env->ExceptionCheck()) throw Pending{};
}

template <class Body> auto guarded(JNIEnv* env, const Body& body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const Pending&) {
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(env);
  }
  if constexpr (!std::is_void_v<decltype(body())>) return {};
}

// Handles and addresses are longs in Java.
template <class Handle> Handle as_handle(jlong value) noexcept { return reinterpret_cast<Handle>(static_cast<uintptr_t>(value)); }
template <class Function> Function as_function(jlong address) noexcept {
  return reinterpret_cast<Function>(static_cast<uintptr_t>(address));
}
inline void* as_pointer(jlong address) noexcept { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }
template <class Handle> jlong as_number(Handle handle) noexcept { return static_cast<jlong>(reinterpret_cast<uintptr_t>(handle)); }

jbyteArray bytes_of(JNIEnv* env, const char* data, int64_t length);
jbyteArray bytes_of(JNIEnv* env, const char* text);
inline jbyteArray bytes_of(JNIEnv* env, const anydim_string_t& text) { return bytes_of(env, text.data, text.length); }

// A copy of an array of Java's as elements of a C type of the same size or of several of them. Few elements take no allocation.
template <class Element, class Array, int kInPlace> class Copied {
 public:
  Copied(JNIEnv* env, Array array) {
    if (array == nullptr) return;
    const jsize count = env->GetArrayLength(array);
    constexpr jsize kEach = sizeof(Element) / sizeof(Item);
    if (count % kEach != 0) throw_invalid(env, "an array is no number of whole structs");
    size_ = count / kEach;
    data_ = in_place_;
    if (size_ > kInPlace) {
      more_ = std::make_unique<Element[]>(static_cast<size_t>(size_));
      data_ = more_.get();
    }
    if constexpr (std::is_same_v<Array, jintArray>) {
      env->GetIntArrayRegion(array, 0, count, reinterpret_cast<jint*>(data_));
    } else if constexpr (std::is_same_v<Array, jfloatArray>) {
      env->GetFloatArrayRegion(array, 0, count, reinterpret_cast<jfloat*>(data_));
    } else {
      env->GetLongArrayRegion(array, 0, count, reinterpret_cast<jlong*>(data_));
    }
    check_pending(env);
  }
  Copied(const Copied&) = delete;
  Copied& operator=(const Copied&) = delete;

  // Null for no array.
  Element* data() noexcept { return data_; }
  const Element* data() const noexcept { return data_; }
  int32_t size() const noexcept { return size_; }

 private:
  using Item =
      std::conditional_t<std::is_same_v<Array, jintArray>, jint, std::conditional_t<std::is_same_v<Array, jfloatArray>, jfloat, jlong>>;
  static_assert(sizeof(Element) % sizeof(Item) == 0);
  int32_t size_ = 0;
  Element* data_ = nullptr;
  std::unique_ptr<Element[]> more_;
  Element in_place_[kInPlace];
};

template <class Handle> using Handles = Copied<Handle, jlongArray, 8>;
template <class Struct> using Images = Copied<Struct, jlongArray, 8>;
using Views = Copied<anydim_view_t, jlongArray, 8>;

template <class Array> struct NumbersOf;
template <> struct NumbersOf<jintArray> : Copied<int32_t, jintArray, 16> { using Copied::Copied; };
template <> struct NumbersOf<jlongArray> : Copied<int64_t, jlongArray, 16> { using Copied::Copied; };
template <> struct NumbersOf<jfloatArray> : Copied<float, jfloatArray, 16> { using Copied::Copied; };
template <class Array> using Numbers = NumbersOf<Array>;

// Arrays that share one length in C; Java's side gives them equally long, or leaves one out.
template <class Array> void same_length(JNIEnv* env, int32_t size, const Array& other) {
  if (other.data() != nullptr && other.size() != size) throw_invalid(env, "two arrays of one length differ in length");
}

// Views of outputs, which come back with what the call filled in.
class ViewsOut : public Views {
 public:
  ViewsOut(JNIEnv* env, jlongArray array) : Views(env, array), env_(env), array_(array) {}
  void write_back() {
    if (size() == 0) return;
    env_->SetLongArrayRegion(array_, 0, size() * static_cast<jsize>(sizeof(anydim_view_t) / sizeof(jlong)),
                             reinterpret_cast<const jlong*>(data()));
    check_pending(env_);
  }

 private:
  JNIEnv* env_;
  jlongArray array_;
};

// A text that ends with a zero; null stays null.
class Text {
 public:
  Text(JNIEnv* env, jbyteArray bytes);
  const char* c_str() const noexcept { return text_; }

 private:
  const char* text_ = nullptr;
  std::unique_ptr<char[]> more_;
  char in_place_[256];
};

// An operator's struct from its image; a list of any length comes beside it, and its address goes where the image has room for it.
class Operator {
 public:
  Operator(JNIEnv* env, jlongArray image, jlongArray list, jint list_at);
  const anydim_op_t* op() const noexcept { return reinterpret_cast<const anydim_op_t*>(image_.data()); }

 private:
  Copied<int64_t, jlongArray, 64> image_;
  Numbers<jlongArray> list_;
};

// What a call reported, written into two arrays of Java's, one thing after the other.
class StructWriter {
 public:
  StructWriter(JNIEnv* env, jlongArray numbers, jobjectArray texts) noexcept : env_(env), numbers_(numbers), texts_(texts) {}
  template <class T> void put(const T& value) {
    if constexpr (std::is_same_v<T, anydim_string_t>) {
      put_text(value);
    } else if constexpr (std::is_pointer_v<T>) {
      values_[count_++] = as_number(value);
    } else if constexpr (std::is_integral_v<T>) {
      values_[count_++] = static_cast<jlong>(value);
    } else {
      static_assert(sizeof(T) % sizeof(jlong) == 0 && std::is_trivially_copyable_v<T>);
      std::memcpy(values_ + count_, &value, sizeof(T));
      count_ += static_cast<jsize>(sizeof(T) / sizeof(jlong));
    }
  }
  void done();

 private:
  void put_text(const anydim_string_t& text);
  JNIEnv* env_;
  jlongArray numbers_;
  jobjectArray texts_;
  jsize count_ = 0, text_count_ = 0;
  jlong values_[64];
};

}  // namespace anydim_java
