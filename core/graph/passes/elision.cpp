// SPDX-License-Identifier: Apache-2.0
// Claims are made from the consumers back (a concat claims its inputs, a claimed value claims what it is a view of), then
// places are worked out with symbolic strides; a claim whose strides cannot be written down is dropped and copied.
#include "core/graph/passes/elision.h"

#include <algorithm>

#include "core/graph/passes/layout.h"
#include "core/ops/operators/append.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/transpose.h"

namespace anydim {
namespace {

class Elision {
 public:
  Elision(Graph& graph, Storage& storage) : graph_(graph), storage_(storage) {}

  Status run() {
    merge_neighbouring_slices();
    stages_ = graph_.stages();
    const std::vector<NodeId> order(graph_.order().begin(), graph_.order().end());
    claims_.resize(static_cast<size_t>(graph_.value_count()));
    read_concats_of_the_same();
    for (size_t i = order.size(); i-- > 0;) {
      ANYDIM_TRY(claim_for_concat(order[i]));
      claim_for_view(order[i]);
    }
    place_edges(true);
    for (NodeId id : graph_.order()) {
      const Node& n = graph_.node(id);
      bool executes = true;
      for (ValueId v : n.outputs)
        if (v != kNoValue) place(v);
      if (is_view_node(n)) executes = !shares_memory(n);
      if (elided_concat(n)) executes = false;
      storage_.executes[id] = executes;
    }
    return {};
  }

  void run_apart() {
    place_edges(false);
    for (NodeId id : graph_.order()) {
      for (ValueId v : graph_.node(id).outputs)
        if (v != kNoValue && !placed_[v]) put_in_arena(v);
      storage_.executes[id] = true;
    }
  }

 private:
  struct Claim {
    NodeId by = kNoNode;  // a concat, or a view node whose output's memory is to be used
    size_t part = 0;      // of the concat
    // Of the result of a concat whose inputs from `first` on are parts of `by` from `part` on: `by` provides the rest of its memory, from
    // so many elements before that part on.
    bool borrowed = false;
    size_t first = 0;
    int64_t before = 0;
    bool is(NodeId node, size_t number) const { return by == node && part == number && !borrowed; }
  };
  struct Loan {
    NodeId by;
    int64_t begin, end;  // nodes, by their place in the order
  };

  const SymDims& dims(ValueId v) const { return graph_.value(v).type.dims; }
  const Perm& order(ValueId v) const { return graph_.value(v).order; }

  static bool is_view_node(const Node& n) { return n.post_ops.count == 0 && has_trait(n.op->kind(), Trait::view) && !is_layout_copy(n); }
  bool elided_concat(const Node& n) const {
    if (n.op->kind() != OpKind::concat || n.inputs.empty()) return false;
    const Claim& of = claims_[n.outputs[0]];
    for (size_t k = 0; k < n.inputs.size(); ++k) {
      const Claim& c = claims_[n.inputs[k]];
      if (!c.is(n.id, k) && !(of.borrowed && c.is(of.by, of.part + k - of.first))) return false;
    }
    return true;
  }

  // concat(a[0:k], a[k:n], b) is concat(a, b).
  void merge_neighbouring_slices() {
    for (NodeId id : graph_.order()) {
      const Node& n = graph_.node(id);
      const auto* concat = as<Concat>(*n.op);
      if (!concat) continue;
      std::vector<ValueId> inputs;
      for (size_t i = 0; i < n.inputs.size();) {
        const size_t end = whole_value_in_slices(n, i, concat->axis());
        if (end == i) {
          inputs.push_back(n.inputs[i++]);
        } else {
          inputs.push_back(graph_.producer(n.inputs[i])->inputs[0]);
          i = end;
        }
      }
      if (inputs.size() < n.inputs.size()) graph_.set_inputs(id, inputs);
    }
  }
  // One past the last of the inputs from `first` on that are together all of one value, cut along `axis`; else `first`.
  size_t whole_value_in_slices(const Node& n, size_t first, int axis) {
    ValueId base = kNoValue;
    Dim at = 0;
    for (size_t i = first; i < n.inputs.size(); ++i) {
      const Node* p = graph_.producer(n.inputs[i]);
      const auto* slice = p && p->post_ops.count == 0 ? as<Slice>(*p->op) : nullptr;
      if (!slice || (base != kNoValue && p->inputs[0] != base)) return first;
      base = p->inputs[0];
      for (int a = 0; a < slice->rank(); ++a) {
        if (slice->steps()[a] != 1) return first;
        if (a != axis && !(slice->start(a).is(0) && graph_.dims.provably_equal(slice->length(a), dims(base)[a]))) return first;
      }
      if (!graph_.dims.provably_equal(slice->start(axis), at)) return first;
      at = graph_.dims.add(at, slice->length(axis));
      if (graph_.dims.provably_equal(at, dims(base)[axis])) return i + 1;
    }
    return first;
  }

  // concat(a, b, c) is concat(concat(a, b), c) where that is there, as in networks whose layers read all those before them: then each value
  // has one place for all of its concats. (DenseNet-121: 54 of 62 concats were copied.)
  void read_concats_of_the_same() {
    struct Seen {
      NodeId node;
      std::vector<ValueId> inputs;  // before anything was replaced
    };
    std::vector<Seen> seen;
    for (NodeId id : graph_.order()) {
      const Node& n = graph_.node(id);
      if (n.op->kind() != OpKind::concat || n.post_ops.count != 0) continue;
      std::vector<ValueId> inputs(n.inputs.begin(), n.inputs.end());
      seen.push_back({id, inputs});
      const Seen* longest = nullptr;
      auto found = inputs.end();
      for (const Seen& other : seen) {
        if (other.inputs.size() < 2 || other.inputs.size() >= inputs.size()) continue;
        if ((longest != nullptr && other.inputs.size() <= longest->inputs.size()) || !can_stand_in(graph_.node(other.node), n)) continue;
        const auto at = std::search(inputs.begin(), inputs.end(), other.inputs.begin(), other.inputs.end());
        if (at == inputs.end()) continue;
        longest = &other;
        found = at;
      }
      if (longest == nullptr) continue;
      *found = graph_.node(longest->node).outputs[0];
      inputs.erase(found + 1, found + static_cast<std::ptrdiff_t>(longest->inputs.size()));
      graph_.set_inputs(id, inputs);
    }
  }
  // May the concat `n` read the result of `part` in place of its inputs, and lay it into its own?
  bool can_stand_in(const Node& part, const Node& n) const {
    const ValueId v = part.outputs[0], out = n.outputs[0];
    return as<Concat>(*part.op)->axis() == as<Concat>(*n.op)->axis() && part.engine == n.engine && claimable(v) && in_stage(v, n.id) &&
           same_order(dims(v), order(v), order(out));
  }

  // --- claims ------------------------------------------------------------------------------------------------------
  bool claimable(ValueId v) const {
    return graph_.value(v).producer != kNoNode && !graph_.is_output(v) && !graph_.is_transferred(v) && claims_[v].by == kNoNode;
  }
  // Is the memory of what `node` makes there when `v` is written? Its size may be found only afterwards.
  bool in_stage(ValueId v, NodeId node) const {
    const auto at = static_cast<size_t>(graph_.value(v).producer);
    return at >= stages_.size() || stages_[at] == stages_[static_cast<size_t>(node)];
  }
  // Would its producer (or what that is a view of) write it anyway, so that writing it elsewhere saves a copy?
  bool saves_copy(ValueId v) const {
    const Node& p = graph_.node(graph_.value(v).producer);
    if (!is_view_node(p)) return true;
    if (p.op->kind() == OpKind::slice || p.op->kind() == OpKind::expand) return false;
    const ValueId in = p.inputs[0];
    return claimable(in) && saves_copy(in);
  }

  Status claim_for_concat(NodeId id) {
    {
      const Node& n = graph_.node(id);
      if (n.op->kind() != OpKind::concat || n.post_ops.count != 0 || interleaves(n)) return {};
      if (borrow(n, true) || borrow(n, false)) return {};
      bool any = false;
      for (size_t k = 0; k < n.inputs.size(); ++k) any = any || (can_take(n, k) && saves_copy(n.inputs[k]));
      if (!any) return {};
    }
    const ValueId out = graph_.node(id).outputs[0];
    for (size_t k = 0; k < graph_.node(id).inputs.size(); ++k) {
      if (!can_take(graph_.node(id), k)) {
        auto op = Transpose::make(row_major(dims(out).rank));
        if (!op.ok()) return op.take_status();
        const ValueId v = graph_.node(id).inputs[k];
        auto made = graph_.insert_before(id, *op, {v}, graph_.value(v).name + ".part", "Concat");
        if (!made.ok()) return made.take_status();
        const ValueId copy = (*made)[0];
        graph_.value(copy).order = order(out);
        graph_.set_input(id, k, copy);
        claims_.resize(static_cast<size_t>(graph_.value_count()));
      }
      claims_[graph_.node(id).inputs[k]] = {id, k};
    }
    return {};
  }
  // Two or four values, one element of each side by side. Written by those who make them each line of memory would be written two or
  // four times, an element at a time; a copy writes it once. (Four gemms of [1000, 32] x [32, 264]: 2.1 ms, with a copy 1.3.)
  bool interleaves(const Node& n) const {
    const ValueId out = n.outputs[0];
    const Perm core = order_core(dims(out), order(out));
    const int axis = as<Concat>(*n.op)->axis();
    if ((n.inputs.size() != 2 && n.inputs.size() != 4) || dtype_size(graph_.value(out).type.dtype) != 4 || core.empty() ||
        core.back() != axis)
      return false;
    for (ValueId v : n.inputs)
      if (!dims(v)[axis].is(1)) return false;
    return true;
  }
  bool can_take(const Node& n, size_t k) const {
    const ValueId v = n.inputs[k], out = n.outputs[0];
    for (size_t j = 0; j < k; ++j)
      if (n.inputs[j] == v) return false;
    return claimable(v) && in_stage(v, n.id) && same_order(dims(v), order(v), order(out));
  }

  // --- borrowed memory -------------------------------------------------------------------------------------------
  // concat(a, u) where a is a part of concat(a, b, c): u may lie behind a, where b and c will be, if all that reads it has run when they
  // are written. So networks whose layers read all those of their row and something from the next row (U-Net++) copy nothing. `front`:
  // what both have stands at the front, as here, or at the end.
  bool borrow(const Node& n, bool front) {
    const size_t count = n.inputs.size();
    if (count < 2) return false;
    const Claim c = claims_[n.inputs[front ? 0 : count - 1]];
    if (c.by == kNoNode || c.by == n.id || c.borrowed) return false;
    const Node& whole = graph_.node(c.by);
    if (!as<Concat>(*whole.op) || as<Concat>(*whole.op)->axis() != as<Concat>(*n.op)->axis() || whole.engine != n.engine) return false;
    size_t both = 1;
    while (both < count && (front ? claims_[n.inputs[both]].is(c.by, c.part + both)
                                  : c.part >= both && claims_[n.inputs[count - 1 - both]].is(c.by, c.part - both)))
      ++both;
    const ValueId out = n.outputs[0];
    if (both == count || !claimable(out) || !in_stage(out, whole.id) || !same_order(dims(out), order(out), order(whole.outputs[0])))
      return false;
    const std::vector<int64_t> places = places_in_order();
    const size_t begin = front ? both : 0, end = front ? count : count - both;
    int64_t elements = 0;
    Loan loan{c.by, INT64_MAX, last_read(out, places)};
    for (size_t k = begin; k < end; ++k) {
      const ValueId v = n.inputs[k];
      if (!can_take(n, k) || !is_written_at_once(v, as<Concat>(*n.op)->axis())) return false;
      elements += dims(v)[as<Concat>(*n.op)->axis()].number();
      loan.begin = std::min(loan.begin, places[static_cast<size_t>(graph_.value(v).producer)]);
      loan.end = std::max(loan.end, last_read(v, places));
    }
    const size_t shared = front ? c.part : c.part - (both - 1);  // the first part that both have
    if (!is_free(whole, front ? shared + both : shared, front, elements, loan, places)) return false;
    loans_.push_back(loan);
    claims_[out] = {c.by, shared, true, front ? 0 : end, front ? 0 : elements};
    for (size_t k = begin; k < end; ++k) claims_[n.inputs[k]] = {n.id, k};
    return true;
  }
  // Are so many elements behind (or before) this edge of a concat's parts written after the loan only, and borrowed by nobody meanwhile?
  bool is_free(const Node& whole, size_t edge, bool behind, int64_t elements, const Loan& loan, const std::vector<int64_t>& places) const {
    const int axis = as<Concat>(*whole.op)->axis();
    while (elements > 0) {
      if (behind ? edge == whole.inputs.size() : edge == 0) return false;
      const size_t part = behind ? edge++ : --edge;
      const ValueId v = whole.inputs[part];
      if (!claims_[v].is(whole.id, part) || !is_written_at_once(v, axis)) return false;
      if (places[static_cast<size_t>(graph_.value(v).producer)] <= loan.end) return false;
      elements -= dims(v)[axis].number();
    }
    return std::none_of(loans_.begin(), loans_.end(),
                        [&](const Loan& other) { return other.by == loan.by && other.begin <= loan.end && loan.begin <= other.end; });
  }
  // Its node writes all of it, and nothing is there before.
  bool is_written_at_once(ValueId v, int axis) const {
    const NodeId producer = graph_.value(v).producer;
    if (producer == kNoNode || !dims(v)[axis].is_number()) return false;
    const Node& n = graph_.node(producer);
    return !is_view_node(n) && n.op->kind() != OpKind::concat &&
           std::none_of(graph_.size_reads().begin(), graph_.size_reads().end(), [v](const SizeRead& r) { return r.value == v; });
  }
  std::vector<int64_t> places_in_order() const {
    std::vector<int64_t> places(static_cast<size_t>(graph_.node_capacity()), 0);
    int64_t next = 0;
    for (NodeId id : graph_.order()) places[static_cast<size_t>(id)] = next++;
    return places;
  }
  // By whatever reads it or a view of it.
  int64_t last_read(ValueId v, const std::vector<int64_t>& places) const {
    int64_t last = 0;
    for (NodeId user : graph_.value(v).users) {
      last = std::max(last, places[static_cast<size_t>(user)]);
      if (is_view_node(graph_.node(user))) last = std::max(last, last_read(graph_.node(user).outputs[0], places));
    }
    return last;
  }

  // A view's input may be written where the view's output has to be.
  void claim_for_view(NodeId id) {
    const Node& n = graph_.node(id);
    if (!is_view_node(n) || n.op->kind() == OpKind::slice || n.op->kind() == OpKind::expand) return;
    const ValueId in = n.inputs[0], out = n.outputs[0];
    if ((claims_[out].by == kNoNode && !graph_.is_output(out)) || !claimable(in) || !in_stage(in, id)) return;
    if (const auto* t = as<Transpose>(*n.op)) {
      if (!same_order(dims(out), order(out), transposed_order(order(in), t->perm()))) return;
    } else {
      const auto p = reshaped_order(graph_.dims, dims(out), order(out), dims(in));
      if (!p || !same_order(dims(in), order(in), *p)) return;
    }
    claims_[in] = {id, 0};
  }

  // --- places --------------------------------------------------------------------------------------------------------
  void place_edges(bool caches) {
    claims_.resize(static_cast<size_t>(graph_.value_count()));
    storage_.values.assign(static_cast<size_t>(graph_.value_count()), {});
    storage_.executes.assign(static_cast<size_t>(graph_.node_capacity()), false);
    placed_.assign(static_cast<size_t>(graph_.value_count()), false);
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      const ValueId v = graph_.inputs()[i];
      SymDims strides;
      DimPromise any;
      any.min = -kMaxSize;
      for (int a = 0; a < dims(v).rank; ++a) strides.push_back(graph_.dims.symbol(formatted("{}.stride{}", graph_.value(v).name, a), any));
      storage_.input_strides.push_back(strides);
      storage_.dense_strides.push_back({});
      bool followed = false;
      for (ValueId other = 0; other < graph_.value_count(); ++other)
        followed = followed || graph_.value(other).like == static_cast<int32_t>(i);
      if (followed)
        for (int a = 0; a < dims(v).rank; ++a)
          storage_.dense_strides.back().push_back(graph_.dims.symbol(formatted("{}.step{}", graph_.value(v).name, a), any));
      put(v, {new_buffer(BufferKind::input, static_cast<int32_t>(i), v), {0, strides}});
    }
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId v = graph_.outputs()[i].value;
      SymDims room = dims(v);
      storage_.caches.push_back(caches ? cache_edge(v) : CacheEdge());
      if (const CacheEdge& c = storage_.caches.back(); c.input >= 0) room[c.axis] = graph_.dims.max(c.room, room[c.axis]);
      put(v, {new_buffer(BufferKind::output, static_cast<int32_t>(i), v), view_of(v, room)});
    }
  }
  // Whoever else reads the input does so before or after the append: what it reads must not be overwritten.
  CacheEdge cache_edge(ValueId v) {
    const Node* const n = graph_.producer(v);
    const auto* const append = n != nullptr ? as<Append>(*n->op) : nullptr;
    if (append == nullptr || n->outputs[0] != v || n->engine != 0 || graph_.is_transferred(v)) return {};
    const ValueId from = n->inputs[Append::kCache];
    const auto outputs =
        std::count_if(graph_.outputs().begin(), graph_.outputs().end(), [&](const GraphOutput& o) { return o.value == v; });
    if (graph_.value(from).input < 0 || outputs != 1) return {};
    const auto in_rows = [&](ValueId x) { return same_order(dims(x), order(x), row_major(dims(x).rank)); };
    if (!in_rows(from) || !in_rows(v)) return {};
    CacheEdge c;
    const bool starts = n->inputs.size() > Append::kStarts && n->inputs[Append::kStarts] != kNoValue;
    c.behind = !starts && !append->get().circular && graph_.dims.provably_equal(append->get().first, dims(from)[append->axis()]);
    if (!c.behind && (graph_.uses(from) != 1 || graph_.is_output(from))) return {};
    c.input = graph_.value(from).input;
    c.axis = append->axis();
    c.room = graph_.dims.symbol(formatted("{}.room", graph_.value(v).name));
    return c;
  }
  // Dense: in its own order, or as an input comes.
  SymView view_of(ValueId v, const SymDims& room) {
    const int32_t like = graph_.value(v).like;
    return like < 0 ? dense_view(graph_.dims, room, order(v)) : SymView{0, storage_.dense_strides[static_cast<size_t>(like)]};
  }
  int32_t new_buffer(BufferKind kind, int32_t index, ValueId v) {
    Dim elements = element_count(graph_.dims, dims(v));
    // Dims that data determines have no bound, but their product may: a reshape's guard says that its input has as many elements.
    const Node* producer = graph_.producer(v);
    while (producer != nullptr && producer->transfer) producer = graph_.producer(producer->inputs[0]);
    if (producer != nullptr && graph_.stage(elements) > 0 && producer->op->kind() == OpKind::reshape)
      elements = element_count(graph_.dims, dims(producer->inputs[0]));
    storage_.buffers.push_back({kind, index, graph_.value(v).type.dtype, elements});
    return static_cast<int32_t>(storage_.buffers.size()) - 1;
  }
  void put(ValueId v, const Placement& p) {
    storage_.values[v] = p;
    placed_[v] = true;
  }

  const Placement& place(ValueId v) {
    if (placed_[v] || graph_.value(v).constant || graph_.value(v).producer == kNoNode) return storage_.values[v];
    if (claims_[v].by != kNoNode && place_by_claim(v)) return storage_.values[v];
    if (place_as_view(v)) return storage_.values[v];
    put_in_arena(v);
    return storage_.values[v];
  }
  void put_in_arena(ValueId v) {
    const bool run_time = graph_.has_run_time_dims(v);
    put(v, {new_buffer(run_time ? BufferKind::result : BufferKind::arena, run_time ? v : 0, v), view_of(v, dims(v))});
  }

  bool place_by_claim(ValueId v) {
    const Claim claim = claims_[v];
    const Node& n = graph_.node(claim.by);
    const ValueId out = n.outputs[0];
    const Placement whole = place(out);
    if (const auto* concat = as<Concat>(*n.op)) {
      Dim start = 0;
      for (size_t k = 0; k < claim.part; ++k) start = graph_.dims.add(start, dims(n.inputs[k])[concat->axis()]);
      if (claim.before > 0) start = graph_.dims.add(start, Dim(-claim.before));
      put(v, {whole.buffer, sliced_view(graph_.dims, whole.view, concat->axis(), start, 1)});
      return true;
    }
    if (const auto* t = as<Transpose>(*n.op)) {
      put(v, {whole.buffer, transposed_view(whole.view, inverse(t->perm()))});
      return true;
    }
    if (const auto view = reshaped_view(graph_.dims, dims(out), whole.view, dims(v))) {
      put(v, {whole.buffer, *view});
      return true;
    }
    claims_[v] = {};
    return false;
  }

  bool place_as_view(ValueId v) {
    const Node& n = graph_.node(graph_.value(v).producer);
    if (!is_view_node(n) || claims_[v].by != kNoNode || graph_.is_transferred(v)) return false;
    const ValueId in = n.inputs[0];
    if (graph_.value(in).constant) return false;
    const Placement base = place(in);
    if (const auto* t = as<Transpose>(*n.op)) {
      if (!same_order(dims(v), order(v), transposed_order(order(in), t->perm()))) return false;  // a copy was chosen
      put(v, {base.buffer, transposed_view(base.view, t->perm())});
      return true;
    }
    if (const auto* slice = as<Slice>(*n.op)) {
      if (!same_order(dims(v), order(v), order(in))) return false;
      SymView view = base.view;
      for (int a = 0; a < slice->rank(); ++a) {
        if (slice->steps()[a] != 1) return false;
        if (!slice->start(a).is(0)) view = sliced_view(graph_.dims, view, a, slice->start(a), 1);
      }
      put(v, {base.buffer, view});
      return true;
    }
    if (n.op->kind() == OpKind::expand) return place_as_repeated(v, n, base);
    if (const auto p = reshaped_order(graph_.dims, dims(in), order(in), dims(v)); !p || !same_order(dims(v), order(v), *p)) return false;
    const auto view = reshaped_view(graph_.dims, dims(in), base.view, dims(v));
    if (!view) return false;
    put(v, {base.buffer, *view});
    return true;
  }
  // Strides of 0 are for consumers that walk element by element.
  bool place_as_repeated(ValueId v, const Node& n, const Placement& base) {
    if (graph_.is_output(v)) return false;
    for (NodeId user : graph_.value(v).users) {
      const Node& u = graph_.node(user);
      const OpKind k = u.op->kind();
      const bool index =
          has_trait(k, Trait::repeated_indices) && u.inputs[0] != v && u.inputs[1] == v && (u.inputs.size() < 3 || u.inputs[2] != v);
      if (!has_trait(k, Trait::elementwise) && !index && !is_layout_copy(u)) return false;
    }
    const SymDims& from = dims(n.inputs[0]);
    SymView view;
    view.offset = base.view.offset;
    view.strides = SymDims::filled(dims(v).rank, Dim(0));
    const int shift = dims(v).rank - from.rank;
    for (int a = 0; a < from.rank; ++a) {
      if (from[a].is(1)) continue;
      if (!graph_.dims.provably_equal(from[a], dims(v)[a + shift])) return false;
      view.strides[a + shift] = base.view.strides[a];
    }
    put(v, {base.buffer, view});
    return true;
  }

  // Is the output of a view node its input's memory, looked at through it?
  bool shares_memory(const Node& n) const {
    const Placement& in = storage_.values[n.inputs[0]];
    const Placement& out = storage_.values[n.outputs[0]];
    return in.buffer >= 0 && in.buffer == out.buffer &&
           (claims_[n.inputs[0]].by == n.id || (claims_[n.outputs[0]].by == kNoNode && !graph_.is_output(n.outputs[0])));
  }

  Graph& graph_;
  Storage& storage_;
  std::vector<Claim> claims_;
  std::vector<Loan> loans_;
  std::vector<int32_t> stages_;  // by node, but for copies that were made here
  std::vector<bool> placed_;
};

}  // namespace

Status elide(Graph& graph, Storage* out) { return Elision(graph, *out).run(); }
void place_apart(Graph& graph, Storage* out) { Elision(graph, *out).run_apart(); }

}  // namespace anydim
