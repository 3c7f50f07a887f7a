// SPDX-License-Identifier: Apache-2.0
// The file of a build without a persistent cache (-DANYDIM_PERSISTENT_CACHE=OFF): there is none, and it says so.
#include "core/dispatch/caches/record_file.h"

namespace anydim {

const char* record_files_absent() noexcept {
  return "this build of the library has no persistent cache (it was configured with ANYDIM_PERSISTENT_CACHE=OFF)";
}

static Status absent() { return unimplemented("{}", record_files_absent()); }

Status RecordFile::open(const std::string&, Access, int, RecordFile*) { return absent(); }
RecordFile::RecordFile(RecordFile&&) noexcept {}
RecordFile& RecordFile::operator=(RecordFile&&) noexcept { return *this; }
RecordFile::~RecordFile() = default;
Status RecordFile::for_each(int64_t, const Visit&) { return absent(); }
Status RecordFile::read(RecordKind, std::string_view, Record*) { return absent(); }
Status RecordFile::apply(const Change&, int64_t*) { return absent(); }
Status RecordFile::clear(int, int64_t*) { return absent(); }
Status RecordFile::bytes_used(int64_t*) { return absent(); }
Status RecordFile::check_structure(std::string*) { return absent(); }
Status put_aside(const std::string&, bool*) { return absent(); }

}  // namespace anydim
