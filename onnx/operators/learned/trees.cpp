// SPDX-License-Identifier: Apache-2.0
// Importers of ensembles of trees: lists of nodes with ids become a TreeModel, its tables (tree_tables.h) the constants of one operator, and
// its sums labels and scores. A child, feature or target that does not exist is refused here.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "onnx/operators/half.h"
#include "onnx/operators/learned/learned.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/learned/tree_tables.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using Op = TreeEnsemble;

// False: the model is refused.
bool tables_of(NodeImport& n, const TreeModel& model, TreeTables* tables) {
  const TreeDefect defect = make_tree_tables(model, tables);
  if (defect.kind == TreeDefect::none) return true;
  const TreeModelNode& node = model.nodes[defect.node];
  if (defect.kind == TreeDefect::too_large) n.unsupported("more than {} nodes", kMostTreeNodes);
  else if (defect.kind == TreeDefect::reached_twice) n.wrong("node {} of tree {} is reached twice: expected trees", node.id, node.tree);
  else n.wrong("node {} of tree {} is its own descendant: expected trees", node.id, node.tree);
  return false;
}

ValueId reals(NodeImport& n, const std::vector<double>& v, DType t) {
  const Dims dims{static_cast<int64_t>(v.size())};
  if (t == DType::f64) return n.constant(t, dims, v.data());
  const std::vector<float> narrow(v.begin(), v.end());
  return n.constant(DType::f32, dims, narrow.data());
}
ValueId indices(NodeImport& n, const std::vector<int32_t>& v, const Dims& dims) { return n.constant(DType::i32, dims, v.data()); }

// [rows, outputs] of x's dtype.
ValueId ensemble(NodeImport& n, ValueId x, const TreeTables& t, TreeAggregate how, int64_t outputs, const std::vector<double>& base) {
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
  const ConstantTensor& c = *n.value(value).constant;
  if (c.dtype() == DType::f64 && dtype == DType::f64) return {c.as<double>().begin(), c.as<double>().end()};
  if (c.dtype() == DType::f32) return {c.as<float>().begin(), c.as<float>().end()};
  n.wrong("attribute {}_as_tensor is of {}; the trees are of {}", name, dtype_name(c.dtype()), dtype_name(dtype));
  return {};
}

// The operator's columns of indices hold no larger ones.
bool is_feature(int64_t index) { return index >= 0 && index < int64_t{1} << 27; }

constexpr std::string_view kModes[] = {"LEAF", "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};

// Where the node of a tree with an id stands in TreeModel::nodes.
struct TreeAndId {
  int64_t tree, id;
  bool operator==(const TreeAndId&) const = default;
};
struct TreeAndIdHash {
  size_t operator()(const TreeAndId& of) const noexcept {
    return static_cast<size_t>(of.tree) * 0x9E3779B97F4A7C15 ^ static_cast<size_t>(of.id);
  }
};
using NodePlaces = std::unordered_map<TreeAndId, size_t, TreeAndIdHash>;

bool read_nodes(NodeImport& n, DType dtype, NodePlaces* place, TreeModel* model) {
  const std::vector<int64_t> trees = n.integers("nodes_treeids"), ids = n.integers("nodes_nodeids"),
                             features = n.integers("nodes_featureids"), yes = n.integers("nodes_truenodeids"),
                             no = n.integers("nodes_falsenodeids"), missing = n.integers("nodes_missing_value_tracks_true");
  const std::vector<std::string_view> modes = n.strings("nodes_modes");
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
  place->reserve(count);
  for (size_t i = 0; i < count; ++i)
    if (!place->emplace(TreeAndId{trees[i], ids[i]}, i).second)
      return n.wrong("node {} of tree {} is there twice", ids[i], trees[i]), false;
  model->nodes.resize(count);
  std::set<int64_t> known;
  for (size_t i = 0; i < count; ++i) {
    TreeModelNode& node = model->nodes[i];
    node.id = ids[i], node.tree = trees[i];
    // A tree begins with the first of its nodes.
    if (i == 0 || trees[i] != trees[i - 1]) {
      if (!known.insert(trees[i]).second) return n.wrong("the nodes of tree {} do not stand together", trees[i]), false;
      model->roots.push_back(i);
    }
    const auto* const mode = std::ranges::find(kModes, modes[i]);
    if (mode == std::end(kModes))
      return n.unsupported("node {} of tree {} has mode '{}'; expected LEAF or BRANCH_LEQ, _LT, _GTE, _GT, _EQ, _NEQ", ids[i], trees[i],
                           shown(modes[i])),
             false;
    node.mode = static_cast<int>(mode - kModes);
    if (node.mode == Op::kLeaf) continue;
    if (!is_feature(features[i])) return n.wrong("node {} of tree {} has feature {}", ids[i], trees[i], features[i]), false;
    node.feature = features[i];
    node.split = values[i];
    node.nan_is_true = !missing.empty() && missing[i] != 0;
    for (const bool way : {true, false}) {
      const int64_t child = way ? yes[i] : no[i];
      const auto found = place->find({trees[i], child});
      if (found == place->end()) return n.wrong("node {} of tree {} leads to node {}, which is not there", ids[i], trees[i], child), false;
      (way ? node.when_true : node.when_false) = found->second;
    }
  }
  return true;
}

// `prefix` of the lists: "target" or "class".
bool read_weights(NodeImport& n, DType dtype, const std::string& prefix, const NodePlaces& place, TreeModel* model) {
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
    if (targets[i] < 0 || targets[i] >= model->outputs)
      return n.wrong("a weight is of target {}; there are {}", targets[i], model->outputs), false;
    model->nodes[found->second].weights.push_back({targets[i], weights[i]});
  }
  return true;
}

// model->outputs is set already.
bool read_model(NodeImport& n, DType dtype, const std::string& prefix, TreeModel* model) {
  NodePlaces place;
  return read_nodes(n, dtype, &place, model) && read_weights(n, dtype, prefix, place, model);
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
  TreeModel s;
  s.outputs = n.integer("n_targets", 1);
  if (n.ok() && (s.outputs < 1 || s.outputs > 65536)) return n.wrong("n_targets is {}; expected 1 to 65536", s.outputs);
  const std::vector<double> base = real_list(n, "base_values", n.dtype(x));
  if (!read_model(n, n.dtype(x), "target", &s)) return;
  if (!base.empty() && static_cast<int64_t>(base.size()) != s.outputs)
    return n.wrong("base_values has {} entries; expected one for each of {} targets", base.size(), s.outputs);
  TreeTables t;
  if (!tables_of(n, s, &t)) return;
  const ValueId y = scores_of(n, ensemble(n, x, t, how, s.outputs, base), then, s.outputs);
  n.out(0, n.cast(y, DType::f32));
}

// Does each walk through some tree come to a weight of each class?
bool all_are_scored(const TreeModel& s) {
  std::map<int64_t, std::set<int64_t>> by_tree;  // classes that all leaves of a tree have
  for (const TreeModelNode& node : s.nodes) {
    if (node.mode != Op::kLeaf) continue;
    std::set<int64_t> own;
    for (const LeafWeight& w : node.weights) own.insert(w.target);
    const auto [at, added] = by_tree.emplace(node.tree, own);
    if (!added) std::erase_if(at->second, [&](int64_t c) { return own.count(c) == 0; });
  }
  std::set<int64_t> all;
  for (const auto& [tree, classes] : by_tree) all.insert(classes.begin(), classes.end());
  return static_cast<int64_t>(all.size()) == s.outputs;
}

// Two classes of which only one, `of`, has weights: its sum is the score of the second class.
void one_score(NodeImport& n, ValueId x, TreeModel s, int64_t of, const std::vector<double>& base, const Labels& labels, Transform then) {
  if (base.size() > 1 || (of == 1 && !base.empty()))
    return n.unsupported("{} base values of two classes of which only class {} has weights; expected none, or one if that is class 0",
                         base.size(), of);
  bool positive = true;
  for (TreeModelNode& node : s.nodes)
    for (LeafWeight& w : node.weights) {
      positive = positive && !(w.value < 0);
      w.target = 0;
    }
  TreeTables t;
  if (!tables_of(n, s, &t)) return;
  const ValueId score = ensemble(n, x, t, TreeAggregate::sum, 1, base);
  if (!n.ok()) return;
  give_labels(n, labels, holds(n, n.binary(B::less, n.scalar(n.dtype(x), positive ? 0.5 : 0.0), score)));
  ValueId both = kNoValue;
  if (of == 0) {
    both = two_columns(n, score, then, !positive);
  } else {
    // [0, score], as it stands in the model.
    TreeModel wide = s;
    for (TreeModelNode& node : wide.nodes)
      for (LeafWeight& w : node.weights) w.target = 1;
    TreeTables u;
    if (!tables_of(n, wide, &u)) return;
    both = transformed(n, ensemble(n, x, u, TreeAggregate::sum, 2, {}), then);
  }
  n.out(1, n.cast(both, DType::f32));
}

void tree_classifier(NodeImport& n) {
  const Transform then = transform_of(n);
  const Labels labels = labels_of(n, "classlabels_int64s", "classlabels_strings");
  const ValueId x = feature_rows(n, true);
  if (!n.ok()) return;
  TreeModel s;
  s.outputs = labels.count();
  if (s.outputs < 2 || s.outputs > 65536) return n.unsupported("it has {} classes; expected 2 to 65536", s.outputs);
  const std::vector<double> base = real_list(n, "base_values", n.dtype(x));
  if (!read_model(n, n.dtype(x), "class", &s)) return;
  std::set<int64_t> weighted;
  bool negative = false;
  for (const TreeModelNode& node : s.nodes)
    for (const LeafWeight& w : node.weights) {
      weighted.insert(w.target);
      negative = negative || w.value < 0;
    }
  if (s.outputs == 2 && weighted.size() == 1) return one_score(n, x, std::move(s), *weighted.begin(), base, labels, then);
  if (!base.empty() && static_cast<int64_t>(base.size()) != s.outputs)
    return n.wrong("base_values has {} entries; expected one for each of {} classes", base.size(), s.outputs);
  // A class without any weight on a row's way is not the largest, even where all others are below 0: decision 134. The same walk counts the
  // weights, as those of further targets.
  const bool counted = s.outputs > 2 && negative && base.empty() && !all_are_scored(s);
  const int64_t classes = s.outputs;
  if (counted) {
    s.outputs *= 2;
    for (TreeModelNode& node : s.nodes)
      for (size_t i = 0, own = node.weights.size(); i < own; ++i) node.weights.push_back({node.weights[i].target + classes, 1.0});
  }
  TreeTables t;
  if (!tables_of(n, s, &t)) return;
  ValueId scores = ensemble(n, x, t, TreeAggregate::sum, s.outputs, base);
  if (!n.ok()) return;
  ValueId ranked = scores;
  if (counted) {
    const ValueId seen = n.slice(scores, 1, classes, classes);
    scores = n.slice(scores, 1, 0, classes);
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
  const ConstantTensor& c = *n.value(value).constant;
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

// The lists of a node TreeEnsemble: inner nodes, leaves, and the first node of each tree.
struct EnsembleLists {
  std::vector<int64_t> roots, features, yes, no, yes_leaf, no_leaf, missing, targets, modes;
  std::vector<double> splits, weights, members;
};

// Each of its length, or the import has failed.
EnsembleLists ensemble_lists(NodeImport& n) {
  EnsembleLists l;
  l.roots = n.integers("tree_roots");
  l.features = n.integers("nodes_featureids");
  l.yes = n.integers("nodes_truenodeids");
  l.no = n.integers("nodes_falsenodeids");
  l.yes_leaf = n.integers("nodes_trueleafs");
  l.no_leaf = n.integers("nodes_falseleafs");
  l.missing = n.integers("nodes_missing_value_tracks_true");
  l.targets = n.integers("leaf_targetids");
  l.modes = tensor_list<int64_t>(n, "nodes_modes", true);
  l.splits = tensor_list<double>(n, "nodes_splits", true);
  l.weights = tensor_list<double>(n, "leaf_weights", true);
  l.members = tensor_list<double>(n, "membership_values", false);
  const size_t count = l.features.size(), leaves = l.weights.size();
  const auto as_many = [&](size_t found, size_t expected, const char* what) {
    if (n.ok() && found != expected) n.wrong("{} has {} entries; expected {}", what, found, expected);
  };
  as_many(l.yes.size(), count, "nodes_truenodeids");
  as_many(l.no.size(), count, "nodes_falsenodeids");
  as_many(l.yes_leaf.size(), count, "nodes_trueleafs");
  as_many(l.no_leaf.size(), count, "nodes_falseleafs");
  as_many(l.modes.size(), count, "nodes_modes");
  as_many(l.splits.size(), count, "nodes_splits");
  if (!l.missing.empty()) as_many(l.missing.size(), count, "nodes_missing_value_tracks_true");
  as_many(l.targets.size(), leaves, "leaf_targetids");
  if (n.ok() && l.roots.empty()) n.wrong("it has no trees");
  return l;
}

// The inner nodes in their order, then the leaves.
TreeModel model_of(NodeImport& n, const EnsembleLists& l, int64_t outputs) {
  constexpr int64_t kMember = 6;  // the mode of a test for a set; the modes before it are those of Op::Mode behind the leaf's
  const size_t count = l.features.size(), leaves = l.weights.size();
  TreeModel model;
  model.outputs = outputs;
  model.nodes.resize(count + leaves);
  auto member = l.members.begin();  // sets end in a NaN each
  for (size_t i = 0; i < count; ++i) {
    TreeModelNode& node = model.nodes[i];
    node.id = static_cast<int64_t>(i);
    if (l.modes[i] < 0 || l.modes[i] > kMember) return n.wrong("node {} has mode {}; expected 0 to 6", i, l.modes[i]), model;
    if (!is_feature(l.features[i])) return n.wrong("node {} has feature {}", i, l.features[i]), model;
    node.mode = static_cast<int>(l.modes[i]) + 1;
    node.feature = l.features[i];
    node.split = l.splits[i];
    node.nan_is_true = !l.missing.empty() && l.missing[i] != 0;
    if (l.modes[i] == kMember) {
      node.is_member = true;
      if (member == l.members.end()) return n.wrong("membership_values has no set for node {}", i), model;
      for (; member != l.members.end() && *member == *member; ++member) node.members.push_back(*member);
      if (member != l.members.end()) ++member;
    }
    for (const bool way : {true, false}) {
      const int64_t child = way ? l.yes[i] : l.no[i];
      const bool leaf = (way ? l.yes_leaf[i] : l.no_leaf[i]) != 0;
      if (child < 0 || child >= static_cast<int64_t>(leaf ? leaves : count))
        return n.wrong("node {} leads to {} {}; there are {}", i, leaf ? "leaf" : "node", child, leaf ? leaves : count), model;
      (way ? node.when_true : node.when_false) = static_cast<size_t>(child) + (leaf ? count : 0);
    }
  }
  if (member != l.members.end()) return n.wrong("membership_values has more sets than there are nodes of mode 6"), model;
  for (size_t i = 0; i < leaves; ++i) {
    if (l.targets[i] < 0 || l.targets[i] >= outputs) return n.wrong("leaf {} has target {}; there are {}", i, l.targets[i], outputs), model;
    model.nodes[count + i].id = static_cast<int64_t>(i);
    model.nodes[count + i].weights.push_back({l.targets[i], l.weights[i]});
  }
  for (const int64_t root : l.roots) {
    if (root < 0 || root >= static_cast<int64_t>(count)) return n.wrong("a tree begins with node {}; there are {}", root, count), model;
    model.roots.push_back(static_cast<size_t>(root));
  }
  return model;
}

void tree_ensemble(NodeImport& n) {
  const int64_t how = n.integer("aggregate_function", 1), then = n.integer("post_transform", 0), outputs = n.integer("n_targets", 1);
  if (n.ok() && (how < 0 || how > 3)) n.wrong("aggregate_function is {}; expected 0 to 3", how);
  if (n.ok() && (then < 0 || then > 4)) n.wrong("post_transform is {}; expected 0 to 4", then);
  if (n.ok() && (outputs < 1 || outputs > 65536)) n.wrong("n_targets is {}; expected 1 to 65536", outputs);
  const ValueId input = n.in(0);
  const ValueId x = feature_rows(n, true);
  const EnsembleLists lists = ensemble_lists(n);
  if (!n.ok()) return;
  const TreeModel model = model_of(n, lists, outputs);
  TreeTables t;
  if (!n.ok() || !tables_of(n, model, &t)) return;
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
