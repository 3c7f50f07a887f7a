// SPDX-License-Identifier: Apache-2.0
// A kernel of a device that compiles: what its programs are compiled from, apart from what a call passes to them. A program's key has no
// place for a dim; dims are arguments of each call, which work() lists beside the sizes of the work. Who compiles, keeps and launches
// programs is the engine (core/engines/compiling_engine.h); a device kernel knows no compiler and no queue.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/kernels/kernel_key.h"

namespace anydim {

// What a device is like, as far as kernels differ by it.
enum class DeviceKind : uint8_t {
  any,  // of kernels: they are good for both
  cpu,  // wide vectors, one work-item a group
  gpu,  // many work-items a group, local memory with barriers
};
const char* device_kind_name(DeviceKind kind) noexcept;

// What kernels may know of a device when they are chosen and compiled.
struct DeviceTraits {
  DeviceKind kind = DeviceKind::cpu;
  int64_t local_memory = 0;   // bytes of a group
  int64_t most_items = 1;     // work-items of a group
  int32_t vector_floats = 1;  // that it adds in one instruction
  bool f64 = true;            // it computes in f64
  int64_t units = 1;          // that compute
};

// What a kernel needs of a device; a device that lacks something of it is not asked any further.
struct DeviceNeeds {
  DeviceKind kind = DeviceKind::any;
  int64_t local_memory = 0;   // bytes of a group
  int64_t most_items = 1;     // work-items of a group
  bool f64 = false;           // arithmetic in f64
  int32_t vector_floats = 1;  // that it adds in one instruction
};

// A post-op as machine code depends on it: its parameters are arguments.
struct PostOpForm {
  PostOp::Kind kind = PostOp::Kind::unary;
  UnaryFunction unary = UnaryFunction::identity;  // of unary steps
  BinaryFunction binary = BinaryFunction::add;    // of the others
  bool chosen_by_call = false;                    // one of a few unary functions, whose number is an argument
  friend bool operator==(const PostOpForm&, const PostOpForm&) = default;
};

// All that a program depends on besides the device and the sources of this build. Compared in full. Its numbers are bytes: functions,
// ranks, flags, variants fit, and a dim has no place.
struct CompileKey {
  static constexpr int kMostForm = 16, kMostTensors = 12;

  std::string_view name;  // of the kernel, static
  KernelKey kernel{};
  DeviceKind device = DeviceKind::any;
  uint8_t variant = 0;  // of its tiles, among the few that the kernel has
  uint8_t form_count = 0, tensors = 0, post_count = 0;
  std::array<uint8_t, kMostForm> form{};         // of the operator: which function, which rank, which mode
  std::array<DType, kMostTensors> dtypes{};      // of operands and results, in the kernel's own order
  std::array<PostOpForm, kMaxPostOps> post_ops;  // in the chain's order

  void add_form(uint8_t value) noexcept { form[form_count++] = value; }
  void add_dtype(DType dtype) noexcept { dtypes[tensors++] = dtype; }
  void add_post_ops(const PostOps& chain) noexcept;

  friend bool operator==(const CompileKey&, const CompileKey&) = default;
  // Equal texts are equal keys.
  std::string text() const;
};

// What a compiler is given for one key.
struct DeviceSource {
  std::string text;                  // in the language of the engine that the kernel was written for
  std::string options;               // of the compiler: definitions
  std::vector<std::string> entries;  // functions that work() launches, by their numbers there
  // The group's memory that an entry takes as its first argument then, as a declaration of `group`; empty: none.
  std::string group_memory;
  bool wrappable = false;  // with WRAPPED defined, an entry is a function body_NAME, for entries that the engine writes
};

// One argument of an entry.
struct DeviceArgument {
  enum class Kind : uint8_t {
    memory,  // of a tensor: the whole memory that it lies in
    offset,  // of a tensor: elements from the beginning of its memory to its first element, 64 bits
    i32,
    i64,
    f32,
    local,  // so many bytes of a group's memory
  };
  enum class Of : uint8_t { none, in, out, post_in, piece, scratch };  // scratch: its elements are bytes
  Kind kind = Kind::i64;
  Of of = Of::none;
  int16_t index = 0;   // of the tensor in its list, of the piece in the packed form
  int64_t number = 0;  // value; of an f32 its bits
};

// One entry over a range of work-items. Sizes are explicit: no driver chooses any.
struct DeviceWork {
  static constexpr int kMostArguments = 160;

  const DeviceTraits* device = nullptr;  // that it is for: a kernel with several programs may choose by it

  int32_t program = 0;                                     // among the kernel's programs for the problem
  int32_t entry = 0;                                       // among the source's
  std::array<int64_t, 3> global{1, 1, 1}, local{1, 1, 1};  // global is a multiple of local
  int32_t count = 0;
  std::array<DeviceArgument, kMostArguments> arguments;

  void add_tensor(DeviceArgument::Of of, int index) noexcept {
    arguments[static_cast<size_t>(count++)] = {DeviceArgument::Kind::memory, of, static_cast<int16_t>(index), 0};
    arguments[static_cast<size_t>(count++)] = {DeviceArgument::Kind::offset, of, static_cast<int16_t>(index), 0};
  }
  void add_i32(int32_t value) noexcept { arguments[static_cast<size_t>(count++)] = {DeviceArgument::Kind::i32, {}, 0, value}; }
  void add_i64(int64_t value) noexcept { arguments[static_cast<size_t>(count++)] = {DeviceArgument::Kind::i64, {}, 0, value}; }
  void add_f32(float value) noexcept;
  void add_local(int64_t bytes) noexcept { arguments[static_cast<size_t>(count++)] = {DeviceArgument::Kind::local, {}, 0, bytes}; }
};

class DeviceKernel : public Kernel {
 public:
  static constexpr int kMostPrograms = 6;

  virtual DeviceNeeds needs() const noexcept { return {}; }

  // The programs that a problem which it supports may run, whatever its dims: work() chooses among them by dims. Returns how many.
  virtual int programs(const Problem& problem, const DeviceTraits& device, std::span<CompileKey, kMostPrograms> out) const noexcept = 0;
  // A function of the key alone.
  virtual DeviceSource source(const CompileKey& key) const = 0;

  // What a call launches, one after the other, when its plan was made: the entry of that index, from 0; false: there are no more. No
  // allocation; tensors of args have no data. `out` is as it was constructed.
  virtual bool work(const Plan& plan, const Args& args, int index, DeviceWork* out) const noexcept = 0;

  // A kernel that is worth programs for single calls has a plan_revision(), and its plans begin with the choice that they were made with
  // (PlanChoice; without numbers: the reusable one). value[0] is not the kernel's: it is the number of the executable that was made.
  static const PlanChoice& choice_of(const Plan& plan) noexcept { return plan.as<PlanChoice>(); }
  static void set_choice(const Args& args, Plan* plan) noexcept {
    plan->as<PlanChoice>() = args.choice != nullptr ? *args.choice : PlanChoice{};
  }
  // The key of a program for calls with this plan, which may have another tile variant than the reusable one.
  virtual CompileKey chosen(const CompileKey& reusable, const Plan& /*plan*/) const noexcept { return reusable; }

  // As HostKernel::pack(), in memory of the host, which the engine copies to the device. A kernel without a packed form is never asked.
  virtual Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                      std::span<std::byte* const> pieces) const;

 protected:
  // A key with what is the same for all programs of a problem: name, kernel's key, post-ops.
  CompileKey key_for(const Problem& problem, DeviceKind device) const noexcept;
};

// As for a host kernel: the pieces of its form in memory of the host.
Status pack_constants(const DeviceKernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                      PackedWeights* out);

}  // namespace anydim
