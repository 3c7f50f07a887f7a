// SPDX-License-Identifier: Apache-2.0
// The test engine's memory, kernels and failures; see engine.h. Its queue is in stream.cpp.
#include "core/engines/testing/engine.h"

#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/files/system_error.h"
#include "core/base/clock.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/device_id.h"
#include "core/engines/testing/arithmetic.h"
#include "core/engines/testing/parts.h"
#include "core/tensor/dense_bytes.h"

namespace anydim::testing {

namespace {

int64_t in_pages(int64_t bytes) noexcept {
  const auto page = static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  return (std::max<int64_t>(bytes, 1) + AlignedBuffer::kTail + page - 1) / page * page;
}

// Weights as no CPU kernel has them: the last element first.
void reverse_elements(std::byte* data, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count / 2; ++i) std::swap_ranges(data + i * size, data + (i + 1) * size, data + (count - 1 - i) * size);
}

// What its kernels of math mode fast do to results.
void clear_last_bits(const TensorView& t) {
  Dims at = Dims::filled(t.dims.rank, 0);
  for (int64_t i = 0, count = t.count(); i < count; ++i) {
    int64_t offset = 0;
    for (int a = 0; a < at.rank; ++a) offset += at[a] * t.strides[a];
    t.as<uint32_t>()[offset] &= ~uint32_t{1};
    for (int a = at.rank - 1; a >= 0 && ++at[a] == t.dims[a]; --a) at[a] = 0;
  }
}

}  // namespace

// -- memory ---------------------------------------------------------------------------------------------------------------------------

Block::~Block() {
  if (mapped == 0) return;
  if (device_view != nullptr) ::munmap(device_view, static_cast<size_t>(mapped));
  if (host_view != nullptr) ::munmap(host_view, static_cast<size_t>(mapped));
  if (device_view == nullptr) return;
  --engine->blocks_;
  engine->bytes_ -= bytes;
}

Status Block::create(std::shared_ptr<const TestEngine> engine, int64_t bytes, std::shared_ptr<Block>* out) {
  auto block = std::make_shared<Block>();
  block->engine = std::move(engine);
  block->mapped = in_pages(bytes);
  const auto size = static_cast<size_t>(block->mapped);
  // glibc has a function for it from 2.27.
  const int fd = static_cast<int>(::syscall(SYS_memfd_create, "anydim-test-engine", MFD_CLOEXEC));
  if (fd < 0 || ::ftruncate(fd, block->mapped) != 0) {
    const int failed = errno;
    if (fd >= 0) ::close(fd);
    return system_error(failed, "no memory for the test engine");
  }
  void* device = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  void* host = ::mmap(nullptr, size, PROT_NONE, MAP_SHARED, fd, 0);
  const int failed = errno;
  ::close(fd);
  if (device != MAP_FAILED) {
    block->device_view = static_cast<std::byte*>(device);
    ++block->engine->blocks_;
    block->bytes = bytes;
    const int64_t now = block->engine->bytes_ += bytes;
    for (int64_t most = block->engine->most_bytes_; now > most && !block->engine->most_bytes_.compare_exchange_weak(most, now);) {
    }
  }
  if (host != MAP_FAILED) block->host_view = static_cast<std::byte*>(host);
  if (device == MAP_FAILED || host == MAP_FAILED) return system_error(failed, "cannot map the test engine's memory");
  std::memset(device, 0xA5, size);  // nobody may rely on zeros
  *out = std::move(block);
  return {};
}

TestMemory::TestMemory(std::shared_ptr<Block> block, int64_t bytes)
    : Memory(block->engine, reinterpret_cast<uintptr_t>(block->host_view), bytes), block_(std::move(block)) {}

Status TestMemory::map(int64_t offset, int64_t bytes, std::byte** out) {
  const TestEngine& engine = *block_->engine;
  ANYDIM_TRY(engine.call("map", nullptr));
  if (offset < 0 || bytes < 0 || bytes > this->bytes() - offset)
    return invalid("{} bytes at {} were to be mapped; the memory has {}", bytes, offset, this->bytes());
  engine.drain();
  if (block_->mapped > 0 && ::mprotect(block_->host_view, static_cast<size_t>(block_->mapped), PROT_READ | PROT_WRITE) != 0)
    return system_error(errno, "cannot map the test engine's memory");
  *out = block_->host_view + offset;
  return {};
}

Status TestMemory::unmap(int64_t, int64_t) {
  // The view goes in any case: a failure is reported after it.
  if (block_->mapped > 0 && ::mprotect(block_->host_view, static_cast<size_t>(block_->mapped), PROT_NONE) != 0)
    return system_error(errno, "cannot unmap the test engine's memory");
  return block_->engine->call("unmap", nullptr);
}

// -- kernels --------------------------------------------------------------------------------------------------------------------------

PackedForm TestKernel::packed_form(const Problem& problem) const noexcept {
  static constexpr const char* kNames[] = {"first", "second", "third"};
  PackedForm form;
  switch (problem.op->kind()) {
    case OpKind::convolution:
    case OpKind::conv_transpose:
    case OpKind::matmul: break;
    default: return form;
  }
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (!problem.is_constant(i)) continue;
    form.format = "testing.reversed";
    form.operands.add(i);
    form.add(kNames[i], problem.in[i].dtype, element_count(numbers(problem.in[i].dims)));
  }
  return form;
}

Support TestKernel::supports(const Problem& problem) const noexcept {
  Problem without_constants = problem;
  without_constants.constant = {};
  if (problem.post_ops->count > longest_chain_) return no("this device takes no chain of post-ops as long as that");
  if (computes_ != Computes::reference) return {own_arithmetic_refuses(without_constants)};
  return inner_.supports(without_constants);
}

int TestKernel::programs(const Problem& problem, const DeviceTraits& device, std::span<CompileKey, kMostPrograms> out) const noexcept {
  CompileKey& key = out[0] = key_for(problem, device.kind);
  for (const TensorType& t : problem.in)
    if (key.tensors < CompileKey::kMostTensors) key.add_dtype(t.dtype);
  for (const TensorType& t : problem.out)
    if (key.tensors < CompileKey::kMostTensors) key.add_dtype(t.dtype);
  return 1;
}

DeviceSource TestKernel::source(const CompileKey& key) const {
  return {formatted("run {} as {}", inner_.name(), key.text()), "-DTESTING", {"run"}};
}

bool TestKernel::work(const Plan& plan, const Args& args, int index, DeviceWork* out) const noexcept {
  if (index > 0) return false;
  for (size_t i = 0; i < args.in.size(); ++i)
    if (args.in[i].dtype != DType::none && !args.packs(i)) out->add_tensor(DeviceArgument::Of::in, static_cast<int>(i));
  if (args.weights != nullptr)
    for (int i = 0; i < args.weights->form.count; ++i) out->add_tensor(DeviceArgument::Of::piece, i);
  for (size_t i = 0; i < args.out.size(); ++i) out->add_tensor(DeviceArgument::Of::out, static_cast<int>(i));
  for (size_t i = 0; i < args.post_in.size(); ++i) out->add_tensor(DeviceArgument::Of::post_in, static_cast<int>(i));
  if (plan.scratch > 0) out->add_tensor(DeviceArgument::Of::scratch, 0);
  return true;
}

Status TestKernel::run(const Plan& plan, Args args, std::span<const Argument> arguments, OperandSet packed) const {
  std::vector<TensorView> in(args.in.begin(), args.in.end()), out(args.out.begin(), args.out.end());
  std::vector<TensorView> post_in(args.post_in.begin(), args.post_in.end());
  std::vector<const std::byte*> pieces;
  for (const Argument& a : arguments) {
    const auto i = static_cast<size_t>(a.index);
    std::byte* const memory = a.block ? a.block->device_view : nullptr;
    const auto place = [&](TensorView& t) { t.data = memory != nullptr ? memory + a.offset * dtype_size(t.dtype) : nullptr; };
    switch (a.of) {
      case DeviceArgument::Of::in: place(in[i]); break;
      case DeviceArgument::Of::out: place(out[i]); break;
      case DeviceArgument::Of::post_in: place(post_in[i]); break;
      case DeviceArgument::Of::piece: pieces.push_back(memory); break;
      case DeviceArgument::Of::scratch: args.scratch = memory + a.offset; break;
      case DeviceArgument::Of::none: break;
    }
  }
  std::vector<std::vector<std::byte>> turned(pieces.size());
  size_t piece = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!packed.has(i)) continue;
    const int64_t size = dtype_size(in[i].dtype), count = in[i].count();
    std::vector<std::byte>& bytes = turned[piece];
    bytes.assign(pieces[piece], pieces[piece] + count * size);
    reverse_elements(bytes.data(), count, size);
    in[i].data = bytes.data();
    in[i].strides = dense_strides(in[i].dims);
    ++piece;
  }
  args.in = in;
  args.out = out;
  args.post_in = post_in;
  const FloatingPointScope floating_point;
  if (computes_ != Computes::reference) {
    own_arithmetic(args, computes_ == Computes::wrong);
    return {};
  }
  ANYDIM_TRY(inner_.run(plan, args));
  if (key_.mode == MathMode::fast && args.out[0].dtype == DType::f32) clear_last_bits(args.out[0]);
  return {};
}

struct TestEngine::Kernels {
  std::deque<TestKernel> kernels;
  KernelTable table;

  explicit Kernels(const Options& options) {
    const auto has = [](const std::vector<OpKind>& kinds, OpKind kind) {
      return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    };
    for (const Kernel* k : cpu_kernels().all()) {
      if (std::strstr(k->name(), "reference") == nullptr) continue;
      if (has(options.without, k->key().op)) continue;
      const auto& inner = static_cast<const HostKernel&>(*k);
      if (has(options.fast, k->key().op)) table.add(kernels.emplace_back(inner, "testing.fast.", MathMode::fast));
      if ((options.own || options.wrong) && (k->key().op == OpKind::matmul || k->key().op == OpKind::binary))
        table.add(kernels.emplace_back(inner, "testing.own.", MathMode::strict, options.wrong ? Computes::wrong : Computes::own));
      if (has(options.twice, k->key().op)) table.add(kernels.emplace_back(inner, "testing.first."));
      table.add(kernels.emplace_back(inner, "testing.", MathMode::strict, Computes::reference, options.longest_chain));
    }
  }
};

// -- engine ---------------------------------------------------------------------------------------------------------------------------

TestEngine::TestEngine(Facts facts, std::unique_ptr<Kernels> kernels, const Options& options)
    : CompilingEngine((facts.largest_allocation = options.largest_allocation, std::move(facts)), kernels->table, {}, options.store),
      kernels_(std::move(kernels)),
      imports_(options.imports) {}

TestEngine::~TestEngine() = default;

std::shared_ptr<const TestEngine> TestEngine::create(Options options) {
  const uint32_t number = next_device_id();
  Facts facts;
  facts.identity = {"testing",
                    options.device.empty() ? "test device " + std::to_string(number) : options.device,
                    "1.0",
                    "",
                    {{"engine", "testing"}, {"driver", "1.0"}}};
  facts.device_id = number;
  facts.clocks = {wall_clock, wall_clock};
  facts.base_alignment = kAlignment;
  return std::shared_ptr<const TestEngine>(new TestEngine(std::move(facts), std::make_unique<Kernels>(options), options));
}

void TestEngine::fail(int64_t call, Failure how) const noexcept {
  how_ = how;
  calls_ = 0;
  fail_at_ = call;
}

void TestEngine::interrupt(int64_t call, int32_t* flag) const noexcept {
  flag_ = flag;
  calls_ = 0;
  interrupt_at_ = call;
}

Status TestEngine::call(const char* name, bool* delayed) const {
  const int64_t number = calls_++;
  if (number == interrupt_at_) __atomic_store_n(flag_.load(), 1, __ATOMIC_RELAXED);
  if (lost_) return error(Code::device_lost, "{}: the test device is lost", name);
  if (number != fail_at_) return {};
  switch (how_.load()) {
    case Failure::deferred:
      if (delayed != nullptr) {
        *delayed = true;
        return {};
      }
      [[fallthrough]];
    case Failure::refused: return error(Code::out_of_memory, "{}: a test made call {} fail", name, number);
    case Failure::lost: lost_ = true; return error(Code::device_lost, "{}: a test lost the device at call {}", name, number);
  }
  return {};
}

void TestEngine::refuse_programs_of(std::string kernel) const {
  const std::lock_guard lock(compiler_mutex_);
  refused_programs_ = std::move(kernel);
}

void TestEngine::block_compiler(bool blocks) const {
  {
    const std::lock_guard lock(compiler_mutex_);
    compiler_blocks_ = blocks;
  }
  compiler_free_.notify_all();
}

Status TestEngine::compile(const CompileKey& key, const DeviceSource& source, DeviceProgram* out, std::string* binary) const {
  ++compilations_;
  std::unique_lock lock(compiler_mutex_);
  compiler_free_.wait(lock, [&] { return !compiler_blocks_; });
  if (!refused_programs_.empty() && key.name.find(refused_programs_) != std::string_view::npos)
    return unimplemented("line 1: a test refuses programs of {}", refused_programs_);
  *out = {std::make_shared<const std::string>(source.text), static_cast<int64_t>(source.text.size())};
  *binary = "binary of " + source.text;
  return {};
}

Status TestEngine::load(const CompileKey&, const DeviceSource& source, const std::string& binary, DeviceProgram* out) const {
  if (binary != "binary of " + source.text) return error(Code::invalid_data, "a binary of something else");
  ++loaded_;
  *out = {std::make_shared<const std::string>(source.text), static_cast<int64_t>(source.text.size())};
  return {};
}

Status TestEngine::allocate_counted(int64_t bytes, MemoryPtr* out) const {
  if (bytes < 0) return invalid("{} bytes were asked for; expected 0 or more", bytes);
  if (bytes > largest_allocation())
    return error(Code::out_of_memory, "{} bytes were asked for; the largest allocation of the test device is {}", bytes,
                 largest_allocation());
  std::shared_ptr<Block> block;
  ANYDIM_TRY(Block::create(std::static_pointer_cast<const TestEngine>(shared_from_this()), bytes, &block));
  *out = std::make_shared<TestMemory>(std::move(block), bytes);
  return {};
}

Status TestEngine::allocate(int64_t bytes, MemoryPtr* out) const {
  ANYDIM_TRY(call("allocate", nullptr));
  ANYDIM_TRY(allocate_counted(bytes, out));
  ++allocations_;
  return {};
}

Status TestEngine::import(void* data, int64_t bytes, std::shared_ptr<const void> owner, MemoryPtr* out) const {
  ANYDIM_TRY(call("import", nullptr));
  if (!imports_) return unimplemented("the test device cannot reach the memory of the host");
  if (bytes < 0 || (data == nullptr && bytes > 0)) return invalid("{} bytes at {} are no memory", bytes, data);
  auto block = std::make_shared<Block>();
  block->engine = std::static_pointer_cast<const TestEngine>(shared_from_this());
  block->device_view = block->host_view = static_cast<std::byte*>(data);
  block->owner = std::move(owner);
  *out = std::make_shared<TestMemory>(std::move(block), bytes);
  return {};
}

Status TestEngine::pack(const Kernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing&,
                        WeightsValues* out) const {
  ANYDIM_TRY(call("pack", nullptr));
  out->packed.form = kernel.packed_form(problem);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorView& t = tensors[i];
    const bool turns = out->packed.form.operands.has(i);
    TensorView view = t;
    view.data = nullptr;
    view.strides = dense_strides(t.dims);
    out->views.push_back(view);
    out->kept.emplace_back();
    if (t.dtype == DType::none) continue;
    std::vector<std::byte> bytes = dense_bytes(t);
    if (turns) reverse_elements(bytes.data(), t.count(), dtype_size(t.dtype));
    MemoryPtr memory;
    ANYDIM_TRY(allocate_counted(static_cast<int64_t>(bytes.size()), &memory));
    if (!bytes.empty()) std::memcpy(static_cast<TestMemory&>(*memory).block()->device_view, bytes.data(), bytes.size());
    if (turns) out->pieces.push_back(std::move(memory));
    else out->kept.back() = std::move(memory);
  }
  return {};
}

}  // namespace anydim::testing
