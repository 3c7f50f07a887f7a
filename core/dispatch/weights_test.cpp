// SPDX-License-Identifier: Apache-2.0
// Weights that change under running calls, and weights as a file: what is read is a whole version, and what is not the file that
// was written is refused.
#include "core/dispatch/weights.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/dispatch/primitive.h"
#include "core/dispatch/weights_file.h"
#include "core/ops/conv_transpose.h"
#include "core/ops/convolution.h"
#include "core/ops/layer_norm.h"
#include "core/ops/matmul.h"

namespace anydim {
namespace {

HostTensor tensor(const Dims& dims, int seed) {
  HostTensor t;
  EXPECT_TRUE(HostTensor::allocate(DType::f32, dims, &t).ok());
  uint32_t state = static_cast<uint32_t>(seed) * 2654435761u + 1;
  for (int64_t i = 0; i < t.view.count(); ++i) {
    state = state * 1664525u + 1013904223u;
    t.view.as<float>()[i] = static_cast<float>(state >> 16) / 32768.f - 1.f;
  }
  return t;
}

std::string bits(const HostTensor& t) {
  return {reinterpret_cast<const char*>(t.view.data), static_cast<size_t>(t.view.count() * dtype_size(t.view.dtype))};
}

// Input 1 and input 2 of an operator.
struct Values {
  HostTensor first, second;
  std::vector<TensorView> views() const { return {first.view, second.view}; }
};

// An operator with dims of its weights and of one input.
struct Case {
  const char* name;
  OperatorPtr op;
  Dims weights, bias, input;
  Values values(int seed) const { return {tensor(weights, seed), tensor(bias, seed + 1000)}; }
};

std::vector<Case> cases() {
  Convolution::Attributes conv;
  conv.spatial = 2;
  for (int i = 0; i < 2; ++i) conv.pads_begin[i] = conv.pads_end[i] = 1;
  Convolution::Attributes depthwise = conv, grouped = conv;
  depthwise.group = 21;
  grouped.group = 3;
  ConvTranspose::Attributes transposed;
  transposed.spatial = 2;
  for (int i = 0; i < 2; ++i) transposed.strides[i] = 2;
  Matmul::Attributes matmul;
  matmul.beta = 0.5f;
  return {{"matmul", *Matmul::make(matmul), {40, 70}, {70}, {9, 40}},
          {"convolution", *Convolution::make(conv), {19, 6, 3, 3}, {19}, {2, 6, 8, 9}},
          {"grouped", *Convolution::make(grouped), {18, 4, 3, 3}, {18}, {1, 12, 8, 9}},
          {"depthwise", *Convolution::make(depthwise), {21, 1, 3, 3}, {21}, {1, 21, 8, 9}},
          {"patches", *ConvTranspose::make(transposed), {12, 3, 2, 2}, {3}, {1, 12, 5, 4}},
          {"layer_norm", *LayerNorm::make(-1, 1e-5f), {33}, {33}, {7, 33}}};
}

WeightsPtr pack(const Case& c, const Values& values, std::string_view kernel = "") {
  WeightsPtr w;
  const auto views = values.views();
  const Status s = Weights::create(c.op, views, {}, MathMode::strict, kernel, &w);
  EXPECT_TRUE(s.ok()) << c.name << ": " << s.message();
  return w;
}

PrimitivePtr primitive(const Case& c, const WeightsPtr& weights) {
  TensorType in{DType::f32, {}};
  for (const int64_t d : c.input) in.dims.push_back(d);
  PrimitivePtr p;
  const Status s = Primitive::create(c.op, {nullptr, {&in, 1}, {}}, {}, weights, &p);
  EXPECT_TRUE(s.ok()) << c.name << ": " << s.message();
  return p;
}

// Runs a primitive on an input; its own output and scratch, so that any number of threads can.
class Runner {
 public:
  explicit Runner(PrimitivePtr p, const HostTensor& in) : p_(std::move(p)), in_(in) {
    Dims dims;
    for (const Dim d : p_->out()[0].dims) dims.push_back(d.number());
    EXPECT_TRUE(HostTensor::allocate(DType::f32, dims, &out_).ok());
    int64_t bytes = 0;
    EXPECT_TRUE(p_->scratch_bytes({&in_.view, 1}, {&out_.view, 1}, {}, 1, &bytes).ok());
    scratch_ = std::move(*AlignedBuffer::allocate(bytes));
  }
  std::string run() {
    const Status s = p_->execute({&in_.view, 1}, {}, {&out_.view, 1}, scratch_.data(), scratch_.size(), Parallel(1));
    EXPECT_TRUE(s.ok()) << s.message();
    return bits(out_);
  }

 private:
  PrimitivePtr p_;
  HostTensor in_, out_;
  AlignedBuffer scratch_;
};

std::string result(const Case& c, const WeightsPtr& weights) { return Runner(primitive(c, weights), tensor(c.input, 5)).run(); }

// --- updates -----------------------------------------------------------------------------------------------------------

TEST(WeightsUpdate, IsSeenByTheNextExecutionOfEveryPrimitiveOverTheHandle) {
  for (const Case& c : cases()) {
    const Values one = c.values(1), two = c.values(2);
    const WeightsPtr weights = pack(c, one);
    const PrimitivePtr before = primitive(c, weights);
    const HostTensor in = tensor(c.input, 5);
    Runner runner(before, in);
    const std::string first = result(c, pack(c, one)), second = result(c, pack(c, two));
    ASSERT_NE(first, second) << c.name;
    EXPECT_EQ(runner.run(), first) << c.name;
    EXPECT_EQ(weights->version(), 1);
    const auto views = two.views();
    ASSERT_TRUE(weights->update(views).ok()) << c.name;
    EXPECT_EQ(weights->version(), 2);
    EXPECT_EQ(runner.run(), second) << c.name;
    EXPECT_EQ(result(c, weights), second) << c.name;
  }
}

TEST(WeightsUpdate, UnderRunningThreadsGivesEachCallTheOldOrTheNewBitsAndNeverAMix) {
  constexpr int kVersions = 3, kUpdates = 400, kThreads = 4;
  for (const Case& c : cases()) {
    std::vector<Values> values;
    std::vector<std::string> expected;
    for (int v = 0; v < kVersions; ++v) {
      values.push_back(c.values(10 + v));
      expected.push_back(result(c, pack(c, values.back())));
    }
    const WeightsPtr weights = pack(c, values[0]);
    const PrimitivePtr p = primitive(c, weights);
    std::atomic<bool> stop{false};
    std::atomic<int64_t> mixed{0}, seen[kVersions] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        Runner runner(p, tensor(c.input, 5));
        while (!stop) {
          const std::string got = runner.run();
          int v = 0;
          while (v < kVersions && got != expected[static_cast<size_t>(v)]) ++v;
          if (v == kVersions) ++mixed;
          else ++seen[v];
        }
      });
    for (int u = 1; u <= kUpdates; ++u) {
      const auto views = values[static_cast<size_t>(u % kVersions)].views();
      ASSERT_TRUE(weights->update(views).ok());
      // What begins from here on is the new one.
      if (u % 50 == 0) {
        EXPECT_EQ(Runner(p, tensor(c.input, 5)).run(), expected[static_cast<size_t>(u % kVersions)]) << c.name;
      }
    }
    while (seen[0] + seen[1] + seen[2] < 50) std::this_thread::yield();
    stop = true;
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(mixed, 0) << c.name;
    EXPECT_EQ(weights->version(), 1 + kUpdates);
  }
}

TEST(WeightsUpdate, ByManyThreadsCountsEachOnce) {
  const Case c = cases()[0];
  const Values one = c.values(1), two = c.values(2);
  const WeightsPtr weights = pack(c, one);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto views = (t % 2 ? one : two).views();
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(weights->update(views).ok());
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(weights->version(), 201);
  const std::string now = result(c, weights);
  EXPECT_TRUE(now == result(c, pack(c, one)) || now == result(c, pack(c, two)));
}

TEST(WeightsUpdate, LeavesAHeldVersionAsItIsHoweverManyComeAfterIt) {
  const Case c = cases()[0];
  const WeightsPtr weights = pack(c, c.values(1));
  const auto bytes_of = [](const HeldWeights& h) {
    return std::string(reinterpret_cast<const char*>(h.packed()->weights.data()), static_cast<size_t>(h.packed()->weights.size()));
  };
  auto held = std::make_unique<HeldWeights>(weights.get());
  const std::string before = bytes_of(*held);
  for (int i = 2; i < 4; ++i) {
    const Values v = c.values(i);
    const auto views = v.views();
    ASSERT_TRUE(weights->update(views).ok()) << "an update gives up waiting";
    EXPECT_EQ(bytes_of(*held), before);
    EXPECT_EQ(result(c, weights), result(c, pack(c, v)));
  }
  held.reset();
  const Values v = c.values(9);
  const auto views = v.views();
  ASSERT_TRUE(weights->update(views).ok());
  EXPECT_EQ(result(c, weights), result(c, pack(c, v)));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
int64_t resident_bytes() {
  std::ifstream f("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  f >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(WeightsUpdate, FreesTheOldVersion) {
  const Case c{"large", *Matmul::make({}), {1024, 1024}, {1024}, {1, 1024}};
  const Values values = c.values(1);
  const auto views = values.views();
  const WeightsPtr weights = pack(c, values);
  ASSERT_TRUE(weights->update(views).ok());
  const int64_t before = resident_bytes();
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(weights->update(views).ok());
  // The allocator may keep the last one that was freed.
  EXPECT_LT(resident_bytes() - before, 2 * weights->bytes() + (1 << 20)) << "30 updates of 4 MB";
}
#endif

TEST(WeightsUpdate, OfOtherDimsTypesOrNumberIsRefusedAndChangesNothing) {
  const Case c = cases()[1];
  const Values values = c.values(1);
  const WeightsPtr weights = pack(c, values);
  const std::string before = result(c, weights);
  const auto refused = [&](std::vector<TensorView> tensors, const char* words) {
    const Status s = weights->update(tensors);
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find(words), std::string::npos) << s.message();
  };
  refused({values.first.view}, "1 tensors were given; the weights were packed from 2");
  const HostTensor other = tensor({19, 6, 3, 1}, 1);
  refused({other.view, values.second.view}, "input 1 has dims 19x6x3x1; the weights were packed from 19x6x3x3");
  TensorView integers = values.second.view;
  integers.dtype = DType::i32;
  refused({values.first.view, integers}, "input 2 has dtype i32; the weights were packed from f32");
  refused({values.first.view, {}}, "input 2 has dtype");
  EXPECT_EQ(weights->version(), 1);
  EXPECT_EQ(result(c, weights), before);
}

// --- files -------------------------------------------------------------------------------------------------------------

class WeightsFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "anydim-weights-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    path = folder + "/w";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  static Status load(const Case& c, const std::string& from, WeightsPtr* out) {
    return load_weights(c.op, {}, MathMode::strict, "", from, out);
  }
  int64_t files() const { return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()); }
  std::string read() const {
    std::ifstream f(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(f), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes; }
  // With a checksum that is right, as somebody who means harm would write it.
  void write_checked(std::string bytes) const {
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, bytes.data(), 32);
    XXH3_128bits_update(&state, bytes.data() + 48, bytes.size() - 48);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    std::memcpy(bytes.data() + 32, canonical.digest, 16);
    write(bytes);
  }
  static uint64_t description_bytes(const std::string& file) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, file.data() + 24, 8);
    return bytes;
  }
  std::string folder, path;
};

TEST_F(WeightsFile, GivesTheBitsOfTheWeightsThatWereSaved) {
  for (const Case& c : cases()) {
    for (const bool bias : {true, false}) {
      const Values values = c.values(3);
      auto views = values.views();
      if (!bias) views.pop_back();
      WeightsPtr weights, loaded;
      ASSERT_TRUE(Weights::create(c.op, views, {}, MathMode::strict, "", &weights).ok());
      ASSERT_TRUE(save_weights(*weights, path).ok());
      const Status s = load(c, path, &loaded);
      ASSERT_TRUE(s.ok()) << c.name << ": " << s.message();
      EXPECT_EQ(loaded->form(), weights->form());
      EXPECT_EQ(loaded->bytes(), weights->bytes());
      EXPECT_EQ(loaded->version(), 1);
      EXPECT_EQ(result(c, loaded), result(c, weights)) << c.name;
      // Mapped weights can be updated, and what was updated can be saved.
      const Values other = c.values(4);
      auto new_views = other.views();
      if (!bias) new_views.pop_back();
      ASSERT_TRUE(loaded->update(new_views).ok());
      ASSERT_TRUE(weights->update(new_views).ok());
      EXPECT_EQ(result(c, loaded), result(c, weights)) << c.name;
      ASSERT_TRUE(save_weights(*loaded, path).ok());
      ASSERT_TRUE(load(c, path, &loaded).ok());
      EXPECT_EQ(result(c, loaded), result(c, weights)) << c.name;
    }
  }
  EXPECT_EQ(files(), 1) << "nothing but the file is left";
}

TEST_F(WeightsFile, MappedKeepsItsBitsWhenAnotherTakesItsName) {
  const Case c = cases()[0];
  const WeightsPtr one = pack(c, c.values(1)), two = pack(c, c.values(2));
  WeightsPtr mapped;
  ASSERT_TRUE(save_weights(*one, path).ok());
  ASSERT_TRUE(load(c, path, &mapped).ok());
  ASSERT_TRUE(save_weights(*two, path).ok());
  EXPECT_EQ(result(c, mapped), result(c, one));
  ASSERT_TRUE(load(c, path, &mapped).ok());
  EXPECT_EQ(result(c, mapped), result(c, two));
  std::filesystem::remove(path);
  EXPECT_EQ(result(c, mapped), result(c, two));
}

TEST_F(WeightsFile, WithAnyByteFlippedOrCutOffAnywhereIsAnError) {
  const Case c{"small", *Matmul::make({}), {3, 5}, {5}, {2, 3}};
  ASSERT_TRUE(save_weights(*pack(c, c.values(1)), path).ok());
  const std::string good = read();
  WeightsPtr untouched = pack(c, c.values(7)), w = untouched;
  const int fd = ::open(path.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      const char bad = static_cast<char>(good[i] ^ mask);
      ASSERT_EQ(::pwrite(fd, &bad, 1, static_cast<off_t>(i)), 1);
      ASSERT_FALSE(load(c, path, &w).ok()) << "byte " << i << " flipped by " << mask;
    }
    ASSERT_EQ(::pwrite(fd, &good[i], 1, static_cast<off_t>(i)), 1);
  }
  EXPECT_TRUE(load(c, path, &w).ok()) << "the flips were undone";
  w = untouched;
  for (size_t size = good.size(); size-- > 0;) {
    ASSERT_EQ(::ftruncate(fd, static_cast<off_t>(size)), 0);
    const Status s = load(c, path, &w);
    ASSERT_EQ(s.code(), Code::io_error) << size << " bytes of " << good.size();
  }
  ::close(fd);
  write(good + std::string(4096, '\0'));
  EXPECT_EQ(load(c, path, &w).code(), Code::io_error);
  write("a text");
  EXPECT_EQ(load(c, path, &w).code(), Code::io_error);
  write(std::string(5000, 'x'));
  EXPECT_EQ(load(c, path, &w).code(), Code::io_error);
  EXPECT_EQ(load(c, folder + "/nothing", &w).code(), Code::not_found);
  EXPECT_EQ(load(c, folder, &w).code(), Code::io_error);
  EXPECT_EQ(load(c, "/dev/zero", &w).code(), Code::io_error);
  EXPECT_EQ(w, untouched);
}

// Somebody who means harm makes the checksum right.
TEST_F(WeightsFile, WithAWrongDescriptionUnderARightChecksumIsAnErrorOrHarmless) {
  for (const Case& c : cases()) {
    ASSERT_TRUE(save_weights(*pack(c, c.values(1)), path).ok());
    const std::string good = read();
    const uint64_t description = description_bytes(good);
    ASSERT_LT(description, 2000u);
    int loaded = 0;
    for (size_t i = 24; i < 48 + description; ++i) {
      if (i == 32) i = 48;  // the checksum itself
      for (const int mask : {0x01, 0x02, 0x10, 0x40, 0x80, 0xff}) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ mask);
        write_checked(bad);
        WeightsPtr w;
        if (!load(c, path, &w).ok()) continue;
        ++loaded;
        TensorType in{DType::f32, {}};
        for (const int64_t d : c.input) in.dims.push_back(d);
        PrimitivePtr p;
        if (Primitive::create(c.op, {nullptr, {&in, 1}, {}}, {}, w, &p).ok()) Runner(p, tensor(c.input, 5)).run();
      }
    }
    RecordProperty(std::string("loaded_") + c.name, loaded);
  }
}

TEST_F(WeightsFile, OfAnotherOperatorOrPackedFormSaysWhatToDo) {
  const Case a = cases()[1], b = cases()[2];
  WeightsPtr w;
  ASSERT_TRUE(save_weights(*pack(a, a.values(1)), path).ok());
  const Status other = load(b, path, &w);
  EXPECT_EQ(other.code(), Code::invalid_argument);
  EXPECT_NE(other.message().find("packed for 'convolution"), std::string::npos) << other.message();

  const Case c = cases()[0];
  const WeightsPtr here = pack(c, c.values(1));
  for (const Kernel* k : registered_kernels(OpKind::matmul)) {
    const char* format = k->pack_format(*c.op);
    if (k->key().isa > cpu().best || std::string_view(format ? format : "") == here->format()) continue;
    ASSERT_TRUE(save_weights(*pack(c, c.values(1), k->name()), path).ok());
    const Status s = load(c, path, &w);
    EXPECT_EQ(s.code(), Code::unimplemented) << k->name();
    EXPECT_NE(s.message().find("pack them again"), std::string::npos) << s.message();
    ASSERT_TRUE(load_weights(c.op, {}, MathMode::strict, k->name(), path, &w).ok()) << "for its own kernel it is good";
  }
}

TEST_F(WeightsFile, ThatCannotBeWrittenLeavesNothingBehind) {
  const Case c = cases()[0];
  const WeightsPtr weights = pack(c, c.values(1));
  EXPECT_EQ(save_weights(*weights, folder + "/no/such/folder").code(), Code::io_error);
  ASSERT_TRUE(save_weights(*weights, path).ok());
  const std::string good = read();
  // A full disk: no file may grow past a page.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status s = save_weights(*weights, path);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(s.code(), Code::io_error) << s.message();
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(read(), good) << "the file that was there is whole";
  const HostTensor none = tensor({0, 5}, 1);
  WeightsPtr empty;
  ASSERT_TRUE(Weights::create(c.op, {&none.view, 1}, {}, MathMode::strict, "", &empty).ok());
  EXPECT_EQ(save_weights(*empty, path).code(), Code::unimplemented);
}

// A file names its form, and a later library must read under that name what this one wrote. If this fails because the bytes of a form
// were changed on purpose, give the form a new name (Kernel::pack_format) and then add its line here.
TEST(WeightsForms, KeepTheirBytesUnderTheirNames) {
  const std::map<std::string, std::string> known = {
      {"matmul gemm.panels32", "b9f67b0a2c689caa907b326391d817ff"},
      {"matmul gemm.panels16", "a58710c711fc00c9c3a29f0b4481630f"},
      {"convolution conv.panels32", "5ec478e94b8d39debf565fa5c808b71f"},
      {"convolution conv.panels16", "84508bd1a0671ae22f9b83ad23100b3b"},
      {"grouped conv.panels32", "ca6ec2d8a54c0c28d469b7113f82d26f"},
      {"grouped conv.panels16", "ca6ec2d8a54c0c28d469b7113f82d26f"},
      {"depthwise depthwise.taps16", "e40e256c0a34f4e1828dc6f2dcc0bbec"},
      {"depthwise conv.panels32", "08faf71f048425435110f93ebba3a01b"},
      {"depthwise conv.panels16", "08faf71f048425435110f93ebba3a01b"},
      {"patches conv_transpose.panels32", "5226f42136f7bc140a28869bc046f80c"},
      {"patches conv_transpose.panels16", "4bc2fe3eeaa260eb0090fb68c820eb51"},
  };
  for (const Case& c : cases())
    for (const Kernel* k : registered_kernels(c.op->kind())) {
      if (k->key().isa > cpu().best || k->pack_format(*c.op) == nullptr) continue;
      const Values values = c.values(1);
      WeightsPtr w;
      if (!Weights::create(c.op, values.views(), {}, MathMode::strict, k->name(), &w).ok()) continue;  // not its problem
      XXH3_state_t state;
      XXH3_128bits_reset(&state);
      for (const AlignedBuffer* b : {&w->packed()->weights, &w->packed()->bias})
        XXH3_128bits_update(&state, b->data(), static_cast<size_t>(b->size()));
      XXH128_canonical_t canonical;
      XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
      std::string digest;
      for (const unsigned char byte : canonical.digest) digest += fmt::format("{:02x}", byte);
      const std::string name = fmt::format("{} {}", c.name, w->format());
      const auto line = known.find(name);
      EXPECT_EQ(line == known.end() ? "(not in the list)" : line->second, digest) << name << ", as " << k->name() << " packs it";
    }
}

TEST_F(WeightsFile, OfTheFirstRevisionIsStillRead) {
  const Case c = cases()[1];
  const WeightsPtr weights = pack(c, c.values(1));
  ASSERT_TRUE(save_weights(*weights, path).ok());
  std::string old = read();
  // Then a file had one entry, without the number of entries (4 bytes) and without what the values are (16 bytes).
  const uint64_t description = description_bytes(old) - 20;
  old.erase(48, 20).insert(48 + description, std::string(20, '\0'));
  old[8] = 1;
  std::memcpy(old.data() + 24, &description, 8);
  write_checked(old);
  WeightsPtr loaded;
  const Status s = load(c, path, &loaded);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(result(c, loaded), result(c, weights));
  old[8] = 3;
  write_checked(old);
  EXPECT_EQ(load(c, path, &loaded).code(), Code::unimplemented) << "a later revision";
}

// --- files of a model's weights ----------------------------------------------------------------------------------------

class WeightsOfAModel : public WeightsFile {
 protected:
  // Of every case with these values; without a bias, too.
  struct Packed {
    Case c;
    Values values;
    std::vector<TensorView> views;
    WeightsPtr weights;
  };
  static std::vector<Packed> all(int seed) {
    std::vector<Packed> list;
    for (const Case& c : cases())
      for (const bool bias : {true, false}) {
        Packed p{c, c.values(seed), {}, {}};
        p.views = p.values.views();
        if (!bias) p.views.pop_back();
        EXPECT_TRUE(Weights::create(c.op, p.views, {}, MathMode::strict, "", &p.weights).ok());
        list.push_back(std::move(p));
      }
    return list;
  }
  static std::vector<SavedWeights> entries(const std::vector<Packed>& list) {
    std::vector<SavedWeights> saved;
    for (const Packed& p : list) saved.push_back({p.weights.get(), source_of(p.views)});
    return saved;
  }
  static WeightsPtr find(const MappedWeights& file, const OperatorPtr& op, std::span<const TensorView> views) {
    WeightsPtr w;
    const Status s = file.find(op, views, source_of(views), {}, MathMode::strict, &w);
    EXPECT_TRUE(s.ok()) << s.message();
    return w;
  }
  std::shared_ptr<const MappedWeights> open() const {
    std::shared_ptr<const MappedWeights> file;
    const Status s = MappedWeights::open(path, &file);
    EXPECT_TRUE(s.ok()) << s.message();
    return file;
  }
};

TEST_F(WeightsOfAModel, AreFoundByTheirValuesAndGiveTheSameBits) {
  const std::vector<Packed> one = all(1), two = all(2);
  std::vector<SavedWeights> saved = entries(one);
  saved.insert(saved.end(), saved.begin(), saved.end());
  ASSERT_TRUE(save_weights(saved, path).ok());
  const std::string twice = read();
  ASSERT_TRUE(save_weights(entries(one), path).ok());
  EXPECT_EQ(read(), twice) << "equal entries are written once, and the bytes follow from the weights";
  std::vector<WeightsPtr> found;
  {
    const auto file = open();
    ASSERT_TRUE(file);
    for (const Packed& p : one) {
      found.push_back(find(*file, p.c.op, p.views));
      ASSERT_TRUE(found.back()) << p.c.name;
      EXPECT_EQ(found.back()->form(), p.weights->form());
      EXPECT_EQ(found.back()->bytes(), p.weights->bytes());
    }
    for (const Packed& p : two) EXPECT_FALSE(find(*file, p.c.op, p.views)) << p.c.name << ": other values";
  }
  std::filesystem::remove(path);
  for (size_t i = 0; i < one.size(); ++i)
    EXPECT_EQ(result(one[i].c, found[i]), result(one[i].c, one[i].weights)) << "what was found keeps the file mapped";
}

TEST_F(WeightsOfAModel, AreNotFoundForOneOtherBitTypeOperatorOrPackedForm) {
  const Case c = cases()[0];
  const Values values = c.values(1);
  const auto views = values.views();
  const WeightsPtr weights = pack(c, values);
  const SavedWeights saved{weights.get(), source_of(views)};
  ASSERT_TRUE(save_weights({&saved, 1}, path).ok());
  auto file = open();
  ASSERT_TRUE(file && find(*file, c.op, views));
  const int64_t count = values.first.view.count();
  for (const int64_t i : {INT64_C(0), count / 2, count - 1}) {
    uint32_t* element = &values.first.view.as<uint32_t>()[i];
    *element ^= 1;
    EXPECT_FALSE(find(*file, c.op, views)) << "element " << i;
    *element ^= 1;
  }
  std::vector<TensorView> other = views;
  other[0].dims = {70, 40};
  other[0].strides = dense_strides(other[0].dims);
  Matmul::Attributes transposed;
  transposed.trans_b = true;
  transposed.beta = 0.5f;
  EXPECT_FALSE(find(*file, *Matmul::make(transposed), other)) << "the same bytes in other dims";
  Matmul::Attributes beta;
  beta.beta = 0.25f;
  EXPECT_FALSE(find(*file, *Matmul::make(beta), views)) << "another attribute";
  EXPECT_FALSE(find(*file, c.op, {&views[0], 1})) << "without the bias";
  EXPECT_TRUE(find(*file, c.op, views)) << "as it was";
  for (const Kernel* k : registered_kernels(OpKind::matmul)) {
    const char* format = k->pack_format(*c.op);
    if (k->key().isa > cpu().best || std::string_view(format ? format : "") == weights->format()) continue;
    const WeightsPtr theirs = pack(c, values, k->name());
    const SavedWeights both[] = {{theirs.get(), source_of(views)}, saved};
    ASSERT_TRUE(save_weights({both, 1}, path).ok());
    EXPECT_FALSE(find(*open(), c.op, views)) << "in the form of " << k->name();
    ASSERT_TRUE(save_weights({both, 2}, path).ok());
    EXPECT_TRUE(find(*open(), c.op, views)) << "both forms in one file";
  }
}

TEST_F(WeightsOfAModel, AreNotThoseOfOneOperatorAndTheOtherWayRound) {
  const std::vector<Packed> list = all(1);
  ASSERT_TRUE(save_weights(entries(list), path).ok());
  WeightsPtr w;
  const Status s = load(list[0].c, path, &w);
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_NE(s.message().find("holds the weights of a model, 12 of them; expected those of one operator"), std::string::npos) << s.message();
  ASSERT_TRUE(save_weights(*list[0].weights, path).ok());
  EXPECT_FALSE(find(*open(), list[0].c.op, list[0].views)) << "what its values are is not written in it";
}

TEST_F(WeightsOfAModel, WithoutElementsAreLeftOut) {
  const Case c = cases()[0];
  const HostTensor none = tensor({0, 5}, 1);
  const Values values = c.values(1);
  const auto views = values.views();
  WeightsPtr empty;
  ASSERT_TRUE(Weights::create(c.op, {&none.view, 1}, {}, MathMode::strict, "", &empty).ok());
  const WeightsPtr weights = pack(c, values);
  const SavedWeights both[] = {{empty.get(), source_of({&none.view, 1})}, {weights.get(), source_of(views)}};
  ASSERT_TRUE(save_weights(both, path).ok());
  EXPECT_FALSE(find(*open(), c.op, {&none.view, 1}));
  EXPECT_TRUE(find(*open(), c.op, views));
  ASSERT_TRUE(save_weights({both, 1}, path).ok()) << "a file of nothing is a file";
  EXPECT_FALSE(find(*open(), c.op, views));
}

TEST_F(WeightsOfAModel, WithAWrongDescriptionUnderARightChecksumIsAnErrorOrHarmless) {
  std::vector<Packed> list = all(1);
  list.erase(list.begin() + 3, list.end());
  ASSERT_TRUE(save_weights(entries(list), path).ok());
  const std::string good = read();
  const uint64_t description = description_bytes(good);
  int found = 0, missed = 0, refused = 0;
  for (size_t i = 24; i < 48 + description; ++i) {
    if (i == 32) i = 48;  // the checksum itself
    for (const int mask : {0x01, 0x40, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ mask);
      write_checked(bad);
      std::shared_ptr<const MappedWeights> file;
      if (!MappedWeights::open(path, &file).ok()) {
        ++refused;
        continue;
      }
      for (const Packed& p : list) {
        WeightsPtr w;
        if (!file->find(p.c.op, p.views, source_of(p.views), {}, MathMode::strict, &w).ok()) ++refused;
        else if (!w) ++missed;
        else if (++found % 5 == 0) result(p.c, w);
      }
    }
  }
  EXPECT_GT(found, 0);
  EXPECT_GT(missed, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace anydim
