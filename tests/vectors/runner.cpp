// SPDX-License-Identifier: Apache-2.0
// Runs the test vectors (README.md) through the C++ header, and prints a line for each case, as runner.c does.
//   runner FOLDER
#include <anydim/anydim.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "tests/vectors/case_file.h"

namespace {

struct Failed {
  const char* step;
  anydim_status_t status;
  std::string message;
};

template <typename Call> auto at(const char* step, Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const anydim::Error& error) {
    throw Failed{step, error.status(), error.what()};
  }
}

anydim::View view_of(const case_tensor_t& t) {
  anydim::View view = anydim::View();
  view.data = t.data;
  view.dtype = t.dtype;
  view.dims = t.dims;
  return view;
}

// What is wrong with an output; empty if nothing.
std::string difference(const case_tensor_t& want, const anydim::Result& got) {
  const std::vector<int64_t> dims(want.dims.values, want.dims.values + want.dims.rank);
  if (got.dtype() != want.dtype || got.dims() != dims) return std::string("output ") + want.name + " has another dtype or other dims";
  const size_t bytes = got.size() * dtype_size(got.dtype());
  if (bytes > 0 && std::memcmp(got.data(), want.data, bytes) != 0) return std::string("output ") + want.name + " has other bits";
  return "";
}

std::vector<anydim::Result> run_model(const std::string& folder, const case_t& c, anydim::Engine engine) {
  const std::string path = folder + "/models/" + c.model;
  anydim::Model model = at("load", [&] {
    anydim::ModelOptions options;
    if (c.sequences[0] != 0) options.sequences = c.sequences;
    if (c.first_bytes < 0) return anydim::Model::load_file(engine, path, options);
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (bytes.size() < static_cast<size_t>(c.first_bytes)) stop("cannot read", path.c_str());
    return anydim::Model::load_memory(engine, bytes.data(), c.first_bytes);
  });
  anydim::Session session = at("create", [&] {
    if (c.bounds_count == 0) return anydim::Session::create(model);
    anydim::Bounds bounds = anydim::Bounds::create();
    for (int i = 0; i < c.bounds_count; ++i) bounds.set(c.bounds[i].input, {c.bounds[i].dims, static_cast<size_t>(c.bounds[i].rank)});
    return anydim::Session::create(model, bounds);
  });

  std::vector<anydim::View> inputs;
  int asked = -1;
  at("find", [&] {
    inputs.resize(static_cast<size_t>(std::get<0>(model.counts())), anydim::View());
    for (size_t i = 0; i < inputs.size(); ++i) {  // what is left out has no data
      const anydim::ValueInfo info = model.input(static_cast<int32_t>(i));
      inputs[i].dtype = info.dtype;
      inputs[i].dims = info.dims;
      for (int32_t d = 0; d < info.dims.rank; ++d) inputs[i].dims.values[d] = 1;
    }
    for (int i = 0; i < c.input_count; ++i) inputs[static_cast<size_t>(model.find_input(c.inputs[i].name))] = view_of(c.inputs[i]);
    if (c.ask[0] != 0) asked = model.find_output(c.ask);
  });
  const std::string destroyed = c.destroy;
  return at("run", [&] {
    if (destroyed == "engine") engine.reset();
    if (destroyed == "session") session.reset();
    std::vector<anydim::Result> results;
    if (asked < 0 && destroyed != "model") return anydim::run(session, model, inputs);
    // One output, or no model whose several outputs could differ.
    std::vector<anydim::View> outputs(static_cast<size_t>(std::get<1>(model.counts())), anydim::View());
    const size_t index = static_cast<size_t>(asked < 0 ? 0 : asked);
    outputs[index].dtype = model.output(static_cast<int32_t>(index)).dtype;
    model.reset();
    session.run(inputs, outputs);
    results.emplace_back(outputs[index]);
    return results;
  });
}

std::vector<anydim::Result> run_primitive(const case_t& c, const anydim::Engine& engine) {
  const std::string name = c.operation;
  anydim::Stream stream = anydim::Stream::create(engine);
  anydim::Primitive primitive = at("create", [&] {
    std::vector<anydim::Desc> descs;
    std::vector<anydim_desc_t> handles;
    for (int i = 0; i < c.desc_count; ++i) {
      const case_dims_t& d = c.descs[i];
      descs.push_back(anydim::Desc::create(d.dtype, {d.dims, static_cast<size_t>(d.rank)}, ANYDIM_LAYOUT_STRIDED));
      handles.push_back(descs.back());
    }
    anydim::Unary relu;
    relu.function = ANYDIM_UNARY_RELU;
    const anydim::Matmul matmul;
    if (name != "relu" && name != "matmul") stop("no operator of the vectors", c.operation);
    return anydim::Primitive::create(engine, name == "relu" ? relu.op : matmul.op, nullptr, handles);
  });
  std::vector<anydim::View> inputs;
  for (int i = 0; i < c.input_count; ++i) inputs.push_back(view_of(c.inputs[i]));
  return at("run", [&] {
    anydim::View output = anydim::View();
    output.dtype = primitive.output_dtype(0);
    primitive.execute(stream, inputs, output);
    std::vector<anydim::Result> results;
    results.emplace_back(output);
    return results;
  });
}

std::string outcome(const std::string& folder, const case_t& c) {
  char word[WORD];
  try {
    anydim::Engine engine = anydim::Engine::create(ANYDIM_ENGINE_CPU);
    const std::vector<anydim::Result> results = c.operation[0] != 0 ? run_primitive(c, engine) : run_model(folder, c, std::move(engine));
    if (c.step[0] != 0) return std::string("WRONG it ran; expected ") + c.step + " " + c.statuses;
    if (results.size() != static_cast<size_t>(c.output_count)) return "WRONG " + std::to_string(results.size()) + " outputs";
    uint64_t digest = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string wrong = difference(c.outputs[i], results[i]);
      if (!wrong.empty()) return "WRONG " + wrong;
      digest = digest_of(digest, static_cast<const unsigned char*>(results[i].data()), c.outputs[i].bytes);
    }
    snprintf(word, sizeof(word), "%016" PRIx64, digest);
    return word;
  } catch (const Failed& failed) {
    const bool expected = is_among(failed.status, c.statuses, word) != 0;
    if (!expected || std::strcmp(failed.step, c.step) != 0)
      return std::string("WRONG ") + failed.step + " failed with " + word + ": " + failed.message;
    for (int i = 0; i < c.says_count; ++i)
      if (failed.message.find(c.says[i]) == std::string::npos)
        return std::string("WRONG the message does not say '") + c.says[i] + "': " + failed.message;
    return word;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fprintf(stderr, "runner FOLDER\n"), 2;
  const std::unique_ptr<case_file_t> cases(new case_file_t());
  const std::unique_ptr<case_t> c(new case_t());
  const std::string folder = argv[1];
  cases->file = fopen((folder + "/cases.txt").c_str(), "r");
  if (cases->file == nullptr) stop("cannot open the cases in", argv[1]);
  bool right = true;
  while (next_case(cases.get(), c.get()) != 0) {
    const std::string result = outcome(folder, *c);
    right = right && result.compare(0, 5, "WRONG") != 0;
    printf("%s %s\n", c->name, result.c_str());
  }
  fclose(cases->file);
  return right ? 0 : 1;
}
