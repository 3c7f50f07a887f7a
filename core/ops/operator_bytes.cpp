// SPDX-License-Identifier: Apache-2.0
// Operators as bytes; see operator_bytes.h. Each field is its name, a letter for its type, and its value with a length
// where that varies; a zero ends the operator. So no sequence of fields reads like another, though some operators leave
// fields out.
#include "core/ops/operator_bytes.h"

#include <cstring>

namespace anydim {

namespace {

class ByteSink final : public AttributeSink {
 public:
  explicit ByteSink(KeyBytes* key) : key_(key) {}
  void field(const char* name, int64_t value) override {
    begin(name, 'i');
    append_number(key_, value);
  }
  void field(const char* name, double value) override {
    begin(name, 'd');
    append_number(key_, value);
  }
  void field(const char* name, const char* value) override {
    begin(name, 's');
    append_text(key_, value);
  }
  void field(const char* name, std::span<const int64_t> values) override {
    begin(name, 'I');
    append_number(key_, static_cast<uint32_t>(values.size()));
    const char* at = reinterpret_cast<const char*>(values.data());
    key_->append(at, at + values.size_bytes());
  }
  void field(const char* name, std::span<const Dim> values) override {
    begin(name, 'D');
    append_number(key_, static_cast<uint32_t>(values.size()));
    for (const Dim& d : values) {
      if (!d.is_number()) symbolic = true;
      append_number(key_, d.number());
    }
  }
  bool symbolic = false;

 private:
  void begin(const char* name, char type) {
    const size_t length = std::strlen(name);
    key_->push_back(static_cast<char>(length));  // names are short and not empty
    key_->append(name, name + length);
    key_->push_back(type);
  }
  KeyBytes* key_;
};

}  // namespace

bool append_operator(KeyBytes* key, const Operator& op) {
  append_number(key, op.kind());
  ByteSink sink(key);
  op.attributes(sink);
  key->push_back('\0');
  return !sink.symbolic;
}

}  // namespace anydim
