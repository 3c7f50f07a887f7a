// SPDX-License-Identifier: Apache-2.0
// See java_vm.h. Loading finds classes and methods once: the loader that loads the library is the package's own.
#include "bindings/java/native/java_vm.h"

#include <cstddef>
#include <iterator>

namespace anydim_java {

namespace {

JavaVM* vm = nullptr;
constexpr jint kVersion = JNI_VERSION_10;

constexpr const char* kClasses[] = {"org/anydim/AnydimException", "org/anydim/Log",    "org/anydim/LoopCall",
                                    "org/anydim/LentMemory",      "org/anydim/Tuning", "org/anydim/CustomCall"};
static_assert(std::size(kClasses) == static_cast<size_t>(JavaClass::count_));
jweak classes[std::size(kClasses)];

struct Method {
  JavaClass of;
  const char* name;
  const char* signature;
};
constexpr Method kMethods[] = {
    {JavaClass::exceptions, "of", "(I[B[B[B[B)Ljava/lang/Throwable;"},
    {JavaClass::log, "line", "(Ljava/lang/Object;I[B)V"},
    {JavaClass::loop, "run", "(Ljava/lang/Object;JJJ)I"},
    {JavaClass::memory, "allocate", "(Ljava/lang/Object;JJ)J"},
    {JavaClass::memory, "release", "(Ljava/lang/Object;J)V"},
    {JavaClass::tuning, "progress", "(Ljava/lang/Object;JJ)I"},
    {JavaClass::custom, "shapes", "(Ljava/lang/Object;J[J[J)[B"},
    {JavaClass::custom, "compute", "(Ljava/lang/Object;J[J[J)[B"},
};
static_assert(std::size(kMethods) == static_cast<size_t>(JavaMethod::count_));
jmethodID methods[std::size(kMethods)];

// Detaches a thread that was attached here, when it ends.
struct Attachment {
  bool mine = false;
  ~Attachment() {
    if (mine && vm != nullptr) vm->DetachCurrentThread();
  }
};
thread_local Attachment attachment;

}  // namespace

jclass java_class(JNIEnv* env, JavaClass which) noexcept {
  return static_cast<jclass>(env->NewLocalRef(classes[static_cast<size_t>(which)]));
}
jmethodID java_method(JavaMethod which) noexcept { return methods[static_cast<size_t>(which)]; }

JNIEnv* environment() noexcept {
  void* env = nullptr;
  if (vm == nullptr) return nullptr;
  if (vm->GetEnv(&env, kVersion) == JNI_OK) return static_cast<JNIEnv*>(env);
  if (vm->AttachCurrentThreadAsDaemon(&env, nullptr) != JNI_OK) return nullptr;
  attachment.mine = true;
  return static_cast<JNIEnv*>(env);
}

}  // namespace anydim_java

using namespace anydim_java;

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* loading, void*) {
  void* got = nullptr;
  if (loading->GetEnv(&got, kVersion) != JNI_OK) return JNI_ERR;
  auto* const env = static_cast<JNIEnv*>(got);
  for (size_t i = 0; i < std::size(kClasses); ++i) {
    const jclass found = env->FindClass(kClasses[i]);
    if (found == nullptr) return JNI_ERR;
    classes[i] = env->NewWeakGlobalRef(found);
    if (classes[i] == nullptr) return JNI_ERR;
    for (size_t m = 0; m < std::size(kMethods); ++m) {
      if (static_cast<size_t>(kMethods[m].of) != i) continue;
      methods[m] = env->GetStaticMethodID(found, kMethods[m].name, kMethods[m].signature);
      if (methods[m] == nullptr) return JNI_ERR;
    }
    env->DeleteLocalRef(found);
  }
  vm = loading;
  return kVersion;
}
