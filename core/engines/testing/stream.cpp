// SPDX-License-Identifier: Apache-2.0
// The test engine's queue; see parts.h.
#include <algorithm>
#include <cstring>

#include "core/engines/cpu/engine.h"
#include "core/engines/testing/parts.h"

namespace anydim::testing {

namespace {

// A status is moved, never copied; what several wait for is told to each.

// A place, held: a block of the device, or the host's memory.
struct Held {
  std::shared_ptr<Block> block;
  std::byte* host = nullptr;
  int64_t offset = 0;
  std::byte* data() const noexcept { return block ? block->device_view + offset : host; }
};

Held hold(const Place& place) {
  if (place.memory == nullptr) return {};
  if (place.memory->engine()->is_host()) return {nullptr, pointer_to(place), 0};
  return {static_cast<TestMemory*>(place.memory)->block(), nullptr, place.offset};
}

// Everything of a launch that its arguments may not outlive.
struct Work {
  const TestKernel* kernel;
  Plan plan;
  Args args;
  std::vector<TensorView> in, out, post_in;
  std::vector<Held> in_places, out_places, post_places;
  std::vector<std::shared_ptr<Block>> pieces;
  OperandSet packed;
  std::vector<int64_t> attributes;
  Held scratch;
  std::shared_ptr<const void> keep;

  explicit Work(const Launch& l)
      : kernel(static_cast<const TestKernel*>(&l.kernel)),
        plan(l.plan),
        args(l.args),
        in(l.args.in.begin(), l.args.in.end()),
        out(l.args.out.begin(), l.args.out.end()),
        post_in(l.args.post_in.begin(), l.args.post_in.end()),
        attributes(l.args.dim_attributes.begin(), l.args.dim_attributes.end()),
        scratch(hold(l.scratch)),
        keep(l.keep) {
    for (const Place& p : l.in) in_places.push_back(hold(p));
    for (const Place& p : l.out) out_places.push_back(hold(p));
    for (const Place& p : l.post_in) post_places.push_back(hold(p));
    if (l.weights != nullptr) {
      packed = l.weights->packed.form.operands;
      for (const MemoryPtr& m : l.weights->pieces) pieces.push_back(static_cast<TestMemory&>(*m).block());
    }
  }

  Status run() {
    const auto place = [](std::vector<TensorView>& tensors, const std::vector<Held>& places) {
      for (size_t i = 0; i < tensors.size(); ++i) tensors[i].data = places[i].data();
    };
    place(in, in_places);
    place(out, out_places);
    place(post_in, post_places);
    args.in = in;
    args.out = out;
    args.post_in = post_in;
    args.dim_attributes = attributes;
    args.scratch = scratch.data();
    args.weights = nullptr;
    args.parallel = Parallel(1);
    return kernel->run(plan, args, pieces, packed);
  }
};

class TestEvent final : public Event {
 public:
  TestEvent(std::shared_ptr<TestStream*> stream, uint64_t command) : stream_(std::move(stream)), command_(command) {}
  Status wait() override { return *stream_ == nullptr ? Status() : (*stream_)->wait_until(command_); }

 private:
  const std::shared_ptr<TestStream*> stream_;  // null once the stream is gone, which waited for everything
  const uint64_t command_;
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
    changed_.wait(lock, [&] { return ends_ || done_ < wanted_; });
    if (done_ >= wanted_) return;
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

uint64_t TestStream::push(Command command, bool late) {
  if (late) command = [] { return error(Code::out_of_memory, "a test made work on the device fail late"); };
  uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    number = ++given_;
    if (commands_.size() > kMostQueued) wanted_ = given_;
  }
  changed_.notify_all();
  return number;
}

Status TestStream::submit(const Launch& launch) {
  bool late = false;
  ANYDIM_TRY(device_->call("submit", &late));
  push(
      [work = std::make_shared<Work>(launch), device = device_.get()] {
        ++device->launches_;
        return work->run();
      },
      late);
  return {};
}

Status TestStream::copy(Place to, Place from, int64_t bytes) {
  bool late = false;
  ANYDIM_TRY(device_->call("copy", &late));
  for (const Place& p : {to, from}) {
    const Engine& of = *p.memory->engine();
    if (!of.is_host() && !same_device(of, *device_))
      return invalid("a copy is between this device and the host; one place is of engine {}", of.kind());
    if (p.offset < 0 || bytes < 0 || bytes > p.memory->bytes() - p.offset)
      return invalid("{} bytes at {} are to be copied; the memory has {}", bytes, p.offset, p.memory->bytes());
  }
  push(
      [to = hold(to), from = hold(from), bytes] {
        if (bytes > 0) std::memmove(to.data(), from.data(), static_cast<size_t>(bytes));
        return Status();
      },
      late);
  return {};
}

Status TestStream::record(EventPtr* out) {
  ANYDIM_TRY(device_->call("record", nullptr));
  *out = std::make_shared<TestEvent>(self_, push([] { return Status(); }, false));
  return {};
}

Status TestStream::wait_for(const EventPtr& event) {
  bool late = false;
  ANYDIM_TRY(device_->call("wait_for", &late));
  push([event] { return event->wait(); }, late);
  return {};
}

Status TestStream::wait() {
  const Status called = device_->call("wait", nullptr);
  drain();
  const std::lock_guard lock(mutex_);
  // A late error goes before the call's own, which the next wait would tell.
  Status s = std::exchange(failure_, Status());
  if (!s.ok()) return s;
  return called.copy();
}

void TestStream::drain() {
  std::unique_lock lock(mutex_);
  wanted_ = given_;
  changed_.notify_all();
  changed_.wait(lock, [&, until = given_] { return done_ >= until; });
}

Status TestStream::wait_until(uint64_t command) {
  std::unique_lock lock(mutex_);
  wanted_ = std::max(wanted_, command);
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
