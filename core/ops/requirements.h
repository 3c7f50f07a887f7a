// SPDX-License-Identifier: Apache-2.0
// What a shape rule assumes of dims that only a run determines. The rule reports it where it uses it, and whoever infers the types
// of a graph makes guards of it (core/graph/infer.cpp), so that there is no second list. Two numbers are judged by the rule's own
// checks; nothing is made where nobody asks, as in an execution, whose dims are numbers.
#pragma once

#include <string>
#include <utility>

#include "core/base/format.h"
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

// Calls `tell` with whoever asks, unless both are numbers.
template <class F> void report(const DimPool& pool, Dim a, Dim b, F&& add) {
  if (a.is_number() && b.is_number()) return;
  if (Requirements* const to = Requirements::of(pool); to != nullptr) add(*to);
}

template <class... A> void require_equal(const DimPool& pool, Dim a, Dim b, fmt::format_string<A...> what, A&&... args) {
  report(pool, a, b, [&](Requirements& to) { to.equal(a, b, formatted(what, std::forward<A>(args)...)); });
}
template <class... A> void require_fits(const DimPool& pool, Dim part, Dim whole, fmt::format_string<A...> what, A&&... args) {
  report(pool, part, whole, [&](Requirements& to) { to.fits(part, whole, formatted(what, std::forward<A>(args)...)); });
}
template <class... A> void require_at_most(const DimPool& pool, Dim a, Dim b, fmt::format_string<A...> what, A&&... args) {
  report(pool, a, b, [&](Requirements& to) { to.at_most(a, b, formatted(what, std::forward<A>(args)...)); });
}
template <class... A> void require_multiple(const DimPool& pool, Dim d, int64_t of, fmt::format_string<A...> what, A&&... args) {
  report(pool, d, of, [&](Requirements& to) { to.multiple(d, of, formatted(what, std::forward<A>(args)...)); });
}
template <class... A> void require_source(const DimPool& pool, Dim from, Dim made, fmt::format_string<A...> what, A&&... args) {
  report(pool, from, made, [&](Requirements& to) { to.source(from, made, formatted(what, std::forward<A>(args)...)); });
}

// Axes that meet in a broadcast. Messages count them from the last, without `behind` axes that both have after them.
void require_broadcast(const DimPool& pool, const SymDims& a, const SymDims& b, int behind = 0);

// A tensor of these dims has so many elements.
void require_count(DimPool& pool, const SymDims& d, const SymDims& count, const char* what);

}  // namespace anydim
