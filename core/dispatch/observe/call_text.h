// SPDX-License-Identifier: Apache-2.0
// One execution (or creation) of a primitive as one line of text: what ANYDIM_VERBOSE writes, what `anydim replay` reads.
// The format is docs/verbose.md, version 1; within a version fields are added at the end only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/primitive/reuse_policy.h"
#include "core/ops/attributes.h"
#include "core/ops/op.h"
#include "core/ops/quantization.h"
#include "core/tensor/dim.h"

namespace anydim {

// A tensor of the call: what came, and what its descriptor had promised.
struct TensorText {
  DType dtype = DType::none;  // none: absent
  bool weights = false;       // constant, packed before the call
  Dims dims;                  // -1 in a create line where a dim is dynamic
  Strides strides;
  bool dynamic[kMaxRank] = {};
  DimPromise promises[kMaxRank];  // of the dynamic ones
};

struct CallText {
  enum class Event : uint8_t { execute, create };
  Event event = Event::execute;
  std::string engine = "cpu";
  std::string name;  // of the node, any bytes; empty for a primitive of the caller's
  std::string op;    // describe(); in an execute line with numbers for all dims
  std::vector<TensorText> in, post_in, out;
  PostOps post_ops;
  MathMode mode = MathMode::strict;
  ReusePolicy reuse = ReusePolicy::automatic;
  int threads = 1;
  std::string kernel, tier;
  double microseconds = 0;
  std::shared_ptr<const Quantization> quantization;  // or null
  std::string more;                                  // "scratch=4096": words that may grow; in the line behind those of the quantization
};

std::string write_call(const CallText& call);  // without the line's end

// Reads an execute line, strictly: a failure names the field, the word and its byte in the line.
Status parse_call(std::string_view line, CallText* out);

// "f32[1,3,48,320?32..1200]@0,2,3,1"
std::string write_tensor(const TensorText& tensor);

}  // namespace anydim
