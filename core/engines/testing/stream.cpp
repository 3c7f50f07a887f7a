// SPDX-License-Identifier: Apache-2.0
// The test engine's queue; see parts.h.
#include <algorithm>
#include <cstring>

#include "core/base/clock.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/testing/parts.h"

namespace anydim::testing {

namespace {

// A place, held: a block of the device, or the host's memory.
struct Retained {
  std::shared_ptr<Block> block;
  std::byte* host = nullptr;
  int64_t offset = 0;
  std::byte* data() const noexcept { return block ? block->device_view + offset : host; }
};

Retained hold(const BufferRef& place) {
  if (place.memory == nullptr) return {};
  if (place.memory->engine()->is_host()) return {nullptr, pointer_to(place), 0};
  return {static_cast<TestMemory*>(place.memory)->block(), nullptr, place.offset};
}

// A launch with another program than its own would give wrong results on a real device.
Status check_program(const Launch& l) {
  const auto wrong = [&](const char* what) { return error(Code::internal, "kernel {} was launched {}", l.kernel.name(), what); };
  if (l.executable == nullptr) return wrong("without an executable");
  const CompiledKernel& compiled = CompiledKernel::of(l);
  if (compiled.kernel != &l.kernel || compiled.programs.size() != 1) return wrong("with another kernel's program");
  const CompiledKernel::Program& program = compiled.programs[0];
  if (*static_cast<const std::string*>(program.made.object.get()) != compiled.kernel->source(program.key).text)
    return wrong("with the program of another source");
  CompileKey key = program.key;
  key.post_count = 0;
  key.post_ops = {};
  key.add_post_ops(*l.args.post_ops);
  if (!(key == program.key)) return wrong("with post-ops that its program was not compiled for");
  for (size_t i = 0; i < l.args.in.size() && i < key.tensors; ++i)
    if (l.args.in[i].dtype != key.dtypes[i]) return wrong("with dtypes that its program was not compiled for");
  return {};
}

// Everything of a launch that its arguments may not outlive.
struct Work {
  const TestKernel* kernel;
  Plan plan;
  Args args;
  std::vector<TensorView> in, out, post_in;
  std::vector<Argument> arguments;
  OperandSet packed;
  std::vector<int64_t> attributes;
  std::shared_ptr<const void> keep;

  explicit Work(const Launch& l)
      : kernel(static_cast<const TestKernel*>(&l.kernel)),
        plan(l.plan),
        args(l.args),
        in(l.args.in.begin(), l.args.in.end()),
        out(l.args.out.begin(), l.args.out.end()),
        post_in(l.args.post_in.begin(), l.args.post_in.end()),
        attributes(l.args.dim_attributes.begin(), l.args.dim_attributes.end()),
        keep(l.keep) {
    if (l.weights != nullptr) packed = l.weights->packed.form.operands;
    args.in = in;
    args.out = out;
    args.post_in = post_in;
    args.dim_attributes = attributes;
  }

  // Arguments as the kernel lists them: memory and offset of each tensor.
  Status take_arguments(const Launch& l) {
    DeviceWork work;
    for (int index = 0; kernel->work(plan, l.args, index, &work); ++index) {
      for (int a = 0; a < 3; ++a)
        if (const auto i = static_cast<size_t>(a); work.local[i] <= 0 || work.global[i] % work.local[i] != 0)
          return error(Code::internal, "kernel {}: {} work-items are no multiple of {}", kernel->name(), work.global[i], work.local[i]);
      if (plan.scratch > 0 && l.scratch.offset % TestEngine::kAlignment != 0)
        return error(Code::internal, "kernel {}: its scratch begins at byte {} of its memory", kernel->name(), l.scratch.offset);
      for (int a = 0; a < work.count; ++a) {
        const DeviceArgument& argument = work.arguments[static_cast<size_t>(a)];
        int64_t size = 1;
        const BufferRef place = place_of(l, argument, &size);
        if (argument.kind == DeviceArgument::Kind::memory) {
          arguments.push_back({argument.of, argument.index, hold(place).block, 0});
        } else if (argument.kind == DeviceArgument::Kind::offset) {
          arguments.back().offset = place.offset / size;
          if (place.offset % size != 0)
            return error(Code::internal, "kernel {}: a tensor begins at byte {} of its memory", kernel->name(), place.offset);
        }
      }
      work = {};
    }
    return {};
  }

  Status run() {
    args.weights = nullptr;
    args.parallel = Parallel(1);
    return kernel->run(plan, args, arguments, packed);
  }

 private:
  static BufferRef place_of(const Launch& l, const DeviceArgument& argument, int64_t* size) {
    const auto i = static_cast<size_t>(argument.index);
    switch (argument.of) {
      case DeviceArgument::Of::in: *size = dtype_size(l.args.in[i].dtype); return l.in[i];
      case DeviceArgument::Of::out: *size = dtype_size(l.args.out[i].dtype); return l.out[i];
      case DeviceArgument::Of::post_in: *size = dtype_size(l.args.post_in[i].dtype); return l.post_in[i];
      case DeviceArgument::Of::piece: return {l.weights->pieces[i].get(), 0};
      case DeviceArgument::Of::scratch: return l.scratch;
      case DeviceArgument::Of::none: break;
    }
    return {};
  }
};

class TestEvent final : public Event {
 public:
  static constexpr char kClass = 0;
  explicit TestEvent(std::shared_ptr<TestStream*> stream) : Event(&kClass), stream_(std::move(stream)) {}
  bool is_of(const std::shared_ptr<TestStream*>& stream) const noexcept { return stream_ == stream; }
  void record() { command_ = (*stream_)->push_record(time_); }
  Status time(int64_t* nanoseconds) const override {
    *nanoseconds = *time_;
    return {};
  }
  Status wait() override { return *stream_ == nullptr ? Status() : (*stream_)->wait_until(command_); }

 private:
  const std::shared_ptr<TestStream*> stream_;  // null once the stream is gone, which waited for everything
  uint64_t command_ = 0;
  const std::shared_ptr<std::atomic<int64_t>> time_ = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace

TestStream::TestStream(std::shared_ptr<const TestEngine> engine)
    : Stream(engine, Parallel(1)), device_(std::move(engine)), self_(std::make_shared<TestStream*>(this)), thread_([this] { work(); }) {
  const std::lock_guard lock(device_->streams_mutex_);
  device_->streams_.push_back(this);
}

TestStream::~TestStream() {
  {
    const std::lock_guard lock(device_->streams_mutex_);
    std::erase(device_->streams_, this);
  }
  drain();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  *self_ = nullptr;
}

void TestStream::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || done_ < awaited_; });
    if (done_ >= awaited_) return;
    Command command = std::move(commands_.front());
    commands_.pop_front();
    const bool runs = failure_.ok();  // what stands behind a failure is dropped
    lock.unlock();
    Status s;
    if (runs) s = device_->lost_ ? error(Code::device_lost, "the test device is lost") : command();
    command = nullptr;  // and what it holds, before anybody hears that it is done
    lock.lock();
    ++done_;
    if (!s.ok()) {
      failure_ = std::move(s);
      failed_at_ = done_;
    }
    changed_.notify_all();
  }
}

uint64_t TestStream::push(Command command, bool delayed) {
  if (delayed) command = [] { return error(Code::out_of_memory, "a test made work on the device fail late"); };
  uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    number = ++queued_;
    if (commands_.size() > kMostQueued) awaited_ = queued_;
  }
  changed_.notify_all();
  return number;
}

uint64_t TestStream::push_record(const std::shared_ptr<std::atomic<int64_t>>& time) {
  return push(
      [time] {
        *time = wall_clock();
        return Status();
      },
      false);
}

Status TestStream::submit(const Launch& launch) {
  bool delayed = false;
  ANYDIM_TRY(device_->call("submit", &delayed));
  ANYDIM_TRY(check_program(launch));
  auto work = std::make_shared<Work>(launch);
  ANYDIM_TRY(work->take_arguments(launch));
  push(
      [work = std::move(work), device = device_.get()] {
        ++device->launches_;
        return work->run();
      },
      delayed);
  return {};
}

Status TestStream::copy(BufferRef to, BufferRef from, int64_t bytes) {
  bool delayed = false;
  ANYDIM_TRY(device_->call("copy", &delayed));
  for (const BufferRef& p : {to, from}) {
    const Engine& of = *p.memory->engine();
    if (!of.is_host() && !same_device(of, *device_))
      return invalid("a copy is between this device and the host; one place is of engine {}", of.kind());
    if (p.offset < 0 || bytes < 0 || bytes > p.memory->bytes() - p.offset)
      return invalid("{} bytes at {} are to be copied; the memory has {}", bytes, p.offset, p.memory->bytes());
  }
  device_->to_host_ += to.memory->engine()->is_host();
  push(
      [to = hold(to), from = hold(from), bytes] {
        if (bytes > 0) std::memmove(to.data(), from.data(), static_cast<size_t>(bytes));
        return Status();
      },
      delayed);
  return {};
}

Status TestStream::record(EventPtr* out) {
  ANYDIM_TRY(device_->call("record", nullptr));
  const auto* mine = event_as<TestEvent>(*out);
  if (mine == nullptr || !mine->is_of(self_) || out->use_count() > 1) {
    *out = std::make_shared<TestEvent>(self_);
    ++device_->events_;
  }
  static_cast<TestEvent&>(**out).record();
  return {};
}

Status TestStream::wait_for(const EventPtr& event) {
  bool delayed = false;
  ANYDIM_TRY(device_->call("wait_for", &delayed));
  push([event] { return event->wait(); }, delayed);
  return {};
}

Status TestStream::wait() {
  const Status called = device_->call("wait", nullptr);
  drain();
  const std::lock_guard lock(mutex_);
  // A late error goes before the call's own, which the next wait would report.
  Status s = std::exchange(failure_, Status());
  if (!s.ok()) return s;
  return called.copy();
}

void TestStream::drain() {
  std::unique_lock lock(mutex_);
  awaited_ = queued_;
  changed_.notify_all();
  changed_.wait(lock, [&, until = queued_] { return done_ >= until; });
}

Status TestStream::wait_until(uint64_t command) {
  std::unique_lock lock(mutex_);
  awaited_ = std::max(awaited_, command);
  changed_.notify_all();
  changed_.wait(lock, [&] { return done_ >= command; });
  return !failure_.ok() && failed_at_ <= command ? failure_.copy() : Status();
}

Status TestEngine::create_stream(int, StreamPtr* out) const {
  ANYDIM_TRY(call("create_stream", nullptr));
  *out = std::make_unique<TestStream>(std::static_pointer_cast<const TestEngine>(shared_from_this()));
  return {};
}

void TestEngine::drain() const {
  const std::lock_guard lock(streams_mutex_);
  for (TestStream* s : streams_) s->drain();
}

}  // namespace anydim::testing
