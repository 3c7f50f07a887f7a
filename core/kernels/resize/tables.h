// SPDX-License-Identifier: Apache-2.0
// One axis of a resize as a table in scratch: for each output position the places that it reads, in the order in which they are
// added, and their weights. Made once a run.
#pragma once

#include "core/kernels/resize/taps.h"
#include "core/tensor/dtype.h"

namespace anydim {

// i32 has more digits than binary32.
constexpr bool resizes_in_binary64(DType t) noexcept { return t == DType::f64 || t == DType::i32; }

// Why linear and cubic resize do not take a dtype, or null. Of integers engines agree in linear interpolation alone: with antialias some
// round and others cut.
constexpr const char* resize_refusal(const Resize::Attributes& at, DType t) noexcept {
  if (t == DType::f32 || t == DType::f64 || dtype_is_half(t)) return nullptr;
  if (t != DType::u8 && t != DType::i8 && t != DType::u16 && t != DType::i16 && t != DType::i32)
    return "linear and cubic resize take floats, u8, i8, u16, i16 and i32";
  return at.mode == Resize::Mode::linear && !at.antialias ? nullptr : "integers are resized by nearest, and by linear without antialias";
}

template <class E> struct ResizeTable {
  int64_t out = 0;
  const int64_t* begin = nullptr;    // of out + 1: where the taps of a position begin; one that is outside may have none
  const int64_t* place = nullptr;    // ascending in a position; over the positions ascending or descending
  const E* weight = nullptr;         // of each tap
  const uint8_t* outside = nullptr;  // of each position, or null: none is
  const int64_t* source = nullptr;   // the element of a place; null: places are elements
  int64_t places = 0;                // how many there are
  int64_t taps = 0;                  // of each position, or 0: they differ

  int64_t first(int64_t x) const noexcept { return place[begin[x]]; }
  int64_t last(int64_t x) const noexcept { return place[begin[x + 1] - 1]; }
  bool empty(int64_t x) const noexcept { return begin[x] == begin[x + 1]; }
  int64_t element(int64_t p) const noexcept { return source ? source[p] : p; }
};

// Which elements are places. elements: all. used: those that some position reads. dense: all, unless most are read by none.
enum class ResizePlaces { elements, used, dense };

// How many taps a position has at most. 0: more than there is room for.
int64_t resize_reach(const Resize& op, const Resize::Axis& axis) noexcept;
// What a run says where it is 0.
Status too_many_taps(const Resize::Axis& axis);
// Bytes of a table of any axis that is no longer, a multiple of 64; and those that making one needs for a while.
int64_t resize_table_bytes(const Resize& op, int64_t in, int64_t out) noexcept;
int64_t resize_table_room(const Resize& op, int64_t in, int64_t out) noexcept;

// An axis that is copied gets one tap for each position. resize_reach() is not 0.
template <class E>
ResizeTable<E> resize_table(const Resize& op, const Resize::Axis& axis, ResizePlaces places, std::byte* memory, double* room) noexcept;
extern template ResizeTable<float> resize_table<float>(const Resize&, const Resize::Axis&, ResizePlaces, std::byte*, double*) noexcept;
extern template ResizeTable<double> resize_table<double>(const Resize&, const Resize::Axis&, ResizePlaces, std::byte*, double*) noexcept;

}  // namespace anydim
