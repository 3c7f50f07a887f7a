// SPDX-License-Identifier: Apache-2.0
// Joining inputs; see input_parts.h.
#include "capi/input_parts.h"

#include <algorithm>

#include "core/base/memory/result_memory.h"
#include "core/run/context/copy_elements.h"
#include "core/tensor/memory_order.h"

namespace anydim::capi {

bool lie_as_one(std::span<const TensorView> parts, int axis, TensorView* whole) noexcept {
  *whole = parts[0];
  int64_t length = parts[0].dims[axis];
  for (size_t i = 1; i < parts.size(); ++i) {
    const TensorView &before = parts[i - 1], &part = parts[i];
    const int64_t bytes = part.as<std::byte>() - before.as<std::byte>(), size = dtype_size(part.dtype);
    const int64_t steps = before.dims[axis];
    if (bytes % (size * steps) != 0) return false;
    // An axis of one element has the step that leads to the next part.
    const int64_t step = bytes / (size * steps);
    if (i == 1 && whole->dims[axis] == 1) whole->strides[axis] = step;
    if (step != whole->strides[axis] || (part.dims[axis] > 1 && part.strides[axis] != step)) return false;
    for (int a = 0; a < part.rank(); ++a)
      if (a != axis && part.dims[a] > 1 && part.strides[a] != whole->strides[a]) return false;
    length += part.dims[axis];
  }
  whole->dims[axis] = length;
  return true;
}

JoinedInputs::~JoinedInputs() {
  for (void* const block : memory_) ResultMemory::instance().free(block);
}

Status JoinedInputs::join(InputViews given, const anydim_run_options_t& options) {
  views_ = given.views;
  places_ = given.places;
  if (options.part_count < 0 || (options.parts == nullptr && options.part_count != 0))
    return invalid("options.part_count is {}; expected {}", options.part_count,
                   options.parts == nullptr ? "0 without options.parts" : "0 or more")
        .about("options.part_count");
  if (options.parts == nullptr) return {};
  own_.assign(given.views.begin(), given.views.end());
  joined_.assign(own_.size(), 0);
  views_ = own_;
  for (int32_t i = 0; i < options.part_count; ++i) ANYDIM_TRY(join_one(static_cast<const anydim_input_parts_t*>(options.parts)[i], i));
  return {};
}

Status JoinedInputs::join_one(const anydim_input_parts_t& parts, int64_t number) {
  const auto at = [&](const char* field) { return formatted("options.parts[{}].{}", number, field); };
  const auto count = static_cast<int64_t>(own_.size());
  if (parts.input < 0 || parts.input >= count)
    return invalid("{} is {}; the model has {} inputs", at("input"), parts.input, count).about(at("input"));
  const auto input = static_cast<size_t>(parts.input);
  if (std::exchange(joined_[input], 1) != 0) return invalid("input {} has parts twice", input).about(at("input"));
  if (device_place(places_, input) != nullptr)
    return unimplemented("input {} lies in memory of a device and has parts; parts are in memory of the host", input).about(at("input"));
  TensorView& first = own_[input];
  if (parts.axis < 0 || parts.axis >= first.rank())
    return invalid("{} is {}; expected 0 to {}", at("axis"), parts.axis, first.rank() - 1).about(at("axis"));
  ViewArray& array = *arrays_.emplace_back(std::make_unique<ViewArray>());
  ANYDIM_TRY(array.read(static_cast<const anydim_view_t*>(parts.views), parts.count, at("views").c_str()));
  std::vector<TensorView> all{first};
  all.insert(all.end(), array.span().begin(), array.span().end());
  ANYDIM_TRY(check_data(all, "part"));
  int64_t length = 0;
  for (const TensorView& part : all) {
    Dims expected = first.dims;
    if (part.rank() > parts.axis) expected[parts.axis] = part.dims[parts.axis];
    if (part.dtype != first.dtype || !(part.dims == expected))
      return invalid("a part of input {} has dims {} and dtype {}; the first one has {} and {}: all but axis {} are equal", input,
                     to_string(part.dims), dtype_name(part.dtype), to_string(first.dims), dtype_name(first.dtype), parts.axis)
          .about(at("views"));
    length = saturating_add(length, part.dims[parts.axis]);
  }
  std::erase_if(all, [](const TensorView& part) { return part.count() == 0; });
  if (all.empty()) {
    first.dims[parts.axis] = length;
    return {};
  }
  TensorView whole;
  if (lie_as_one(all, parts.axis, &whole)) {
    first = whole;
    return {};
  }
  whole = all[0];
  whole.dims[parts.axis] = length;
  const Perm order = order_in_memory(all[0]);
  const bool alike = std::all_of(all.begin(), all.end(), [&](const TensorView& part) { return order_in_memory(part) == order; });
  whole.data = nullptr;
  ANYDIM_TRY(place_result([&] { return formatted("input {}", input); }, alike ? order : Perm(), Parallel{1}, &whole));
  memory_.push_back(whole.data);
  TensorView to = whole;
  for (const TensorView& part : all) {
    to.dims = part.dims;
    copy_elements(part, to);
    to.data = to.as<std::byte>() + part.dims[parts.axis] * whole.strides[parts.axis] * dtype_size(part.dtype);
  }
  gathered_ = saturating_add(gathered_, saturating_mul(2, saturating_mul(whole.count(), dtype_size(whole.dtype))));
  first = whole;
  return {};
}

}  // namespace anydim::capi
