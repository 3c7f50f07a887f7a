// SPDX-License-Identifier: Apache-2.0
// Program files from outside: they have the bits of the model, are shared, hold what is asked of models, and a file that is damaged, cut
// off, of another version or for another CPU is refused with a sentence.
#include <stdlib.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/testing/random.h"
#include "tests/capi/support.h"

namespace {

const std::string kModelFolder = ANYDIM_MODELS;

std::string bytes_of(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(f), {}};
}
void write_bytes(const std::string& path, std::string_view bytes) { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes; }

// The digest in the head made right again: what is read then is the description itself.
void seal(std::string* bytes) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, bytes->data(), 32);
  XXH3_128bits_update(&state, bytes->data() + 48, bytes->size() - 48);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  std::memcpy(bytes->data() + 32, canonical.digest, sizeof canonical.digest);
}

}  // namespace

class ProgramFiles : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_TRUE(std::filesystem::exists(kModelFolder + "/cls.onnx")) << "make models";
    std::string name = (std::filesystem::temp_directory_path() / "anydim-program-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    path = folder + "/model.anydim";
    pixels.resize(2 * 3 * 640 * 192);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 7919 % 255) / 127.f - 1.f;
  }
  void TearDown() override {
    std::filesystem::remove_all(folder);
    Api::TearDown();
  }
  anydim_status_t load_file(const std::string& file, anydim_model_t* out, const anydim_model_options_t* options = nullptr) {
    return anydim_model_load_file(engine, file.c_str(), options, out);
  }
  anydim_status_t load_bytes(const std::string& bytes, anydim_model_t* out) {
    return anydim_model_load_memory(engine, bytes.data(), static_cast<int64_t>(bytes.size()), nullptr, out);
  }
  anydim_model_t loaded(const std::string& file) {
    anydim_model_t m = nullptr;
    EXPECT_OK(load_file(file, &m));
    return m;
  }
  // The program file of a model in `path`, as bytes.
  std::string saved(const std::string& model) {
    anydim_model_t m = loaded(kModelFolder + "/" + model + ".onnx");
    EXPECT_OK(anydim_model_save_program(m, path.c_str(), nullptr));
    anydim_model_destroy(m);
    return bytes_of(path);
  }
  // The bytes of all outputs for an image of these dims, and what memory a context within bounds of twice as much asks for.
  std::string run(anydim_model_t model, const std::vector<int64_t>& dims) {
    anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    anydim_context_t c = nullptr;
    EXPECT_OK(anydim_context_create(model, nullptr, &options, &c));
    anydim_view_t x = tensor(dims, pixels.data());
    int32_t inputs = 0, outputs = 0;
    EXPECT_OK(anydim_model_get_counts(model, &inputs, &outputs));
    anydim_view_t asked{};
    asked.dtype = ANYDIM_F32;
    std::vector<anydim_view_t> views(static_cast<size_t>(outputs), asked);
    EXPECT_OK(anydim_context_run(c, &x, 1, views.data(), outputs, nullptr));
    std::string bits;
    for (const anydim_view_t& v : views) {
      size_t count = 1;
      for (int a = 0; a < v.dims.rank; ++a) count *= static_cast<size_t>(v.dims.values[a]);
      bits.append(static_cast<const char*>(v.data), count * sizeof(float));
    }
    EXPECT_FALSE(bits.empty());
    anydim_context_destroy(c);
    return bits;
  }
  static std::string described(anydim_model_t model) {
    anydim_text_t text = nullptr;
    EXPECT_OK(anydim_model_describe(model, &text));
    anydim_string_t data{};
    EXPECT_OK(anydim_text_get_data(text, &data));
    std::string all(data.data, static_cast<size_t>(data.length));
    anydim_text_destroy(text);
    return all;
  }
  std::string folder, path;
  std::vector<float> pixels;
};

TEST_F(ProgramFiles, HaveTheBitsAndTheDescriptionOfTheModel) {
  const struct {
    const char* model;
    std::vector<int64_t> one, two;
  } cases[] = {{"cls", {2, 3, 48, 192}, {1, 3, 48, 160}},
               {"rec", {1, 3, 48, 192}, {2, 3, 48, 71}},
               {"det", {1, 3, 64, 192}, {1, 3, 96, 32}},
               {"yolo", {1, 3, 64, 96}, {1, 3, 320, 160}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.model);
    const std::string bytes = saved(c.model);
    anydim_model_t model = loaded(kModelFolder + "/" + c.model + ".onnx"), mapped = loaded(path), copied = nullptr;
    ASSERT_OK(load_bytes(bytes, &copied));
    anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
    EXPECT_OK(anydim_model_query(mapped, &info));
    EXPECT_EQ(info.mapped_weights, info.packed_weights);
    EXPECT_GT(info.mapped_bytes, 0);
    for (const auto& dims : {c.one, c.two}) {
      const std::string expected = run(model, dims);
      EXPECT_EQ(run(mapped, dims), expected);
      EXPECT_EQ(run(copied, dims), expected);
    }
    EXPECT_EQ(described(copied), described(model));
    for (anydim_model_t m : {model, mapped, copied}) anydim_model_destroy(m);
  }
}

TEST_F(ProgramFiles, OfALoadedProgramIsTheSameFile) {
  const std::string bytes = saved("cls");
  anydim_model_t mapped = loaded(path);
  ASSERT_OK(anydim_model_save_program(mapped, path.c_str(), nullptr));  // while it is mapped
  EXPECT_EQ(bytes_of(path), bytes);
  anydim_model_destroy(mapped);
}

TEST_F(ProgramFiles, LeaveNothingBehindWhereTheyCannotBeWritten) {
  anydim_model_t m = loaded(kModelFolder + "/cls.onnx");
  EXPECT_STATUS(anydim_model_save_program(m, "/dev/full", nullptr), ANYDIM_STATUS_IO_ERROR, "/dev/full");
  EXPECT_STATUS(anydim_model_save_program(m, (folder + "/none/model.anydim").c_str(), nullptr), ANYDIM_STATUS_IO_ERROR, "none");
  EXPECT_STATUS(anydim_model_save_program(m, "", nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "path is empty");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  anydim_model_destroy(m);
}

TEST_F(ProgramFiles, TakeNoOptionsThatSayHowAProgramIsMade) {
  saved("cls");
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  options.math = ANYDIM_MATH_FAST;
  options.passes = ANYDIM_PASSES_NONE;
  anydim_model_t m = nullptr;
  EXPECT_STATUS(load_file(path, &m, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "options.math, options.passes", "load the model itself");
  options = ANYDIM_MODEL_OPTIONS_INIT;
  options.reuse = ANYDIM_REUSE_REUSABLE;
  EXPECT_OK(load_file(path, &m, &options));
  anydim_model_destroy(m);
  EXPECT_STATUS(anydim_model_write_program(engine, path.c_str(), nullptr, nullptr, (folder + "/x").c_str()), ANYDIM_STATUS_UNIMPLEMENTED,
                "program file");
}

// Wherever a byte changes or the file ends, a load says so.
TEST_F(ProgramFiles, ThatAreDamagedAreRefused) {
  const std::string bytes = saved("cls");
  anydim::testing::Random drawn(48);
  std::mt19937_64& random = drawn.engine();
  for (int i = 0; i < 400; ++i) {
    std::string damaged = bytes;
    // Half of them in the head and the description.
    const size_t at = random() % (i % 2 == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 20000));
    damaged[at] = static_cast<char>(damaged[at] ^ (1 + random() % 255));
    anydim_model_t m = nullptr;
    EXPECT_NE(load_bytes(damaged, &m), ANYDIM_STATUS_OK) << "byte " << at;
    EXPECT_NE(load_bytes(bytes.substr(0, at), &m), ANYDIM_STATUS_OK) << "cut at " << at;
  }
  std::string damaged = bytes;
  damaged[bytes.size() / 2] ^= 1;
  write_bytes(path, damaged);
  anydim_model_t m = nullptr;
  EXPECT_STATUS(load_file(path, &m), ANYDIM_STATUS_INVALID_MODEL, "the checksum", "it is damaged");
  write_bytes(path, bytes.substr(0, bytes.size() - 4096));
  EXPECT_STATUS(load_file(path, &m), ANYDIM_STATUS_INVALID_MODEL, "its head says");
  write_bytes(path, bytes.substr(0, 20));
  EXPECT_STATUS(load_file(path, &m), ANYDIM_STATUS_INVALID_MODEL, "has 20 bytes");
}

// With a digest that is right by intent, what is read is checked by itself: a load gives a status or a model, and no more is asked of it.
TEST_F(ProgramFiles, ThatMakeNoSenseAreReadWithoutHarm) {
  const std::string bytes = saved("cls");
  uint64_t description = 0;
  std::memcpy(&description, bytes.data() + 24, sizeof description);
  anydim::testing::Random drawn(49);
  std::mt19937_64& random = drawn.engine();
  int refused = 0;
  for (int i = 0; i < 800; ++i) {
    std::string other = bytes;
    for (int k = 0, n = 1 + static_cast<int>(random() % 3); k < n; ++k) {
      const size_t at = 48 + random() % description;
      switch (random() % 4) {
        case 0: other[at] = static_cast<char>(random()); break;
        case 1: other[at] = static_cast<char>(other[at] + 1); break;
        case 2: other[at] = -1; break;
        default: other[at] = 0; break;
      }
    }
    seal(&other);
    anydim_model_t m = nullptr;
    if (load_bytes(other, &m) != ANYDIM_STATUS_OK) ++refused;
    anydim_model_destroy(m);
  }
  EXPECT_GT(refused, 150);
}

TEST_F(ProgramFiles, OfAnotherVersionSayToSaveAgain) {
  const std::string bytes = saved("cls");
  std::string other = bytes;
  other[8] = 77;
  anydim_model_t m = nullptr;
  EXPECT_STATUS(load_bytes(other, &m), ANYDIM_STATUS_UNIMPLEMENTED, "revision 77", "save the program again from its model");
  other = bytes;
  const size_t version = other.find("anydim 0.1.0");
  ASSERT_NE(version, std::string::npos);
  other[version + 7] = '9';
  seal(&other);
  EXPECT_STATUS(load_bytes(other, &m), ANYDIM_STATUS_UNIMPLEMENTED, "it was saved by anydim 9.1.0", "save the program again");
}

TEST_F(ProgramFiles, ForMoreThanThisCpuHasAreRefused) {
  std::string other = saved("cls");
  // A kernel by a name that no library has, as one of another processor would be.
  const size_t kernel = other.find("conv.tiles.");
  ASSERT_NE(kernel, std::string::npos);
  other[kernel + 5] = '!';
  seal(&other);
  anydim_model_t m = nullptr;
  EXPECT_STATUS(load_bytes(other, &m), ANYDIM_STATUS_UNIMPLEMENTED, "no such kernel");
}
