// SPDX-License-Identifier: Apache-2.0
// Packed weights of whole models as files, from outside: what is mapped has the bits of what is packed, what does not match is
// packed, and a damaged file is refused.
#include <stdlib.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "core/base/testing/random.h"
#include "tests/capi/support.h"

namespace {

const std::string kModels = ANYDIM_MODELS;

std::string read_file(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(f), {}};
}
void write_file(const std::string& path, std::string_view bytes) { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes; }

}  // namespace

class PackedWeights : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_TRUE(std::filesystem::exists(kModels + "/cls.onnx")) << "make models";
    std::string name = (std::filesystem::temp_directory_path() / "anydim-packed-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    path = folder + "/model.packed";
    pixels.resize(2 * 3 * 64 * 192);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 7919 % 255) / 127.f - 1.f;
  }
  void TearDown() override {
    std::filesystem::remove_all(folder);
    Api::TearDown();
  }
  // Null `packed`: without a file. The status is the caller's to look at.
  anydim_status_t load(const std::string& model, const char* packed, anydim_model_t* out) {
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.packed_weights = packed;
    return anydim_model_load_file(engine, (kModels + "/" + model + ".onnx").c_str(), &options, out);
  }
  anydim_status_t load_bytes(const std::string& bytes, const char* packed, anydim_model_t* out) {
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.packed_weights = packed;
    return anydim_model_load_memory(engine, bytes.data(), static_cast<int64_t>(bytes.size()), &options, out);
  }
  anydim_model_t loaded(const std::string& model, const char* packed = nullptr) {
    anydim_model_t m = nullptr;
    EXPECT_OK(load(model, packed, &m));
    return m;
  }
  static anydim_model_info_t facts(anydim_model_t model) {
    anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
    EXPECT_OK(anydim_model_query(model, &info));
    return info;
  }
  // The bytes of all outputs for an image of these dims. A model that was damaged may refuse: then what it says.
  std::string run(anydim_model_t model, const std::vector<int64_t>& dims, bool may_fail = false) {
    anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    anydim_context_t c = nullptr;
    EXPECT_OK(anydim_context_create(model, nullptr, &options, &c));
    anydim_view_t x = tensor(dims, pixels.data());
    int32_t inputs = 0, count_of_outputs = 0;
    EXPECT_OK(anydim_model_get_counts(model, &inputs, &count_of_outputs));
    anydim_view_t asked{};
    asked.dtype = ANYDIM_F32;
    std::vector<anydim_view_t> outputs(static_cast<size_t>(count_of_outputs), asked);
    const bool good = anydim_context_run(c, &x, 1, outputs.data(), count_of_outputs, nullptr) == ANYDIM_STATUS_OK;
    const std::string message = good ? "" : last();
    EXPECT_TRUE(good || may_fail) << message;
    std::string bits = message;
    for (const anydim_view_t& info : outputs) {
      if (!good) break;
      size_t count = 1;
      for (int a = 0; a < info.dims.rank; ++a) count *= static_cast<size_t>(info.dims.values[a]);
      bits.append(static_cast<const char*>(info.data), count * sizeof(float));
    }
    EXPECT_FALSE(bits.empty());
    anydim_context_destroy(c);
    return bits;
  }
  std::string folder, path;
  std::vector<float> pixels;
};

TEST_F(PackedWeights, MappedGiveTheBitsOfThosePackedAtLoading) {
  const struct {
    const char* model;
    std::vector<int64_t> one, two;
  } cases[] = {
      {"cls", {2, 3, 48, 192}, {1, 3, 48, 160}}, {"rec", {1, 3, 48, 192}, {2, 3, 48, 71}}, {"det", {1, 3, 64, 192}, {1, 3, 96, 32}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.model);
    anydim_model_t packed = loaded(c.model);
    ASSERT_OK(anydim_model_save_packed(packed, path.c_str(), nullptr));
    anydim_model_t mapped = loaded(c.model, path.c_str());
    const anydim_model_info_t before = facts(packed), after = facts(mapped);
    EXPECT_GT(before.packed_weights, 20);
    EXPECT_EQ(before.mapped_weights, 0);
    EXPECT_EQ(before.mapped_bytes, 0);
    EXPECT_EQ(after.packed_weights, before.packed_weights);
    EXPECT_EQ(after.mapped_weights, before.packed_weights) << "all are mapped";
    EXPECT_GT(after.mapped_bytes, after.weight_bytes / 2);
    EXPECT_EQ(after.weight_bytes, before.weight_bytes);
    EXPECT_EQ(run(mapped, c.one), run(packed, c.one));
    EXPECT_EQ(run(mapped, c.two), run(packed, c.two));
    const std::string bytes = read_file(path);
    ASSERT_OK(anydim_model_save_packed(mapped, path.c_str(), nullptr));
    EXPECT_EQ(read_file(path), bytes) << "mapped weights are saved as they were";
    anydim_model_destroy(packed);
    EXPECT_FALSE(run(mapped, c.one).empty()) << "nothing is borrowed from the model that was saved";
    anydim_model_destroy(mapped);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "no temporary file is left";
}

TEST_F(PackedWeights, AreReportedInTheDescriptionAndInTheLog) {
  anydim_model_t model = loaded("cls");
  ASSERT_OK(anydim_model_save_packed(model, path.c_str(), nullptr));
  const int32_t count = facts(model).packed_weights;
  anydim_model_destroy(model);
  std::string lines;
  EXPECT_OK(anydim_log_set(
      ANYDIM_LOG_INFO, [](void* user, anydim_log_level_t, const char* text) { *static_cast<std::string*>(user) += text; }, &lines,
      nullptr));
  model = loaded("cls", path.c_str());
  EXPECT_OK(anydim_log_set(ANYDIM_LOG_WARNING, nullptr, nullptr, nullptr));
  const std::string words = std::to_string(count) + " of the model's " + std::to_string(count) + " weights are mapped from '" + path + "'";
  EXPECT_NE(lines.find(words), std::string::npos) << lines;
  anydim_text_t text = nullptr;
  anydim_string_t json;
  ASSERT_OK(anydim_model_describe(model, &text));
  ASSERT_OK(anydim_text_get_data(text, &json));
  const std::string described(json.data, static_cast<size_t>(json.length));
  EXPECT_NE(described.find("\"mapped\": " + std::to_string(count)), std::string::npos) << described.substr(0, 2000);
  anydim_text_destroy(text);
  anydim_model_destroy(model);
}

TEST_F(PackedWeights, OfAValueThatWasChangedAreNotUsed) {
  std::string bytes = read_file(kModels + "/cls.onnx");
  anydim_model_t model = loaded("cls");
  ASSERT_OK(anydim_model_save_packed(model, path.c_str(), nullptr));
  const std::string original = run(model, {1, 3, 48, 192});
  anydim_model_destroy(model);
  std::mt19937_64 random(anydim::testing::run_seed());
  int missed = 0, mapped_too = 0, other = 0;
  for (int round = 0; round < 30; ++round) {
    const size_t at = random() % bytes.size();
    const auto mask = static_cast<char>(1u << (random() % 8));
    SCOPED_TRACE("byte " + std::to_string(at) + " of the model xor " + std::to_string(static_cast<unsigned char>(mask)));
    bytes[at] ^= mask;
    anydim_model_t plain = nullptr, mapped = nullptr;
    const anydim_status_t status = load_bytes(bytes, nullptr, &plain);
    ASSERT_EQ(load_bytes(bytes, path.c_str(), &mapped), status) << last();
    bytes[at] ^= mask;
    if (status != ANYDIM_STATUS_OK) continue;
    const anydim_model_info_t info = facts(mapped);
    missed += info.mapped_weights < info.packed_weights;
    mapped_too += info.mapped_weights > info.packed_weights / 2;
    const std::string right = run(plain, {1, 3, 48, 192}, true);
    EXPECT_EQ(run(mapped, {1, 3, 48, 192}, true), right);
    other += right != original;
    anydim_model_destroy(plain);
    anydim_model_destroy(mapped);
  }
  EXPECT_GT(missed, 0) << "most bytes of the model are weights";
  EXPECT_GE(mapped_too, missed) << "the other weights are still good";
  EXPECT_GT(other, 0);
}

TEST_F(PackedWeights, OfAnotherModelMapNothingAndDoNoHarm) {
  anydim_model_t cls = loaded("cls"), det = loaded("det");
  ASSERT_OK(anydim_model_save_packed(cls, path.c_str(), nullptr));
  anydim_model_t mapped = loaded("det", path.c_str());
  EXPECT_EQ(facts(mapped).mapped_weights, 0);
  EXPECT_EQ(facts(mapped).mapped_bytes, 0);
  EXPECT_EQ(facts(mapped).packed_weights, facts(det).packed_weights);
  EXPECT_EQ(run(mapped, {1, 3, 64, 96}), run(det, {1, 3, 64, 96}));
  for (anydim_model_t m : {cls, det, mapped}) anydim_model_destroy(m);

  // Weights of one operator: a file of the same format, which says nothing of where they come from.
  std::vector<float> data(12, 1.f);
  anydim_view_t t = tensor({4, 3}, data.data());
  anydim_matmul_t op = ANYDIM_MATMUL_INIT;
  anydim_weights_t w = nullptr, none = nullptr;
  ASSERT_OK(anydim_weights_create(engine, &op.op, nullptr, nullptr, 0, &t, nullptr, 1, &w));
  EXPECT_STATUS(anydim_weights_load(engine, &op.op, nullptr, nullptr, 0, path.c_str(), &none), ANYDIM_STATUS_INVALID_ARGUMENT,
                "weights of a model");
  ASSERT_OK(anydim_weights_save(w, path.c_str(), nullptr));
  mapped = loaded("cls", path.c_str());
  EXPECT_EQ(facts(mapped).mapped_weights, 0);
  anydim_model_destroy(mapped);
  anydim_weights_destroy(w);
}

TEST_F(PackedWeights, ServeTwoModelsFromOneFileAndOutliveItsName) {
  anydim_model_t packed = loaded("cls"), other = loaded("det");
  ASSERT_OK(anydim_model_save_packed(packed, path.c_str(), nullptr));
  const std::string right = run(packed, {2, 3, 48, 192});
  anydim_model_t one = loaded("cls", path.c_str()), two = loaded("cls", path.c_str());
  EXPECT_EQ(run(one, {2, 3, 48, 192}), right);
  anydim_model_destroy(one);
  EXPECT_EQ(run(two, {2, 3, 48, 192}), right) << "each has a mapping of its own";
  // Another file takes the name while the first is mapped.
  ASSERT_OK(anydim_model_save_packed(other, path.c_str(), nullptr));
  EXPECT_EQ(run(two, {2, 3, 48, 192}), right);
  one = loaded("cls", path.c_str());
  EXPECT_EQ(facts(one).mapped_weights, 0) << "the new file is det's";
  anydim_model_destroy(one);
  std::filesystem::remove(path);
  EXPECT_EQ(run(two, {2, 3, 48, 192}), right);
  // Contexts keep the model, the model keeps the file.
  anydim_context_t c = nullptr;
  ASSERT_OK(anydim_context_create(two, nullptr, nullptr, &c));
  anydim_model_destroy(two);
  anydim_view_t x = tensor({1, 3, 48, 192}, pixels.data());
  EXPECT_OK(anydim_context_run(c, &x, 1, nullptr, 0, nullptr));
  anydim_context_destroy(c);
  anydim_model_destroy(packed);
  anydim_model_destroy(other);
}

TEST_F(PackedWeights, WithAFlippedByteOrCutOffAreAnError) {
  anydim_model_t model = loaded("cls"), untouched = nullptr;
  ASSERT_OK(anydim_model_save_packed(model, path.c_str(), nullptr));
  anydim_model_destroy(model);
  const std::string good = read_file(path);
  std::mt19937_64 random(anydim::testing::run_seed());
  std::vector<size_t> places{0, 8, 12, 16, 24, 32, 47, 48, 51, 52, 70, good.size() - 1};
  for (int i = 0; i < 100; ++i) places.push_back(random() % good.size());
  for (int i = 0; i < 50; ++i) places.push_back(random() % 16384);  // the description
  for (const size_t at : places) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 + random() % 255));
    write_file(path, bad);
    const anydim_status_t status = load("cls", path.c_str(), &untouched);
    EXPECT_TRUE(status == ANYDIM_STATUS_IO_ERROR || (at >= 8 && at < 16 && status == ANYDIM_STATUS_UNIMPLEMENTED))
        << "byte " << at << ": " << anydim_status_name(status);
    EXPECT_NE(last().find(path), std::string::npos) << last();
  }
  std::vector<size_t> sizes{0, 1, 47, 48, 4096, good.size() - 1};
  for (int i = 0; i < 50; ++i) sizes.push_back(random() % good.size());
  for (const size_t size : sizes) {
    write_file(path, std::string_view(good).substr(0, size));
    EXPECT_STATUS(load("cls", path.c_str(), &untouched), ANYDIM_STATUS_IO_ERROR, "has", "bytes");
  }
  write_file(path, good + good);
  EXPECT_STATUS(load("cls", path.c_str(), &untouched), ANYDIM_STATUS_IO_ERROR, "its head says");
  EXPECT_EQ(untouched, nullptr);
  write_file(path, good);
  model = loaded("cls", path.c_str());
  EXPECT_EQ(facts(model).mapped_weights, facts(model).packed_weights);
  anydim_model_destroy(model);
}

TEST_F(PackedWeights, ThatAreNoSuchFileAreNamed) {
  anydim_model_t model = nullptr;
  EXPECT_STATUS(load("cls", "", &model), ANYDIM_STATUS_INVALID_ARGUMENT, "options.packed_weights is empty");
  EXPECT_STATUS(load("cls", path.c_str(), &model), ANYDIM_STATUS_FILE_NOT_FOUND, "cannot open", "model.packed");
  EXPECT_STATUS(load("cls", folder.c_str(), &model), ANYDIM_STATUS_IO_ERROR, "not a regular file");
  EXPECT_STATUS(load("cls", (folder + "/\xff\x01").c_str(), &model), ANYDIM_STATUS_FILE_NOT_FOUND, "/\\xff\\x01'");  // messages are UTF-8
  EXPECT_STATUS(load("cls", (kModels + "/cls.onnx").c_str(), &model), ANYDIM_STATUS_IO_ERROR, "cls.onnx", "not a file of packed weights");
  EXPECT_EQ(model, nullptr);
  model = loaded("cls");
  // Without the wait for the disk: the same bytes.
  anydim_save_options_t quick = ANYDIM_SAVE_OPTIONS_INIT;
  EXPECT_EQ(quick.sync, 1);
  quick.sync = 0;
  const std::string other = folder + "/quick";
  ASSERT_OK(anydim_model_save_packed(model, path.c_str(), nullptr));
  ASSERT_OK(anydim_model_save_packed(model, other.c_str(), &quick));
  EXPECT_GT(read_file(path).size(), 1000u);
  EXPECT_EQ(read_file(path), read_file(other));
  EXPECT_STATUS(anydim_model_save_packed(model, "", nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "path is empty");
  EXPECT_STATUS(anydim_model_save_packed(model, nullptr, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "path is null");
  EXPECT_STATUS(anydim_model_save_packed(model, (folder + "/no/such").c_str(), nullptr), ANYDIM_STATUS_IO_ERROR, "cannot write");
  EXPECT_STATUS(anydim_model_save_packed(nullptr, path.c_str(), nullptr), ANYDIM_STATUS_INVALID_HANDLE, "model");
  anydim_model_destroy(model);
  // A program that was compiled before the option was there.
  anydim_model_options_t older = ANYDIM_MODEL_OPTIONS_INIT;
  older.size = static_cast<uint32_t>(offsetof(anydim_model_options_t, packed_weights));
  older.packed_weights = "not looked at";
  EXPECT_OK(anydim_model_load_file(engine, (kModels + "/cls.onnx").c_str(), &older, &model));
  anydim_model_destroy(model);
}
