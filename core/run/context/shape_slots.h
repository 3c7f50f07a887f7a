// SPDX-License-Identifier: Apache-2.0
// The slots of a context: what every dim, stride and size is at the shape of its inputs, and whether the program can run at it. Knows
// numbers only; memory, plans and views follow them in shape_binding.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/run/context/shape_source.h"

namespace anydim {

class ShapeSlots {
 public:
  // `body`: of a branch or loop, whose sizes are no caller's.
  [[gnu::cold]] ShapeSlots(const Program& program, const ShapeSource& source, bool body);

  std::span<const int64_t> values() const noexcept { return values_; }
  // Changes with each evaluation of the first stage.
  uint64_t version() const noexcept { return version_; }
  bool are_of(const ShapeSource& source) const noexcept { return valid_ && source_.same_shape(source); }

  // Fills those of the first stage; checks guards and dims.
  Status evaluate(const ShapeSource& source);
  // The same for a caller that only asks for dims: restore() then brings back what a run had.
  Status evaluate_between_runs(const ShapeSource& source);
  void restore() noexcept;
  void keep() noexcept { between_runs_ = false; }  // a run follows at the shape that was asked for

  // A size that a later stage reads before its slots are evaluated. False: it has changed.
  bool set_size(size_t stage, size_t read, int64_t size) noexcept;
  int64_t size(size_t stage, size_t read) const noexcept { return stages_[stage].sizes[read]; }
  Status evaluate_stage(size_t stage);

  // Dim attributes of a step, as set_attributes() of its stage found them.
  std::span<const int64_t> attributes(size_t step) const noexcept {
    return std::span<const int64_t>(attributes_).subspan(first_attributes_[step], first_attributes_[step + 1] - first_attributes_[step]);
  }
  void set_attributes(size_t stage) noexcept;

 private:
  struct Stage {
    std::vector<int32_t> checked_dims;  // slots that must not be negative
    std::vector<int64_t> sizes;         // that were read
  };
  Status evaluate_inputs();
  Status check(size_t stage) const;
  [[gnu::cold]] Status refused(size_t stage, const Program::Guard& guard) const;
  [[gnu::cold]] Status negative(size_t stage, int32_t slot) const;
  // What a caller can change, as messages begin: sizes of a body, and those that a run finds, are no caller's.
  [[gnu::cold]] std::string instead(size_t stage, Dim refused) const;
  [[gnu::cold]] std::string inputs_text() const;  // names and dims, for messages
  std::span<const Dim> attribute_dims(size_t stage) const noexcept;

  const Program& program_;
  const bool body_;
  std::vector<Stage> stages_;
  std::vector<Dim> attribute_dims_;       // of all steps
  std::vector<size_t> first_attributes_;  // by step, and their end
  std::vector<int64_t> values_, attributes_;
  std::vector<uint8_t> assigned_;  // of symbols, while they are filled in
  ShapeSource source_;             // of the values
  ShapeSource of_last_run_;        // while others are here
  uint64_t version_ = 0;
  bool valid_ = false, between_runs_ = false;
};

}  // namespace anydim
