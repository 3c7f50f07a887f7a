// SPDX-License-Identifier: Apache-2.0
// How a model is computed chunk by chunk along one axis, as plain data: the time lines of its tensors, what is carried from one run to the
// next, and the numbers that each run gets. All of it follows from how many elements have come so far, whatever the chunks were. Made by
// core/graph/streaming, run by core/run/streaming.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/program/program.h"

namespace anydim {

// The positions along the streamed axis in one place of the model. The elements of an input are the line 0; what an operator makes of
// them has a line of its own where its elements are others, or come later.
struct TimeLine {
  enum class Kind : uint8_t {
    input,
    window,      // convolution, pooling
    transposed,  // transposed convolution
    padded,      // elements before and after, all there is between
    cut,         // elements left out at both ends
    resized,     // each element becomes `stride`
    joined,      // as many as all sources have
    attended,    // attention: `reach` elements behind each are read, `before` before it
  };
  Kind kind = Kind::input;
  std::vector<int32_t> sources;    // earlier lines
  int64_t extent = 1, stride = 1;  // of a window
  int64_t before = 0, after = 0;   // padding; of a transposed window and of a cut: what is left out
  int64_t reach = 0;               // elements of the source that are read on both sides; of padding: that the end is made of
  int64_t least = 1;               // padded: elements of the source that the first ones are made of
  bool round_up = false;           // pooling's ceil_mode
  std::string node;                // that made it, for messages

  // How many elements there are when the sources have as many and go on, and when they have ended. `lengths`: by line.
  int64_t so_far(std::span<const int64_t> lengths) const noexcept;
  int64_t at_end(std::span<const int64_t> lengths) const noexcept;
  // The first element of the source that is read for element `made` of this line, or for a later one. The program of the edges begins
  // there, which pads all windows; that of the middle maybe later.
  int64_t needed(int64_t made) const noexcept;
  // The same for the program of the middle, which pads none.
  int64_t needed_between(int64_t made) const noexcept;
  friend bool operator==(const TimeLine&, const TimeLine&) = default;
};

struct StreamingPlan {
  // An input or output along the streamed axis.
  struct Edge {
    int32_t index = 0;
    int32_t axis = -1;  // outputs: -1 where it has no such axis: it is there at the end
    int32_t line = 0;
  };
  // Who reads a carried tensor: results that are the elements of `line`; `plain`: element by element, else as the line says.
  struct Reader {
    int32_t carry = -1;  // -1: of a tensor that is not carried, `source`: its line
    int32_t source = 0;
    int32_t line = 0;
    bool plain = true;
  };
  // The elements of a tensor that later runs read again: an input and an output of both programs.
  struct Carry {
    int32_t edges_input = 0, between_input = 0, output = 0;
    int32_t axis = 0;
    int32_t line = 0;
    std::vector<int32_t> readers;
    int64_t most = 0;  // elements along the axis that it ever holds between runs
  };
  // What a recurrent layer or a running sum hands on, which is as long whatever came: an input and an output of both programs.
  struct State {
    int32_t edges_input = 0, between_input = 0, output = 0;
  };
  // A number that a run gets: an element of an input of i64.
  struct Number {
    enum class What : uint8_t {
      made,        // elements that the run adds to line `of`
      kept,        // elements of carry `of` after the run
      first,       // where reader `of` begins to read
      rest,        // elements from there on
      skip,        // results of reader `of` that were there before
      pad_before,  // of line `of`
      pad_after,
      position,  // of the first new element of line `of`
      origin,    // of the first element that reader `of` reads
      fresh,     // 1 in the first run
    } what = What::made;
    int32_t of = 0;
    friend bool operator==(const Number&, const Number&) = default;
  };
  static constexpr int64_t kNumbersOfInput = 64;  // elements of such an input: so many become symbols
  struct Numbers {
    std::vector<int32_t> inputs;
    std::vector<Number> numbers;
  };

  std::vector<TimeLine> lines;
  std::vector<Edge> inputs, outputs;  // outputs: all of the model's
  size_t model_inputs = 0;            // the first inputs of both programs
  std::vector<Reader> readers;
  std::vector<Carry> carries;
  std::vector<State> states;
  Numbers edges, between;
  int64_t settled = 0;      // elements of the input after which the program of the middle may run
  int64_t most_chunk = 0;   // elements of a chunk, at most; 0: any number
  int64_t first_after = 0;  // elements of the input after which each output along the axis has begun

  // Where a stream is, by what has come.
  struct Progress {
    int64_t received = 0;
    bool begun = false, ended = false;
    std::vector<int64_t> made;  // by line
    std::vector<int64_t> base;  // by carry: the element of its line that it begins with
  };
  Progress start() const;
  // After `count` more elements.
  void advance(Progress* p, int64_t count, bool ends) const;
  // Whether what lines have ended with fits: two that are joined are as long.
  Status check_end(const Progress& p) const;
  int64_t value(const Number& n, const Progress& before, const Progress& after, bool edges) const noexcept;
};

// A model for streams: the plan, and its two programs. That of the edges runs while windows reach before the first element, and at the end;
// that of the middle otherwise. Both have the inputs and outputs that the plan names, in the same places but for numbers.
struct StreamingProgram {
  StreamingPlan plan;
  ProgramPtr edges, between;
};
using StreamingProgramPtr = std::shared_ptr<const StreamingProgram>;

}  // namespace anydim
