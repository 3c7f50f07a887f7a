// SPDX-License-Identifier: Apache-2.0
// What the last run did, node by node, as data: Context::explain. Printing it is the C API's and the program's business.
#include "core/dispatch/cost.h"
#include "core/dispatch/registry.h"
#include "core/graph/context.h"

namespace anydim {

Status Context::explain(RunReport* out) {
  if (busy_.exchange(true, std::memory_order_acquire))
    return error(Code::busy, "another thread is using this context; a context has one user at a time");
  struct Release {
    std::atomic<bool>& busy;
    ~Release() { busy.store(false, std::memory_order_release); }
  } release{busy_};
  if (!memory_bound_) return invalid("nothing has been run in this context; explain tells about the last run");

  const Graph& g = model_->graph();
  const Storage& storage = model_->storage();
  *out = {};
  out->arena_bytes = arena_.size();
  out->used_bytes = used_bytes_;
  out->weight_bytes = model_->weight_bytes();
  out->growth_events = growth_events_;
  out->bind_nanoseconds = bind_nanoseconds_;
  out->policy = policy_name(policy_.policy);
  out->policy_source = policy_source_name(policy_.source);
  out->views = static_cast<int>(g.order().size() - nodes_.size());

  const auto operand = [&](const TensorView& view, ValueId v, bool weights) {
    NodeReport::Operand o;
    if (v == kNoValue) return o;
    o.name = g.value(v).name;
    o.dtype = view.dtype;
    o.dims = view.dims;
    o.strides = view.strides;
    const int32_t b = storage.values[static_cast<size_t>(v)].buffer;
    if (weights) {
      o.place = "weights";
    } else if (b < 0) {
      o.place = "constant";
    } else {
      const StorageBuffer& buffer = storage.buffers[static_cast<size_t>(b)];
      const bool outside =
          buffer.kind == BufferKind::input || (buffer.kind == BufferKind::output && output_direct_[static_cast<size_t>(buffer.index)]);
      o.place = outside ? formatted("{} {}", buffer.kind == BufferKind::input ? "input" : "output", buffer.index)
                        : formatted("arena+{}", static_cast<std::byte*>(view.data) - arena_.data());
    }
    return o;
  };

  for (size_t i = 0; i < nodes_.size(); ++i) {
    const ModelNode& n = model_->nodes()[i];
    const Node& source = g.node(n.id);
    NodeReport r;
    r.name = source.name;
    r.onnx_type = source.onnx_type;
    r.op = describe(n.primitive->op());
    r.kernel = n.primitive->kernel().name();
    r.tier = tier_name(nodes_[i].plan.specialised ? Tier::specialised : Tier::reusable);
    r.post_ops = describe(n.primitive->attributes().post_ops);
    size_t next = 0;
    const auto list = [&](std::span<const TensorView> views, std::vector<NodeReport::Operand>* to) {
      for (const TensorView& view : views) {
        const bool weights = to == &r.inputs && n.primitive->weights() && next > 0;
        to->push_back(operand(view, n.operands[next++], weights));
        r.bytes += view.count() * dtype_size(view.dtype);
      }
    };
    list(nodes_[i].args.in, &r.inputs);
    list(nodes_[i].args.out, &r.outputs);
    list(nodes_[i].args.post_in, &r.post_inputs);
    r.scratch = nodes_[i].plan.scratch;
    r.nanoseconds = nanoseconds_[i];
    for (const Candidate& c : n.primitive->candidates())
      r.candidates.push_back(
          {c.kernel->name(), c.because ? c.because : "", c.able ? expected_nanoseconds(*c.kernel, n.primitive->op(), nodes_[i].args) : -1});
    out->nodes.push_back(std::move(r));
  }
  return {};
}

}  // namespace anydim
