// SPDX-License-Identifier: Apache-2.0
// A program of others that compiles with warnings which the library's own build does not have (-Wconversion, -Wold-style-cast,
// -Wzero-as-null-pointer-constant), as errors: it instantiates what the C++ header has, and begins each struct with its _INIT value.
// installed.py compiles it as C++11 to C++23, and runs it.
//   strict cls.onnx
#include <anydim/anydim.hpp>

#include <array>
#include <cstdio>
#if __cplusplus >= 201703L
#include <string_view>
#endif

namespace {

void begin_structs() {
  const anydim_engine_options_t engine = ANYDIM_ENGINE_OPTIONS_INIT;
  const anydim_stream_options_t stream = ANYDIM_STREAM_OPTIONS_INIT;
  const anydim_model_options_t model = ANYDIM_MODEL_OPTIONS_INIT;
  const anydim_context_options_t context = ANYDIM_CONTEXT_OPTIONS_INIT;
  const anydim_run_options_t run = ANYDIM_RUN_OPTIONS_INIT;
  const anydim_tune_options_t tune = ANYDIM_TUNE_OPTIONS_INIT;
  const anydim_save_options_t save = ANYDIM_SAVE_OPTIONS_INIT;
  const anydim_batching_options_t batching = ANYDIM_BATCHING_OPTIONS_INIT;
  const anydim_value_info_t value = ANYDIM_VALUE_INFO_INIT;
  const anydim_memory_info_t memory = ANYDIM_MEMORY_INFO_INIT;
  const anydim_log_info_t log = ANYDIM_LOG_INFO_INIT;
  const anydim_convolution_t convolution = ANYDIM_CONVOLUTION_INIT;
  static_cast<void>(engine), static_cast<void>(stream), static_cast<void>(model), static_cast<void>(context), static_cast<void>(run);
  static_cast<void>(tune), static_cast<void>(save), static_cast<void>(batching), static_cast<void>(value), static_cast<void>(memory);
  static_cast<void>(log), static_cast<void>(convolution);
}

int run_model(const char* path) {
  const anydim::Engine engine = anydim::Engine::create(ANYDIM_ENGINE_CPU, 0);
#if __cplusplus >= 201703L
  const anydim::Model model = anydim::Model::load_file(engine, std::string_view(path));
#else
  const anydim::Model model = anydim::Model::load_file(engine, std::string(path));
#endif
  const anydim::Session session = anydim::Session::create(model);
  const std::size_t rows = 1, height = 48, width = 192;
  const std::vector<float> pixels(rows * 3 * height * width, 0.5f);
  const std::vector<anydim::Result> placed = anydim::run(session, anydim::view(pixels, {rows, 3, height, width}));
  std::map<std::string, anydim::Result> named = anydim::run_by_name(session, {{"x", anydim::view(pixels, {rows, 3, height, width})}});
  const anydim::Result& first = named.begin()->second;
  if (named.size() != placed.size() || first.size() != placed[0].size()) return 1;
  const std::array<std::int64_t, 4> dims = {{1, 3, 48, 192}};
  const std::array<float, 2> pair = {{1.0f, 2.0f}};
  anydim::Context context = anydim::Context::create(model);
  anydim_view_t scores = anydim::view(pair, {std::size_t{2}});
  scores = anydim_view_t();
  scores.dtype = ANYDIM_F32;
  context.run(anydim::view(pixels, dims), scores);
  std::printf("%g %g\n", static_cast<double>(first.data<float>()[0]), static_cast<double>(*static_cast<const float*>(scores.data)));
  return first.data<float>()[0] == placed[0].data<float>()[0] && session.model().counts() == model.counts() ? 0 : 1;
}

int refused() {
  try {
    anydim::Result().data<float>();
  } catch (const anydim::Error& error) {
    std::puts(error.what());
    return 0;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  begin_structs();
  return run_model(argv[1]) + refused();
}
