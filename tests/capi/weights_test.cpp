// SPDX-License-Identifier: Apache-2.0
// Weights from outside: one packed copy for any number of primitives, updates under running calls, files that are mapped.
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/capi/support.h"

class Weights : public Api {
 protected:
  // Weights k x n of a matmul, each element `value`.
  anydim_weights_t weights(int64_t k, int64_t n, float value) {
    std::vector<float> data(static_cast<size_t>(k * n), value);
    anydim_view_t t = tensor({k, n}, data.data());
    anydim_weights_t w = nullptr;
    EXPECT_OK(anydim_weights_create(engine, &op.op, nullptr, nullptr, 0, &t, nullptr, 1, &w));
    return w;
  }
  anydim_status_t update(anydim_weights_t w, int64_t k, int64_t n, float value) {
    std::vector<float> data(static_cast<size_t>(k * n), value);
    anydim_view_t t = tensor({k, n}, data.data());
    return anydim_weights_update(w, &t, 1);
  }
  anydim_primitive_t primitive(anydim_weights_t w, int64_t m, int64_t k) {
    anydim_desc_t d = desc({anydim_dim_fixed(m), anydim_dim_fixed(k)});
    anydim_primitive_t p = nullptr;
    EXPECT_OK(anydim_primitive_create(engine, &op.op, nullptr, &d, 1, w, &p));
    anydim_desc_destroy(d);
    return p;
  }
  static int64_t version(anydim_weights_t w) {
    int64_t v = 0;
    EXPECT_OK(anydim_weights_get_version(w, &v));
    return v;
  }
  anydim_matmul_t op = ANYDIM_MATMUL_INIT;
};

TEST_F(Weights, HaveAVersionAndAnUpdateIsSeenByPrimitivesThatExist) {
  anydim_weights_t w = weights(4, 3, 1);
  anydim_primitive_t p = primitive(w, 2, 4);
  std::vector<float> in(8, 1.f), out(6);
  anydim_view_t x = tensor({2, 4}, in.data()), y = tensor({2, 3}, out.data());
  EXPECT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  EXPECT_EQ(out, std::vector<float>(6, 4.f));
  EXPECT_EQ(version(w), 1);
  EXPECT_OK(update(w, 4, 3, 2));
  EXPECT_EQ(version(w), 2);
  EXPECT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  EXPECT_EQ(out, std::vector<float>(6, 8.f));

  EXPECT_STATUS(update(w, 3, 4, 5), ANYDIM_STATUS_INVALID_ARGUMENT, "anydim_weights_update", "input 1 has dims 3x4", "4x3");
  const anydim_view_t three[3] = {x, x, x};
  EXPECT_STATUS(anydim_weights_update(w, three, 2), ANYDIM_STATUS_INVALID_ARGUMENT, "2 tensors were given", "packed from 1");
  EXPECT_STATUS(anydim_weights_update(w, three, 3), ANYDIM_STATUS_INVALID_ARGUMENT, "3 tensors were given", "packed from 1");
  EXPECT_STATUS(anydim_weights_update(w, nullptr, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "constants", "null");
  EXPECT_EQ(version(w), 2);
  // The handle may go: primitives keep what they use.
  anydim_weights_destroy(w);
  EXPECT_STATUS(update(w, 4, 3, 3), ANYDIM_STATUS_INVALID_HANDLE, "weights");
  EXPECT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  EXPECT_EQ(out, std::vector<float>(6, 8.f));
  anydim_primitive_destroy(p);
}

TEST_F(Weights, UpdatedUnderFourThreadsGiveEachCallOneVersionOnly) {
  constexpr int64_t kM = 5, kK = 64, kN = 48;
  anydim_weights_t w = weights(kK, kN, 1);
  anydim_primitive_t p = primitive(w, kM, kK);
  std::atomic<bool> stop{false};
  std::atomic<int64_t> wrong{0}, calls{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      anydim_stream_t own = nullptr;
      EXPECT_OK(anydim_stream_create(engine, nullptr, &own));
      std::vector<float> in(kM * kK, 1.f), out(kM * kN);
      anydim_view_t x = tensor({kM, kK}, in.data()), y = tensor({kM, kN}, out.data());
      while (!stop) {
        if (anydim_primitive_execute(p, own, &x, 1, &y, 1) != ANYDIM_STATUS_OK) ++wrong;
        // All elements are those of one version, which is a small whole number.
        const float v = out[0] / static_cast<float>(kK);
        if (!(v >= 1 && v <= 7) || v != static_cast<float>(static_cast<int>(v))) ++wrong;
        for (const float o : out) wrong += o != out[0];
        ++calls;
      }
      anydim_stream_destroy(own);
    });
  for (int u = 0; u < 300 || calls < 100; ++u) EXPECT_OK(update(w, kK, kN, static_cast<float>(1 + u % 7)));
  stop = true;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(version(w), 300);
  anydim_primitive_destroy(p);
  anydim_weights_destroy(w);
}

TEST_F(Weights, AreSavedAndMapped) {
  char folder[] = "/tmp/anydim-weights-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/w";
  anydim_weights_t w = weights(6, 5, 3), mapped = nullptr;
  EXPECT_OK(anydim_weights_save(w, path.c_str(), nullptr));
  EXPECT_OK(anydim_weights_load(engine, &op.op, nullptr, nullptr, 0, path.c_str(), &mapped));
  EXPECT_EQ(version(mapped), 1);
  anydim_primitive_t p = primitive(mapped, 2, 6);
  std::vector<float> in(12, 1.f), out(10);
  anydim_view_t x = tensor({2, 6}, in.data()), y = tensor({2, 5}, out.data());
  EXPECT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  EXPECT_EQ(out, std::vector<float>(10, 18.f));
  EXPECT_OK(update(mapped, 6, 5, 4));
  EXPECT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  EXPECT_EQ(out, std::vector<float>(10, 24.f));

  anydim_weights_t none = nullptr;
  EXPECT_STATUS(anydim_weights_load(engine, &op.op, nullptr, nullptr, 0, (path + "x").c_str(), &none), ANYDIM_STATUS_FILE_NOT_FOUND,
                "cannot open");
  EXPECT_STATUS(anydim_weights_load(engine, &op.op, nullptr, nullptr, 0, "", &none), ANYDIM_STATUS_INVALID_ARGUMENT, "path is empty");
  anydim_matmul_t other = op;
  other.transpose_b = 1;
  EXPECT_STATUS(anydim_weights_load(engine, &other.op, nullptr, nullptr, 0, path.c_str(), &none), ANYDIM_STATUS_INVALID_ARGUMENT,
                "packed for 'matmul");
  EXPECT_EQ(truncate(path.c_str(), 100), 0) << "nobody has the file mapped any more: the update let it go";
  EXPECT_STATUS(anydim_weights_load(engine, &op.op, nullptr, nullptr, 0, path.c_str(), &none), ANYDIM_STATUS_IO_ERROR, "has 100 bytes");
  EXPECT_STATUS(anydim_weights_save(w, (path + "/no").c_str(), nullptr), ANYDIM_STATUS_IO_ERROR, "cannot write");
  EXPECT_EQ(none, nullptr);
  std::remove(path.c_str());
  EXPECT_EQ(rmdir(folder), 0) << "nothing else was left";
  anydim_primitive_destroy(p);
  anydim_weights_destroy(mapped);
  anydim_weights_destroy(w);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
int64_t resident_bytes() {
  std::ifstream f("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  f >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST_F(Weights, Of40MegabytesAreOneCopyUnderFiftyPrimitivesOfFiftyShapes) {
  constexpr int64_t kSize = 3200, kMost = 50;
  anydim_weights_t w = weights(kSize, kSize, 0.5f);
  int64_t bytes = 0;
  EXPECT_OK(anydim_weights_get_bytes(w, &bytes));
  EXPECT_GE(bytes, 40000000);
  std::vector<float> in(kMost * kSize, 1.f), out(kMost * kSize, 1.f);
  std::vector<anydim_primitive_t> primitives;
  int64_t before = 0;
  // The largest first: the stream's scratch and the program's own memory are there when it has run.
  for (int64_t m = kMost; m > 0; --m) {
    primitives.push_back(primitive(w, m, kSize));
    anydim_view_t x = tensor({m, kSize}, in.data()), y = tensor({m, kSize}, out.data());
    EXPECT_OK(anydim_primitive_execute(primitives.back(), stream, &x, 1, &y, 1));
    EXPECT_EQ(out[0], static_cast<float>(kSize) / 2);
    if (m == kMost) before = resident_bytes();
  }
  const int64_t grown = resident_bytes() - before;
  printf("49 more primitives over %lld bytes of weights: resident set grew by %lld bytes\n", static_cast<long long>(bytes),
         static_cast<long long>(grown));
  EXPECT_LT(grown, 1 << 20);
  anydim_weights_t copy = weights(kSize, kSize, 0.5f);
  EXPECT_GT(resident_bytes() - before, bytes - (1 << 20)) << "a second copy would be seen";
  anydim_weights_destroy(copy);
  for (anydim_primitive_t p : primitives) anydim_primitive_destroy(p);
  anydim_weights_destroy(w);
}
#endif

// --- any operand ----------------------------------------------------------------------------------------------------

TEST_F(Weights, OfAnyOperandArePackedWithThePrimitiveAndShared) {
  // a [2, 3] is constant, b comes with each call, c is constant.
  std::vector<float> a = {1, 2, 3, 4, 5, 6}, b(12), c = {10, 20, 30, 40}, y(8), expected(8);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i);
  for (size_t m = 0; m < 2; ++m)
    for (size_t n = 0; n < 4; ++n) {
      expected[m * 4 + n] = c[n];
      for (size_t k = 0; k < 3; ++k) expected[m * 4 + n] += a[m * 3 + k] * b[k * 4 + n];
    }
  const anydim_view_t constants[] = {tensor({2, 3}, a.data()), tensor({4}, c.data())};
  const int32_t operands[] = {0, 2};
  const anydim_view_t given = tensor({3, 4}, b.data());
  anydim_view_t out = tensor({2, 4}, y.data());
  anydim_desc_t d = desc({anydim_dim_fixed(3), anydim_dim_dynamic(1, 9)});
  anydim_primitive_t p = nullptr, q = nullptr;
  ASSERT_OK(anydim_primitive_create_with_constants(engine, &op.op, nullptr, &d, 1, constants, operands, 2, &p));
  ASSERT_OK(anydim_primitive_execute(p, stream, &given, 1, &out, 1));
  EXPECT_EQ(y, expected);

  anydim_weights_t w = nullptr;
  ASSERT_OK(anydim_primitive_acquire_weights(p, &w));
  EXPECT_EQ(version(w), 1);
  ASSERT_OK(anydim_primitive_create(engine, &op.op, nullptr, &d, 1, w, &q));
  a.assign(6, 0.f);
  ASSERT_OK(anydim_weights_update(w, constants, 2)) << "the constants in the order of their operands";
  for (anydim_primitive_t each : {p, q}) {
    ASSERT_OK(anydim_primitive_execute(each, stream, &given, 1, &out, 1));
    EXPECT_EQ(y, (std::vector<float>{10, 20, 30, 40, 10, 20, 30, 40})) << "both read the new values";
  }
  anydim_primitive_destroy(p);
  anydim_primitive_destroy(q);
  anydim_weights_destroy(w);
  anydim_desc_destroy(d);
}

TEST_F(Weights, ThatAreNoOperandsOfTheOperatorAreRefused) {
  std::vector<float> data(64, 1.f);
  const anydim_view_t two[] = {tensor({4, 4}, data.data()), tensor({4}, data.data())};
  anydim_desc_t d = desc({anydim_dim_fixed(4), anydim_dim_fixed(4)});
  anydim_primitive_t p = nullptr;
  anydim_weights_t w = nullptr;
  const auto create = [&](std::vector<int32_t> operands, int32_t described) {
    return anydim_weights_create(engine, &op.op, nullptr, &d, described, two, operands.data(), static_cast<int32_t>(operands.size()), &w);
  };
  EXPECT_STATUS(create({2, 1}, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "operands[1] is 1; expected 3 to 63, in rising order");
  EXPECT_STATUS(create({-1}, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "operands[0] is -1");
  EXPECT_STATUS(create({64}, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "operands[0] is 64");
  EXPECT_STATUS(create({0}, 0), ANYDIM_STATUS_INVALID_ARGUMENT, "input");
  EXPECT_STATUS(create({2}, 0), ANYDIM_STATUS_INVALID_ARGUMENT, "input 1 is neither constant nor described");
  EXPECT_STATUS(create({}, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "no constants were given");
  EXPECT_STATUS(anydim_primitive_create_with_constants(engine, &op.op, nullptr, &d, 1, two, nullptr, -1, &p),
                ANYDIM_STATUS_INVALID_ARGUMENT, "constants");
  EXPECT_EQ(w, nullptr);
  EXPECT_EQ(p, nullptr);
  anydim_desc_t both[] = {d, d};
  ASSERT_OK(anydim_primitive_create(engine, &op.op, nullptr, both, 2, nullptr, &p));
  EXPECT_STATUS(anydim_primitive_acquire_weights(p, &w), ANYDIM_STATUS_NOT_FOUND, "no constant inputs");
  anydim_primitive_destroy(p);
  anydim_desc_destroy(d);
}
