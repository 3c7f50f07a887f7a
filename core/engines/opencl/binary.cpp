// SPDX-License-Identifier: Apache-2.0
// Writing and checking the header of binaries; see binary.h.
#include "core/engines/opencl/binary.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace anydim::opencl {

namespace {

constexpr char kMagic[8] = {'A', 'N', 'Y', 'D', 'I', 'M', 'C', 'L'};
constexpr uint32_t kFormat = 3;
constexpr uint32_t kMostEntries = 64, kMostArguments = 1024, kLongestName = 256;

struct Header {
  char magic[8];
  uint32_t format = kFormat, unused = 0;
  XXH128_hash_t key, rest;  // of the key; of everything behind the header
  uint64_t bytes = 0;       // behind the header
};

void append(std::string* to, const void* data, size_t bytes) { to->append(static_cast<const char*>(data), bytes); }
template <class T> void append(std::string* to, T value) { append(to, &value, sizeof value); }

// Takes values off the front; once it ran short, it stays so.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}
  std::string_view bytes(size_t count) {
    if (count > rest_.size()) {
      whole_ = false;
      return {};
    }
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }
  template <class T> T number() {
    T value{};
    const std::string_view part = bytes(sizeof value);
    if (!part.empty()) std::memcpy(&value, part.data(), sizeof value);
    return value;
  }
  bool whole() const noexcept { return whole_; }
  std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view rest_;
  bool whole_ = true;
};

Status damaged(const char* how) { return error(Code::invalid_data, "a compiled program is refused: {}", how); }

}  // namespace

std::string pack_binary(std::string_view key, const std::vector<EntryFacts>& entries, std::string_view driver_bytes) {
  std::string rest;
  append(&rest, static_cast<uint32_t>(entries.size()));
  for (const EntryFacts& e : entries) {
    append(&rest, static_cast<uint32_t>(e.name.size()));
    rest += e.name;
    for (const int64_t size : e.local) append(&rest, size);
    append(&rest, static_cast<uint8_t>(e.numbers_in_one ? 1 : 0));
    append(&rest, static_cast<uint32_t>(e.arguments.size()));
    for (const ArgumentType type : e.arguments) append(&rest, static_cast<uint8_t>(type));
  }
  rest += driver_bytes;
  Header header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.key = XXH3_128bits(key.data(), key.size());
  header.rest = XXH3_128bits(rest.data(), rest.size());
  header.bytes = rest.size();
  std::string all;
  append(&all, header);
  return all + rest;
}

Status unpack_binary(std::string_view key, std::string_view binary, std::vector<EntryFacts>* entries, std::string_view* driver_bytes) {
  Reader reader(binary);
  const auto header = reader.number<Header>();
  if (!reader.whole()) return damaged("it is shorter than its header");
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.format != kFormat || header.unused != 0)
    return damaged("it has another format");
  if (header.bytes != reader.rest().size()) return damaged("its length is not what its header says");
  if (XXH128_isEqual(header.key, XXH3_128bits(key.data(), key.size())) == 0)
    return damaged("it was made from another source, with other options, or for another device or driver");
  if (XXH128_isEqual(header.rest, XXH3_128bits(reader.rest().data(), reader.rest().size())) == 0) return damaged("its checksum is wrong");
  const auto count = reader.number<uint32_t>();
  if (count == 0 || count > kMostEntries) return damaged("its number of entries is wrong");
  entries->clear();
  for (uint32_t i = 0; i < count; ++i) {
    EntryFacts& e = entries->emplace_back();
    const auto name = reader.number<uint32_t>();
    e.name = reader.bytes(name <= kLongestName ? name : SIZE_MAX);
    for (int64_t& size : e.local) {
      size = reader.number<int64_t>();
      if (size < 1) return damaged("a local size is wrong");
    }
    const auto in_one = reader.number<uint8_t>();
    if (in_one > 1) return damaged("a flag is wrong");
    e.numbers_in_one = in_one == 1;
    const auto arguments = reader.number<uint32_t>();
    for (const char type : reader.bytes(arguments <= kMostArguments ? arguments : SIZE_MAX)) {
      if (static_cast<uint8_t>(type) > static_cast<uint8_t>(ArgumentType::f32)) return damaged("a type is wrong");
      e.arguments.push_back(static_cast<ArgumentType>(type));
    }
    if (!reader.whole() || e.arguments.empty()) return damaged("an entry is wrong");
  }
  if (reader.rest().empty()) return damaged("it has no program");
  *driver_bytes = reader.rest();
  return {};
}

}  // namespace anydim::opencl
