// SPDX-License-Identifier: Apache-2.0
// What writes the header and the source of an exported model. Its parts are files.cpp (what the program has), header.cpp and source.cpp (the
// text); sizes are SizeCode's.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/export/emit.h"
#include "cli/export/sizes.h"

namespace anydim_cli::exporting {

class Merge;

// Dims and strides of a body's input, or of where its output is to be.
struct View {
  std::vector<Dim> dims, strides;
};

class Writer {
 public:
  Writer(Program& program, const ExportNames& names);
  ExportFiles write(bool weights_as_c);

 private:
  // files.cpp
  void check_edges();
  void translate_steps();
  void translate_block(size_t block, const std::vector<Step>& steps);
  void add_call(size_t block, Call call);
  [[noreturn]] void refuse() const;
  void copy_results();
  void copy_result(size_t output, const Tensor& t);
  void find_scratch();
  int64_t arena_bytes() const;
  int base_of(const Operand& o);
  void collect_specs();
  int buffers() const { return static_cast<int>(p_.buffers.size() + extra_outputs_.size()); }
  std::string edge_name(const Edge& e, const char* what, size_t i);
  // f(edge, its name, whether it is an output)
  template <class F> void each_edge(F&& f) {
    for (size_t i = 0; i < p_.inputs.size(); ++i) f(p_.inputs[i], edge_name(p_.inputs[i], "x", i), false);
    for (size_t i = 0; i < p_.outputs.size(); ++i) f(p_.outputs[i], edge_name(p_.outputs[i], "y", i), true);
  }
  std::string parameters();

  // What is found while a body runs counts as the most that it can be, where memory is reserved before.
  Dim bounded(Dim d) const { return p_.block_of(d) == 0 ? d : Dim{p_.most(d), -1}; }

  // bodies.cpp
  void add_control(size_t block, const Step& step);
  void add_branch(size_t block, const Step& step);
  void add_loop(size_t block, const Step& step);
  class LoopText;
  // A body, or a program of chunks, that becomes a block.
  struct Part {
    const Program* inner = nullptr;
    size_t block = 0;
    std::string label;
    int base = 0;  // the buffer above which its memory lies
    std::vector<View> inputs, outputs;
    // Symbols that each run of it finds, and C that reads them.
    struct Found {
      Dim symbol;
      int64_t least = 0, most = 0;
      std::string text;
      std::function<std::string(const Part&)> read;  // in place of text, when buffers are known
    };
    std::vector<Found> found;
    std::vector<int> input_buffers, output_buffers;  // whose places have to be set before it runs; -1: nothing reads it
  };
  size_t begin_block(std::string label);
  Part add_body(const Step& step, size_t index, int base, std::vector<View> inputs, std::vector<View> outputs);
  void give_inputs(Merge& merge, Part* part);
  void add_memory(Merge& merge, Part* part);
  int connect(Merge& merge, Part* part, size_t output, std::vector<Call>* copies);
  void finish_block(Merge& merge, Part* part);
  int inner_buffer(const std::string& dtype);
  int level_above(size_t block);
  int place_above(std::string dtype, Dim elements, std::vector<int> below);
  void match(size_t block, const std::vector<Dim>& a, const std::vector<Dim>& b, const std::string& label, const std::string& what);

  // stream.cpp
  struct Carried {
    int places[2] = {-1, -1};
    Dim bytes;
  };
  void add_chunks();
  void find_symbols(Merge& merge, int program, Part* part);
  int place_carried(const Part& edges, int base);
  size_t numbers_of_stream() const;
  int64_t stream_bytes();
  std::string stream_tables() const;
  std::string chunk_places(int program);
  std::string stream_functions();
  std::string parameters_of_flush();
  std::string stream_header();

  // header.cpp
  std::string header(int64_t arena);
  std::string struct_of_dims();
  std::string numbers_of(int64_t arena);
  std::string statuses();
  std::string functions();
  std::string with_threads();

  // source.cpp
  std::string source();
  std::string checks(std::string* texts, int* statuses);
  std::string place_table(int* count);
  std::string output_cases();
  std::string tables() const;
  std::string attributes_and_calls(std::vector<std::string>* calls) const;
  std::string block_function(size_t block, const std::vector<std::string>& calls) const;
  std::string run_function();

  Program& p_;
  const std::string name_, big_, from_;
  const ExportNames names_;
  SizeCode sizes_;
  std::vector<std::string> refusals_;
  std::vector<Call> calls_;
  // Calls in their order: of the network, then of bodies of branches and loops.
  struct Block {
    std::string label;
    std::vector<size_t> calls;
    std::vector<int> placed;  // its buffers of the arena
    int level = -1;           // a buffer without elements above all of them
    struct Check {
      Guard guard;
      int status = 0;
      std::string condition;
    };
    std::vector<Check> checks;
    std::vector<std::pair<int, std::string>> elements;  // symbols, and C that reads them
    std::vector<size_t> flows;                          // that it runs
  };
  // A branch or loop: C of its function, with @T@ for the place of its first operand.
  struct Flow {
    std::string text;
    size_t call = 0;
    std::vector<size_t> bodies;
  };
  std::vector<Block> blocks_;
  std::vector<Flow> flows_;
  std::vector<Part> chunks_;                                            // of a stream: the edges' program and the other one
  std::vector<Carried> carried_;                                        // carries, then states
  bool checks_within_ = false, reads_elements_ = false, cuts_ = false;  // cuts_: steps that threads share
  Weights weights_;
  std::map<int, int> output_buffers_;  // by output
  std::vector<int> extra_outputs_;
  Dim scratch_{0, -1};
  std::set<std::string> bases_;
  std::vector<std::string> specs_;
  std::vector<int> operands_, firsts_;
  int most_operands_ = 0, rank_ = 1;
  std::map<std::pair<char, size_t>, std::string> edge_names_;
};

}  // namespace anydim_cli::exporting
