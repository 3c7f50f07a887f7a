// SPDX-License-Identifier: Apache-2.0
// The tables of a model's trees; see tree_tables.h.
#include "onnx/operators/learned/tree_tables.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace anydim::onnx {
namespace {

using Op = TreeEnsemble;

// Inner nodes have to be placed; a leaf may be shared, since each reference makes a leaf of its own.
bool is_inner(const TreeModelNode& node) { return node.mode != Op::kLeaf || node.is_member; }

// How often each inner node under a root is referred to. Converters of categories (LightGBM's, by onnxmltools) let several nodes lead to
// one subtree.
class References {
 public:
  explicit References(const TreeModel& model) : model_(model), tree_(model.nodes.size(), -1), left_(model.nodes.size(), 0) {}

  // Counts those of one more tree. Returns its nodes, the root first; nothing if one belongs to another tree, too.
  std::optional<std::vector<size_t>> count(size_t root, int64_t tree) {
    std::vector<size_t> met;
    const auto refer = [&](size_t of) {
      if (!is_inner(model_.nodes[of])) return true;
      if (tree_[of] == -1) tree_[of] = tree, met.push_back(of);
      ++left_[of];
      return tree_[of] == tree;
    };
    bool own = refer(root);
    for (size_t i = 0; i < met.size() && own; ++i) own = refer(model_.nodes[met[i]].when_true) && refer(model_.nodes[met[i]].when_false);
    return own ? std::optional(std::move(met)) : std::nullopt;
  }
  // One of them is done. Was it the last one?
  bool last(size_t of) { return --left_[of] == 0; }
  bool is_done(size_t of) const { return left_[of] == 0; }

 private:
  const TreeModel& model_;
  std::vector<int64_t> tree_;
  std::vector<int32_t> left_;
};

// Trees in their order, each level by level; a node that several lead to stands behind all of them.
class TablesWriter {
 public:
  TablesWriter(const TreeModel& model, TreeTables* tables)
      : model_(model), t_(*tables), references_(model), place_of_(model.nodes.size(), 0) {}

  TreeDefect write_tree(int64_t tree, size_t root) {
    level_.clear(), later_.clear();
    const auto met = references_.count(root, tree);
    if (!met) return {TreeDefect::reached_twice, root};
    if (is_inner(model_.nodes[root]) && !references_.last(root)) return {TreeDefect::own_descendant, root};
    t_.roots.push_back(static_cast<int32_t>(place(root)));
    for (size_t i = 0; i < level_.size(); ++i) {  // grows while it is walked
      const auto [at, of] = level_[i];
      const TreeModelNode& node = model_.nodes[of];
      if (!is_inner(node)) write_leaf(at, node);
      else write_inner(at, node);
      if (t_.splits.size() > kMostTreeNodes) return {TreeDefect::too_large, of};
    }
    for (const size_t of : *met)
      if (!references_.is_done(of)) return {TreeDefect::own_descendant, of};
    for (const Reference& l : later_) t_.nodes[l.at] = static_cast<int32_t>(place_of_[l.of]);
    return {};
  }

 private:
  // A place in the table and the node of the model that it is for.
  struct Reference {
    size_t at, of;
  };

  size_t append_row() {
    t_.splits.push_back(0);
    t_.nodes.insert(t_.nodes.end(), Op::kColumns, 0);
    return t_.splits.size() - 1;
  }
  int32_t* row(size_t index) { return &t_.nodes[index * Op::kColumns]; }

  // The next row will be node `of` of the model.
  size_t place(size_t of) {
    const size_t at = append_row();
    level_.push_back({at, of});
    return place_of_[of] = at;
  }

  void write_leaf(size_t at, const TreeModelNode& node) {
    row(at)[Op::kFirstWeight] = static_cast<int32_t>(t_.weights.size());
    row(at)[Op::kWeightCount] = static_cast<int32_t>(node.weights.size());
    for (const LeafWeight& w : node.weights) {
      t_.weights.push_back(w.value);
      t_.targets.push_back(static_cast<int32_t>(w.target));
    }
  }

  // A set of k members is k nodes in a row, each of which tests for one and leads to the next if it is another; they have their places in
  // front of the children.
  void write_inner(size_t at, const TreeModelNode& node) {
    t_.features = std::max(t_.features, node.feature + 1);
    std::vector<size_t> chain{at};
    const size_t tests = node.is_member ? std::max<size_t>(node.members.size(), 1) : 1;
    for (size_t m = 1; m < tests; ++m) chain.push_back(append_row());
    const auto child = [&](size_t of) {
      return !is_inner(model_.nodes[of]) || references_.last(of) ? std::optional(place(of)) : std::nullopt;
    };
    const auto yes = child(node.when_true), no = child(node.when_false);
    const auto lead = [&](size_t index, Op::Column column, std::optional<size_t> to, size_t of) {
      if (to) row(index)[column] = static_cast<int32_t>(*to);
      else later_.push_back({index * Op::kColumns + column, of});
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
      t_.splits[chain[m]] = !node.is_member        ? node.split
                            : node.members.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                   : node.members[m];
    }
  }

  const TreeModel& model_;
  TreeTables& t_;
  References references_;
  std::vector<size_t> place_of_;
  std::vector<Reference> level_;  // rows of the tree in their order, but for those of sets behind their first
  std::vector<Reference> later_;  // elements of t_.nodes that refer to nodes without a place yet
};

}  // namespace

TreeDefect make_tree_tables(const TreeModel& model, TreeTables* tables) {
  TablesWriter writer(model, tables);
  for (size_t tree = 0; tree < model.roots.size(); ++tree) {
    const TreeDefect defect = writer.write_tree(static_cast<int64_t>(tree), model.roots[tree]);
    if (defect.kind != TreeDefect::none) return defect;
  }
  return {};
}

}  // namespace anydim::onnx
