// SPDX-License-Identifier: Apache-2.0
// Following a plan; see followed.h.
#include "core/graph/streaming/followed.h"

#include <algorithm>

namespace anydim {

namespace {
constexpr int64_t kMostFollowedWork = INT64_C(1) << 21;  // elements of the input times lines and carries
}

Status Followed::follow(TimeLines& lines) {
  std::vector<int32_t> all;
  for (size_t l = 0; l < plan_.lines.size(); ++l) all.push_back(static_cast<int32_t>(l));
  const int64_t width = static_cast<int64_t>(plan_.lines.size() + plan_.carries.size());
  const auto too_many = [&] {
    return unimplemented("a result depends on too many elements of the axis to be followed: more than {}", kMostFollowedWork / width);
  };
  settled_ = lines.settled(all);
  period_ = lines.period(all);
  if (settled_ < 0) return too_many();
  const auto extend = [&](int64_t last) {
    while (static_cast<int64_t>(states_.size()) <= last) {
      StreamingPlan::Progress p = states_.empty() ? plan_.start() : states_.back();
      plan_.advance(&p, states_.empty() ? 0 : 1, false);
      p.begun = !states_.empty();
      states_.push_back(std::move(p));
    }
  };
  // What is carried settles a little later than the lines, since it begins before what is computed.
  const auto repeats = [&](int64_t at) {
    const StreamingPlan::Progress &p = states_[static_cast<size_t>(at)], &next = states_[static_cast<size_t>(at + period_)];
    for (size_t c = 0; c < plan_.carries.size(); ++c)
      if (next.base[c] - p.base[c] != lines.per_period(plan_.carries[c].line, period_)) return false;
    // Windows that begin before the first element are padded.
    return std::all_of(plan_.lines.begin(), plan_.lines.end(), [&](const TimeLine& l) {
      const auto line = static_cast<size_t>(&l - plan_.lines.data());
      return l.kind != TimeLine::Kind::window || p.made[line] * l.stride >= l.before;
    });
  };
  for (int64_t good = 0; good <= period_; ++settled_) {
    if ((settled_ + 3 * period_) * width > kMostFollowedWork) return too_many();
    extend(settled_ + period_);
    good = repeats(settled_) ? good + 1 : 0;
    if (good > period_) {
      settled_ -= period_;
      break;
    }
  }
  extend(settled_ + 2 * period_ + 1);
  const int64_t chunk = plan_.most_chunk > 0 ? plan_.most_chunk : 1;
  for (const StreamingPlan::Progress& p : states_) {
    after_chunk_.push_back(p);
    plan_.advance(&after_chunk_.back(), chunk, false);
    at_end_.push_back(p);
    plan_.advance(&at_end_.back(), chunk, true);
  }
  return {};
}

bool Followed::constant(const StreamingPlan::Number& n, int64_t* value) const {
  using What = StreamingPlan::Number::What;
  if (n.what == What::fresh) return *value = 0, true;
  if (n.what == What::made || n.what == What::rest || n.what == What::position || n.what == What::origin) return false;
  for (int64_t i = 0; i < period_; ++i) {
    const auto at = static_cast<size_t>(settled_ + i);
    const int64_t mine = plan_.value(n, states_[at], states_[at + static_cast<size_t>(period_)], false);
    if (i == 0) *value = mine;
    if (mine != *value) return false;
  }
  return true;
}

bool Followed::multiple(int32_t line, int32_t other, int64_t* times) const {
  const auto l = static_cast<size_t>(line), o = static_cast<size_t>(other);
  const StreamingPlan::Progress &first = states_[static_cast<size_t>(settled_)], &next = states_[static_cast<size_t>(settled_ + period_)];
  const int64_t mine = next.made[l] - first.made[l], others = next.made[o] - first.made[o];
  if (others == 0 || mine % others != 0) return false;
  *times = mine / others;
  for (int64_t i = 0; i <= period_; ++i) {
    const StreamingPlan::Progress& p = states_[static_cast<size_t>(settled_ + i)];
    if (p.made[l] - first.made[l] != *times * (p.made[o] - first.made[o])) return false;
  }
  return true;
}

int64_t Followed::most(const StreamingPlan::Number& n, bool edges) const {
  using What = StreamingPlan::Number::What;
  if (n.what == What::position || n.what == What::origin) return kMaxSize;
  if (plan_.most_chunk <= 0 && (n.what == What::made || n.what == What::rest)) return kMaxSize;
  int64_t most = 0;
  for (size_t i = edges ? 0 : static_cast<size_t>(settled_); i < states_.size(); ++i) {
    most = std::max(most, plan_.value(n, states_[i], after_chunk_[i], edges));
    if (edges) most = std::max(most, plan_.value(n, states_[i], at_end_[i], edges));
  }
  return most;
}

int64_t Followed::most_held(size_t carry) const {
  int64_t most = 0;
  for (const StreamingPlan::Progress& p : states_)
    most = std::max(most, p.made[static_cast<size_t>(plan_.carries[carry].line)] - p.base[carry]);
  return most;
}

int64_t Followed::first_after() const {
  for (size_t i = 0; i < states_.size(); ++i)
    if (std::all_of(plan_.outputs.begin(), plan_.outputs.end(),
                    [&](const StreamingPlan::Edge& o) { return o.axis < 0 || states_[i].made[static_cast<size_t>(o.line)] > 0; }))
      return static_cast<int64_t>(i);
  return 0;
}

}  // namespace anydim
