// SPDX-License-Identifier: Apache-2.0
// Callbacks of the C API that call Java: log lines, the host program's loop and memory, how far a tuning is. What they call for is a global reference, which
// the finalizer releases. An exception of Java's ends here: it cannot pass through C.
#include "bindings/java/native/java_vm.h"
#include "bindings/java/native/support.h"

using namespace anydim_java;

namespace {

void print_and_forget(JNIEnv* env) noexcept {
  if (!env->ExceptionCheck()) return;
  env->ExceptionDescribe();
  env->ExceptionClear();
}

// Of a thread that is in the middle of throwing nothing is asked: Java may not be called then.
bool callable(JNIEnv* env) noexcept { return env != nullptr && !env->ExceptionCheck(); }

void log_line(void* user, anydim_log_level_t level, const char* text) {
  JNIEnv* const env = environment();
  if (!callable(env) || env->PushLocalFrame(4) != JNI_OK) return;
  try {
    const jbyteArray line = bytes_of(env, text);
    env->CallStaticVoidMethod(java_class(env, JavaClass::log), java_method(JavaMethod::log_line), static_cast<jobject>(user), level, line);
  } catch (const Pending&) {
  }
  print_and_forget(env);
  env->PopLocalFrame(nullptr);
}

int32_t run_loop(void* user, int64_t parts, anydim_part_callback_t part, void* context) {
  JNIEnv* const env = environment();
  if (!callable(env) || env->PushLocalFrame(4) != JNI_OK) return 1;
  const jint failed =
      env->CallStaticIntMethod(java_class(env, JavaClass::loop), java_method(JavaMethod::run_loop), static_cast<jobject>(user), parts,
                               static_cast<jlong>(reinterpret_cast<uintptr_t>(part)), as_number(context));
  const bool threw = env->ExceptionCheck();
  print_and_forget(env);
  env->PopLocalFrame(nullptr);
  return threw ? 1 : failed;
}

void* allocate(void* user, int64_t bytes, int64_t alignment) {
  JNIEnv* const env = environment();
  if (!callable(env) || env->PushLocalFrame(4) != JNI_OK) return nullptr;
  const jlong address = env->CallStaticLongMethod(java_class(env, JavaClass::memory), java_method(JavaMethod::allocate_memory),
                                                  static_cast<jobject>(user), static_cast<jlong>(bytes), static_cast<jlong>(alignment));
  const bool threw = env->ExceptionCheck();
  print_and_forget(env);
  env->PopLocalFrame(nullptr);
  return threw ? nullptr : as_pointer(address);
}

// A thread that is throwing has something to release all the same: what it throws waits.
void release(void* user, void* memory, int64_t) {
  JNIEnv* const env = environment();
  if (env == nullptr || env->PushLocalFrame(8) != JNI_OK) return;
  const jthrowable thrown = env->ExceptionOccurred();
  env->ExceptionClear();
  env->CallStaticVoidMethod(java_class(env, JavaClass::memory), java_method(JavaMethod::release_memory), static_cast<jobject>(user),
                            as_number(memory));
  print_and_forget(env);
  if (thrown != nullptr) env->Throw(thrown);
  env->PopLocalFrame(nullptr);
}

int32_t tuning_progress(void* user, int64_t done, int64_t nodes) {
  JNIEnv* const env = environment();
  if (!callable(env) || env->PushLocalFrame(4) != JNI_OK) return 1;
  const jint ended = env->CallStaticIntMethod(java_class(env, JavaClass::tuning), java_method(JavaMethod::tuning_progress),
                                              static_cast<jobject>(user), static_cast<jlong>(done), static_cast<jlong>(nodes));
  const bool threw = env->ExceptionCheck();
  print_and_forget(env);
  env->PopLocalFrame(nullptr);
  return threw ? 1 : ended;
}

void finalize(void* user) {
  if (JNIEnv* const env = environment(); env != nullptr) env->DeleteGlobalRef(static_cast<jobject>(user));
}

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_logLine(JNIEnv*, jclass) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(&log_line));
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_runLoop(JNIEnv*, jclass) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(&run_loop));
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_allocateMemory(JNIEnv*, jclass) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(&allocate));
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_releaseMemory(JNIEnv*, jclass) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(&release));
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_tuningProgress(JNIEnv*, jclass) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(&tuning_progress));
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_finalizer(JNIEnv*, jclass) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(&finalize));
}

// The environment of a callback: what it is to call.
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_keep(JNIEnv* env, jclass, jobject target) {
  return as_number(env->NewGlobalRef(target));
}
// Of one that the C API did not take.
JNIEXPORT void JNICALL Java_org_anydim_NativeCallbacks_forget(JNIEnv* env, jclass, jlong kept) {
  env->DeleteGlobalRef(static_cast<jobject>(as_pointer(kept)));
}

JNIEXPORT void JNICALL Java_org_anydim_NativeCallbacks_runPart(JNIEnv*, jclass, jlong part, jlong context, jlong index) {
  as_function<anydim_part_callback_t>(part)(as_pointer(context), index);
}

}  // extern "C"
