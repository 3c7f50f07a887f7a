// SPDX-License-Identifier: Apache-2.0
// What every kernel is: a name, a key without dims, and stateless questions: can you do this problem (or why not), which pieces
// do you make of constant operands, what is your plan for these dims. A host kernel also packs and runs, over pointers; a device's
// kernel is run by its engine, over places in the device's memory.
// A kernel knows operators and tensors; it knows no primitive, registry, graph or engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/memory/aligned_buffer.h"
#include "core/base/checked.h"
#include "core/base/cpu.h"
#include "core/base/status.h"
#include "core/base/threads/threads.h"
#include "core/ops/attributes.h"
#include "core/ops/op.h"
#include "core/ops/operand_set.h"
#include "core/tensor/dims.h"

namespace anydim {

struct Quantization;  // core/ops/quantization.h

// Which memory orders a kernel works on without an internal copy.
enum class LayoutFamily : uint8_t { any, channels_last, row_major };

// What the machine code depends on. There is deliberately no member for a dim: that a kernel is reusable is a fact
// of this type.
struct KernelKey {
  OpKind op;
  DType src = DType::f32, dst = DType::f32;
  LayoutFamily layout = LayoutFamily::any;
  Isa isa;  // the features of the CPU that it needs; none for a device's kernel
  // The math mode whose bits it has. An operator's kernels of one mode agree in bits, and in which problems are theirs: one
  // among them, that every CPU can run, takes all that the others take.
  MathMode mode = MathMode::strict;
  bool quantized = false;  // it reads Problem::quantization, without which it has nothing to do
};

// What is known when a primitive is made. Dims may be numbers or dynamic; a kernel may look at dims of weights and
// at attributes, never at dims of activations, to say yes or no.
struct Problem {
  const Operator* op = nullptr;
  std::span<const TensorType> in;  // the operator's inputs; absent optional ones have DType::none
  std::span<const TensorType> out;
  const PostOps* post_ops = nullptr;           // never null in a call
  std::span<const TensorType> post_in;         // the post-ops' tensors, in chain order
  MathMode mode = MathMode::strict;            // what was asked for, or what it came down to: never inherit
  OperandSet constant;                         // inputs whose values are there when the primitive is made: their dims are numbers
  const Quantization* quantization = nullptr;  // or null; its tensors are the last of post_in

  bool is_constant(size_t operand) const noexcept {
    return constant.has(operand) && operand < in.size() && in[operand].dtype != DType::none;
  }
};

// The dims of a constant.
inline Dims numbers(const SymDims& dims) noexcept {
  Dims n;
  for (const Dim d : dims) n.push_back(d.number());
  return n;
}

// Yes, or no because (a static sentence).
struct Support {
  const char* refusal = nullptr;
  explicit operator bool() const noexcept { return refusal == nullptr; }
};
inline Support yes() noexcept { return {}; }
inline Support no(const char* because) noexcept { return {because}; }

// A number at any address.
template <class T> T read_unaligned(const T* p) noexcept {
  T value;
  std::memcpy(&value, static_cast<const void*>(p), sizeof value);
  return value;
}

// What a kernel makes of constant operands, once: a list of pieces with dtypes of their own, from any of the operands. It depends
// on the operator with its attributes, on dims and dtypes of these operands, and on what it names; on nothing else.
struct PackedForm {
  struct Piece {
    const char* name = "";
    DType dtype = DType::none;
    int64_t count = 0;  // elements
    int64_t bytes() const noexcept { return saturating_mul(count, dtype_size(dtype)); }
  };
  static constexpr int kMostPieces = 8;
  // on_inputs: the dtypes of operands that come with a call. on_quantization: the attribute, not what its tensors hold.
  enum Depends : uint8_t { on_mode = 1, on_post_ops = 2, on_inputs = 4, on_quantization = 8 };

  const char* format = nullptr;  // static name; kernels that name the same format read the same bytes. Null: constants as they are
  OperandSet operands;           // the constants that are in the pieces; all others are read as they are
  uint8_t depends = 0;           // Depends, or-ed
  int count = 0;
  Piece pieces[kMostPieces];

  void add(const char* name, DType dtype, int64_t elements) noexcept { pieces[count++] = {name, dtype, elements}; }
};

// The pieces in memory. Each is aligned and padded as an AlignedBuffer is.
struct PackedWeights {
  PackedForm form;
  std::byte* pieces[PackedForm::kMostPieces] = {};
  AlignedBuffer memory;  // of all pieces; none where they are mapped from a file

  template <class T> const T* piece(int i) const noexcept { return reinterpret_cast<const T*>(pieces[i]); }
};

// How constants are packed: on how many threads, and who reads along. Packed bytes depend on neither.
struct Packing {
  Parallel parallel{1};
  // Gets ranges of the memory of the first operand in the form (dense), in order and without gaps from its beginning, shortly before
  // they are packed, one call at a time, maybe on another thread. Null: nobody.
  void (*read)(void* context, const std::byte* begin, int64_t bytes) = nullptr;
  // Gets ranges of it that pack() does not read again. Null: nobody.
  void (*done)(void* context, const std::byte* begin, int64_t bytes) = nullptr;
  void* context = nullptr;
};

// The few numbers a kernel derives from actual dims. Plain data; lives on the stack or in a context's slot.
struct Plan {
  alignas(16) std::byte bytes[512];
  int64_t scratch = 0;        // bytes the run will use
  int64_t inner_scratch = 0;  // of them, those of the kernel that another one hands its work to
  bool specialised = false;   // made with a choice from a table; set by who offered it
  // Set by a kernel that found out what does not depend on dims of activations and left it in `bytes`: plans live in a
  // context's nodes and are made again, for the same operator, weights and threads, at each change of dims.
  bool kept = false;

  // A kernel's own view of the bytes. T is trivially copyable.
  template <class T> T& as() noexcept {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(bytes));
    return *reinterpret_cast<T*>(bytes);
  }
  template <class T> const T& as() const noexcept {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(bytes));
    return *reinterpret_cast<const T*>(bytes);
  }
};

// One of a kernel's plans for the same dims; all of them give the same bits. What the numbers mean is the kernel's own
// business (its plan_revision() says which meaning); a plan ignores numbers that it cannot use, so that any record may be
// offered to it. Plain data: recorded on disk and shared between processes.
struct PlanChoice {
  int32_t value[6] = {};
  friend bool operator==(const PlanChoice&, const PlanChoice&) = default;
};

// Everything of one execution. Tensors were checked against the shape rule and the promises before a kernel sees
// them. Operands that are in packed pieces carry dtype and dims but no data.
struct Args {
  const Operator* op = nullptr;
  const PostOps* post_ops = nullptr;
  std::span<const TensorView> in;
  std::span<const TensorView> out;
  std::span<const TensorView> post_in;      // one per post-op that takes a tensor; unbroadcast dims
  std::span<const int64_t> dim_attributes;  // op->dim_attributes(), evaluated
  const PackedWeights* weights = nullptr;   // null: all operands are in `in`
  void* scratch = nullptr;                  // at least plan.scratch bytes, aligned to 64
  Parallel parallel;
  const PlanChoice* choice = nullptr;  // for plan() only; null: the cost model's own plan
  const Quantization* quantization = nullptr;

  bool packs(size_t operand) const noexcept { return weights != nullptr && weights->form.operands.has(operand); }
};

class Kernel {
 public:
  virtual const char* name() const noexcept = 0;  // "conv.tiles.avx512"
  virtual const KernelKey& key() const noexcept = 0;

  virtual Support supports(const Problem& problem) const noexcept = 0;

  // What it makes of the problem's constants. The types of other inputs may be unknown: without dims. Asked with the operands of the
  // form alone as constants, it says the same.
  virtual PackedForm packed_form(const Problem&) const noexcept { return {}; }

  // Memory order in which the kernel reads input i (or writes output i) without an internal copy; empty = any.
  virtual Perm preferred_order(const Problem&, bool /*output*/, int /*index*/) const noexcept { return {}; }

  // No allocation, well under a microsecond. args.scratch is not set yet; for a device's kernel no tensor has data.
  virtual void plan(const Args& args, Plan* plan) const noexcept = 0;
  // Plans worth measuring beside the cost model's own, for these dims. Returns how many were written. 0 revision: the
  // kernel has one plan for given dims.
  virtual int plan_revision() const noexcept { return 0; }
  virtual int plan_choices(const Args&, std::span<PlanChoice> /*out*/) const noexcept { return 0; }
  // A bound on plan().scratch for all dims up to these (outputs at their largest, too), whatever lies inside and
  // whichever choice is made.
  virtual int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims> out,
                                int threads) const noexcept = 0;

 protected:
  // Kernels are static objects that are never destroyed: a program may end while its threads run in them.
  ~Kernel() = default;
};

// A kernel of the CPU: a function over memory that it can read and write.
class HostKernel : public Kernel {
 public:
  // Fills in the pieces of packed_form(problem), which are zeros. A kernel that takes constants as they are is never asked.
  // tensors: the operator's inputs, with data in the constant ones. They may lie at any address, as in a file: read them with
  // read_unaligned(). A kernel may leave `packing` alone.
  virtual Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                      std::span<std::byte* const> pieces) const;

  // Allocates nothing. Fails only for values found in the data (invalid_data).
  virtual Status run(const Plan& plan, const Args& args) const noexcept = 0;
};

// Where the pieces of a form lie in one allocation: `offsets` gets a number for each; the bytes of all.
int64_t place_pieces(const PackedForm& form, std::span<int64_t> offsets) noexcept;
// Allocates the pieces of the kernel's form and has them filled in.
Status pack_constants(const HostKernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                      PackedWeights* out);

// One function per family: its kernels in order of preference, best first, all instruction sets. The engine's list of
// families is a list of their names, and its CPU decides which can run.
using KernelList = std::span<const HostKernel* const>;

}  // namespace anydim
