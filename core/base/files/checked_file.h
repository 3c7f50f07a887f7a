// SPDX-License-Identifier: Apache-2.0
// Files of the library's own that are mapped whole: a head that says what the file is and how long, a description, then bytes that are used
// where they lie. Numbers are little-endian (a big-endian machine refuses the file):
//
//   0    eight letters: what it is
//   8    u32 revision of its layout, u32 0x01020304
//   16   u64 bytes of the file
//   24   u64 bytes of the description that follows the head
//   32   Digest of all bytes but these 16
//   48   the description, then the rest; the file's size is a multiple of a page
//
// The digest finds damage, not intent: who reads a description checks all that memory safety rests on. A file must not be changed or cut
// off in place while it is mapped (NewFile never does).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/digest.h"
#include "core/base/status.h"

namespace anydim {

struct CheckedFileKind {
  char magic[8];
  uint32_t revision;
  const char* name;    // in messages: "file of packed weights"
  const char* remedy;  // where the revision is another one: "pack the weights again"
  Code damaged;        // of a file that is damaged, or is another kind of file
};

// The bytes of such a file, mapped or read into memory, which stay as long as this.
class CheckedFile {
 public:
  static constexpr size_t kHead = 48;
  // Maps the file and reads all of it once, for its digest. file_not_found, io_error, `damaged`; unimplemented for another revision.
  static Status open(const CheckedFileKind& kind, const std::string& path, std::shared_ptr<const CheckedFile>* out);
  // The same of a copy of bytes in memory; `name`: for messages.
  static Status copy(const CheckedFileKind& kind, std::string_view bytes, const std::string& name, std::shared_ptr<const CheckedFile>* out);
  // Does it begin as such a file does?
  static bool is(const CheckedFileKind& kind, std::string_view bytes) noexcept;

  ~CheckedFile();
  CheckedFile(const CheckedFile&) = delete;
  CheckedFile& operator=(const CheckedFile&) = delete;
  std::byte* data() const noexcept { return data_; }  // read only where it is mapped
  size_t bytes() const noexcept { return bytes_; }
  bool is_mapped() const noexcept { return mapped_; }
  std::string_view description() const noexcept { return {reinterpret_cast<const char*>(data_) + kHead, description_}; }

 private:
  CheckedFile(std::byte* data, size_t bytes, bool mapped) noexcept : data_(data), bytes_(bytes), mapped_(mapped) {}
  Status check(const CheckedFileKind& kind, const std::string& name);

  std::byte* data_;
  size_t bytes_, description_ = 0;
  bool mapped_;
};

// Writes such a file as a NewFile. `rest` gives everything behind the description in order, its bytes a multiple of nothing: twice, for the
// digest in the head comes first.
using TakeBytes = std::function<void(const void* data, size_t bytes)>;
Status write_checked_file(const CheckedFileKind& kind, std::string_view description, const std::function<void(const TakeBytes&)>& rest,
                          const std::string& path, bool sync);

}  // namespace anydim
