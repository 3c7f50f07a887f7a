// SPDX-License-Identifier: Apache-2.0
// Symbolic dims: a Dim is a number or an expression over symbols; expressions are hash-consed in a DimPool, folded
// and simplified as they are made, and carry the interval that their symbols' bounds allow.
// Shape rules are written once over Dim: with numbers they compute, with symbols they build expressions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/checked.h"
#include "core/base/status.h"
#include "core/tensor/dims.h"

namespace anydim {

// A number (expr < 0) or the expression `expr` of the DimPool it was made in.
class Dim {
 public:
  constexpr Dim() = default;
  constexpr Dim(int64_t value) : value_(value) {}
  static constexpr Dim expression(int32_t id) {
    Dim d;
    d.expr_ = id;
    return d;
  }
  constexpr bool is_number() const noexcept { return expr_ < 0; }
  constexpr bool is(int64_t v) const noexcept { return expr_ < 0 && value_ == v; }
  constexpr int64_t number() const noexcept { return value_; }  // only if is_number()
  constexpr int32_t expr() const noexcept { return expr_; }
  friend constexpr bool operator==(Dim a, Dim b) { return a.expr_ == b.expr_ && a.value_ == b.value_; }

 private:
  int64_t value_ = 0;
  int32_t expr_ = -1;
};

using SymDims = RankArray<Dim>;

struct Interval {
  int64_t min = 0;
  int64_t max = kMaxSize;
};

// What a caller may say of a dynamic dim. min, max and multiple_of are promises that are checked when a tensor
// comes in; hint only orders choices and changes neither results nor bounds.
struct DimPromise {
  int64_t min = 0;
  int64_t max = kMaxSize;
  int64_t hint = -1;
  int64_t multiple_of = 1;
};

enum class DimOp : uint8_t {
  symbol,
  add,
  sub,
  mul,
  floor_div,
  ceil_div,
  mod,  // divisor must be > 0 when evaluated
  min,
  max,
  broadcast,  // a == 1 ? b : a; the guard that a == b or one of them is 1 is the graph's
  equal,      // 1 or 0
  less,       // 1 or 0
  select,     // c ? a : b, c in `c`
  trunc_div,  // C division, for ONNX Div on integers
};

struct DimExpr {
  DimOp op = DimOp::symbol;
  Dim a, b, c;          // operands
  Interval range;       // values it can take within the symbols' promises
  int64_t divisor = 1;  // known to be a multiple of this
  // symbols only
  std::string name;
  DimPromise promise;
};

class DimPool {
 public:
  // A new symbol; `name` is for people ("height", "x.2"). Two calls make two symbols, whatever their names.
  Dim symbol(std::string name, const DimPromise& promise = {});

  Dim add(Dim a, Dim b);
  Dim sub(Dim a, Dim b);
  Dim mul(Dim a, Dim b);
  Dim floor_div(Dim a, Dim b);
  Dim ceil_div(Dim a, Dim b);
  Dim mod(Dim a, Dim b);
  Dim min(Dim a, Dim b);
  Dim max(Dim a, Dim b);
  Dim broadcast(Dim a, Dim b);
  Dim equal(Dim a, Dim b);
  Dim less(Dim a, Dim b);
  Dim select(Dim c, Dim a, Dim b);
  Dim trunc_div(Dim a, Dim b);

  Interval interval(Dim d) const;
  bool provably_equal(Dim a, Dim b);  // a - b simplifies to 0
  bool provably_at_least(Dim d, int64_t v) const { return interval(d).min >= v; }
  int64_t known_divisor(Dim d) const;

  const DimExpr& expr(int32_t id) const { return exprs_[static_cast<size_t>(id)]; }
  int32_t size() const { return static_cast<int32_t>(exprs_.size()); }
  std::string text(Dim d) const;             // "(h + 1) // 2"
  std::string text(const SymDims& d) const;  // "[n, 3, h, w]"

  std::vector<int32_t> symbols(Dim d) const;  // ids of the symbols it is made of, increasing

  // From now on a == b may be assumed (the caller checks it whenever symbols get values: the graph's
  // guards). Expressions made before stay as they are; comparisons and new expressions use it.
  void assume_equal(Dim a, Dim b);
  bool can_assume_equal(Dim a, Dim b) const;  // if not, assume_equal changes nothing
  Dim simplify(Dim d);                        // d with all that is assumed by now

  // Tightens a symbol's promise (a context's bounds) for a copy of the pool. Intervals of expressions made before
  // are computed again.
  void set_promise(int32_t symbol, const DimPromise& promise);

 private:
  // The normal form: a sum of products of atoms (symbols and the results of operations other than + - *), terms by
  // decreasing degree and then by atoms. Two expressions with one normal form are equal.
  static constexpr int kMaxDegree = 6;
  static constexpr size_t kMaxTerms = 48;
  // Quotients of quotients that one division is led back to. Each is of atoms made earlier, so it would end without this, too;
  // what is deeper stays a quotient of a quotient, with the same value.
  static constexpr int kMaxLooked = 64;
  struct Term {
    int64_t coefficient = 0;
    int32_t degree = 0;
    int32_t atoms[kMaxDegree] = {};
  };
  using Poly = std::vector<Term>;
  static int compare(const Term& a, const Term& b) noexcept;  // of the products only
  static bool add_term(Poly* p, const Term& t, int64_t factor);
  static bool multiply(const Term& a, const Term& b, Term* out);
  static bool multiply(const Poly& a, const Poly& b, Poly* out);
  static bool divide(const Poly& a, const Poly& b, Poly* quotient);  // exactly
  static int64_t constant_of(const Poly& p);
  bool normal(Dim d, Poly* out) const;  // false: too large, or overflow
  template <class F> static bool substitute(Poly* p, F&& find);
  static bool has_atom(const Poly& p, int32_t atom);
  bool is_made_of_earlier(Dim d, int32_t than) const;  // its normal form has atoms made before `than` only
  bool difference(Dim a, Dim b, Poly* out) const;
  bool solve(Dim a, Dim b, int32_t* atom, Poly* rest) const;
  Interval interval(const Poly& p) const;
  Dim build(Poly p);
  Dim build_product(Term t);

  Dim make(DimOp op, Dim a, Dim b, Dim c = 0);
  Dim make(DimOp op, Dim a, Dim b, const Poly& form);
  Dim make_atom(DimOp op, Dim a, Dim b, Dim c = 0);
  Dim floor_div_by(Dim a, int64_t c, int looked = 0);
  Interval range_of(const DimExpr& e) const;
  int64_t divisor_of(const Poly& p) const;
  void write(std::string* out, Dim d, int precedence) const;

  struct Key {
    DimOp op;
    Dim a, b, c;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const noexcept;
  };
  std::vector<DimExpr> exprs_;
  std::vector<Poly> polys_;  // normal form of each expression
  std::unordered_map<Key, int32_t, KeyHash> known_;
  std::unordered_map<int32_t, Poly> assumed_;   // atom -> what it is taken to equal, in atoms that have no entry
  std::unordered_map<int32_t, int32_t> parts_;  // symbol // multiple_of -> the symbol
};

// Evaluates one operation on numbers; false on overflow or a divisor that is not positive.
bool evaluate(DimOp op, int64_t a, int64_t b, int64_t c, int64_t* out) noexcept;

// Expressions of a pool as straight-line code: values[i] belongs to expression i. Symbols are filled in by the caller
// before run(). Evaluation allocates nothing.
class SlotProgram {
 public:
  SlotProgram() = default;
  explicit SlotProgram(const DimPool& pool);  // of all expressions
  // Of those that `roots` are made of. Slots of others keep what is in them.
  SlotProgram(const DimPool& pool, std::span<const Dim> roots);
  int32_t slots() const noexcept { return pool_size_; }
  // An expression that cannot be evaluated (overflow, a divisor that is not positive) is harmless if nothing reads
  // it, so its slot is poisoned (kBadSlot), what is computed from it too, and evaluation goes on.
  void run(std::span<int64_t> values) const noexcept;

 private:
  struct Step {
    DimOp op;
    int32_t slot;
    Dim a, b, c;
  };
  std::vector<Step> steps_;
  int32_t pool_size_ = 0;
};

// No number that models compute with: INT64_MIN is one ("from the edge", for a slice). A run that comes upon it all the same
// is refused.
constexpr int64_t kBadSlot = -INT64_C(0x7BAD51075107BAD5);
inline int64_t value_of(Dim d, std::span<const int64_t> slots) noexcept {
  return d.is_number() ? d.number() : slots[static_cast<size_t>(d.expr())];
}

// dtype and symbolic dims of a value: what shape rules work on.
struct TensorType {
  DType dtype = DType::none;
  SymDims dims;
};

}  // namespace anydim
