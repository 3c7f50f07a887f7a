// SPDX-License-Identifier: Apache-2.0
// Weights of one operator as a file: what is not the file that was written is refused.
#include "core/dispatch/weights/weights_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "core/dispatch/testing/packed_weights.h"
#include "core/engines/cpu/engine.h"

namespace anydim {
namespace {

TEST_F(WeightsFile, GivesTheBitsOfTheWeightsThatWereSaved) {
  for (const WeightsCase& c : cases()) {
    for (const bool bias : {true, false}) {
      const Values values = c.values(3);
      auto views = values.views();
      if (!bias) views.pop_back();
      WeightsPtr weights, loaded;
      ASSERT_TRUE(weights_of(cpu_engine(), c.op, views, &weights).ok());
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
  const WeightsCase c = cases()[0];
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
  const WeightsCase c{"small", *Matmul::make({}), {3, 5}, {5}, {2, 3}};
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
  EXPECT_EQ(load(c, folder + "/nothing", &w).code(), Code::file_not_found);
  EXPECT_EQ(load(c, folder, &w).code(), Code::io_error);
  EXPECT_EQ(load(c, "/dev/zero", &w).code(), Code::io_error);
  EXPECT_EQ(w, untouched);
}

// An attacker makes the checksum right.
TEST_F(WeightsFile, WithAWrongDescriptionUnderARightChecksumIsAnErrorOrHarmless) {
  for (const WeightsCase& c : cases()) {
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
        if (Primitive::create(cpu_engine(), c.op, {nullptr, {&in, 1}, {}}, {}, w, &p).ok()) Runner(p, tensor(c.input, 5)).run();
      }
    }
    RecordProperty(std::string("loaded_") + c.name, loaded);
  }
}

TEST_F(WeightsFile, OfAnotherOperatorOrPackedFormSaysWhatToDo) {
  const WeightsCase a = cases()[1], b = cases()[2];
  WeightsPtr w;
  ASSERT_TRUE(save_weights(*pack(a, a.values(1)), path).ok());
  const Status other = load(b, path, &w);
  EXPECT_EQ(other.code(), Code::invalid_argument);
  EXPECT_NE(other.message().find("packed for 'convolution"), std::string::npos) << other.message();

  const WeightsCase c = cases()[0];
  const WeightsPtr here = pack(c, c.values(1));
  for (const Kernel* k : cpu_kernels().of(OpKind::matmul)) {
    if (k->key().src != DType::f32 || k->key().mode != MathMode::strict) continue;
    if (!cpu().usable.includes(k->key().isa)) continue;
    const WeightsPtr theirs = pack(c, c.values(1), k->name());
    if (theirs->format() == here->format()) continue;
    ASSERT_TRUE(save_weights(*theirs, path).ok());
    WeightsUse use;
    use.kernel = k->name();
    const Status s = load(c, path, &w);
    EXPECT_EQ(s.code(), Code::unimplemented) << k->name();
    EXPECT_NE(s.message().find("pack them again"), std::string::npos) << s.message();
    ASSERT_TRUE(load_weights(cpu_engine(), c.op, use, path, &w).ok()) << "for its own kernel it is good";
  }
}

TEST_F(WeightsFile, ThatCannotBeWrittenLeavesNothingBehind) {
  const WeightsCase c = cases()[0];
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
  ASSERT_TRUE(weights_of(cpu_engine(), c.op, {&none.view, 1}, &empty).ok());
  EXPECT_EQ(save_weights(*empty, path).code(), Code::unimplemented);
}

// A file names its form, and a later library must read under that name what this one wrote. If this fails because the bytes of a form
// were changed on purpose, give the form a new name (PackedForm::format) and then add its line here.
TEST(WeightsForms, KeepTheirBytesUnderTheirNames) {
  const std::map<std::string, std::string> known = {
      {"matmul gemm.panels32", "dec0761bc7f54ef7208654963e828465"},
      {"matmul gemm.panels16", "5d9b979f17df0e55857cc7f4dc987072"},
      {"convolution conv.panels32", "b9f128d138ae62aaa38f5c0cad1340f1"},
      {"convolution conv.panels16", "66c1050868eb2460e9840017c38c6590"},
      {"grouped conv.panels32", "2bc426f32388eb153403a0cf2a96d38c"},
      {"grouped conv.panels16", "2bc426f32388eb153403a0cf2a96d38c"},
      {"depthwise depthwise.taps16", "e40e256c0a34f4e1828dc6f2dcc0bbec"},
      {"depthwise conv.panels32", "8cedc8784fe8591d05df06484d56a3b4"},
      {"depthwise conv.panels16", "8cedc8784fe8591d05df06484d56a3b4"},
      {"patches conv_transpose.panels32", "fd15db1021d3bd653286083818323900"},
      {"patches conv_transpose.panels16", "78b9235faf59a531008ad7adb44a410d"},
      {"upsampling depthwise_transposed.taps16", "5ea384e83e660847fe2880e14b8e5c6c"},
      {"upsampling conv_transpose.panels32", "98399ba966d245ee54c6b6c54a0da274"},
      {"upsampling conv_transpose.panels16", "98399ba966d245ee54c6b6c54a0da274"},
      {"windows depthwise.windows16", "58154b4d2d9efaad3c6b0f2b10fd1262"},
      {"windows conv.panels32", "897ee201aefe7e1937468c53dc31b491"},
      {"windows conv.panels16", "897ee201aefe7e1937468c53dc31b491"},
      {"upsampling windows depthwise_transposed.windows16", "7e080067ff379e5b4cb7796559777599"},
      {"upsampling windows conv_transpose.panels32", "dc44b06aa6d8a7a4a922e7bfa1e6c463"},
      {"upsampling windows conv_transpose.panels16", "dc44b06aa6d8a7a4a922e7bfa1e6c463"},
  };
  for (const WeightsCase& c : cases())
    for (const Kernel* k : cpu_kernels().of(c.op->kind())) {
      if (!cpu().usable.includes(k->key().isa)) continue;
      const Values values = c.values(1);
      WeightsPtr w;
      if (!weights_of(cpu_engine(), c.op, values.views(), &w, k->name()).ok() || w->packed() == nullptr) continue;  // not its problem
      XXH3_state_t state;
      XXH3_128bits_reset(&state);
      const PackedForm& form = w->packed()->form;
      for (int i = 0; i < form.count; ++i) XXH3_128bits_update(&state, w->packed()->pieces[i], static_cast<size_t>(form.pieces[i].bytes()));
      XXH128_canonical_t canonical;
      XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
      std::string digest;
      for (const unsigned char byte : canonical.digest) digest += formatted("{:02x}", byte);
      const std::string name = formatted("{} {}", c.name, w->format());
      const auto line = known.find(name);
      EXPECT_EQ(line == known.end() ? "(not in the list)" : line->second, digest) << name << ", as " << k->name() << " packs it";
    }
}

TEST_F(WeightsFile, OfAnotherRevisionSaysToPackAgain) {
  const WeightsCase c = cases()[1];
  const WeightsPtr weights = pack(c, c.values(1));
  ASSERT_TRUE(save_weights(*weights, path).ok());
  std::string other = read();
  for (const char revision : {1, 2, 4}) {
    other[8] = revision;
    write_checked(other);
    WeightsPtr loaded;
    const Status s = load(c, path, &loaded);
    EXPECT_EQ(s.code(), Code::unimplemented);
    EXPECT_NE(s.message().find("reads revision 3"), std::string::npos) << s.message();
    EXPECT_NE(s.message().find("pack the weights again"), std::string::npos) << s.message();
  }
}

}  // namespace
}  // namespace anydim
