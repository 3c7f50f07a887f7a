// SPDX-License-Identifier: Apache-2.0
// Taking the interpreter's lock without ending the process; see interpreter_lock.h.
#include "bindings/python/interpreter_lock.h"

#include <unistd.h>

#include <atomic>

namespace anydim_python {

namespace {

std::atomic<int64_t> callbacks{0};      // that have the lock or wait for it
thread_local bool ends_and_destroys;    // this thread, which ends the interpreter, has the lock
thread_local PyObject* kept_exception;  // owned; not freed with a thread, which would need the lock

// Functions of their own: what unwinds the stack comes to their guards before it comes to a destructor.
[[gnu::noinline]] void take_lock(PyThreadState* thread) {
  StaysAtTheEnd ending;
  PyEval_RestoreThread(thread);
  ending.pass();
}

[[gnu::noinline]] PyGILState_STATE take_lock() {
  StaysAtTheEnd ending;
  const PyGILState_STATE state = PyGILState_Ensure();
  ending.pass();
  return state;
}

[[gnu::noinline]] void drop_lock(PyGILState_STATE state) {
  StaysAtTheEnd ending;
  PyGILState_Release(state);
  ending.pass();
}

}  // namespace

bool interpreter_ends() noexcept {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

void StaysAtTheEnd::stay() noexcept {
  for (;;) pause();
}

WithoutLock::~WithoutLock() { take_lock(thread_); }

CalledBack::CalledBack() : of_python_(PyGILState_GetThisThreadState() != nullptr) {
  ++callbacks;
  if (!interpreter_ends() || ends_and_destroys) held_ = take_lock();
  else --callbacks;
}

CalledBack::~CalledBack() {
  if (!held_) return;
  drop_lock(*held_);
  --callbacks;
}

Destroying::Destroying() {
  if (!interpreter_ends()) {
    released_.emplace();
    return;
  }
  leaves_it_ = callbacks != 0;  // no other comes from now on
  ends_and_destroys = true;
}

Destroying::~Destroying() { ends_and_destroys = false; }

void keep_exception(const py::error_already_set& e) {
  forget_kept();
  if (e.trace()) PyException_SetTraceback(e.value().ptr(), e.trace().ptr());
  kept_exception = py::object(e.value()).release().ptr();
}

bool exception_is_kept() noexcept { return kept_exception != nullptr; }

void raise_kept() {
  const auto value = py::reinterpret_steal<py::object>(std::exchange(kept_exception, nullptr));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), value.ptr());
  throw py::error_already_set();
}

void forget_kept() noexcept { Py_XDECREF(std::exchange(kept_exception, nullptr)); }

}  // namespace anydim_python
