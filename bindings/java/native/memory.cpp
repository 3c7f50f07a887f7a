// SPDX-License-Identifier: Apache-2.0
// Memory of tensors: allocated here, or in a direct buffer of Java's; and buffers over native memory.
#include <cstdlib>

#include "bindings/java/native/support.h"

using namespace anydim_java;

extern "C" {

// Zeros, aligned to 64. A failure is an exception.
JNIEXPORT jlong JNICALL Java_org_anydim_NativeMemory_allocate(JNIEnv* env, jclass, jlong bytes) {
  return guarded(env, [&]() -> jlong {
    constexpr size_t kAlignment = 64;
    const size_t size = (static_cast<size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
    void* const data = std::aligned_alloc(kAlignment, size > 0 ? size : kAlignment);
    if (data == nullptr) throw std::bad_alloc();
    std::memset(data, 0, size);
    return as_number(data);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeMemory_free(JNIEnv*, jclass, jlong address) { std::free(as_pointer(address)); }

// 0 for a buffer that is not direct.
JNIEXPORT jlong JNICALL Java_org_anydim_NativeMemory_address(JNIEnv* env, jclass, jobject buffer) {
  return as_number(env->GetDirectBufferAddress(buffer));
}
JNIEXPORT void JNICALL Java_org_anydim_NativeMemory_copy(JNIEnv*, jclass, jlong from, jlong to, jlong bytes) {
  if (bytes > 0) std::memcpy(as_pointer(to), as_pointer(from), static_cast<size_t>(bytes));
}
JNIEXPORT jobject JNICALL Java_org_anydim_NativeMemory_buffer(JNIEnv* env, jclass, jlong address, jlong bytes) {
  return env->NewDirectByteBuffer(as_pointer(address), bytes);
}

}  // extern "C"
