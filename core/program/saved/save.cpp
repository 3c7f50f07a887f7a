// SPDX-License-Identifier: Apache-2.0
// Writing a program as a file; see saved_program.h.
#include <algorithm>
#include <map>

#include "core/base/cpu.h"
#include "core/dispatch/caches/record_file.h"
#include "core/dispatch/weights/weights_file_layout.h"
#include "core/ops/operator_digest.h"
#include "core/program/saved/fields.h"
#include "core/program/saved/saved_program.h"

namespace anydim {
namespace saved {
namespace {

// A dim of a pool as the number of a symbol of the primitive's own.
class LocalSymbols {
 public:
  explicit LocalSymbols(const DimPool& pool) : pool_(pool) {}
  Dim operator()(Dim d) {
    if (d.is_number()) return d;
    const auto known = std::find(known_.begin(), known_.end(), d.expr());
    const auto symbol = static_cast<int32_t>(known - known_.begin());
    if (known == known_.end()) {
      const Interval range = pool_.interval(d);
      promises.push_back({range.min, range.max});
      known_.push_back(d.expr());
    }
    return Dim::expression(symbol);
  }
  TensorType operator()(TensorType t) {
    for (Dim& d : t.dims) d = (*this)(d);
    return t;
  }
  std::vector<DimPromise> promises;

 private:
  const DimPool& pool_;
  std::vector<int32_t> known_;
};

}  // namespace

class Saver final : public Archive {
 public:
  Saver() : Archive(false) {}

  void raw(void* bytes, size_t count) override { bytes_.append(static_cast<const char*>(bytes), count); }
  void fail() override {}
  bool good() const override { return true; }
  bool has_expression(int32_t) const override { return true; }
  size_t begin_dims(size_t) override { return 0; }
  bool is_of_this_library(const SavedFile&) override { return true; }
  uint32_t count(size_t n) override {
    auto number = static_cast<uint32_t>(n);
    raw(&number, sizeof number);
    return number;
  }
  void text(std::string& v) override {
    count(v.size());
    raw(v.data(), v.size());
  }
  void expressions(DimPool& pool) override {
    for (uint32_t i = 0, n = count(static_cast<size_t>(pool.size())); i < n; ++i) {
      DimExpr e = pool.expr(static_cast<int32_t>(i));
      visit(*this, e);
    }
  }
  void constant(ConstantPtr& c) override {
    int32_t block = -1;
    if (c == nullptr) return visit(*this, block);
    block = block_of(c->address(), c->bytes());
    DType dtype = c->dtype();
    Dims dims = c->dims();
    fields(*this, block, dtype, dims);
  }
  void make_operator(OpKind, const std::function<void(void*)>&, OperatorPtr*) override {}
  void body(ProgramPtr& v) override { visit(*this, const_cast<Program&>(*v)); }
  void primitive(PrimitivePtr& v) override {
    SavedPrimitive p = described(*v);
    visit(*this, p);
  }
  void packed(SavedWeights& v) override {
    int32_t weights = weights_of(*v.weights);
    fields(*this, weights, v.source.digest);
  }

  const std::string& bytes() const noexcept { return bytes_; }
  SavedFile file;
  std::vector<const std::byte*> data;  // by block

 private:
  int32_t block_of(const std::byte* at, int64_t bytes) {
    const auto [known, first] = known_blocks_.try_emplace({bytes > 0 ? at : nullptr, bytes}, static_cast<int32_t>(file.blocks.size()));
    if (first) {
      file.blocks.push_back({end_, bytes});
      data.push_back(at);
      end_ = round_up(end_ + bytes + AlignedBuffer::kTail, AlignedBuffer::kAlignment);
    }
    return known->second;
  }

  int32_t weights_of(const Weights& w) {
    const auto [known, first] = known_weights_.try_emplace(&w, static_cast<int32_t>(file.weights.size()));
    if (first) {
      SavedWeightsForm form{w.format(), {}};
      for (const weights_file::Piece& p : weights_file::pieces_with_data(w, *PinnedWeights(&w).values()))
        form.pieces.push_back({std::string(p.name), p.dtype, p.operand, p.count, block_of(p.data, p.bytes())});
      file.weights.push_back(std::move(form));
    }
    return known->second;
  }

  SavedPrimitive described(const Primitive& p) {
    SavedPrimitive s;
    LocalSymbols local(p.pool());
    for (const TensorType& t : p.in()) s.in.push_back(local(t));
    // Dims of scales and zero points follow from those of their operands.
    const PrimitiveAttributes& attributes = p.attributes();
    const auto chain = static_cast<size_t>(attributes.post_ops.operands());
    for (const TensorType& t : p.descriptors()->post_in) s.post_in.push_back(s.post_in.size() < chain ? local(t) : TensorType{});
    s.op = p.core()->op();
    std::vector<Dim> dims;
    for (const Dim d : s.op->dim_attributes()) dims.push_back(local(d));
    if (!dims.empty()) s.op = s.op->with_dim_attributes(dims);
    s.symbols = std::move(local.promises);
    s.constant = p.descriptors()->constant;
    s.post_ops = attributes.post_ops;
    s.reuse = attributes.reuse;
    s.quantized = attributes.quantization != nullptr;
    if (s.quantized) s.quantization = *attributes.quantization;
    s.kernel = p.kernel().name();
    if (p.weights() != nullptr) s.weights = weights_of(*p.weights());
    return s;
  }

  std::string bytes_;
  std::map<std::pair<const std::byte*, int64_t>, int32_t> known_blocks_;
  std::map<const Weights*, int32_t> known_weights_;
  int64_t end_ = 0;
};

// All that a file cannot hold, each once.
static void refuse(const Program& p, std::vector<std::string>* why) {
  const auto add = [&](std::string sentence) {
    if (std::find(why->begin(), why->end(), sentence) == why->end()) why->push_back(std::move(sentence));
  };
  for (const Program::Step& s : p.steps) {
    if (const KernelStep* const k = s.kernel(); k != nullptr && s.engine != 0)
      add(formatted("{} runs on engine {}", s.label, p.engines[static_cast<size_t>(s.engine)]->kind()));
    const ControlStep* const c = s.control();
    if (c == nullptr) continue;
    const Control& control = p.controls[static_cast<size_t>(c->control)];
    if (control.kind == Control::Kind::host) add(formatted("{} is an operator of the program's own", s.label));
    for (const Body& b : control.bodies) refuse(*b.program, why);
  }
}

}  // namespace saved

Status save_program(const Program& program, const ModelFacts& facts, const std::string& path, bool sync) {
  using namespace saved;
  std::vector<std::string> refused;
  refuse(program, &refused);
  if (!refused.empty()) {
    std::string all;
    for (const std::string& sentence : refused) all += formatted("{}{}", all.empty() ? "" : "; ", sentence);
    return unimplemented("the program cannot be saved: {}", all);
  }
  Saver saver;
  visit(saver, const_cast<Program&>(program));
  saver.file.version = record_origin();
  saver.file.isa = isa_name(cpu().usable);
  saver.file.operators = digest_of_operators();
  saver.file.facts = facts;
  Saver head;
  visit(head, saver.file);
  const std::string description = head.bytes() + saver.bytes();

  const auto rest = [&](const TakeBytes& take) {
    static constexpr char zeros[AlignedBuffer::kAlignment + AlignedBuffer::kTail] = {};
    auto at = static_cast<int64_t>(CheckedFile::kHead + description.size());
    const int64_t begin = round_up(at, AlignedBuffer::kAlignment);
    const auto fill_to = [&](int64_t to) { take(zeros, static_cast<size_t>(to - at)); };
    for (size_t i = 0; i < saver.data.size(); ++i) {
      const Block& b = saver.file.blocks[i];
      fill_to(begin + b.offset);
      take(saver.data[i], static_cast<size_t>(b.bytes));
      at = begin + b.offset + b.bytes;
    }
    fill_to(at + AlignedBuffer::kTail);
  };
  return write_checked_file(kProgramFile, description, rest, path, sync);
}

}  // namespace anydim
