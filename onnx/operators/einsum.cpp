// SPDX-License-Identifier: Apache-2.0
// Einsum as matrix products: operands are folded from left to right, each pair as batch x free x contracted. Of a label
// that stands twice in one operand the diagonal is taken first. An axis of 1 fits any other of its label, as in NumPy.
#include <algorithm>
#include <string>

#include "core/ops/operators/expand.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/reduce.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

// A tensor whose axes have labels: letters, and for the axes of "..." digits, counted from the last.
struct Labelled {
  ValueId value = kNoValue;
  std::string labels;
};

bool has(const std::string& labels, char c) { return labels.find(c) != std::string::npos; }

class Einsum {
 public:
  explicit Einsum(NodeImport& n) : n_(n) {}
  void run();

 private:
  // A term's labels for an operand of this rank; "..." takes what the letters leave.
  std::string parse(std::string_view term, int rank);
  // Axes of one label become one: the elements whose indices in them are equal.
  Labelled diagonal(Labelled x);
  Labelled sum_out(Labelled x, const std::string& keep);
  Labelled reordered(Labelled x, const std::string& order);
  Labelled widened(Labelled x, char label, Dim to);
  Labelled product(const Labelled& a, const Labelled& b, const std::string& keep);
  Dim size(const Labelled& x, char c) { return n_.dims(x.value)[static_cast<int>(x.labels.find(c))]; }

  NodeImport& n_;
};

std::string Einsum::parse(std::string_view term, int rank) {
  std::string letters(term), labels;
  const size_t dots = letters.find("...");
  if (dots != std::string::npos) letters.erase(dots, 3);
  for (const char c : letters)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) n_.wrong("equation holds '{}'; expected letters", shown({&c, 1}));
  const int rest = rank - static_cast<int>(letters.size());
  if (rest < 0 || (rest > 0 && dots == std::string::npos) || rest > kMaxRank)
    n_.wrong("term '{}' names {} axes; the operand has rank {}", shown(term), letters.size(), rank);
  if (!n_.ok()) return {};
  labels = letters;
  if (dots != std::string::npos) {
    std::string digits;
    for (int i = rest - 1; i >= 0; --i) digits += static_cast<char>('0' + i);
    labels.insert(dots, digits);
  }
  return labels;
}

Labelled Einsum::diagonal(Labelled x) {
  for (size_t i = 0; i < x.labels.size() && n_.ok(); ++i) {
    const size_t j = x.labels.find(x.labels[i], i + 1);
    if (j == std::string::npos) continue;
    DimPool& pool = n_.pool();
    const SymDims dims = n_.dims(x.value);
    const Dim size = dims[static_cast<int>(i)];
    n_.require_equal(dims[static_cast<int>(j)], size, "axes of one label");
    Perm order;
    SymDims flat;
    std::string labels;
    for (size_t k = 0; k < x.labels.size(); ++k) {
      if (k == i || k == j) continue;
      order.push_back(static_cast<int32_t>(k));
      flat.push_back(dims[static_cast<int>(k)]);
      labels += x.labels[k];
    }
    order.push_back(static_cast<int32_t>(i));
    order.push_back(static_cast<int32_t>(j));
    flat.push_back(pool.mul(size, size));
    const ValueId places = n_.add(Range::make(DType::i64, 0, pool.add(size, 1), size), {});
    const ValueId joined = n_.reshape(n_.transpose(x.value, order), flat);
    x = {n_.add(Gather::make(flat.rank - 1), {joined, places}), labels + x.labels[i]};
    i = static_cast<size_t>(-1);  // again, from the first
  }
  return x;
}

Labelled Einsum::sum_out(Labelled x, const std::string& keep) {
  std::vector<int64_t> axes;
  std::string left;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (has(keep, x.labels[i])) left += x.labels[i];
    else axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return x;
  return {n_.add(Reduce::make(ReduceKind::sum, axes, false), {x.value}), left};
}

Labelled Einsum::reordered(Labelled x, const std::string& order) {
  if (order == x.labels || !n_.ok()) return x;
  Perm perm;
  for (const char c : order) perm.push_back(static_cast<int32_t>(x.labels.find(c)));
  return {n_.transpose(x.value, perm), order};
}

// Repeats an axis of 1, or of what only a run knows to be 1 or `to`.
Labelled Einsum::widened(Labelled x, char label, Dim to) {
  if (!n_.ok() || n_.pool().provably_equal(size(x, label), to)) return x;
  SymDims dims = n_.dims(x.value);
  dims[static_cast<int>(x.labels.find(label))] = to;
  return {n_.add(Expand::make(dims), {x.value}), x.labels};
}

Labelled Einsum::product(const Labelled& left, const Labelled& right, const std::string& keep) {
  Labelled a = sum_out(left, keep + right.labels), b = sum_out(right, keep + left.labels);
  if (!n_.ok()) return {};
  std::string batch, shared, free_a, free_b;
  for (const char c : a.labels) (!has(b.labels, c) ? free_a : has(keep, c) ? batch : shared) += c;
  for (const char c : b.labels)
    if (!has(a.labels, c)) free_b += c;
  // A product repeats axes of its batch by itself.
  for (const char c : shared) {
    const Dim of_a = size(a, c), of_b = size(b, c);
    DimPool& pool = n_.pool();
    const Dim one = pool.select(pool.equal(of_a, 1), 1, pool.equal(of_b, 1));
    n_.require(pool.select(one, 1, pool.equal(of_a, of_b)),
               formatted("label {}: {} and {} are equal, or one of them is 1", c, pool.text(of_a), pool.text(of_b)));
    const Dim both = pool.broadcast(of_a, of_b);
    a = widened(a, c, both);
    b = widened(b, c, both);
  }
  a = reordered(a, batch + free_a + shared);
  b = reordered(b, batch + shared + free_b);
  const int batches = static_cast<int>(batch.size());
  if (batches + 2 > kMaxRank) n_.unsupported("{} labels stay on both sides; at most {}", batches, kMaxRank - 2);
  if (!n_.ok()) return {};
  const auto matrix = [&](const Labelled& x, int first, int rows) {
    const SymDims d = n_.dims(x.value);
    SymDims m;
    for (int i = 0; i < first; ++i) m.push_back(d[i]);
    m.push_back(n_.product(d, first, first + rows));
    m.push_back(n_.product(d, first + rows, d.rank));
    return n_.reshape(x.value, m);
  };
  const ValueId y =
      n_.add(Matmul::make({}), {matrix(a, batches, static_cast<int>(free_a.size())), matrix(b, batches, static_cast<int>(shared.size()))});
  if (!n_.ok()) return {};
  SymDims dims;
  for (int i = 0; i < batches; ++i) dims.push_back(n_.dims(y)[i]);
  for (const char c : free_a) dims.push_back(size(a, c));
  for (const char c : free_b) dims.push_back(size(b, c));
  return {n_.reshape(y, dims), batch + free_a + free_b};
}

void Einsum::run() {
  std::string equation(n_.text("equation", ""));
  std::erase(equation, ' ');
  const size_t arrow = equation.find("->");
  const std::string terms = equation.substr(0, arrow);
  std::vector<Labelled> operands;
  std::string all;  // labels of all terms, as often as they stand
  int widest = 0;   // axes of the widest "..."
  for (size_t at = 0, i = 0; at <= terms.size(); ++i) {
    const size_t comma = std::min(terms.find(',', at), terms.size());
    const ValueId x = n_.widened(n_.in(i));
    operands.push_back({x, parse(std::string_view(terms).substr(at, comma - at), n_.rank(x))});
    all += operands.back().labels;
    operands.back() = diagonal(operands.back());
    if (!n_.ok()) return;
    for (const char c : operands.back().labels)
      if (c < 'A') widest = std::max(widest, c - '0' + 1);
    at = comma + 1;
  }
  if (operands.size() != n_.input_count())
    return n_.wrong("equation has {} terms; the node has {} inputs", operands.size(), n_.input_count());
  std::string output;
  if (arrow != std::string::npos) {
    std::string term = equation.substr(arrow + 2);
    const bool dots = term.find("...") != std::string::npos;
    output = parse(term, static_cast<int>(term.size()) - (dots ? 3 : 0) + (dots ? widest : 0));
    for (size_t i = 0; i < output.size(); ++i)
      if (output.find(output[i], i + 1) != std::string::npos) n_.wrong("output label {} stands twice", output[i]);
  } else {
    // All axes of "...", then the letters that stand once in the whole equation, in order.
    for (int i = widest - 1; i >= 0; --i) output += static_cast<char>('0' + i);
    for (char c = 'A'; c <= 'z'; ++c)
      if (std::ranges::count(all, c) == 1) output += c;
  }
  for (const char c : output)
    if (n_.ok() && std::none_of(operands.begin(), operands.end(), [&](const Labelled& o) { return has(o.labels, c); }))
      n_.wrong("output label {} is in no term", c);
  if (!n_.ok()) return;
  Labelled total = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string keep = output;
    for (size_t later = i + 1; later < operands.size(); ++later) keep += operands[later].labels;
    total = product(total, operands[i], keep);
    if (!n_.ok()) return;
  }
  n_.out(0, n_.cast(reordered(sum_out(total, output), output).value, n_.dtype(n_.in(0))));
}

void einsum(NodeImport& n) { Einsum(n).run(); }

constexpr Importer kEinsumOperators[] = {
    {"Einsum", 12, einsum},
};

}  // namespace

std::span<const Importer> einsum_importers() { return kEinsumOperators; }

}  // namespace anydim::onnx
