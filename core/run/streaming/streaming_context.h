// SPDX-License-Identifier: Apache-2.0
// One sequence that is computed chunk by chunk. It holds what later chunks read again: the elements that windows reach back to, and the
// states of recurrent layers. Each run writes these beside the old ones, which change places when it has succeeded, so a run that fails or is
// cancelled leaves the stream as it was. One user at a time; streams of one session share its contexts.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/memory/aligned_buffer.h"
#include "core/run/streaming/streaming_session.h"

namespace anydim {

struct StreamingFigures {
  int64_t received = 0;  // elements of the axis
  int64_t runs = 0;
  int64_t bytes = 0;  // that it holds
};

class StreamingContext final : private RunPlaces {
 public:
  explicit StreamingContext(std::shared_ptr<StreamingSession> session)
      : session_(std::move(session)), progress_(session_->plan().start()) {}
  StreamingContext(const StreamingContext&) = delete;
  StreamingContext& operator=(const StreamingContext&) = delete;

  // The model's inputs and outputs in its order, chunks where an axis is streamed. `ends`: no more will come. Outputs that have no such axis
  // are there at the end: before it they stay as they are. Others have as many elements along it as the chunk makes computable.
  Status push(std::span<const TensorView> in, bool ends, std::span<TensorView> out, RunCall call);
  Status reset();
  StreamingFigures figures() const noexcept;
  const StreamingSession& session() const noexcept { return *session_; }

 private:
  // What one carry or state holds, and where the run that goes on writes.
  struct Part {
    AlignedBuffer memory, next;
    Dims dims, next_dims;
    Strides strides, next_strides;
  };
  Status place(std::span<const Dims> dims, std::span<TensorView> out, bool* moved) override;
  Status place_found(size_t output, const Dims& dims, TensorView* out) override;
  Status ran(const Context& context, std::span<const TensorView> out) override;

  Status check_chunks(std::span<const TensorView> in, int64_t* count) const;
  Status begin(const Program& program);  // dims of what is carried, by those of the inputs
  size_t parts() const noexcept { return session_->plan().carries.size() + session_->plan().states.size(); }
  int32_t input_of(size_t part, bool edges) const noexcept;
  int32_t output_of(size_t part) const noexcept;

  std::shared_ptr<StreamingSession> session_;
  StreamingPlan::Progress progress_;
  std::vector<Part> parts_;
  std::vector<TensorView> in_, out_;  // of a run
  std::vector<std::vector<int64_t>> numbers_;
  const Program* running_ = nullptr;
  int64_t runs_ = 0;
};

}  // namespace anydim
