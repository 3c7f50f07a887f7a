// SPDX-License-Identifier: Apache-2.0
// Reading a program out of a file; see saved_program.h.
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/cpu.h"
#include "core/dispatch/caches/record_file.h"
#include "core/dispatch/primitive/registry.h"
#include "core/dispatch/weights/weights_file_layout.h"
#include "core/ops/operator_digest.h"
#include "core/ops/subset_reason.h"
#include "core/program/edge_copies.h"
#include "core/program/saved/fields.h"
#include "core/program/saved/saved_program.h"
#include "core/tensor/memory_order.h"

namespace anydim {
namespace saved {
namespace {

constexpr int kMostDepth = 64;                  // bodies within bodies
constexpr int64_t kMostDim = int64_t{1} << 31;  // of a constant
// A packed form is no smaller than so many parts of its tensors, so that no size below can be too large for its type.
constexpr int64_t kMostShrinking = 32;

// Expressions as they were in another pool, in their order. They are read, not computed with: each is an atom here.
DimPool pool_of(std::span<const DimExpr> expressions) {
  DimPool pool;
  for (const DimExpr& e : expressions) {
    const Dim d = pool.symbol(e.name);
    const_cast<DimExpr&>(pool.expr(d.expr())) = e;
  }
  return pool;
}

}  // namespace

class Loader final : public Archive {
 public:
  Loader(EnginePtr engine, std::shared_ptr<const CheckedFile> file, ReusePolicy reuse)
      : Archive(true), engine_(std::move(engine)), file_(std::move(file)), left_(file_->description()), reuse_(reuse) {}

  // The description as a whole; what was wrong with it.
  Status load(Program* program) {
    visit(*this, head);
    weights_.resize(head.weights.size());
    if (good()) visit(*this, *program);
    if (good() && !left_.empty()) fail();
    if (good()) finish(program);
    return std::move(status_);
  }

  void raw(void* to, size_t count) override {
    if (count > left_.size()) {
      fail();
      std::memset(to, 0, count);
      return;
    }
    if (count > 0) std::memcpy(to, left_.data(), count);
    left_.remove_prefix(count);
  }
  void fail() override {
    fail(error(Code::invalid_model, "its description makes no sense at byte {}", file_->description().size() - left_.size()));
  }
  bool good() const override { return status_.ok(); }
  bool has_expression(int32_t e) const override { return static_cast<size_t>(e) < expressions_; }
  size_t begin_dims(size_t expressions) override { return std::exchange(expressions_, expressions); }
  bool is_of_this_library(const SavedFile& f) override {
    if (!good()) return false;
    if (f.version == record_origin() && f.operators == digest_of_operators()) return true;
    fail(unimplemented("it was saved by {}{}; this is {}: {}", f.version, f.version == record_origin() ? " of another build" : "",
                       record_origin(), kProgramFile.remedy));
    return false;
  }
  uint32_t count(size_t) override {
    uint32_t n = 0;
    raw(&n, sizeof n);
    if (n <= left_.size()) return n;
    fail();
    return 0;
  }
  void text(std::string& v) override {
    const uint32_t n = count(0);
    v.assign(left_.data(), n);
    left_.remove_prefix(n);
  }
  void expressions(DimPool& pool) override {
    const uint32_t n = count(0);
    std::vector<DimExpr> all;
    const size_t around = expressions_;
    for (uint32_t i = 0; i < n && good(); ++i) {
      expressions_ = i;
      visit(*this, all.emplace_back());
    }
    expressions_ = around;
    pool = pool_of(all);
  }
  void constant(ConstantPtr& c) override {
    int32_t block = -1;
    visit(*this, block);
    if (block == -1) return;
    DType dtype = DType::none;
    Dims dims;
    fields(*this, dtype, dims);
    for (const int64_t d : dims)
      if (d < 0) return fail();
    int64_t bytes = 0;
    const std::byte* const at = block_at(block, &bytes);
    if (at == nullptr || dtype == DType::none || saturating_mul(element_count(dims), dtype_size(dtype)) != bytes) return fail();
    c = std::make_shared<const ConstantTensor>(dtype, dims, at, file_);
  }
  void body(ProgramPtr& v) override {
    if (++depth_ > kMostDepth) return fail();
    const auto program = std::make_shared<Program>();
    visit(*this, *program);
    if (good()) finish(program.get());
    v = program;
    --depth_;
  }
  void make_operator(OpKind kind, const std::function<void(void*)>& all, OperatorPtr* out) override {
    if (!good()) return;
    using Filling = std::pair<Loader*, const std::function<void(void*)>*>;
    Filling filling{this, &all};
    Result<OperatorPtr> made = anydim::make_operator(
        kind,
        [](void* context, void* attributes) {
          const auto& [loader, fill] = *static_cast<Filling*>(context);
          (*fill)(attributes);
          return loader->good() ? Status() : std::move(loader->status_);
        },
        &filling);
    if (made.ok()) *out = *std::move(made);
    else fail(made.take_status());
  }
  void primitive(PrimitivePtr& v) override {
    SavedPrimitive p;
    visit(*this, p);
    if (!good()) return;
    if (Status s = make(p, &v); !s.ok()) fail(std::move(s).at(formatted("{} with kernel {}", p.op->name(), p.kernel)));
  }
  void packed(SavedWeights& v) override {
    int32_t weights = 0;
    fields(*this, weights, v.source.digest);
    if (weights < 0 || static_cast<size_t>(weights) >= weights_.size()) return fail();
    v.weights = weights_[static_cast<size_t>(weights)].get();
  }

  SavedFile head;

 private:
  void fail(Status s) {
    if (status_.ok()) status_ = std::move(s);
    left_ = {};
  }

  void finish(Program* p) {
    p->engines = {engine_};
    if (reuse_ != ReusePolicy::inherit) p->reuse = reuse_;
    if (const std::string wrong = what_is_wrong(*p); !wrong.empty()) return fail(error(Code::invalid_model, "{}", wrong));
    write_code(p);
    find_edge_copies_again(p);
    std::erase_if(p->packed, [](const SavedWeights& w) { return w.weights == nullptr; });  // that no step reads
    for (const SavedWeights& w : p->packed) {
      ++p->packed_counts.weights;
      if (!file_->is_mapped()) continue;
      ++p->packed_counts.mapped;
      p->packed_counts.mapped_bytes += w.weights->bytes();
    }
  }

  // The file says in which order outputs lie without their last copy; all else is looked for, as when the program was made.
  static void find_edge_copies_again(Program* p) {
    const std::vector<Program::EdgeCopy> read = std::exchange(p->edge_copies, {});
    std::vector<Perm> orders(p->outputs.size());
    for (const Program::EdgeCopy& c : read) {
      if (!c.output || c.edge < 0 || static_cast<size_t>(c.edge) >= orders.size()) continue;
      if (is_order_of(c.order, p->outputs[static_cast<size_t>(c.edge)].dims.rank)) orders[static_cast<size_t>(c.edge)] = c.order;
    }
    if (!read.empty()) find_edge_copies(p, orders);
  }

  // Where a block lies; null if there is none such.
  const std::byte* block_at(int32_t index, int64_t* bytes) const {
    if (index < 0 || static_cast<size_t>(index) >= head.blocks.size()) return nullptr;
    const Block& b = head.blocks[static_cast<size_t>(index)];
    const auto end = static_cast<int64_t>(file_->bytes());
    const int64_t begin = round_up(static_cast<int64_t>(CheckedFile::kHead + file_->description().size()), AlignedBuffer::kAlignment);
    if (b.offset < 0 || b.offset % AlignedBuffer::kAlignment != 0 || b.bytes < 0 || b.bytes > end || b.offset > end ||
        begin + b.offset + b.bytes + AlignedBuffer::kTail > end)
      return nullptr;
    *bytes = b.bytes;
    return file_->data() + begin + b.offset;
  }

  Status find_kernel(const SavedPrimitive& p, const Kernel** out) const {
    const auto all = engine_->kernels().of(p.op->kind());
    const auto found = std::find_if(all.begin(), all.end(), [&](const Kernel* k) { return p.kernel == k->name(); });
    if (found == all.end()) {
      if constexpr (subset::kWhole) return unimplemented("this library has no such kernel: {}", kProgramFile.remedy);
      else return unimplemented("the kernel is not there{}", subset::reason());
    }
    if (const char* const missing = engine_->unsupported_reason(**found))
      return unimplemented("{}; it was saved on a CPU with {}: save it on this CPU, or with ANYDIM_MAX_ISA={}", missing, head.isa,
                           isa_name(cpu().usable));
    *out = *found;
    return {};
  }

  // The pieces are those that the kernel would have packed.
  Status make_weights(const SavedPrimitive& p, const Kernel& kernel, const SavedWeightsForm& saved, WeightsPtr* out) const {
    const std::vector<TensorType> results(static_cast<size_t>(p.op->output_count()),
                                          TensorType{p.in.empty() ? DType::none : p.in[0].dtype, {}});
    Problem problem{
        p.op.get(), p.in, results, &p.post_ops, p.post_in, kernel.key().mode, p.constant, p.quantized ? &p.quantization : nullptr};
    std::vector<TensorType> constants(p.constant.end());
    for (size_t i = 0; i < constants.size(); ++i) {
      if (!p.constant.has(i)) continue;
      if (i >= p.in.size()) return error(Code::invalid_model, "its operand {} is constant and is not there", i);
      constants[i] = p.in[i];
      int64_t bytes = dtype_size(p.in[i].dtype);
      for (const Dim d : p.in[i].dims) {
        if (!d.is_number() || d.number() < 0 || d.number() > kMostDim) return error(Code::invalid_model, "a dim of its constants is none");
        bytes = saturating_mul(bytes, d.number());
      }
      if (bytes / kMostShrinking > static_cast<int64_t>(file_->bytes())) return error(Code::invalid_model, "its constants are too large");
    }
    const PackedForm form = kernel.packed_form(problem);
    if (const std::string name = form_name(form, problem); form.format == nullptr || name != saved.name)
      return unimplemented("its weights are packed as '{}'; here it reads '{}': {}", saved.name, name, kProgramFile.remedy);
    problem.constant = form.operands;
    constants.resize(form.operands.end());
    for (size_t i = 0; i < constants.size(); ++i)
      if (!form.operands.has(i)) constants[i] = {};
    std::vector<weights_file::Piece> pieces;
    for (const SavedPiece& piece : saved.pieces) {
      int64_t bytes = -1;
      const std::byte* const at = block_at(piece.block, &bytes);
      pieces.push_back({piece.name, piece.dtype, piece.operand, piece.count, at});
      if (at == nullptr || piece.count < 0 || saturating_mul(piece.count, dtype_size(piece.dtype)) != bytes)
        return error(Code::invalid_model, "its weights make no sense");
    }
    WeightsValues values;
    if (!weights_file::values_of(form, constants, pieces, &values))
      return error(Code::invalid_model, "its weights are not those of its form");
    values.file = file_;
    *out = std::make_shared<const Weights>(engine_, WeightsProblem(p.op, problem), kernel, std::move(values));
    return {};
  }

  Status make(SavedPrimitive& p, PrimitivePtr* out) {
    const Kernel* kernel = nullptr;
    ANYDIM_TRY(find_kernel(p, &kernel));
    WeightsPtr weights;
    if (p.weights != -1) {
      if (p.weights < 0 || static_cast<size_t>(p.weights) >= weights_.size())
        return error(Code::invalid_model, "it has no weights {}", p.weights);
      WeightsPtr& shared = weights_[static_cast<size_t>(p.weights)];
      if (shared == nullptr) ANYDIM_TRY(make_weights(p, *kernel, head.weights[static_cast<size_t>(p.weights)], &shared));
      weights = shared;
    }
    DimPool pool;
    for (size_t i = 0; i < p.symbols.size(); ++i) pool.symbol(formatted("d{}", i), {p.symbols[i].min, p.symbols[i].max});
    PrimitiveAttributes attributes;
    attributes.post_ops = p.post_ops;
    attributes.mode = kernel->key().mode;
    attributes.reuse = reuse_ != ReusePolicy::inherit ? reuse_ : p.reuse;
    if (p.quantized) attributes.quantization = std::make_shared<const Quantization>(std::move(p.quantization));
    std::vector<TensorType> in;
    for (size_t i = 0; i < p.in.size(); ++i)
      if (weights == nullptr || !weights->holds(i)) in.push_back(p.in[i]);
    ANYDIM_TRY(Primitive::create(engine_, p.op, {&pool, in, p.post_in, p.constant}, attributes, std::move(weights), out, {kernel}));
    if (const char* const why = refusal_of(*engine_, *kernel, (*out)->problem())) return error(Code::invalid_model, "{}", why);
    return {};
  }

  const EnginePtr engine_;
  const std::shared_ptr<const CheckedFile> file_;
  std::string_view left_;  // of the description
  const ReusePolicy reuse_;
  Status status_;
  size_t expressions_ = 0;  // that a dim may name
  int depth_ = 0;
  std::vector<WeightsPtr> weights_;
};

}  // namespace saved

Status load_program(const EnginePtr& engine, const std::shared_ptr<const CheckedFile>& file, const std::string& name, ReusePolicy reuse,
                    ProgramPtr* out, ModelFacts* facts) {
  saved::Loader loader(engine, file, reuse);
  const auto program = std::make_shared<Program>();
  if (Status s = loader.load(program.get()); !s.ok()) return std::move(s).at(formatted("program file '{}'", name));
  *facts = std::move(loader.head.facts);
  *out = program;
  return {};
}

}  // namespace anydim
