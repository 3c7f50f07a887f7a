// SPDX-License-Identifier: Apache-2.0
// Reads and writes .npy files; see npy.h.
#include "cli/npy.h"

#include <cstring>
#include <fstream>

#include "cli/client.h"
#include "cli/output_file.h"
#include "cli/print.h"

namespace anydim_cli {

namespace {

struct Descr {
  const char* text;
  anydim_dtype_t dtype;
};
constexpr Descr kDescrs[] = {
    {"<f4", ANYDIM_F32}, {"<f8", ANYDIM_F64}, {"<f2", ANYDIM_F16}, {"|i1", ANYDIM_I8},  {"|u1", ANYDIM_U8},  {"<i2", ANYDIM_I16},
    {"<u2", ANYDIM_U16}, {"<i4", ANYDIM_I32}, {"<u4", ANYDIM_U32}, {"<i8", ANYDIM_I64}, {"<u8", ANYDIM_U64}, {"|b1", ANYDIM_BOOL},
};

// The text of a key's value in the header, which is a Python dict literal.
std::string value_of(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) return {};
  size_t begin = at + key.size() + 3;
  while (begin < header.size() && header[begin] == ' ') ++begin;
  const char close = begin < header.size() && header[begin] == '(' ? ')' : ',';
  const size_t end = header.find(close, begin);
  return end == std::string::npos ? std::string() : header.substr(begin, end - begin);
}

}  // namespace

NpyArray read_npy(const std::string& path, const std::string& what) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(formatted("{}: the file cannot be opened", what));
  const auto bad = [&what](const char* why) { return Failure(formatted("{}: not a .npy file that can be read: {}", what, why)); };
  unsigned char head[12] = {};
  file.read(reinterpret_cast<char*>(head), 8);
  if (!file || std::memcmp(head, "\x93NUMPY", 6) != 0) throw bad("its first bytes are others");
  const int size_bytes = head[6] == 1 ? 2 : 4;
  if (head[6] < 1 || head[6] > 3) throw bad("its version is not 1, 2 or 3");
  file.read(reinterpret_cast<char*>(head + 8), size_bytes);
  uint32_t length = head[8] | static_cast<uint32_t>(head[9]) << 8;
  if (size_bytes == 4) length |= static_cast<uint32_t>(head[10]) << 16 | static_cast<uint32_t>(head[11]) << 24;
  if (!file || length > (1u << 20)) throw bad("its header is cut or too long");
  std::string header(length, '\0');
  file.read(header.data(), length);
  if (!file) throw bad("its header is cut");
  NpyArray array;
  const std::string descr = value_of(header, "descr");
  for (const Descr& d : kDescrs)
    if (descr == formatted("'{}'", d.text)) array.dtype = d.dtype;
  if (array.dtype == 0) throw Failure(formatted("{}: its dtype is {}; expected a little-endian number or bool", what, descr));
  if (value_of(header, "fortran_order") != "False") throw Failure(formatted("{}: it is in Fortran order; save it with order='C'", what));
  const std::string shape = value_of(header, "shape");
  if (shape.empty() || shape[0] != '(') throw bad("its header has no shape");
  int64_t bytes = dtype_size(array.dtype);
  for (const char* p = shape.c_str() + 1; *p != '\0';) {
    if (*p < '0' || *p > '9') {
      ++p;
      continue;
    }
    char* end = nullptr;
    array.dims.push_back(std::strtoll(p, &end, 10));
    if (__builtin_mul_overflow(bytes, array.dims.back(), &bytes)) throw bad("its shape is too large");
    p = end;
  }
  if (bytes > INT64_C(1) << 40) throw bad("its shape is too large");
  const auto begin = file.tellg();
  file.seekg(0, std::ios::end);
  if (file.tellg() - begin < bytes) throw bad("it is cut");
  file.seekg(begin);
  make_room(&array.memory, bytes + 8, what);
  file.read(reinterpret_cast<char*>(array.memory.data()), bytes);
  return array;
}

void write_npy(const std::string& path, const anydim_view_t& tensor) {
  std::string shape, descr;
  int64_t count = 1;
  for (int i = 0; i < tensor.dims.rank; ++i) {
    shape += formatted("{},", tensor.dims.values[i]);
    count *= tensor.dims.values[i];
  }
  for (const Descr& d : kDescrs)
    if (d.dtype == tensor.dtype) descr = d.text;
  if (descr.empty()) throw Failure(formatted("{}: dtype {} has no .npy form", path, dtype_name(tensor.dtype)));
  std::string header = formatted("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  const char head[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  // Row-major in the file, whatever the order in memory.
  const int64_t size = dtype_size(tensor.dtype);
  std::vector<char> dense;
  make_room(&dense, count * size, path);
  int64_t at[ANYDIM_MAX_RANK] = {};
  for (int64_t i = 0, from = 0; i < count; ++i) {
    std::memcpy(dense.data() + i * size, static_cast<const char*>(tensor.data) + from * size, static_cast<size_t>(size));
    for (int a = tensor.dims.rank; a-- > 0;) {
      from += tensor.strides.values[a];
      if (++at[a] < tensor.dims.values[a]) break;
      from -= tensor.dims.values[a] * tensor.strides.values[a];
      at[a] = 0;
    }
  }
  write_file(path, {{head, sizeof head}, header, {dense.data(), dense.size()}});
}

}  // namespace anydim_cli
