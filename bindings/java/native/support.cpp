// SPDX-License-Identifier: Apache-2.0
// Arrays, texts, results and failures between Java and the C API; see support.h.
#include "bindings/java/native/support.h"

#include <algorithm>

#include "bindings/java/native/java_vm.h"

namespace anydim_java {

void throw_failure(JNIEnv* env, anydim_status_t status, const anydim_error_info_t& failure) noexcept {
  const anydim_string_t parts[] = {failure.message, failure.function, failure.argument, failure.node};
  jbyteArray bytes[4];
  try {
    for (int i = 0; i < 4; ++i) bytes[i] = bytes_of(env, parts[i]);
  } catch (const Pending&) {
    return;  // an OutOfMemoryError
  }
  const jclass exceptions = java_class(env, JavaClass::exceptions);
  auto* const made = static_cast<jthrowable>(
      env->CallStaticObjectMethod(exceptions, java_method(JavaMethod::make_exception), status, bytes[0], bytes[1], bytes[2], bytes[3]));
  if (!env->ExceptionCheck() && made != nullptr) env->Throw(made);
}

void throw_last_failure(JNIEnv* env, anydim_status_t status) noexcept {
  anydim_error_info_t failure = ANYDIM_ERROR_INFO_INIT;
  (void)anydim_last_error_query(&failure);
  throw_failure(env, status, failure);
}

void throw_out_of_memory(JNIEnv* env) noexcept {
  static constexpr char kMessage[] = "the binding could not get memory for its arguments";
  anydim_error_info_t failure = ANYDIM_ERROR_INFO_INIT;
  failure.message = {kMessage, sizeof(kMessage) - 1};
  throw_failure(env, ANYDIM_STATUS_OUT_OF_MEMORY, failure);
}

void throw_invalid(JNIEnv* env, const char* message) {
  anydim_error_info_t failure = ANYDIM_ERROR_INFO_INIT;
  failure.message = {message, static_cast<int64_t>(std::strlen(message))};
  throw_failure(env, ANYDIM_STATUS_INTERNAL, failure);
  throw Pending{};
}

jbyteArray bytes_of(JNIEnv* env, const char* data, int64_t length) {
  const auto size = static_cast<jsize>(std::min<int64_t>(length, INT32_MAX - 8));  // what an array of Java's can hold
  const jbyteArray bytes = env->NewByteArray(size);
  if (bytes == nullptr) throw Pending{};
  if (size > 0) {
    env->SetByteArrayRegion(bytes, 0, size, reinterpret_cast<const jbyte*>(data));
    check_pending(env);
  }
  return bytes;
}
jbyteArray bytes_of(JNIEnv* env, const char* text) { return bytes_of(env, text, static_cast<int64_t>(std::strlen(text))); }

Text::Text(JNIEnv* env, jbyteArray bytes) {
  if (bytes == nullptr) return;
  const jsize size = env->GetArrayLength(bytes);
  char* to = in_place_;
  if (static_cast<size_t>(size) >= sizeof(in_place_)) {
    more_ = std::make_unique<char[]>(static_cast<size_t>(size) + 1);
    to = more_.get();
  }
  env->GetByteArrayRegion(bytes, 0, size, reinterpret_cast<jbyte*>(to));
  check_pending(env);
  to[size] = '\0';
  text_ = to;
}

Operator::Operator(JNIEnv* env, jlongArray image, jlongArray list, jint list_at) : image_(env, image), list_(env, list) {
  if (list == nullptr) return;
  if (list_at < 0 || list_at + 1 >= image_.size()) throw_invalid(env, "an operator's list has no place in its struct");
  image_.data()[list_at] = as_number(list_.data());
  image_.data()[list_at + 1] = list_.size();
}

void StructWriter::put_text(const anydim_string_t& text) {
  const jbyteArray bytes = bytes_of(env_, text);
  env_->SetObjectArrayElement(texts_, text_count_++, bytes);
  check_pending(env_);
  env_->DeleteLocalRef(bytes);
}

void StructWriter::done() {
  if (numbers_ == nullptr) return;
  env_->SetLongArrayRegion(numbers_, 0, count_, values_);
  check_pending(env_);
}

}  // namespace anydim_java
