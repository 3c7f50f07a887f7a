// SPDX-License-Identifier: Apache-2.0
// What a call costs beside its work: a model that copies four floats, run into the caller's buffers, through the C API and through
// the C++ header, alternately. Prints a line for each way: its name, the median and the 99th percentile in nanoseconds, and how many
// allocations a call makes. Other languages' overheads are printed over the first two.
//   calls identity.onnx [ROUNDS]
#include <anydim/anydim.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

// glibc's allocator, counted: for the whole process, the library too.
static thread_local long allocations;
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
#pragma GCC visibility push(default)
void* malloc(size_t n) noexcept { return ++allocations, __libc_malloc(n); }
void* calloc(size_t n, size_t m) noexcept { return ++allocations, __libc_calloc(n, m); }
void* realloc(void* p, size_t n) noexcept { return ++allocations, __libc_realloc(p, n); }
void* aligned_alloc(size_t a, size_t n) noexcept { return ++allocations, __libc_memalign(a, n); }
#pragma GCC visibility pop
}

namespace {

struct Way {
  const char* name;
  std::function<void()> call;
  std::vector<double> nanoseconds;
  long allocations = 0;
};

double at(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "calls identity.onnx [ROUNDS]\n"), 2;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 2000;
  const int calls = 100;  // between two looks at the clock
  anydim::EngineOptions options;
  options.threads = 1;
  const anydim::Engine engine = anydim::Engine::create(ANYDIM_ENGINE_CPU, 0, options);
  const anydim::Model model = anydim::Model::load_file(engine, argv[1]);
  anydim::Context context = anydim::Context::create(model, nullptr, anydim::ContextOptions());
  const anydim::Session session = anydim::Session::create(model);
  const std::vector<float> in(4, 1.f);
  std::vector<float> out(4);
  const anydim::View x = anydim::view(in, {4});
  anydim::View y = anydim::view(out, {4});

  std::vector<Way> ways(4);
  ways[0].name = "context, C";
  ways[0].call = [&] { anydim::check(anydim_context_run(context, &x, 1, &y, 1, nullptr)); };
  ways[1].name = "session, C";
  ways[1].call = [&] { anydim::check(anydim_session_run(session, &x, 1, &y, 1, nullptr)); };
  ways[2].name = "context, C++";
  ways[2].call = [&] { context.run(x, y); };
  ways[3].name = "session, C++";
  ways[3].call = [&] { session.run(x, y); };
  for (Way& way : ways) {
    way.nanoseconds.reserve(static_cast<size_t>(rounds));
    for (int i = 0; i < calls; ++i) way.call();
  }
  for (int round = 0; round < rounds; ++round)
    for (Way& way : ways) {
      const long before = allocations;
      const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) way.call();
      const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
      way.allocations += allocations - before;
      way.nanoseconds.push_back(took.count() / calls);
    }
  for (Way& way : ways) {
    std::sort(way.nanoseconds.begin(), way.nanoseconds.end());
    std::printf("%-14s p50 %7.1f ns  p99 %7.1f ns  %.2f allocations\n", way.name, at(way.nanoseconds, 0.5), at(way.nanoseconds, 0.99),
                static_cast<double>(way.allocations) / calls / rounds);
  }
  return out[3] == 1.f ? 0 : 1;
} catch (const anydim::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
