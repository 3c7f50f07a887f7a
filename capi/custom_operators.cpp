// SPDX-License-Identifier: Apache-2.0
// Callbacks of a host program as operators of a model; see custom_operators.h. Nothing that a callback throws comes through, and what
// it writes into views is checked before anybody reads it.
#include "capi/custom_operators.h"

#include <algorithm>

#include "capi/environment.h"
#include "capi/views.h"

namespace anydim::capi {

struct CallbackOperator {
  explicit CallbackOperator(const anydim_custom_operator_t& o) : environment(o.user, o.finalizer), shapes(o.shapes), compute(o.compute) {}
  const Environment environment;
  const anydim_custom_shapes_callback_t shapes;
  const anydim_custom_compute_callback_t compute;
};

namespace {

// What a callback of this thread said of its failure.
thread_local std::string failure_text;

anydim_view_t custom_view(const TensorView& from) noexcept {
  anydim_view_t v{};
  v.data = from.data;
  v.dtype = static_cast<anydim_dtype_t>(from.dtype);
  v.dims.rank = from.rank();
  std::copy(from.dims.begin(), from.dims.end(), v.dims.values);
  return v;
}

// Attributes in the forms that callers read. It is what `facts` of a node points to.
struct NodeFacts {
  explicit NodeFacts(onnx::HostNodeFacts from) : all(std::move(from)) {
    using A = onnx::Attribute;
    texts.resize(all.attributes.size());
    tensors.resize(all.attributes.size());
    for (size_t i = 0; i < all.attributes.size(); ++i) {
      onnx::HostAttribute& a = all.attributes[i];
      anydim_custom_attribute_t& to = attributes.emplace_back();
      to.name = string_of(a.name);
      to.is_list = a.type == A::kInts || a.type == A::kFloats || a.type == A::kStrings ? 1 : 0;
      if (a.tensor != nullptr) {
        tensors[i] = custom_view(a.tensor->view());
        to.type = ANYDIM_CUSTOM_ATTRIBUTE_TENSOR;
        to.count = 1;
        to.data = &tensors[i];
      } else if (a.type == A::kInt || a.type == A::kInts) {
        to.type = ANYDIM_CUSTOM_ATTRIBUTE_INTEGERS;
        to.count = static_cast<int64_t>(a.integers.size());
        to.data = a.integers.data();
      } else if (a.type == A::kFloatValue || a.type == A::kFloats) {
        to.type = ANYDIM_CUSTOM_ATTRIBUTE_REALS;
        to.count = static_cast<int64_t>(a.reals.size());
        to.data = a.reals.data();
      } else {
        for (const std::string& text : a.texts) texts[i].push_back(string_of(text));
        to.type = ANYDIM_CUSTOM_ATTRIBUTE_TEXTS;
        to.count = static_cast<int64_t>(texts[i].size());
        to.data = texts[i].data();
      }
    }
    node = {string_of(all.name), string_of(all.domain), string_of(all.op_type), all.version, static_cast<int64_t>(attributes.size()), this};
  }
  NodeFacts(const NodeFacts&) = delete;
  NodeFacts& operator=(const NodeFacts&) = delete;

  onnx::HostNodeFacts all;
  std::vector<std::vector<anydim_string_t>> texts;  // by attribute
  std::vector<anydim_view_t> tensors;
  std::vector<anydim_custom_attribute_t> attributes;
  anydim_custom_node_t node{};
};

class CallbackNode final : public HostNode {
 public:
  CallbackNode(CallbackOperatorPtr op, onnx::HostNodeFacts facts) : op_(std::move(op)), facts_(std::move(facts)) {}

  Status infer(std::span<const TensorView> in, std::span<TensorView> out) const override {
    Views inputs(in), outputs(out.size());
    ANYDIM_TRY(call(op_->shapes, "the rule of shapes", inputs, &outputs));
    for (size_t i = 0; i < out.size(); ++i) {
      const anydim_view_t& v = outputs.data()[i];
      const auto dtype = static_cast<DType>(v.dtype);
      if (v.dtype <= 0 || v.dtype > ANYDIM_U2)
        return invalid("its rule of shapes gives {} as the dtype of output {}; expected one of anydim_dtype_t", static_cast<int>(v.dtype),
                       i);
      if (v.dims.rank < 0 || v.dims.rank > kMaxRank)
        return invalid("its rule of shapes gives {} as the rank of output {}; expected 0..{}", v.dims.rank, i, kMaxRank);
      out[i] = {nullptr, dtype, {}, {}};
      int64_t count = 1;
      for (int a = 0; a < v.dims.rank; ++a) {
        out[i].dims.push_back(v.dims.values[a]);
        count = saturating_mul(count, std::max<int64_t>(v.dims.values[a], 1));
      }
      if (saturating_mul(count, dtype_size(dtype)) >= kMaxSize)
        return invalid("its rule of shapes gives output {} more elements than any memory has", i);
    }
    return {};
  }

  Status run(std::span<const TensorView> in, std::span<const TensorView> out) const override {
    Views inputs(in), outputs(out);
    return call(op_->compute, "the kernel", inputs, &outputs);
  }

 private:
  // Views of a call; few take no allocation.
  class Views {
   public:
    explicit Views(size_t count) : count_(count) {
      if (count > kInPlace) more_.resize(count);
      std::fill_n(data(), count, anydim_view_t{});
    }
    explicit Views(std::span<const TensorView> from) : Views(from.size()) {
      for (size_t i = 0; i < from.size(); ++i) data()[i] = custom_view(from[i]);
    }
    anydim_view_t* data() noexcept { return more_.empty() ? few_ : more_.data(); }
    int64_t count() const noexcept { return static_cast<int64_t>(count_); }

   private:
    static constexpr size_t kInPlace = 8;
    size_t count_;
    anydim_view_t few_[kInPlace];
    std::vector<anydim_view_t> more_;
  };

  template <class Callback> Status call(Callback callback, const char* what, Views& in, Views* out) const {
    failure_text.clear();
    int32_t code = 0;
    try {
      code = callback(op_->environment.user(), &facts_.node, in.data(), in.count(), out->data(), out->count());
    } catch (const std::exception& e) {
      return error(Code::internal, "{} of {} threw: {}", what, facts_.all.op_type, e.what());
    } catch (...) {
      return error(Code::internal, "{} of {} threw", what, facts_.all.op_type);
    }
    if (code == ANYDIM_STATUS_OK) return {};
    if (code < 0 || code > ANYDIM_STATUS_FILE_NOT_FOUND)
      return error(Code::internal, "{} of {} gave {}, which is no status", what, facts_.all.op_type, code);
    if (failure_text.empty()) return error(static_cast<Code>(code), "{} of {} failed and said no reason", what, facts_.all.op_type);
    return Status(static_cast<Code>(code), std::exchange(failure_text, {}));
  }

  const CallbackOperatorPtr op_;
  const NodeFacts facts_;
};

CallbackOperators::key_type key_of(std::string_view domain, std::string_view op_type) {
  return {domain == "ai.onnx" ? std::string() : std::string(domain), std::string(op_type)};
}

class LoadedOperators final : public onnx::HostOperators {
 public:
  explicit LoadedOperators(CallbackOperators all) : all_(std::move(all)) {}
  bool has(std::string_view domain, std::string_view op_type) const override { return all_.count(key_of(domain, op_type)) > 0; }
  std::shared_ptr<const HostNode> make(onnx::HostNodeFacts facts) const override {
    CallbackOperatorPtr op = all_.at(key_of(facts.domain, facts.op_type));
    return std::make_shared<const CallbackNode>(std::move(op), std::move(facts));
  }

 private:
  const CallbackOperators all_;
};

}  // namespace

std::shared_ptr<const onnx::HostOperators> operators_of(const CustomOperatorsObject& from) {
  return std::make_shared<const LoadedOperators>(from.all);
}

namespace body {

Status custom_operators_create(std::unique_ptr<CustomOperatorsObject>* out) {
  *out = std::make_unique<CustomOperatorsObject>();
  return {};
}

Status custom_operators_add(CustomOperatorsObject& operators, std::string_view domain, std::string_view op_type,
                            const anydim_custom_operator_t& definition) {
  constexpr std::string_view kBodies[] = {"If", "Loop", "Scan", "SequenceMap"};
  if (op_type.empty()) return invalid("op_type is empty").about("op_type");
  if (definition.shapes == nullptr || definition.compute == nullptr)
    return invalid("definition.{} is null", definition.shapes == nullptr ? "shapes" : "compute")
        .about(definition.shapes == nullptr ? "definition.shapes" : "definition.compute");
  CallbackOperators::key_type key = key_of(domain, op_type);
  if (key.first.empty() && std::ranges::find(kBodies, op_type) != std::end(kBodies))
    return invalid("op_type is {}; ONNX's operators with bodies are the library's", op_type).about("op_type");
  if (operators.all.count(key) > 0)
    return invalid("op_type is {}; the set has this operator of domain '{}' already", op_type, domain).about("op_type");
  auto made = std::make_shared<const CallbackOperator>(definition);
  const CallbackOperator& added = *made;
  operators.all.emplace(std::move(key), std::move(made));
  added.environment.hand_over();
  return {};
}

void custom_operator_fail(std::string_view message) noexcept {
  try {
    failure_text = message;
  } catch (...) {  // no memory for the reason: the status is what is left
    failure_text.clear();
  }
}

namespace {

Status facts_of(const anydim_custom_node_t& node, const NodeFacts** out) {
  *out = static_cast<const NodeFacts*>(node.facts);
  return *out != nullptr ? Status() : invalid("node is none that a callback was given").about("node");
}

}  // namespace

Status custom_node_get_attribute(const anydim_custom_node_t& node, int64_t index, anydim_custom_attribute_t* attribute) {
  const NodeFacts* facts = nullptr;
  ANYDIM_TRY(facts_of(node, &facts));
  if (index < 0 || static_cast<size_t>(index) >= facts->attributes.size())
    return error(Code::not_found, "index is {}; the node has {} attributes", index, facts->attributes.size()).about("index");
  *attribute = facts->attributes[static_cast<size_t>(index)];
  return {};
}

Status custom_node_find_attribute(const anydim_custom_node_t& node, std::string_view name, anydim_custom_attribute_t* attribute) {
  const NodeFacts* facts = nullptr;
  ANYDIM_TRY(facts_of(node, &facts));
  for (const anydim_custom_attribute_t& a : facts->attributes)
    if (name == a.name.data) return *attribute = a, Status();
  return error(Code::not_found, "name is '{}'; the node has no such attribute", name).about("name");
}

}  // namespace body

}  // namespace anydim::capi
