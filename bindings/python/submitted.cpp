// SPDX-License-Identifier: Apache-2.0
// Requests that a session runs without a thread that waits: for event loops. What has ended is noted by the session's threads, which never
// touch Python, and a file descriptor becomes readable; the loop's thread then takes results and failures.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "bindings/python/arrays.h"

namespace anydim_python {

namespace {

// What has ended and was not yet taken, by the number that a request was submitted with.
class Finished {
 public:
  Finished() : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::bad_alloc();
  }
  Finished(const Finished&) = delete;
  Finished& operator=(const Finished&) = delete;
  ~Finished() {
    for (const Ended& e : ended_)
      for (const anydim_view_t& v : e.outputs) anydim_result_release(v.data);
    close(descriptor_);
  }
  int descriptor() const noexcept { return descriptor_; }

  struct Ended {
    int64_t number = 0;
    anydim_status_t status = ANYDIM_STATUS_OK;
    std::string message, function, argument, node;
    std::vector<anydim_view_t> outputs;
  };
  void add(Ended ended) {
    {
      const std::lock_guard lock(mutex_);
      ended_.push_back(std::move(ended));
    }
    const uint64_t one = 1;
    while (write(descriptor_, &one, sizeof one) < 0 && errno == EINTR) {
    }
  }
  std::vector<Ended> take() {
    uint64_t count = 0;
    while (read(descriptor_, &count, sizeof count) < 0 && errno == EINTR) {
    }
    const std::lock_guard lock(mutex_);
    return std::move(ended_);
  }

 private:
  const int descriptor_;
  std::mutex mutex_;
  std::vector<Ended> ended_;
};

struct Pending {
  std::shared_ptr<Finished> finished;
  int64_t number;
};

void done(void* user, int32_t status, const anydim_view_t* outputs, int32_t count) {
  const std::unique_ptr<Pending> pending(static_cast<Pending*>(user));
  Finished::Ended ended;
  ended.number = pending->number;
  ended.status = status;
  if (status == ANYDIM_STATUS_OK) {
    ended.outputs.assign(outputs, outputs + count);
  } else {
    anydim_error_info_t failure = ANYDIM_ERROR_INFO_INIT;
    (void)anydim_last_error_query(&failure);
    const auto text = [](anydim_string_t s) { return std::string(s.data, static_cast<size_t>(s.length)); };
    ended.message = text(failure.message);
    ended.function = text(failure.function);
    ended.argument = text(failure.argument);
    ended.node = text(failure.node);
  }
  pending->finished->add(std::move(ended));
}

// The exception, or the arrays of outputs (None for those that were not wanted).
py::object outcome(const Finished::Ended& e) {
  const auto text = [](const std::string& s) { return to_python(anydim_string_t{s.data(), static_cast<int64_t>(s.size())}); };
  if (e.status != ANYDIM_STATUS_OK)
    return call_python(py::module_::import("anydim.errors").attr("from_status"), e.status, text(e.message), text(e.function),
                       text(e.argument), text(e.node));
  py::list results;
  for (const anydim_view_t& v : e.outputs) {
    if (v.data == nullptr) results.append(py::none());
    else results.append(array_of(v));
  }
  return results;
}

py::list what_ended(Finished& finished) {
  py::list list;
  for (const Finished::Ended& e : finished.take()) list.append(py::make_tuple(e.number, outcome(e)));
  return list;
}

void submit_model(const py::object& session, const std::vector<py::array>& inputs,
                  const std::vector<std::pair<anydim_dtype_t, bool>>& requested, const py::object& cancellation, int32_t timeout_ms,
                  const std::shared_ptr<Finished>& finished, int64_t number) {
  const std::vector<anydim_view_t> in = views(inputs);
  std::vector<anydim_view_t> out(requested.size());
  for (size_t i = 0; i < requested.size(); ++i)
    if (requested[i].second) numpy_dtype(out[i].dtype = requested[i].first);  // or there is no array to make
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.timeout_ms = timeout_ms;
  if (!cancellation.is_none()) options.cancellation = handle_in<anydim_cancellation_t>(cancellation);
  auto pending = std::make_unique<Pending>(Pending{finished, number});
  const auto handle = handle_in<anydim_session_t>(session);
  check(without_gil([&] {
    return anydim_session_submit(handle, in.data(), static_cast<int32_t>(in.size()), out.data(), static_cast<int32_t>(out.size()), &options,
                                 done, pending.get());
  }));
  static_cast<void>(pending.release());  // done() frees it, and may have done so
}

}  // namespace

void define_submitted(py::module_& m) {
  py::class_<Finished, std::shared_ptr<Finished>>(m, "Finished", "Submitted requests that have ended.")
      .def(py::init<>())
      .def("fileno", &Finished::descriptor, "A file descriptor that can be read when something has ended.")
      .def("take", &what_ended, "What has ended since: the number of each request with its results or its exception.");
  m.def("submit_model", &submit_model, py::arg("session"), py::arg("inputs"), py::arg("wanted"), py::arg("cancellation"),
        py::arg("timeout_ms"), py::arg("finished"), py::arg("number"), "Submits a request to a session that batches.");
}

}  // namespace anydim_python
