// SPDX-License-Identifier: Apache-2.0
// See context_pool.h.
#include "bindings/python/context_pool.h"

namespace anydim_python {

PooledContext::PooledContext(py::object context)
    : owner(std::move(context)), handle(reinterpret_cast<anydim_context_t>(owner.attr("value").cast<uintptr_t>())) {
  note();
}

PooledContext::~PooledContext() {
  const py::gil_scoped_acquire gil;
  owner = py::object();
}

void PooledContext::note() noexcept {
  anydim_context_info_t info = ANYDIM_CONTEXT_INFO_INIT;
  if (anydim_context_query(handle, &info) != ANYDIM_STATUS_OK) return;
  growths.store(info.growths, std::memory_order_relaxed);
  arena_bytes.store(info.arena_bytes, std::memory_order_relaxed);
}

ContextPool::ContextPool(py::object make, int limit) : make_(std::move(make)), pool_(limit) {
  use_one([](void* it, PooledContext& context) { *static_cast<PooledContext**>(it) = &context; }, &first_);
}

std::unique_ptr<PooledContext> ContextPool::make() const {
  const py::gil_scoped_acquire gil;
  return std::make_unique<PooledContext>(make_());
}

void ContextPool::check_process() const {
  if (getpid() == process_) return;
  anydim_context_info_t info = ANYDIM_CONTEXT_INFO_INIT;
  check(anydim_context_query(first_->handle, &info));
}

void ContextPool::use_one(ContextJob job, void* it) {
  check_process();
  bool done = false;
  {
    const py::gil_scoped_release released;
    done = pool_.use([&](PooledContext& context) { job(it, context); }, [this] { return make(); },
                     [] {
                       const py::gil_scoped_acquire gil;
                       return PyErr_CheckSignals() != 0;
                     });
  }
  if (!done) throw py::error_already_set();
}

int64_t ContextPool::growths() const {
  check_process();
  int64_t sum = 0;
  pool_.for_each([&](const PooledContext& context) { sum += context.growths.load(std::memory_order_relaxed); });
  return sum;
}

int64_t ContextPool::arena_bytes() const {
  check_process();
  int64_t sum = 0;
  pool_.for_each([&](const PooledContext& context) { sum += context.arena_bytes.load(std::memory_order_relaxed); });
  return sum;
}

int ContextPool::size() const {
  check_process();
  return pool_.size();
}

int ContextPool::in_use() const {
  check_process();
  return pool_.in_use();
}

int ContextPool::waiting() const {
  check_process();
  return pool_.waiting();
}

void define_context_pool(py::module_& m) {
  py::class_<ContextPool>(m, "ContextPool", "Contexts for any number of threads, first come, first served.")
      .def(py::init<py::object, int>(), py::arg("make"), py::arg("limit"),
           "`make` returns a new Context; at most `limit` of them exist, the first from now on.")
      .def_property_readonly("growths", &ContextPool::growths, "How often memory grew, in all contexts, up to their last runs.")
      .def_property_readonly("arena_bytes", &ContextPool::arena_bytes, "Bytes of all contexts' memory, after their last runs.")
      .def_property_readonly("size", &ContextPool::size, "Contexts that exist.")
      .def_property_readonly("in_use", &ContextPool::in_use, "Those of them that somebody has now.")
      .def_property_readonly("waiting", &ContextPool::waiting, "Threads that wait for one now.");
}

}  // namespace anydim_python
