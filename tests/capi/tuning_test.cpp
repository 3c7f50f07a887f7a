// SPDX-License-Identifier: Apache-2.0
// Tuning a context reports how far it is, and is ended from outside: by its callback, or by a cancellation in another thread.
#include <atomic>
#include <thread>

#include "tests/capi/support.h"

namespace {

class Tuning : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model)) << "make models";
    ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &context));
    options.record = 0;
    options.again = 1;
    options.node_ms = 2;
    options.user = this;
    options.progress = [](void* user, int64_t done, int64_t nodes) -> int32_t {
      auto& test = *static_cast<Tuning*>(user);
      EXPECT_EQ(done, test.told);
      test.told = done + 1;
      test.nodes = nodes;
      return test.ends_at == done ? 1 : 0;
    };
  }
  void TearDown() override {
    anydim_context_destroy(context);
    anydim_model_destroy(model);
    Api::TearDown();
  }
  anydim_status_t tune() {
    const anydim_view_t x = tensor({1, 3, 48, 192}, pixels.data());
    anydim_text_t text = nullptr;
    told = 0;
    const anydim_status_t status = anydim_context_tune(context, &x, 1, &options, &text);
    anydim_text_destroy(text);
    return status;
  }
  anydim_model_t model = nullptr;
  anydim_context_t context = nullptr;
  anydim_tune_options_t options = ANYDIM_TUNE_OPTIONS_INIT;
  std::vector<float> pixels = std::vector<float>(3 * 48 * 192, 0.5f);
  int64_t told = 0, nodes = 0, ends_at = -1;
};

TEST_F(Tuning, ReportsEachNodeAndTheEnd) {
  ASSERT_OK(tune());
  EXPECT_GT(nodes, 5);
  EXPECT_EQ(told, nodes + 1) << "before each node, and at the end";
}

TEST_F(Tuning, StopsOnRequest) {
  ends_at = 3;
  EXPECT_STATUS(tune(), ANYDIM_STATUS_CANCELLED, "ended");
  EXPECT_EQ(told, 4);
  ends_at = -1;
  EXPECT_OK(tune()) << "the context is as good as before";
}

TEST_F(Tuning, EndsByACancellationOfAnotherThread) {
  anydim_cancellation_t cancellation = nullptr;
  ASSERT_OK(anydim_cancellation_create(&cancellation));
  options.cancellation = cancellation;
  options.node_ms = 100000;
  std::atomic<bool> begun{false};
  struct Begin {
    std::atomic<bool>* begun;
  } begin{&begun};
  options.user = &begin;
  options.progress = [](void* user, int64_t, int64_t) -> int32_t {
    static_cast<Begin*>(user)->begun->store(true);
    return 0;
  };
  std::thread other([&] {
    while (!begun) std::this_thread::yield();
    EXPECT_OK(anydim_cancellation_set(cancellation, 1));
  });
  EXPECT_STATUS(tune(), ANYDIM_STATUS_CANCELLED);
  other.join();
  ASSERT_OK(anydim_cancellation_set(cancellation, 0));
  const anydim_view_t x = tensor({1, 3, 48, 192}, pixels.data());
  EXPECT_OK(anydim_context_run(context, &x, 1, nullptr, 0, nullptr));
  anydim_cancellation_destroy(cancellation);
}

}  // namespace
