// SPDX-License-Identifier: Apache-2.0
// The first bytes of what people load by mistake; see foreign.h.
#include "onnx/format/foreign.h"

#include <algorithm>

#include "core/base/text/format.h"
#include "core/base/text/utf8.h"

namespace anydim::onnx {
namespace {

using namespace std::string_view_literals;

struct Beginning {
  size_t at;
  std::string_view bytes;
  std::string_view what, advice;
};

constexpr std::string_view kUnpack = "unpack it, and load the .onnx file in it";
constexpr std::string_view kPyTorch = "export the model with torch.onnx.export";
constexpr std::string_view kConvert = "convert the model to ONNX";

constexpr Beginning kBeginnings[] = {
    {0, "version https://git-lfs"sv, "a Git LFS pointer, which only stands for the model", "fetch the model itself with `git lfs pull`"},
    {4, "ORTM"sv, "a model in ONNX Runtime's own format (.ort)", "load the .onnx file that it was made from"},
    {4, "TFL3"sv, "a TensorFlow Lite model", kConvert},
    {0, "\x1f\x8b"sv, "compressed by gzip", kUnpack},
    {0, "BZh"sv, "compressed by bzip2", kUnpack},
    {0,
     "\xfd"
     "7zXZ"sv,
     "compressed by xz", kUnpack},
    {0, "\x28\xb5\x2f\xfd"sv, "compressed by Zstandard", kUnpack},
    {0, "7z\xbc\xaf"sv, "a 7z archive", kUnpack},
    {257, "ustar"sv, "a tar archive", kUnpack},
    {0, "PK\x03\x04"sv, "a ZIP archive, as PyTorch's .pt and .pth, NumPy's .npz and Keras' .keras are",
     "unpack it, and load the .onnx file in it, or export the model to ONNX (torch.onnx.export)"},
    {0, "\x80\x02"sv, "a Python pickle, as older .pt, .pth and .pkl files are", kPyTorch},
    {0, "\x80\x03"sv, "a Python pickle, as .pkl files are", kConvert},
    {0, "\x80\x04"sv, "a Python pickle, as .pkl files are", kConvert},
    {0, "\x80\x05"sv, "a Python pickle, as .pkl files are", kConvert},
    {8, "{\""sv, "a file of weights alone (.safetensors)", "export the model that the weights belong to"},
    {0, "GGUF"sv, "a model of llama.cpp (.gguf)", kConvert},
    {0, "\x89HDF"sv, "an HDF5 file, as Keras' .h5 is", kConvert},
    {0, "\x93NUMPY"sv, "a NumPy array (.npy)", "load the .onnx file"},
    {0,
     "\x7f"
     "ELF"sv,
     "a program or library", "load the .onnx file"},
};

// The first bytes behind blanks, in lower case.
std::string first_word(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  std::string word(bytes.substr(0, 16));
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return word;
}

bool is_text(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, 200);
  return std::ranges::all_of(begin, [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; });
}

std::string said(std::string_view what, std::string_view advice) { return formatted("not an ONNX file but {}: {}", what, advice); }

}  // namespace

std::string foreign_file(std::string_view bytes) {
  if (bytes.empty()) return "it is empty: it has 0 bytes; download the model or export it again";
  for (const Beginning& b : kBeginnings)
    if (bytes.size() >= b.at && bytes.substr(b.at).starts_with(b.bytes)) return said(b.what, b.advice);
  const std::string word = first_word(bytes);
  if (word.starts_with("<!doctype html") || word.starts_with("<html") || word.starts_with("<head"))
    return said("a web page (HTML)", "the server gave a page in place of the file; download the file itself");
  if (word.starts_with("<?xml") || word.starts_with("<net")) return said("XML", "load the .onnx file");
  if (word.starts_with("ir_version"))
    return said("protobuf's text form of one", "write it in the binary form, with onnx.load and onnx.save");
  if (word.starts_with("{") && is_text(bytes)) return said("JSON", "load the .onnx file");
  if (is_text(bytes))
    return said(formatted("text, which begins with '{}'", shown(bytes.substr(0, 24))), "download or export the model again");
  return {};
}

}  // namespace anydim::onnx
