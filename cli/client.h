// SPDX-License-Identifier: Apache-2.0
// The C API for this program: handles that destroy themselves, failures as exceptions that end the command.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anydim/anydim.h"

namespace anydim_cli {

// What ends a command: its text goes to stderr.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The library names its function first, which the user of a program does not care about.
inline std::string last_message() {
  std::string_view text = anydim_last_error();
  if (text.substr(0, 7) == "anydim_")
    if (const size_t colon = text.find(": "); colon != std::string_view::npos) text.remove_prefix(colon + 2);
  return std::string(text);
}

// `what` begins the message, unless the library's own words begin with it: a file is named once.
inline void check(anydim_status_t status, std::string_view what = {}) {
  if (status == ANYDIM_STATUS_OK) return;
  const std::string message = last_message();
  if (what.empty() || std::string_view(message).substr(0, what.size()) == what) throw Failure(message);
  throw Failure(std::string(what) + ": " + message);
}

// Room for so many elements whose number comes from a shape; `what` says whose.
template <class T> void make_room(std::vector<T>* memory, int64_t count, std::string_view what) {
  try {
    memory->resize(static_cast<size_t>(count));
  } catch (const std::exception&) {  // no memory, or more than a vector can ever have
    throw Failure(std::string(what) + ": " + std::to_string(static_cast<size_t>(count) * sizeof(T)) + " bytes could not be allocated");
  }
}

template <class H, void (*destroy)(H)> class Owned {
 public:
  Owned() = default;
  Owned(Owned&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
  Owned& operator=(Owned&& o) noexcept {
    std::swap(handle_, o.handle_);
    return *this;
  }
  ~Owned() { destroy(handle_); }
  H* out() { return &handle_; }
  H get() const { return handle_; }

 private:
  H handle_ = nullptr;
};

template <class H, void (*f)(H) noexcept> void call(H h) { f(h); }
using Engine = Owned<anydim_engine_t, call<anydim_engine_t, anydim_engine_destroy>>;
using Model = Owned<anydim_model_t, call<anydim_model_t, anydim_model_destroy>>;
using Context = Owned<anydim_context_t, call<anydim_context_t, anydim_context_destroy>>;
using Bounds = Owned<anydim_bounds_t, call<anydim_bounds_t, anydim_bounds_destroy>>;
using Layers = Owned<anydim_layers_t, call<anydim_layers_t, anydim_layers_destroy>>;
using Layouts = Owned<anydim_layouts_t, call<anydim_layouts_t, anydim_layouts_destroy>>;
using Text = Owned<anydim_text_t, call<anydim_text_t, anydim_text_destroy>>;

inline std::string text_of(anydim_string_t s) { return {s.data, static_cast<size_t>(s.length)}; }
inline std::string text_of(const Text& text) {
  anydim_string_t s;
  check(anydim_text_get_data(text.get(), &s));
  return text_of(s);
}

const char* dtype_name(anydim_dtype_t dtype);
int64_t dtype_size(anydim_dtype_t dtype);

// An engine and a model of a file.
struct Loaded {
  Engine engine;  // the processor's
  Engine device;  // another one that it runs on, too; null if none was asked for
  Model model;
};
// What is loaded, and how.
struct LoadOptions {
  std::string model;
  std::vector<std::string> layouts;       // memory orders asked for, as parse_layouts() reads them
  std::string packed;                     // a file of packed weights, or empty
  std::string engine;                     // preferred, as make_engine() reads it; empty: the processor alone
  std::vector<std::string> load_engines;  // shared objects whose kinds are loaded before
  bool flushed_denormals = false;         // a device that has none is accepted
  anydim_passes_t passes = ANYDIM_PASSES_ALL;
  anydim_math_t math = ANYDIM_MATH_INHERIT;
  std::vector<std::string> layer_math;  // math modes of single layers, as parse_layers() reads them
};
Loaded load(const LoadOptions& options);
std::vector<anydim_value_info_t> inputs_of(const Model& model);
std::vector<anydim_value_info_t> outputs_of(const Model& model);

}  // namespace anydim_cli
