// SPDX-License-Identifier: Apache-2.0
// Values of TensorProtos in every stored form, hostile sizes, and external data that tries to leave its folder.
#include "onnx/format/tensor_data.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

#include "onnx/testing/model_builder.h"

namespace anydim::onnx {
namespace {

Result<TensorValue> read(const TensorProto& t) {
  ExternalData none;
  return read_tensor(t, Bytes{}, &none);
}

TensorProto proto(int32_t type, std::vector<int64_t> dims) {
  TensorProto t;
  t.data_type = type;
  t.dims = std::move(dims);
  return t;
}

TEST(TensorData, UnpacksTypesBelowAByteTheFirstElementInTheLowestBits) {
  const auto elements = [](const TensorProto& t) {
    const Result<TensorValue> v = read(t);
    EXPECT_TRUE(v.ok()) << v.status().message();
    return std::vector<int>(v->as<uint8_t>(), v->as<uint8_t>() + v->bytes);
  };
  const std::string raw = {'\x21', '\x0f'};
  TensorProto t = proto(kInt4, {3});
  t.has_raw_data = true;
  t.raw_data = raw;
  EXPECT_EQ(elements(t), (std::vector<int>{1, 2, 15}));
  EXPECT_EQ(read(t)->dtype, DType::i4);
  t = proto(kUint4, {3});
  t.int32_data = {0x21, 0x0f};
  EXPECT_EQ(elements(t), (std::vector<int>{1, 2, 15}));
  t = proto(kInt2, {5});
  t.has_raw_data = true;
  t.raw_data = raw;
  EXPECT_EQ(elements(t), (std::vector<int>{1, 0, 2, 0, 3}));
  t = proto(kFloat8E5M2, {2});
  t.int32_data = {0x3c, 0xff};
  EXPECT_EQ(elements(t), (std::vector<int>{0x3c, 0xff}));
  t = proto(kUint4, {3});
  t.has_raw_data = true;
  t.raw_data = std::string_view(raw).substr(1);
  EXPECT_EQ(read(t).status().message(), "it stores 1 bytes; its dims need 2 (3 values of type u4)");
  t = proto(kFloat4E2M1, {5});
  t.int32_data = {1, 2};
  EXPECT_EQ(read(t).status().message(), "it stores 2 values of type f4e2m1; its dims need 3");
}

TEST(TensorData, ReadsEachTypeFromItsField) {
  TensorProto t = proto(kFloat, {2});
  t.float_data = {1.5f, -2.f};
  EXPECT_EQ(read(t)->as<float>()[1], -2.f);

  t = proto(kDouble, {1});
  t.double_data = {0.1};
  EXPECT_EQ(read(t)->as<double>()[0], 0.1);

  t = proto(kInt64, {1});
  t.int64_data = {INT64_MIN};
  EXPECT_EQ(read(t)->as<int64_t>()[0], INT64_MIN);

  t = proto(kUint64, {1});
  t.uint64_data = {UINT64_MAX};
  EXPECT_EQ(read(t)->as<uint64_t>()[0], UINT64_MAX);

  t = proto(kUint32, {1});
  t.uint64_data = {UINT32_MAX};
  EXPECT_EQ(read(t)->as<uint32_t>()[0], UINT32_MAX);

  t = proto(kInt8, {2});
  t.int32_data = {-128, 127};
  EXPECT_EQ(read(t)->as<int8_t>()[0], -128);

  t = proto(kFloat16, {1});
  t.int32_data = {0xBC00};  // -1
  EXPECT_EQ(read(t)->as<uint16_t>()[0], 0xBC00);

  t = proto(kBfloat16, {1});
  t.int32_data = {0x3F80};  // 1
  EXPECT_EQ(read(t)->dtype, DType::bf16);

  t = proto(kBool, {2});
  t.int32_data = {0, 1};
  EXPECT_EQ(read(t)->as<uint8_t>()[1], 1);
}

TEST(TensorData, BooleansBecomeZeroOrOneWhateverTheRawBytesSay) {
  TensorProto t = proto(kBool, {3});
  t.has_raw_data = true;
  t.raw_data = std::string_view("\x00\x02\xFF", 3);
  Result<TensorValue> v = read(t);
  ASSERT_TRUE(v.ok());
  EXPECT_EQ(v->as<uint8_t>()[1], 1);
  EXPECT_EQ(v->as<uint8_t>()[2], 1);
}

TEST(TensorData, RefusesValuesThatDoNotFitTheirType) {
  TensorProto t = proto(kUint8, {1});
  t.int32_data = {256};
  EXPECT_EQ(read(t).status().code(), Code::invalid_model);
  t = proto(kUint32, {1});
  t.uint64_data = {UINT64_C(1) << 32};
  EXPECT_EQ(read(t).status().code(), Code::invalid_model);
}

TEST(TensorData, RefusesCountsThatDoNotMatchTheirDims) {
  TensorProto t = proto(kFloat, {2, 3});
  t.float_data = {1.f};
  EXPECT_EQ(read(t).status().message(), "it stores 1 values of type f32; its dims need 6");
  t.has_raw_data = true;
  t.raw_data = "12345678";
  EXPECT_EQ(read(t).status().message(), "it stores 8 bytes; its dims need 24 (6 values of type f32)");
}

TEST(TensorData, RefusesNegativeHugeAndOverflowingDims) {
  EXPECT_EQ(read(proto(kFloat, {-1})).status().code(), Code::invalid_model);
  EXPECT_EQ(read(proto(kFloat, {INT64_MAX})).status().code(), Code::invalid_model);
  EXPECT_EQ(read(proto(kFloat, {INT64_C(1) << 32, INT64_C(1) << 32})).status().code(), Code::invalid_model);
  EXPECT_EQ(read(proto(kFloat, {INT64_C(1) << 40})).status().code(), Code::invalid_model);
  EXPECT_EQ(read(proto(kFloat, {1, 1, 1, 1, 1, 1, 1, 1, 0})).status().code(), Code::unimplemented);
  Result<TensorValue> empty = read(proto(kFloat, {INT64_MAX, INT64_MAX, 0}));
  ASSERT_TRUE(empty.ok()) << empty.status().message();
  EXPECT_EQ(empty->bytes, 0);
}

TEST(TensorData, NamesUnsupportedElementTypes) {
  EXPECT_EQ(read(proto(kString, {})).status().message(), "element type string (8) is not supported");
  EXPECT_EQ(read(proto(99, {})).status().code(), Code::invalid_model);
}

// A folder with a file of 16 bytes in a subfolder, links that lead out, and a secret outside.
class ExternalDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/anydim-external-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    folder_ = root_ + "/model";
    ASSERT_EQ(std::system(("mkdir -p '" + folder_ + "/sub' && printf 0123456789abcdef > '" + folder_ +
                           "/sub/w.bin' && printf secretsecret > '" + root_ + "/secret' && ln -s ../secret '" + folder_ +
                           "/link' && ln -s .. '" + folder_ + "/up' && mkfifo '" + folder_ + "/pipe'")
                              .c_str()),
              0);
  }
  void TearDown() override { ASSERT_EQ(std::system(("rm -r '" + root_ + "'").c_str()), 0); }
  Status read_at(const char* location, int64_t offset, int64_t length) {
    return ExternalData(folder_).read(location, offset, length).take_status();
  }
  std::string root_, folder_;
};

TEST_F(ExternalDataTest, ReadsARangeOfAFileBelowTheFolder) {
  ExternalData files(folder_);
  Result<Bytes> r = files.read("sub/w.bin", 4, 4);
  ASSERT_TRUE(r.ok()) << r.status().message();
  EXPECT_EQ(r->view, "4567");
  EXPECT_EQ(files.read("./sub//w.bin", 10, -1)->view, "abcdef");
}

TEST_F(ExternalDataTest, NothingOutsideTheFolderCanBeReached) {
  for (const char* location : {"../secret", "sub/../../secret", "link", "up/secret", "/etc/passwd", "", "sub\\..\\w"}) {
    const Status s = read_at(location, 0, 1);
    EXPECT_EQ(s.code(), Code::invalid_model) << location << ": " << s.message();
  }
  EXPECT_FALSE(ExternalData(folder_).read(std::string_view("sub\0x", 5), 0, 1).ok());
  EXPECT_FALSE(ExternalData().read("sub/w.bin", 0, 1).ok());
}

// A cache of a model hub: snapshots/1/model.onnx and its data lead to files in blobs/.
TEST_F(ExternalDataTest, LinksAreFollowedWhereTheyStayInTheModelsFolders) {
  ASSERT_EQ(
      std::system(("cd '" + root_ +
                   "' && mkdir -p hub/blobs hub/snapshots/1/onnx hub/blobs-of-others && cd hub && "
                   "printf modelmodel > blobs/m && printf weightsweights > blobs/w && printf elsewhere > blobs-of-others/w && "
                   "printf besides > blobs/besides && mkfifo blobs/pipe && cd snapshots/1 && "
                   "ln -s ../../blobs/m model.onnx && ln -s ../../blobs/w model.onnx_data && ln -s ../../../blobs/m onnx/model.onnx && "
                   "ln -s ../../../blobs/w onnx/model.onnx_data && ln -s ../../blobs-of-others/w others && "
                   "ln -s ../../../secret secret && ln -s ../../blobs blobs && ln -s ../.. up && ln -s loop loop && "
                   "ln -s missing dangling && ln -s ../../blobs/pipe pipe && ln -s model.onnx_data again && ln -s \"$PWD/onnx\" sub && "
                   "ln -s /dev/zero zero && printf here > file && ln -s file inside")
                      .c_str()),
      0);
  const std::string one = root_ + "/hub/snapshots/1";
  for (const std::string& folder : {one, one + "/onnx"}) {
    std::string real;
    ASSERT_TRUE(map_file(folder + "/model.onnx", &real).ok());
    EXPECT_EQ(real, std::filesystem::canonical(root_ + "/hub/blobs").string());
    ExternalData files(folder, real);
    Result<Bytes> r = files.read("model.onnx_data", 7, 7);
    ASSERT_TRUE(r.ok()) << r.status().message();
    EXPECT_EQ(r->view, "weights");
    EXPECT_EQ(ExternalData(folder).read("model.onnx_data", 0, 1).status().code(), Code::invalid_model) << "the model is no link there";
  }
  std::string real;
  ASSERT_TRUE(map_file(one + "/model.onnx", &real).ok());
  ExternalData files(one, real);
  EXPECT_EQ(files.read("blobs/w", 0, 3)->view, "wei") << "a folder may be a link, too";
  EXPECT_EQ(files.read("again", 0, 3)->view, "wei") << "a link to a link";
  EXPECT_EQ(files.read("sub/model.onnx_data", 0, 3)->view, "wei");
  EXPECT_EQ(files.read("inside", 0, -1)->view, "here");
  EXPECT_EQ(ExternalData(one).read("inside", 0, -1)->view, "here");
  EXPECT_EQ(files.read("besides", 0, -1)->view, "besides") << "beside the file that the model's path leads to";
  for (const char* location : {"others", "secret", "up/blobs-of-others/w", "zero", "blobs/../blobs/w", "up/snapshots/../../secret"}) {
    const Status s = files.read(location, 0, 1).take_status();
    EXPECT_EQ(s.code(), Code::invalid_model) << location << ": " << s.message();
  }
  EXPECT_FALSE(files.read("loop", 0, 1).ok());
  EXPECT_EQ(files.read("dangling", 0, 1).status().code(), Code::file_not_found);
  EXPECT_EQ(files.read("pipe", 0, 1).status().code(), Code::io_error);
  EXPECT_EQ(files.read("blobs", 0, 1).status().code(), Code::invalid_model);
}

// A link that somebody turns to and fro gives what lies inside, or a refusal, and never what lies outside.
TEST_F(ExternalDataTest, ALinkThatChangesMeanwhileLeadsNowhereElse) {
  const std::string link = folder_ + "/turning", next = folder_ + "/next";
  ASSERT_EQ(::symlink("sub/w.bin", link.c_str()), 0);
  std::atomic<bool> ends{false};
  std::thread turns([&] {
    for (int i = 0; !ends; ++i) {
      if (::symlink(i % 2 ? "sub/w.bin" : "../secret", next.c_str()) == 0) ::rename(next.c_str(), link.c_str());
    }
  });
  int read = 0;
  for (int i = 0; i < 3000; ++i) {
    Result<Bytes> r = ExternalData(folder_).read("turning", 0, 4);
    read += r.ok();
    if (r.ok()) EXPECT_EQ(r->view, "0123");
    else EXPECT_EQ(r.status().code(), Code::invalid_model) << r.status().message();
  }
  ends = true;
  turns.join();
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 3000);
}

TEST_F(ExternalDataTest, RangesOutsideTheFileAndSpecialFilesAreRefused) {
  EXPECT_EQ(read_at("sub/w.bin", 0, 17).code(), Code::invalid_model);
  EXPECT_EQ(read_at("sub/w.bin", 17, 0).code(), Code::invalid_model);
  EXPECT_EQ(read_at("sub/w.bin", -1, 4).code(), Code::invalid_model);
  EXPECT_EQ(read_at("sub/w.bin", INT64_MAX, INT64_MAX).code(), Code::invalid_model);
  EXPECT_EQ(read_at("missing", 0, 1).code(), Code::file_not_found);
  EXPECT_EQ(read_at("sub", 0, 1).code(), Code::io_error);
  EXPECT_EQ(read_at("pipe", 0, 1).code(), Code::io_error);
}

TEST_F(ExternalDataTest, TensorsTakeTheirValuesFromIt) {
  TensorProto t = proto(kUint8, {4});
  t.is_external = true;
  t.external_data = {{"location", "sub/w.bin"}, {"offset", "8"}, {"length", "4"}};
  ExternalData files(folder_);
  Result<TensorValue> v = read_tensor(t, Bytes{}, &files);
  ASSERT_TRUE(v.ok()) << v.status().message();
  EXPECT_EQ(v->as<uint8_t>()[0], '8');
  t.external_data[2].second = "3";
  EXPECT_EQ(read_tensor(t, Bytes{}, &files).status().message(), "external data has 3 bytes; its dims need 4");
  t.external_data[1].second = "99999999999999999999";
  EXPECT_EQ(read_tensor(t, Bytes{}, &files).status().code(), Code::invalid_model);
  t.external_data[1].second = "-8";
  EXPECT_EQ(read_tensor(t, Bytes{}, &files).status().code(), Code::invalid_model);
}

}  // namespace
}  // namespace anydim::onnx
