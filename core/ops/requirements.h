// SPDX-License-Identifier: Apache-2.0
// What a shape rule assumes of dims that only a run determines. The rule reports it where it uses it, and whoever infers the types
// of a graph makes guards of it (core/graph/infer.cpp), so that there is no second list. Two numbers are decided at once; of others
// nothing is made where nobody asks, as in an execution, whose dims are numbers.
#pragma once

#include <string>
#include <utility>

#include "core/base/text/format.h"
#include "core/base/status.h"
#include "core/tensor/dim.h"

namespace anydim {

// `what` says of what the sizes are: "channels", "axis 2 of its inputs".
class Requirements {
 public:
  virtual void equal(Dim a, Dim b, std::string what) = 0;
  // Equal, or one of them is 1.
  virtual void broadcast(Dim a, Dim b, std::string what) = 0;
  // `part` is read as if it were `whole`: equal, or 1.
  virtual void fits(Dim part, Dim whole, std::string what) = 0;
  virtual void at_most(Dim a, Dim b, std::string what) = 0;
  virtual void multiple(Dim d, int64_t of, std::string what) = 0;
  // Elements that are made from `from` (if `made` are any) need at least one to be made of.
  virtual void source(Dim from, Dim made, std::string what) = 0;

  // While it lives, shape rules that this thread runs over the pool report to `to`.
  class Scope {
   public:
    Scope(const DimPool& pool, Requirements* to) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const DimPool* const pool_before_;
    Requirements* const before_;
  };
  static Requirements* of(const DimPool& pool) noexcept;  // null: nobody asks

 protected:
  ~Requirements() = default;
};

// What a rule asks of two sizes.
enum class Asked { equal, fits, at_most, multiple, source };

// If both are numbers it is decided here, whoever asks: an error if it does not hold, even where the rule's own checks look at dims one
// by one and cannot see it (a product is 0 as soon as one factor is). Else whoever asks is notified.
bool holds(Asked asked, int64_t a, int64_t b) noexcept;
Status refused(Asked asked, int64_t a, int64_t b, const std::string& what);
void tell(Requirements& to, Asked asked, Dim a, Dim b, std::string what);
template <class... A> Status require(Asked asked, const DimPool& pool, Dim a, Dim b, fmt::format_string<A...> what, A&&... args) {
  if (a.is_number() && b.is_number()) {
    if (holds(asked, a.number(), b.number())) return {};
    return refused(asked, a.number(), b.number(), formatted(what, std::forward<A>(args)...));
  }
  if (Requirements* const to = Requirements::of(pool); to != nullptr) tell(*to, asked, a, b, formatted(what, std::forward<A>(args)...));
  return {};
}

template <class... A> Status require_equal(const DimPool& pool, Dim a, Dim b, fmt::format_string<A...> what, A&&... args) {
  return require(Asked::equal, pool, a, b, what, std::forward<A>(args)...);
}
template <class... A> Status require_fits(const DimPool& pool, Dim part, Dim whole, fmt::format_string<A...> what, A&&... args) {
  return require(Asked::fits, pool, part, whole, what, std::forward<A>(args)...);
}
template <class... A> Status require_at_most(const DimPool& pool, Dim a, Dim b, fmt::format_string<A...> what, A&&... args) {
  return require(Asked::at_most, pool, a, b, what, std::forward<A>(args)...);
}
template <class... A> Status require_multiple(const DimPool& pool, Dim d, int64_t of, fmt::format_string<A...> what, A&&... args) {
  return require(Asked::multiple, pool, d, of, what, std::forward<A>(args)...);
}
template <class... A> Status require_source(const DimPool& pool, Dim from, Dim made, fmt::format_string<A...> what, A&&... args) {
  return require(Asked::source, pool, from, made, what, std::forward<A>(args)...);
}

// Axes that meet in a broadcast. Messages count them from the last, without `behind` axes that both have after them. Numbers are decided
// by broadcast_dims(), which every such rule calls.
void require_broadcast(const DimPool& pool, const SymDims& a, const SymDims& b, int behind = 0);

// A tensor of these dims has so many elements.
Status require_count(DimPool& pool, const SymDims& d, const SymDims& count, const char* what);

}  // namespace anydim
