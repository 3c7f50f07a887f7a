// SPDX-License-Identifier: Apache-2.0
// The interpreter's lock (GIL), released during calls of the library and taken again behind them and in what Python gave the library to
// call. At the end of a program CPython up to 3.13 ends each other thread that takes the lock: pthread_exit() unwinds its stack, and a
// destructor on the way, which throws nothing, makes it std::terminate. Here such a thread stays where it is until the process has ended,
// as CPython 3.14 does itself. pybind11's own guards take the lock in a destructor and are not used.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <utility>

namespace anydim_python {

namespace py = pybind11;

// Whether the interpreter is about to end or has ended: only the thread that ends it takes the lock from now on.
bool interpreter_ends() noexcept;

// Around whatever may run Python code or take the lock: a thread that is ended within stays there.
class StaysAtTheEnd {
 public:
  StaysAtTheEnd() = default;
  StaysAtTheEnd(const StaysAtTheEnd&) = delete;
  StaysAtTheEnd& operator=(const StaysAtTheEnd&) = delete;
  ~StaysAtTheEnd() {
    if (!passed_) stay();
  }
  void pass() noexcept { passed_ = true; }

 private:
  [[noreturn]] static void stay() noexcept;
  bool passed_ = false;
};

// Without the lock from here to its end.
class WithoutLock {
 public:
  WithoutLock() : thread_(PyEval_SaveThread()) {}
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;
  ~WithoutLock();

 private:
  PyThreadState* thread_;
};

template <class F> auto without_gil(F&& call) {
  const WithoutLock released;
  return call();
}

// In a function that the library calls, on any thread: with the lock, unless the interpreter ends. No Python object may be touched then.
class CalledBack {
 public:
  CalledBack();
  CalledBack(const CalledBack&) = delete;
  CalledBack& operator=(const CalledBack&) = delete;
  ~CalledBack();
  explicit operator bool() const noexcept { return held_.has_value(); }
  // Whether the call into the library was made by Python on this very thread.
  bool of_python() const noexcept { return of_python_; }

 private:
  const bool of_python_;
  std::optional<PyGILState_STATE> held_;
};

// Calls Python code; pybind11's frames would drop their objects, without the lock, of a thread that is ended within.
template <class... Arguments> py::object call_python(const py::handle& function, Arguments&&... arguments) {
  const py::tuple all = py::make_tuple(std::forward<Arguments>(arguments)...);
  StaysAtTheEnd ending;
  PyObject* const result = PyObject_CallObject(function.ptr(), all.ptr());
  ending.pass();
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

// Around the destruction of a handle, which may wait for runs whose operators are Python's: without the lock. When the interpreter ends and
// a thread stays in such an operator, the wait would have no end: then the handle is left to the system.
class Destroying {
 public:
  Destroying();
  Destroying(const Destroying&) = delete;
  Destroying& operator=(const Destroying&) = delete;
  ~Destroying();
  bool leaves_it() const noexcept { return leaves_it_; }

 private:
  bool leaves_it_ = false;
  std::optional<WithoutLock> released_;
};
template <class Handle> void destroy_without_gil(void (*function)(Handle), Handle handle) noexcept {
  if (handle == nullptr) return;
  const Destroying destroying;
  if (!destroying.leaves_it()) function(handle);
}

// An exception that is no failure of an operator (KeyboardInterrupt, SystemExit): kept while the library returns to the Python code that
// called it on this thread.
void keep_exception(const py::error_already_set& e);
bool exception_is_kept() noexcept;
[[noreturn]] void raise_kept();
void forget_kept() noexcept;

}  // namespace anydim_python
