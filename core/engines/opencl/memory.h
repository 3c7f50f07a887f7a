// SPDX-License-Identifier: Apache-2.0
// Bytes of an OpenCL device. The driver keeps a buffer as long as what was given to a queue uses it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/engines/opencl/engine.h"

namespace anydim::opencl {

class OpenclMemory final : public Memory {
 public:
  OpenclMemory(std::shared_ptr<const OpenclEngine> engine, OwnedMem buffer, int64_t bytes);
  Status map(int64_t offset, int64_t bytes, std::byte** out) override;
  Status unmap(int64_t offset, int64_t bytes) override;

  MemId id() const noexcept { return buffer_.get(); }

 private:
  struct Mapped {
    int64_t offset, bytes;
    void* view;
  };
  const std::shared_ptr<const OpenclEngine> device_;
  const OwnedMem buffer_;
  std::mutex mutex_;
  std::vector<Mapped> mapped_;
};

}  // namespace anydim::opencl
