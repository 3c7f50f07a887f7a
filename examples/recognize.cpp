// SPDX-License-Identifier: Apache-2.0
// A text recogniser on images of two widths, in C++: nothing is prepared for either. C++11 or later.
//   c++ recognize.cpp $(pkg-config --cflags --libs anydim) -o recognize && ./recognize rec.onnx
#include <anydim/anydim.hpp>
#include <iostream>

int main(int argc, char** argv) try {
  const anydim::Engine engine = anydim::Engine::create(ANYDIM_ENGINE_CPU);
  const anydim::Model model = anydim::Model::load_file(engine, argc > 1 ? argv[1] : "rec.onnx");
  const anydim::Session session = anydim::Session::create(model);
  for (const int width : {71, 320}) {
    const std::vector<float> pixels(static_cast<size_t>(3 * 48 * width), 0.5f);
    const std::vector<anydim::Result> results = anydim::run(session, model, anydim::view(pixels, {1, 3, 48, width}));
    std::cout << "width " << width << ":";
    for (const int64_t dim : results[0].dims()) std::cout << ' ' << dim;
    std::cout << ", first " << results[0].data<float>()[0] << '\n';
  }
} catch (const anydim::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
