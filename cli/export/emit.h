// SPDX-License-Identifier: Apache-2.0
// What the files of an exported model are made of: calls of kernels in the order of the steps, their operands, and the weights.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/export/program.h"

namespace anydim_cli::exporting {

// Why a step cannot be exported.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The dtypes of weights, each an array of its own.
struct Weights {
  std::vector<float> f32;
  std::vector<int64_t> i64;
  std::vector<int32_t> i32;
  std::vector<int8_t> i8;
  std::vector<uint8_t> u8;  // bool, too

  // Where they begin in their array, a multiple of 64 bytes; equal ones are held once.
  int64_t add(const std::vector<float>& values);
  int64_t add_bytes(const std::vector<int8_t>& values);
  int64_t add_whole(const std::vector<int32_t>& values);
  // A constant as it is; `dtype` says in which array.
  int64_t add(const Program& program, const Tensor& t);

 private:
  std::map<int64_t, int64_t> constants_;  // by place among the program's constants
  std::multimap<uint64_t, std::pair<int64_t, int64_t>> floats_;
};

// The library's kernels for one instruction set (core/kernels/archive/entries.h), as a file, and how they want weights: floats of a
// vector, and the granule of the last panel.
struct Archive {
  std::string set;
  int64_t vector = 0, granule = 0;
  std::string_view bytes;
  std::string file() const { return "libanydim_kernels_" + set + ".a"; }
};
// Of "avx2" and the like; null: "c", kernels as C. Throws Failure for what is not in this build.
const Archive* find_archive(const std::string& set);

// A tensor as a kernel sees it.
struct Operand {
  enum class From { buffer, weights, nowhere } from = From::nowhere;
  int buffer = -1;
  std::string dtype, name;
  Dim offset;
  std::vector<Dim> dims, strides;
};

// How a call is shared between threads: along an axis of its result, a part of each operand that has it. `weights`: floats of packed weights
// for each element of the axis, of which a part has its own.
struct Cut {
  enum class Rule { none, views, outputs, groups, columns } rule = Rule::none;
  std::vector<int> axes;  // by operand; -1: each part gets all of it
  int result = 0;         // operand
  int64_t weights = 0;
};

// A call of a kernel.
struct Call {
  std::string kernel;      // "convolution": its function, and its source's name unless `source` says otherwise
  std::string function;    // of a branch or loop: a function of the source's, in place of a kernel's
  std::string source;      // "" : the kernel's
  std::string attributes;  // the initializer of <kernel>_attributes: "{{2, posts}, ...}"; empty: none
  std::string attributes_type;
  std::vector<PostOp> posts;
  std::vector<Operand> operands;
  std::string label;
  Dim scratch;  // bytes
  Cut cut;
};

// Text of C: a name, a comment, what stands between quotes, the type of an element, a whole number.
std::string upper(std::string s);
std::string identifier(const std::string& from);
std::string comment(std::string s);
std::string quoted(const std::string& s);
const char* c_type(const std::string& dtype);
std::string literal(int64_t n);
// C for a float: exact.
std::string real_text(float v);
// "{1, 2, 3}".
std::string list_text(const std::vector<int64_t>& values);

// The functions that kernels have: of one element, of two; false: not this one.
bool has_unary(const std::string& function);
bool has_binary(const std::string& function);

// A tensor as a kernel gets it. Throws Unsupported for a dtype that is not exported.
Operand operand_of(Program& program, Weights& weights, const Tensor& t);

// The rule for a call of a kernel in C; none where it stays on one thread.
Cut find_cut(const Program& program, const Call& call);

// One step as calls; throws Unsupported.
std::vector<Call> translate(Program& program, const Step& step, Weights& weights, const Archive* archive);

struct ExportNames {
  std::string name;   // "rec": functions are rec_run, rec_bytes
  std::string model;  // the file that it came from, for comments
  const Archive* archive = nullptr;
  int threads = 1;  // parts of a step at most; 1: no function for several threads
};
// An argument of the exported function.
struct Argument {
  std::string name, type, elements;  // "x", "float", "REC_X_ELEMENTS"
  Edge edge;
};
struct ExportFiles {
  std::map<std::string, std::string> text;  // by name
  std::vector<Argument> inputs, outputs;
  // The dims that the caller chooses: names, and from where to where.
  struct Choice {
    std::string name;
    int size = 0;  // the program's
  };
  std::vector<Choice> dims;
  int64_t arena_bytes = 0, weight_bytes = 0;
  size_t calls = 0;
};
// Throws Failure with everything that cannot be exported.
ExportFiles make_files(Program& program, const ExportNames& names, bool weights_as_c);

// The weights' files, as C or as bytes.
void write_weights(const Weights& weights, const std::string& name, const std::string& from, bool as_c, ExportFiles* files);

// All that calls need, in one file.
std::string kernels_text(const std::vector<Call>& calls, int rank, const ExportNames& names);
// Under the name of the model.
std::string renamed(std::string text, const std::string& name);

// The sources in cli/export/kernels, by name; null if there is none.
const char* kernel_source(const std::string& name);

}  // namespace anydim_cli::exporting
