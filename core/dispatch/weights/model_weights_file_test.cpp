// SPDX-License-Identifier: Apache-2.0
// A model's weights as one file: found by what they were packed from, and never mistaken for others.
#include "core/dispatch/testing/packed_weights.h"

namespace anydim {
namespace {

class WeightsOfAModel : public WeightsFile {
 protected:
  // Of every case with these values; without a bias, too.
  struct Packed {
    WeightsCase c;
    Values values;
    std::vector<TensorView> views;
    WeightsPtr weights;
  };
  static std::vector<Packed> all(int seed) {
    std::vector<Packed> list;
    for (const WeightsCase& c : cases())
      for (const bool bias : {true, false}) {
        Packed p{c, c.values(seed), {}, {}};
        p.views = p.values.views();
        if (!bias) p.views.pop_back();
        EXPECT_TRUE(weights_of(cpu_engine(), c.op, p.views, &p.weights).ok());
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
    const Status s = find_in(file, op, views, &w);
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
  const WeightsCase c = cases()[0];
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
  transposed.transpose_b = true;
  transposed.beta = 0.5f;
  EXPECT_FALSE(find(*file, *Matmul::make(transposed), other)) << "the same bytes in other dims";
  Matmul::Attributes beta;
  beta.beta = 0.25f;
  EXPECT_FALSE(find(*file, *Matmul::make(beta), views)) << "another attribute";
  EXPECT_FALSE(find(*file, c.op, {&views[0], 1})) << "without the bias";
  EXPECT_TRUE(find(*file, c.op, views)) << "as it was";
  for (const Kernel* k : cpu_kernels().of(OpKind::matmul)) {
    if (k->key().src != DType::f32 || k->key().mode != MathMode::strict) continue;
    if (!cpu().usable.includes(k->key().isa)) continue;
    const WeightsPtr theirs = pack(c, values, k->name());
    if (theirs->format() == weights->format()) continue;
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
  EXPECT_NE(s.message().find(formatted("holds the weights of a model, {} of them; expected those of one operator", list.size())),
            std::string::npos)
      << s.message();
  ASSERT_TRUE(save_weights(*list[0].weights, path).ok());
  EXPECT_FALSE(find(*open(), list[0].c.op, list[0].views)) << "what its values are is not written in it";
}

TEST_F(WeightsOfAModel, WithoutElementsAreLeftOut) {
  const WeightsCase c = cases()[0];
  const HostTensor none = tensor({0, 5}, 1);
  const Values values = c.values(1);
  const auto views = values.views();
  WeightsPtr empty;
  ASSERT_TRUE(weights_of(cpu_engine(), c.op, {&none.view, 1}, &empty).ok());
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
        if (!find_in(*file, p.c.op, p.views, &w).ok()) ++refused;
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
