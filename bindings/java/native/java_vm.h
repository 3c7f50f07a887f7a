// SPDX-License-Identifier: Apache-2.0
// What the library keeps of the Java VM that loaded it: the VM, some classes of the package and their methods; and how threads of
// the library's come to call Java.
#pragma once

#include <jni.h>

namespace anydim_java {

enum class JavaClass { exceptions, log, loop, memory, tuning, custom, count_ };
enum class JavaMethod {
  make_exception,
  log_line,
  run_loop,
  allocate_memory,
  release_memory,
  tuning_progress,
  custom_shapes,
  custom_compute,
  count_
};

// A local reference. The library holds its classes weakly, so that it keeps no class loader alive; natives of a class only run while
// it is there.
jclass java_class(JNIEnv* env, JavaClass which) noexcept;
jmethodID java_method(JavaMethod which) noexcept;

// The environment of the calling thread. One that Java does not know becomes a daemon thread of its until it ends. Null if that
// fails: the VM is shutting down.
JNIEnv* environment() noexcept;

}  // namespace anydim_java
