// SPDX-License-Identifier: Apache-2.0
// Arguments that name inputs of a model: `x:1,3,48,320`, `x=file.npy`, `x:1,3,48,32..1200`; and the inputs made of them.
#pragma once

#include <string>
#include <vector>

#include "cli/client.h"

namespace anydim_cli {

struct ShapeArgument {
  std::string input;
  std::vector<int64_t> dims;
};
// "x:1,3,48,320". The failure names `option`.
ShapeArgument parse_shape(const std::string& text, const char* option);

// Bounds from "x:1..4,3,48,32..1200"; empty handle for none.
Bounds parse_bounds(const std::vector<std::string>& texts);

// A word of an argument and the number that it stands for in the C API.
struct Word {
  const char* word;
  int32_t number;
};
inline constexpr Word kMathModes[] = {{"strict", ANYDIM_MATH_STRICT}, {"fast", ANYDIM_MATH_FAST}, {"reduced", ANYDIM_MATH_REDUCED}};

// Math modes of layers from "conv_3=fast"; empty handle for none.
Layers parse_layers(const std::vector<std::string>& texts);

// What a model runs in.
struct ContextArguments {
  std::vector<std::string> bounds;  // as parse_bounds() reads them
  int threads = 0;
  anydim_reuse_t reuse = ANYDIM_REUSE_INHERIT;
  int tuning_ms = 0;
  bool profile = false;
};
Context make_context(const Loaded& loaded, const ContextArguments& arguments);

// Layouts from "x:channels_last", "x:0,2,3,1", "y:follow"; empty handle for none.
Layouts parse_layouts(const std::vector<std::string>& texts);

// An input with its memory.
struct Input {
  anydim_view_t view = {};
  std::vector<std::byte> memory;
  std::vector<int64_t> dims;
};
std::vector<anydim_view_t> views_of(const std::vector<Input>& inputs);
struct InputArguments {
  std::vector<std::string> files;   // --input x=file.npy
  std::vector<std::string> random;  // --random x:dims
  std::vector<std::string> shapes;  // --shape x:dims (zeros)
};
// One input per input of the model, in its order. Missing ones with fixed dims are filled with the default of `fill_missing`.
std::vector<Input> make_inputs(const Loaded& loaded, const InputArguments& arguments);

}  // namespace anydim_cli
