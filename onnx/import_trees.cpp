// SPDX-License-Identifier: Apache-2.0
// Ensembles of trees: what a model says of nodes in lists with ids becomes the tables of one operator, children behind their parents.
// A tree that is none (a node that is its own descendant or of two trees; a child or feature that is not there) is refused here. A
// subtree that several nodes of a tree lead to is placed once.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/ops/tree_ensemble.h"
#include "onnx/half.h"
#include "onnx/learned.h"
#include "onnx/operators.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using Op = TreeEnsemble;

struct Weight {
  int64_t target = 0;
  double value = 0;
};
// Nodes as a model numbers them, before they have their places.
struct SourceNode {
  int mode = Op::kLeaf;  // Op::Mode
  bool nan_is_true = false;
  int64_t feature = 0;
  double split = 0;
  std::vector<double> members;  // not empty: it holds for any of these, whatever mode and split are
  bool is_member = false;
  size_t when_true = 0, when_false = 0;
  std::vector<Weight> weights;  // of a leaf
  int64_t id = 0, tree = 0;     // for messages
};
struct Source {
  std::vector<SourceNode> nodes;
  std::vector<size_t> roots;
  int64_t outputs = 1;
};

// The operator's tables.
struct Tables {
  std::vector<double> splits, weights;
  std::vector<int32_t> nodes, roots, targets;
  int64_t features = 0;  // one more than the last that is read
};
constexpr size_t kMostNodes = size_t{1} << 30;

// Inner nodes have to be placed; a leaf may be shared, since each reference makes a leaf of its own.
bool is_inner(const SourceNode& node) { return node.mode != Op::kLeaf || node.is_member; }

// How often each inner node under a root is referred to. Converters of categories (LightGBM's, by onnxmltools) let several nodes lead to
// one subtree. False: two trees share a node.
class References {
 public:
  explicit References(const Source& source) : source_(source), tree_(source.nodes.size(), -1), left_(source.nodes.size(), 0) {}

  // Those of one more tree. Its nodes, the root first.
  std::optional<std::vector<size_t>> count(size_t root, int64_t tree) {
    std::vector<size_t> met;
    const auto refer = [&](size_t of) {
      if (!is_inner(source_.nodes[of])) return true;
      if (tree_[of] == -1) tree_[of] = tree, met.push_back(of);
      ++left_[of];
      return tree_[of] == tree;
    };
    bool own = refer(root);
    for (size_t i = 0; i < met.size() && own; ++i) own = refer(source_.nodes[met[i]].when_true) && refer(source_.nodes[met[i]].when_false);
    return own ? std::optional(std::move(met)) : std::nullopt;
  }
  // One of them is done. Was it the last one?
  bool last(size_t of) { return --left_[of] == 0; }
  bool is_done(size_t of) const { return left_[of] == 0; }

 private:
  const Source& source_;
  std::vector<int64_t> tree_;
  std::vector<int32_t> left_;
};

// Trees in their order, each level by level; a node that several lead to stands behind all of them.
bool make_tables(NodeImport& n, const Source& source, Tables* t) {
  References references(source);
  std::vector<size_t> place_of(source.nodes.size(), 0);
  std::vector<size_t> level, places;
  // Node `index` of the table will be node `of` of the source.
  const auto place = [&](size_t of) {
    t->splits.push_back(0);
    t->nodes.insert(t->nodes.end(), Op::kColumns, 0);
    level.push_back(of);
    places.push_back(t->splits.size() - 1);
    return place_of[of] = places.back();
  };
  // References to shared nodes that have no place yet.
  struct Later {
    size_t at, of;
  };
  std::vector<Later> later;
  for (size_t tree = 0; tree < source.roots.size(); ++tree) {
    const size_t root = source.roots[tree];
    level.clear(), places.clear(), later.clear();
    const auto met = references.count(root, static_cast<int64_t>(tree));
    if (!met) {
      n.wrong("node {} of tree {} is reached twice: expected trees", source.nodes[root].id, source.nodes[root].tree);
      return false;
    }
    if (is_inner(source.nodes[root]) && !references.last(root)) {
      n.wrong("node {} of tree {} is its own descendant: expected trees", source.nodes[root].id, source.nodes[root].tree);
      return false;
    }
    t->roots.push_back(static_cast<int32_t>(place(root)));
    // `level` grows while it is walked; members take places of their own in front of the children.
    for (size_t i = 0; i < level.size(); ++i) {
      const SourceNode& node = source.nodes[level[i]];
      const size_t at = places[i];
      const auto row = [&](size_t index) { return &t->nodes[index * Op::kColumns]; };
      if (!is_inner(node)) {
        row(at)[Op::kFirstWeight] = static_cast<int32_t>(t->weights.size());
        row(at)[Op::kWeightCount] = static_cast<int32_t>(node.weights.size());
        for (const Weight& w : node.weights) {
          t->weights.push_back(w.value);
          t->targets.push_back(static_cast<int32_t>(w.target));
        }
        continue;
      }
      t->features = std::max(t->features, node.feature + 1);
      // A set of k members is k nodes in a row, each equal or on to the next.
      std::vector<size_t> chain{at};
      const size_t tests = node.is_member ? std::max<size_t>(node.members.size(), 1) : 1;
      for (size_t m = 1; m < tests; ++m) {
        t->splits.push_back(0);
        t->nodes.insert(t->nodes.end(), Op::kColumns, 0);
        chain.push_back(t->splits.size() - 1);
      }
      const auto child = [&](size_t of) {
        return !is_inner(source.nodes[of]) || references.last(of) ? std::optional(place(of)) : std::nullopt;
      };
      const auto yes = child(node.when_true), no = child(node.when_false);
      if (t->splits.size() > kMostNodes) {
        n.unsupported("more than {} nodes", kMostNodes);
        return false;
      }
      const auto lead = [&](size_t index, Op::Column column, std::optional<size_t> to, size_t of) {
        if (to) row(index)[column] = static_cast<int32_t>(*to);
        else later.push_back({index * Op::kColumns + column, of});
      };
      for (size_t m = 0; m < tests; ++m) {
        const int mode = node.is_member ? Op::kEqual : node.mode;
        int32_t* const to = row(chain[m]);
        to[Op::kMode] = mode | (node.nan_is_true ? Op::kNanIsTrue : 0);
        to[Op::kFeature] = static_cast<int32_t>(node.feature);
        lead(chain[m], Op::kTrue, yes, node.when_true);
        if (m + 1 < tests) to[Op::kFalse] = static_cast<int32_t>(chain[m + 1]);
        else lead(chain[m], Op::kFalse, no, node.when_false);
        // An empty set holds for nothing.
        t->splits[chain[m]] = !node.is_member        ? node.split
                              : node.members.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                     : node.members[m];
      }
    }
    for (const size_t of : *met) {
      if (references.is_done(of)) continue;
      n.wrong("node {} of tree {} is its own descendant: expected trees", source.nodes[of].id, source.nodes[of].tree);
      return false;
    }
    for (const Later& l : later) t->nodes[l.at] = static_cast<int32_t>(place_of[l.of]);
  }
  return true;
}

ValueId reals(NodeImport& n, const std::vector<double>& v, DType t) {
  const Dims dims{static_cast<int64_t>(v.size())};
  if (t == DType::f64) return n.constant(t, dims, v.data());
  const std::vector<float> narrow(v.begin(), v.end());
  return n.constant(DType::f32, dims, narrow.data());
}
ValueId indices(NodeImport& n, const std::vector<int32_t>& v, const Dims& dims) { return n.constant(DType::i32, dims, v.data()); }

// [rows, outputs] of x's dtype.
ValueId ensemble(NodeImport& n, ValueId x, const Tables& t, TreeAggregate how, int64_t outputs, const std::vector<double>& base) {
  if (!n.ok()) return kNoValue;
  const DType dtype = n.dtype(x);
  const auto count = [](const auto& v) { return static_cast<int64_t>(v.size()); };
  const Dim features = n.dims(x)[1];
  if (features.is_number() && features.number() < std::max<int64_t>(t.features, 1)) {
    n.wrong("a node has feature {}; there are {}", t.features - 1, features.number());
    return kNoValue;
  }
  n.require(n.pool().sub(1, n.pool().less(features, std::max<int64_t>(t.features, 1))),
            formatted("the features, {}, are more than {}, the last that a node has", n.pool().text(features), t.features - 1));
  std::vector<ValueId> inputs{x,
                              reals(n, t.splits, dtype),
                              indices(n, t.nodes, {count(t.splits), Op::kColumns}),
                              indices(n, t.roots, {count(t.roots)}),
                              indices(n, t.targets, {count(t.targets)}),
                              reals(n, t.weights, dtype)};
  if (!base.empty()) inputs.push_back(reals(n, base, dtype));
  return n.add(Op::make({outputs, how}), std::move(inputs));
}

// --- TreeEnsembleRegressor and TreeEnsembleClassifier -----------------------------------------------------------------

// Of a list of floats, or since version 3 of a tensor of input 0's type.
std::vector<double> real_list(NodeImport& n, const std::string& name, DType dtype) {
  const std::vector<float> v = n.reals(name);
  const Attribute* const a = n.opset() >= 3 ? n.find(name + "_as_tensor") : nullptr;
  if (a == nullptr) return {v.begin(), v.end()};
  if (!v.empty()) n.wrong("attributes {} and {}_as_tensor; expected one", name, name);
  else if (a->tensor == nullptr) n.wrong("attribute {}_as_tensor holds no tensor", name);
  if (!n.ok()) return {};
  const ValueId value = n.constant(*a->tensor);
  if (!n.ok()) return {};
  const ConstantTensor& c = *n.graph().value(value).constant;
  if (c.dtype() == DType::f64 && dtype == DType::f64) return {c.as<double>().begin(), c.as<double>().end()};
  if (c.dtype() == DType::f32) return {c.as<float>().begin(), c.as<float>().end()};
  n.wrong("attribute {}_as_tensor is of {}; the trees are of {}", name, dtype_name(c.dtype()), dtype_name(dtype));
  return {};
}

constexpr std::string_view kModes[] = {"LEAF", "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};

// `prefix` of the lists of weights: "target" or "class".
bool read_source(NodeImport& n, DType dtype, const std::string& prefix, Source* s) {
  const std::vector<int64_t> trees = n.integers("nodes_treeids"), ids = n.integers("nodes_nodeids"),
                             features = n.integers("nodes_featureids"), yes = n.integers("nodes_truenodeids"),
                             no = n.integers("nodes_falsenodeids"), missing = n.integers("nodes_missing_value_tracks_true");
  const std::vector<std::string_view> modes = n.texts("nodes_modes");
  const std::vector<double> values = real_list(n, "nodes_values", dtype);
  if (!n.ok()) return false;
  const size_t count = ids.size();
  if (count == 0) return n.wrong("it has no nodes"), false;
  const auto as_many = [&](size_t found, const char* what) {
    if (n.ok() && found != count) n.wrong("{} has {} entries; nodes_nodeids has {}", what, found, count);
  };
  as_many(trees.size(), "nodes_treeids");
  as_many(features.size(), "nodes_featureids");
  as_many(yes.size(), "nodes_truenodeids");
  as_many(no.size(), "nodes_falsenodeids");
  as_many(modes.size(), "nodes_modes");
  as_many(values.size(), "nodes_values");
  if (!missing.empty()) as_many(missing.size(), "nodes_missing_value_tracks_true");
  if (!n.ok()) return false;
  struct Hash {
    size_t operator()(const std::pair<int64_t, int64_t>& id) const noexcept {
      return static_cast<size_t>(id.first) * 0x9E3779B97F4A7C15 ^ static_cast<size_t>(id.second);
    }
  };
  std::unordered_map<std::pair<int64_t, int64_t>, size_t, Hash> place;
  place.reserve(count);
  for (size_t i = 0; i < count; ++i)
    if (!place.emplace(std::pair(trees[i], ids[i]), i).second) return n.wrong("node {} of tree {} is there twice", ids[i], trees[i]), false;
  s->nodes.resize(count);
  std::set<int64_t> known;
  for (size_t i = 0; i < count; ++i) {
    SourceNode& node = s->nodes[i];
    node.id = ids[i], node.tree = trees[i];
    // A tree begins with the first of its nodes.
    if (i == 0 || trees[i] != trees[i - 1]) {
      if (!known.insert(trees[i]).second) return n.wrong("the nodes of tree {} do not stand together", trees[i]), false;
      s->roots.push_back(i);
    }
    const auto* const mode = std::ranges::find(kModes, modes[i]);
    if (mode == std::end(kModes))
      return n.unsupported("node {} of tree {} has mode '{}'; expected LEAF or BRANCH_LEQ, _LT, _GTE, _GT, _EQ, _NEQ", ids[i], trees[i],
                           shown(modes[i])),
             false;
    node.mode = static_cast<int>(mode - kModes);
    if (node.mode == Op::kLeaf) continue;
    if (features[i] < 0 || features[i] >= int64_t{1} << 27)
      return n.wrong("node {} of tree {} has feature {}", ids[i], trees[i], features[i]), false;
    node.feature = features[i];
    node.split = values[i];
    node.nan_is_true = !missing.empty() && missing[i] != 0;
    for (const bool way : {true, false}) {
      const int64_t child = way ? yes[i] : no[i];
      const auto found = place.find({trees[i], child});
      if (found == place.end()) return n.wrong("node {} of tree {} leads to node {}, which is not there", ids[i], trees[i], child), false;
      (way ? node.when_true : node.when_false) = found->second;
    }
  }
  const std::vector<int64_t> of_tree = n.integers(prefix + "_treeids"), of_node = n.integers(prefix + "_nodeids"),
                             targets = n.integers(prefix + "_ids");
  const std::vector<double> weights = real_list(n, prefix + "_weights", dtype);
  if (!n.ok()) return false;
  if (of_tree.size() != weights.size() || of_node.size() != weights.size() || targets.size() != weights.size())
    return n.wrong("{} weights with {} trees, {} nodes and {} targets; expected as many", weights.size(), of_tree.size(), of_node.size(),
                   targets.size()),
           false;
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto found = place.find({of_tree[i], of_node[i]});
    if (found == place.end()) return n.wrong("a weight is of node {} of tree {}, which is not there", of_node[i], of_tree[i]), false;
    if (targets[i] < 0 || targets[i] >= s->outputs) return n.wrong("a weight is of target {}; there are {}", targets[i], s->outputs), false;
    s->nodes[found->second].weights.push_back({targets[i], weights[i]});
  }
  return true;
}

TreeAggregate aggregate_of(int index) {
  constexpr TreeAggregate kAll[] = {TreeAggregate::average, TreeAggregate::sum, TreeAggregate::minimum, TreeAggregate::maximum};
  return kAll[index];
}

// Scores that come out of trees, each row by itself; of one target there is no class beside it.
ValueId scores_of(NodeImport& n, ValueId scores, Transform how, int64_t outputs) {
  // As ONNX Runtime: alone, a score gets the probit and nothing else.
  return outputs == 1 && how != Transform::probit ? scores : transformed(n, scores, how);
}

void tree_regressor(NodeImport& n) {
  const TreeAggregate how = aggregate_of(n.choice("aggregate_function", "SUM", {"AVERAGE", "SUM", "MIN", "MAX"}));
  const Transform then = transform_of(n);
  const ValueId x = feature_rows(n, true);
  if (!n.ok()) return;
  Source s;
  s.outputs = n.integer("n_targets", 1);
  if (n.ok() && (s.outputs < 1 || s.outputs > 65536)) return n.wrong("n_targets is {}; expected 1 to 65536", s.outputs);
  const std::vector<double> base = real_list(n, "base_values", n.dtype(x));
  if (!read_source(n, n.dtype(x), "target", &s)) return;
  if (!base.empty() && static_cast<int64_t>(base.size()) != s.outputs)
    return n.wrong("base_values has {} entries; expected one for each of {} targets", base.size(), s.outputs);
  Tables t;
  if (!make_tables(n, s, &t)) return;
  const ValueId y = scores_of(n, ensemble(n, x, t, how, s.outputs, base), then, s.outputs);
  n.out(0, n.cast(y, DType::f32));
}

// Does each walk through some tree come to a weight of each class?
bool all_are_scored(const Source& s) {
  std::map<int64_t, std::set<int64_t>> by_tree;  // classes that all leaves of a tree have
  for (const SourceNode& node : s.nodes) {
    if (node.mode != Op::kLeaf) continue;
    std::set<int64_t> own;
    for (const Weight& w : node.weights) own.insert(w.target);
    const auto [at, added] = by_tree.emplace(node.tree, own);
    if (!added) std::erase_if(at->second, [&](int64_t c) { return own.count(c) == 0; });
  }
  std::set<int64_t> all;
  for (const auto& [tree, classes] : by_tree) all.insert(classes.begin(), classes.end());
  return static_cast<int64_t>(all.size()) == s.outputs;
}

// Two classes of which only one, `of`, has weights: its sum is the score of the second class.
void one_score(NodeImport& n, ValueId x, Source s, int64_t of, const std::vector<double>& base, const Labels& labels, Transform then) {
  if (base.size() > 1 || (of == 1 && !base.empty()))
    return n.unsupported("{} base values of two classes of which only class {} has weights; expected none, or one if that is class 0",
                         base.size(), of);
  bool positive = true;
  for (SourceNode& node : s.nodes)
    for (Weight& w : node.weights) {
      positive = positive && !(w.value < 0);
      w.target = 0;
    }
  Tables t;
  if (!make_tables(n, s, &t)) return;
  const ValueId score = ensemble(n, x, t, TreeAggregate::sum, 1, base);
  if (!n.ok()) return;
  give_labels(n, labels, holds(n, n.binary(B::less, n.scalar(n.dtype(x), positive ? 0.5 : 0.0), score)));
  ValueId both = kNoValue;
  if (of == 0) {
    both = two_columns(n, score, then, !positive);
  } else {
    // [0, score], as it stands in the model.
    Source wide = s;
    for (SourceNode& node : wide.nodes)
      for (Weight& w : node.weights) w.target = 1;
    Tables u;
    if (!make_tables(n, wide, &u)) return;
    both = transformed(n, ensemble(n, x, u, TreeAggregate::sum, 2, {}), then);
  }
  n.out(1, n.cast(both, DType::f32));
}

void tree_classifier(NodeImport& n) {
  const Transform then = transform_of(n);
  const Labels labels = labels_of(n, "classlabels_int64s", "classlabels_strings");
  const ValueId x = feature_rows(n, true);
  if (!n.ok()) return;
  Source s;
  s.outputs = labels.count();
  if (s.outputs < 2 || s.outputs > 65536) return n.unsupported("it has {} classes; expected 2 to 65536", s.outputs);
  const std::vector<double> base = real_list(n, "base_values", n.dtype(x));
  if (!read_source(n, n.dtype(x), "class", &s)) return;
  std::set<int64_t> weighted;
  bool negative = false;
  for (const SourceNode& node : s.nodes)
    for (const Weight& w : node.weights) {
      weighted.insert(w.target);
      negative = negative || w.value < 0;
    }
  if (s.outputs == 2 && weighted.size() == 1) return one_score(n, x, std::move(s), *weighted.begin(), base, labels, then);
  if (!base.empty() && static_cast<int64_t>(base.size()) != s.outputs)
    return n.wrong("base_values has {} entries; expected one for each of {} classes", base.size(), s.outputs);
  Tables t;
  if (!make_tables(n, s, &t)) return;
  const ValueId scores = ensemble(n, x, t, TreeAggregate::sum, s.outputs, base);
  if (!n.ok()) return;
  ValueId ranked = scores;
  if (negative && base.empty() && !all_are_scored(s)) {
    // A class without any weight on a row's way is not the largest, even where all others are below 0.
    Tables counts = t;
    std::fill(counts.weights.begin(), counts.weights.end(), 1.0);
    const ValueId seen = ensemble(n, x, counts, TreeAggregate::sum, s.outputs, {});
    const DType dtype = n.dtype(x);
    ranked = n.where(n.binary(B::less, n.scalar(dtype, 0), seen), scores, n.scalar(dtype, -std::numeric_limits<double>::infinity()));
  }
  give_labels(n, labels, largest(n, ranked));
  n.out(1, n.cast(transformed(n, scores, then), DType::f32));
}

// --- TreeEnsemble ------------------------------------------------------------------------------------------------------

template <class T> std::vector<T> tensor_list(NodeImport& n, const char* name, bool required) {
  const Attribute* const a = n.find(name);
  if (!n.ok() || (a == nullptr && !required)) return {};
  if (a == nullptr || a->tensor == nullptr) return n.wrong("attribute {} holds no tensor", name), std::vector<T>();
  const ValueId value = n.constant(*a->tensor);
  if (!n.ok()) return {};
  const ConstantTensor& c = *n.graph().value(value).constant;
  const auto list = [](const auto& v) { return std::vector<T>(v.begin(), v.end()); };
  switch (c.dtype()) {
    case DType::f32: return list(c.as<float>());
    case DType::f64: return list(c.as<double>());
    case DType::u8: return list(c.as<uint8_t>());
    case DType::i64: return list(c.as<int64_t>());
    case DType::f16: {
      std::vector<T> v;
      for (const uint16_t h : c.as<uint16_t>()) v.push_back(static_cast<T>(half_to_float(h)));
      return v;
    }
    default: n.wrong("attribute {} is of {}", name, dtype_name(c.dtype())); return {};
  }
}

void tree_ensemble(NodeImport& n) {
  const int64_t how = n.integer("aggregate_function", 1), then = n.integer("post_transform", 0), outputs = n.integer("n_targets", 1);
  if (n.ok() && (how < 0 || how > 3)) n.wrong("aggregate_function is {}; expected 0 to 3", how);
  if (n.ok() && (then < 0 || then > 4)) n.wrong("post_transform is {}; expected 0 to 4", then);
  if (n.ok() && (outputs < 1 || outputs > 65536)) n.wrong("n_targets is {}; expected 1 to 65536", outputs);
  const ValueId input = n.in(0);
  const ValueId x = feature_rows(n, true);
  const std::vector<int64_t> roots = n.integers("tree_roots"), features = n.integers("nodes_featureids"),
                             yes = n.integers("nodes_truenodeids"), no = n.integers("nodes_falsenodeids"),
                             yes_leaf = n.integers("nodes_trueleafs"), no_leaf = n.integers("nodes_falseleafs"),
                             missing = n.integers("nodes_missing_value_tracks_true"), targets = n.integers("leaf_targetids");
  const auto modes = tensor_list<int64_t>(n, "nodes_modes", true);
  const auto splits = tensor_list<double>(n, "nodes_splits", true), weights = tensor_list<double>(n, "leaf_weights", true),
             members = tensor_list<double>(n, "membership_values", false);
  if (!n.ok()) return;
  const size_t count = features.size(), leaves = weights.size();
  const auto as_many = [&](size_t found, size_t expected, const char* what) {
    if (n.ok() && found != expected) n.wrong("{} has {} entries; expected {}", what, found, expected);
  };
  as_many(yes.size(), count, "nodes_truenodeids");
  as_many(no.size(), count, "nodes_falsenodeids");
  as_many(yes_leaf.size(), count, "nodes_trueleafs");
  as_many(no_leaf.size(), count, "nodes_falseleafs");
  as_many(modes.size(), count, "nodes_modes");
  as_many(splits.size(), count, "nodes_splits");
  if (!missing.empty()) as_many(missing.size(), count, "nodes_missing_value_tracks_true");
  as_many(targets.size(), leaves, "leaf_targetids");
  if (n.ok() && roots.empty()) n.wrong("it has no trees");
  if (!n.ok()) return;
  Source s;
  s.outputs = outputs;
  s.nodes.resize(count + leaves);
  auto member = members.begin();
  for (size_t i = 0; i < count; ++i) {
    SourceNode& node = s.nodes[i];
    node.id = static_cast<int64_t>(i);
    if (modes[i] < 0 || modes[i] > 6) return n.wrong("node {} has mode {}; expected 0 to 6", i, modes[i]);
    if (features[i] < 0 || features[i] >= int64_t{1} << 27) return n.wrong("node {} has feature {}", i, features[i]);
    node.mode = static_cast<int>(modes[i]) + 1;
    node.feature = features[i];
    node.split = splits[i];
    node.nan_is_true = !missing.empty() && missing[i] != 0;
    if (modes[i] == 6) {
      node.is_member = true;
      if (member == members.end()) return n.wrong("membership_values has no set for node {}", i);
      for (; member != members.end() && *member == *member; ++member) node.members.push_back(*member);
      if (member != members.end()) ++member;
    }
    for (const bool way : {true, false}) {
      const int64_t child = way ? yes[i] : no[i];
      const bool leaf = (way ? yes_leaf[i] : no_leaf[i]) != 0;
      if (child < 0 || child >= static_cast<int64_t>(leaf ? leaves : count))
        return n.wrong("node {} leads to {} {}; there are {}", i, leaf ? "leaf" : "node", child, leaf ? leaves : count);
      (way ? node.when_true : node.when_false) = static_cast<size_t>(child) + (leaf ? count : 0);
    }
  }
  if (member != members.end()) return n.wrong("membership_values has more sets than there are nodes of mode 6");
  for (size_t i = 0; i < leaves; ++i) {
    if (targets[i] < 0 || targets[i] >= outputs) return n.wrong("leaf {} has target {}; there are {}", i, targets[i], outputs);
    s.nodes[count + i].id = static_cast<int64_t>(i);
    s.nodes[count + i].weights.push_back({targets[i], weights[i]});
  }
  for (const int64_t root : roots) {
    if (root < 0 || root >= static_cast<int64_t>(count)) return n.wrong("a tree begins with node {}; there are {}", root, count);
    s.roots.push_back(static_cast<size_t>(root));
  }
  Tables t;
  if (!make_tables(n, s, &t)) return;
  const ValueId y =
      scores_of(n, ensemble(n, x, t, aggregate_of(static_cast<int>(how)), outputs, {}), static_cast<Transform>(then), outputs);
  n.out(0, n.cast(y, n.dtype(input)));
}

constexpr Importer kTreesOperators[] = {
    {"TreeEnsemble", 5, tree_ensemble},
    {"TreeEnsembleClassifier", 1, tree_classifier},
    {"TreeEnsembleRegressor", 1, tree_regressor},
};

}  // namespace

std::span<const Importer> tree_importers() { return kTreesOperators; }

}  // namespace anydim::onnx
