// SPDX-License-Identifier: Apache-2.0
// A program as anydim_model_write_program() wrote it (docs/export.md): steps, tensors, sizes and the order of buffers, with the constants
// behind them; and sizes of the exporter's own, which are added to the program's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace anydim_cli::exporting {

// A number, or a size that follows from the inputs' dims.
struct Dim {
  int64_t number = 0;
  int size = -1;
  bool is_number() const { return size < 0; }
  friend bool operator==(const Dim&, const Dim&) = default;
};

enum class SizeOp { symbol, add, sub, mul, floor_div, ceil_div, mod, min, max, broadcast, equal, less, select, trunc_div };

struct Size {
  SizeOp op = SizeOp::symbol;
  std::array<Dim, 3> of;
  int64_t min = 0, max = 0;  // within the bounds
  std::string name;          // of a symbol
  int64_t multiple_of = 1;
  bool assigned = false;  // a symbol that somebody gives a value
  int block = 0;          // of the body whose runs find it (bodies.cpp); 0: it follows from the dims of a call
};

struct Edge {
  std::string name, dtype;
  std::vector<Dim> dims;
  std::vector<std::string> text;
  std::vector<Dim> strides;
  bool optional = false, cache = false;
  std::vector<int> order;  // in memory; none: row-major
  bool row_major() const {
    for (size_t i = 0; i < order.size(); ++i)
      if (order[i] != static_cast<int>(i)) return false;
    return true;
  }
};

struct Buffer {
  // result: memory of a branch or loop; inner: an edge of a body, which is where each run of the body says
  enum class Kind { arena, input, output, result, inner } kind = Kind::arena;
  int index = 0;
  std::string dtype;
  Dim elements;
};

struct Place {
  int buffer = 0;
  std::vector<int> above;  // buffers that it lies above
};

struct Tensor {
  std::string name, dtype;
  std::vector<Dim> dims, strides;
  int buffer = -1;
  Dim offset;
  int64_t constant = -1;  // where its elements begin among the constants
  bool is_constant() const { return constant >= 0; }
};

class Program;

// A symbol that takes the value of an element of an input.
struct InputElement {
  int input = 0;
  int64_t element = 0;
  Dim symbol;
};

// A branch or loop: core/program/control.h, with the same names.
struct Control {
  struct Body {
    std::shared_ptr<Program> program;
    std::vector<int> parameters;
    struct Input {
      enum class From { operand, iteration, carried, slice } from = From::operand;
      int index = 0;
    };
    std::vector<Input> inputs;
  };
  std::string kind;  // branch, loop, host
  std::vector<Body> bodies;
  std::vector<int> sized_by_step, initial;
  int count = -1, condition = -1;
  bool has_condition = false;
  Dim most_iterations;
  struct Slice {
    int operand = 0, axis = 0;
    bool reverse = false;
  };
  std::vector<Slice> slices;
  struct Stack {
    int axis = 0;
    bool reverse = false;
  };
  std::vector<Stack> stacks;
};

struct Step {
  std::string label, type, op, post_ops, math, quantization;
  std::vector<int> operands;
  int inputs = 0, outputs = 0;
  std::vector<Dim> parameters;       // of a branch or loop: what its bodies' parameters are
  std::shared_ptr<Control> control;  // null: it runs a kernel
};

struct Guard {
  Dim condition;
  std::string step, message;
};

// A model by chunks: core/program/streaming_plan.h, with the same names, and its two programs.
struct Stream {
  struct Line {
    int kind = 0;
    std::vector<int> sources;
    int64_t extent = 1, stride = 1, before = 0, after = 0, reach = 0, least = 1;
    bool round_up = false;
    std::string node;
  };
  struct StreamEdge {
    int index = 0, axis = -1, line = 0;
  };
  struct Reader {
    int carry = -1, source = 0, line = 0;
    bool plain = true;
  };
  struct Carry {
    int inputs[2] = {0, 0}, output = 0, axis = 0, line = 0;  // inputs: of the edges' program and of the other
    std::vector<int> readers;
    int64_t most = 0;
  };
  struct State {
    int inputs[2] = {0, 0}, output = 0;
  };
  struct Numbers {
    std::vector<int> inputs;
    std::vector<std::pair<int, int>> numbers;  // what, of
  };
  static constexpr int64_t kNumbersOfInput = 64;
  size_t model_inputs = 0;
  int64_t settled = 0, most_chunk = 0, first_after = 0;
  std::vector<Line> lines;
  std::vector<StreamEdge> inputs, outputs;
  std::vector<Reader> readers;
  std::vector<Carry> carries;
  std::vector<State> states;
  Numbers numbers[2];
  std::shared_ptr<Program> programs[2];  // of the edges, and of all between
  // The axis along which an input comes in chunks; -1: none.
  int axis_of(size_t input) const {
    for (const StreamEdge& e : inputs)
      if (static_cast<size_t>(e.index) == input) return e.axis;
    return -1;
  }
};

class Program {
 public:
  explicit Program(const std::string& path);
  Program() = default;  // of a body, which read() fills

  std::vector<Size> sizes;
  std::vector<Edge> inputs, outputs;
  std::vector<Guard> guards;
  std::vector<Buffer> buffers;
  std::vector<Place> places;
  std::vector<Tensor> tensors;
  std::vector<Step> steps;
  std::vector<int> results;
  std::vector<Dim> parameters;  // of a body: symbols that the program around it gives
  std::vector<InputElement> input_elements;
  int stages = 1;
  std::shared_ptr<Stream> stream;  // then it has edges of its own and no steps

  const char* constant(const Tensor& t) const { return file_.data() + constants_ + static_cast<size_t>(t.constant); }
  template <class T> const T* elements(const Tensor& t) const { return reinterpret_cast<const T*>(constant(t)); }

  // Sizes of the exporter's own; numbers where the bounds leave one value.
  Dim make(SizeOp op, Dim a, Dim b, Dim c = {});
  Dim mul(Dim a, Dim b) { return make(SizeOp::mul, a, b); }
  Dim add(Dim a, Dim b) { return make(SizeOp::add, a, b); }
  std::vector<Dim> dense_strides(const std::vector<Dim>& dims);
  int64_t least(Dim d) const { return d.is_number() ? d.number : sizes[static_cast<size_t>(d.size)].min; }
  int64_t most(Dim d) const { return d.is_number() ? d.number : sizes[static_cast<size_t>(d.size)].max; }
  int block_of(Dim d) const { return d.is_number() ? 0 : sizes[static_cast<size_t>(d.size)].block; }
  // Its number where the bounds leave only one.
  Dim folded(Dim d) const { return least(d) == most(d) ? Dim{least(d), -1} : d; }

 private:
  void read(const nlohmann::json& j);
  void read_stream(const nlohmann::json& j);
  void read_edges(const nlohmann::json& j);
  void read_steps(const nlohmann::json& j);
  void dense_inputs();  // strides of inputs follow from their dims
  void find_ranges();

  std::string file_;
  size_t constants_ = 0;
};

int64_t element_count(const std::vector<Dim>& dims);  // of numbers
int dtype_bytes(const std::string& dtype);            // 0: a dtype that is not exported

// Attributes as the operators' text has them: "strides=2,2 group=1".
class Attributes {
 public:
  explicit Attributes(const std::string& op);  // the operator's name first
  const std::string& op() const { return op_; }
  bool has(const std::string& name) const;
  std::string word(const std::string& name) const;
  int64_t integer(const std::string& name, int64_t otherwise = 0) const;
  float real(const std::string& name, float otherwise = 0) const;
  std::vector<int64_t> integers(const std::string& name) const;
  std::vector<float> reals(const std::string& name) const;
  std::vector<Dim> dims(const std::string& name) const;

 private:
  std::string op_;
  std::vector<std::pair<std::string, std::string>> values_;
};

// "clip(0,6)", "add(t)", "sub(t,y)".
struct PostOp {
  std::string function;
  bool tensor = false, reversed = false;
  float alpha = 0, beta = 0;
};
std::vector<PostOp> parse_post_ops(const std::string& text);

float parse_real(const std::string& text);

}  // namespace anydim_cli::exporting
