// SPDX-License-Identifier: Apache-2.0
// Callbacks of the C API that call Java: log lines, the host program's loop and memory, how far a tuning is,
// operators of the program's. What they call for is a global reference, which
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

jlongArray longs_of(JNIEnv* env, const void* data, int64_t bytes) {
  const auto count = static_cast<jsize>(bytes / static_cast<int64_t>(sizeof(jlong)));
  const jlongArray made = env->NewLongArray(count);
  if (made == nullptr) throw Pending{};
  env->SetLongArrayRegion(made, 0, count, static_cast<const jlong*>(data));
  check_pending(env);
  return made;
}
jlongArray images_of(JNIEnv* env, const anydim_view_t* views, int64_t count) {
  return longs_of(env, views, count * static_cast<int64_t>(sizeof(anydim_view_t)));
}

// An operator of the program's. What it throws, Java's side makes a text; what is thrown beyond that (no memory for the text) is printed.
int32_t call_operator(JavaMethod method, anydim_status_t failure, void* user, const anydim_custom_node_t* node, const anydim_view_t* inputs,
                      int64_t input_count, anydim_view_t* outputs, int64_t output_count) noexcept {
  JNIEnv* const env = environment();
  if (!callable(env) || env->PushLocalFrame(8) != JNI_OK) {
    if (env != nullptr && env->ExceptionCheck()) anydim_custom_operator_fail("an exception of Java's is on its way already");
    else anydim_custom_operator_fail("the Java virtual machine ends, or has no memory");
    return failure;
  }
  int32_t status = failure;
  try {
    const jlongArray in = images_of(env, inputs, input_count), out = images_of(env, outputs, output_count);
    const auto why = static_cast<jbyteArray>(env->CallStaticObjectMethod(java_class(env, JavaClass::custom), java_method(method),
                                                                         static_cast<jobject>(user), as_number(node), in, out));
    check_pending(env);
    if (why != nullptr) {
      anydim_custom_operator_fail(Text(env, why).c_str());
    } else {
      const Views said(env, out);
      for (int64_t i = 0; method == JavaMethod::custom_shapes && i < output_count; ++i) {
        outputs[i].dtype = said.data()[i].dtype;
        outputs[i].dims = said.data()[i].dims;
      }
      status = ANYDIM_STATUS_OK;
    }
  } catch (const Pending&) {
    anydim_custom_operator_fail("Java threw where the operator was called; it is on the standard error");
  } catch (const std::bad_alloc&) {
    anydim_custom_operator_fail("there is no memory to call the operator");
  }
  print_and_forget(env);
  env->PopLocalFrame(nullptr);
  return status;
}

int32_t custom_shapes(void* user, const anydim_custom_node_t* node, const anydim_view_t* inputs, int64_t input_count,
                      anydim_view_t* outputs, int64_t output_count) {
  return call_operator(JavaMethod::custom_shapes, ANYDIM_STATUS_INVALID_ARGUMENT, user, node, inputs, input_count, outputs, output_count);
}
int32_t custom_compute(void* user, const anydim_custom_node_t* node, const anydim_view_t* inputs, int64_t input_count,
                       anydim_view_t* outputs, int64_t output_count) {
  return call_operator(JavaMethod::custom_compute, ANYDIM_STATUS_INVALID_DATA, user, node, inputs, input_count, outputs, output_count);
}

// An array of arrays, one made for each index.
template <class F> jobjectArray arrays_of(JNIEnv* env, const char* element, int64_t count, const F& made) {
  const jobjectArray all = env->NewObjectArray(static_cast<jsize>(count), env->FindClass(element), nullptr);
  if (all == nullptr) throw Pending{};
  for (int64_t i = 0; i < count; ++i) {
    const jarray one = made(i);
    env->SetObjectArrayElement(all, static_cast<jsize>(i), one);
    check_pending(env);
    env->DeleteLocalRef(one);
  }
  return all;
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
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_customShapes(JNIEnv*, jclass) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(&custom_shapes));
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_customCompute(JNIEnv*, jclass) {
  return static_cast<jlong>(reinterpret_cast<uintptr_t>(&custom_compute));
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCallbacks_customNode(JNIEnv* env, jclass, jlong address, jobjectArray texts) {
  return guarded(env, [&]() -> jlong {
    const auto& node = *static_cast<const anydim_custom_node_t*>(as_pointer(address));
    const anydim_string_t named[] = {node.name, node.domain, node.op_type};
    for (jsize i = 0; i < 3; ++i) {
      const jbyteArray bytes = bytes_of(env, named[i]);
      env->SetObjectArrayElement(texts, i, bytes);
      check_pending(env);
      env->DeleteLocalRef(bytes);
    }
    return node.version;
  });
}
JNIEXPORT jobject JNICALL Java_org_anydim_NativeCallbacks_customAttribute(JNIEnv* env, jclass, jlong address, jbyteArray name) {
  return guarded(env, [&]() -> jobject {
    const Text wanted(env, name);
    anydim_custom_attribute_t found{};
    const anydim_status_t status =
        anydim_custom_node_find_attribute(static_cast<const anydim_custom_node_t*>(as_pointer(address)), wanted.c_str(), &found);
    if (status == ANYDIM_STATUS_NOT_FOUND) return nullptr;
    check(env, status);
    switch (found.type) {
      case ANYDIM_CUSTOM_ATTRIBUTE_INTEGERS: return longs_of(env, found.data, found.count * static_cast<int64_t>(sizeof(int64_t)));
      case ANYDIM_CUSTOM_ATTRIBUTE_REALS: {
        const jfloatArray reals = env->NewFloatArray(static_cast<jsize>(found.count));
        if (reals == nullptr) throw Pending{};
        env->SetFloatArrayRegion(reals, 0, static_cast<jsize>(found.count), static_cast<const float*>(found.data));
        check_pending(env);
        return reals;
      }
      case ANYDIM_CUSTOM_ATTRIBUTE_TEXTS:
        return arrays_of(env, "[B", found.count,
                         [&](int64_t i) { return bytes_of(env, static_cast<const anydim_string_t*>(found.data)[i]); });
      case ANYDIM_CUSTOM_ATTRIBUTE_TENSOR:
        return arrays_of(env, "[J", 1, [&](int64_t) { return images_of(env, static_cast<const anydim_view_t*>(found.data), 1); });
      default: return nullptr;
    }
  });
}
JNIEXPORT jobjectArray JNICALL Java_org_anydim_NativeCallbacks_customAttributeNames(JNIEnv* env, jclass, jlong address) {
  return guarded(env, [&]() -> jobjectArray {
    const auto& node = *static_cast<const anydim_custom_node_t*>(as_pointer(address));
    return arrays_of(env, "[B", node.attributes, [&](int64_t i) {
      anydim_custom_attribute_t found{};
      check(env, anydim_custom_node_get_attribute(&node, i, &found));
      return bytes_of(env, found.name);
    });
  });
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
