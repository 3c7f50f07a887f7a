// SPDX-License-Identifier: Apache-2.0
// Values of TensorProtos: which field holds which type is onnx.proto's table beside TensorProto.
#include "onnx/format/tensor_data.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

namespace anydim::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

// Room for `bytes` bytes, aligned for any vector load, but for the few bytes that models have thousands of.
std::shared_ptr<void> allocate(int64_t bytes) {
  constexpr int64_t kFew = 256;
  if (bytes <= kFew) {
    struct alignas(16) Unit {
      std::byte bytes[16];
    };
    try {
      return std::make_shared_for_overwrite<Unit[]>((static_cast<size_t>(bytes) + sizeof(Unit) - 1) / sizeof(Unit));
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  constexpr std::align_val_t kAlign{64};
  void* p = ::operator new(static_cast<size_t>(bytes), kAlign, std::nothrow);
  return std::shared_ptr<void>(p, [](void* q) { ::operator delete(q, kAlign); });
}

// The stored form -> the element type, refusing values that do not fit.
template <class To, class From> bool narrow(const std::vector<From>& from, void* to) noexcept {
  auto* out = static_cast<To*>(to);
  for (size_t i = 0; i < from.size(); ++i) {
    if constexpr (std::is_integral_v<From> && sizeof(From) > sizeof(To)) {
      if (from[i] < static_cast<From>(std::numeric_limits<To>::min()) || from[i] > static_cast<From>(std::numeric_limits<To>::max()))
        return false;
    }
    out[i] = static_cast<To>(from[i]);
  }
  return true;
}

// Elements of fewer than 8 bits are packed in files, the first one in the lowest bits of a byte.
int64_t packed_bytes(DType t, int64_t count) noexcept {
  const int per_byte = dtype_is_narrow(t) ? 8 / narrow_bits(t) : 1;
  return per_byte == 1 ? count * dtype_size(t) : count / per_byte + (count % per_byte != 0 ? 1 : 0);
}
void unpack(DType t, const uint8_t* packed, int64_t count, uint8_t* to) noexcept {
  const int bits = narrow_bits(t), per_byte = 8 / bits;
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<uint8_t>(packed[i / per_byte] >> (bits * static_cast<int>(i % per_byte)) & ((1 << bits) - 1));
}

Status external_bytes(const TensorProto& t, int64_t need, ExternalData* files, Bytes* out) {
  std::string_view location;
  int64_t offset = 0, length = -1;
  const auto number = [&](const Property& p, int64_t* to) -> Status {
    const auto [end, bad] = std::from_chars(p.second.data(), p.second.data() + p.second.size(), *to);
    if (bad != std::errc() || end != p.second.data() + p.second.size() || *to < 0)
      return error(Code::invalid_model, "external data {} is '{}'; expected a number", p.first, shown(p.second));
    return {};
  };
  for (const Property& p : t.external_data) {
    if (p.first == "location") location = p.second;
    if (p.first == "offset") ANYDIM_TRY(number(p, &offset));
    if (p.first == "length") ANYDIM_TRY(number(p, &length));
  }
  if (files == nullptr) return error(Code::invalid_model, "external data is not allowed here");
  // Writers pad lengths to pages; what lies beyond the elements is not ours to read.
  if (length >= 0 && length < need) return error(Code::invalid_model, "external data has {} bytes; its dims need {}", length, need);
  Result<Bytes> r = files->read(location, offset, length < 0 ? need : length);
  if (!r.ok()) return r.take_status();
  *out = *std::move(r);
  out->view = out->view.substr(0, static_cast<size_t>(need));
  return {};
}

Status typed_values(const TensorProto& t, DType dtype, int64_t count, int64_t need, TensorValue* v) {
  size_t stored = 0;
  switch (dtype) {
    case DType::f32: stored = t.float_data.size(); break;
    case DType::f64: stored = t.double_data.size(); break;
    case DType::i64: stored = t.int64_data.size(); break;
    case DType::u32:
    case DType::u64: stored = t.uint64_data.size(); break;
    default: stored = t.int32_data.size();
  }
  const int64_t expected = packed_bytes(dtype, count);
  const bool packed = dtype_is_narrow(dtype);
  if (stored != static_cast<size_t>(packed ? expected : count))
    return error(Code::invalid_model, "it stores {} values of type {}; its dims need {}", stored, dtype_name(dtype),
                 packed ? expected : count);
  if (count == 0) return {};
  std::shared_ptr<void> room = allocate(need);
  if (!room) return error(Code::out_of_memory, "no memory for {} bytes", need);
  bool fits = true;
  switch (dtype) {
    case DType::f32: std::memcpy(room.get(), t.float_data.data(), static_cast<size_t>(need)); break;
    case DType::f64: std::memcpy(room.get(), t.double_data.data(), static_cast<size_t>(need)); break;
    case DType::i64: std::memcpy(room.get(), t.int64_data.data(), static_cast<size_t>(need)); break;
    case DType::u64: std::memcpy(room.get(), t.uint64_data.data(), static_cast<size_t>(need)); break;
    case DType::i32: std::memcpy(room.get(), t.int32_data.data(), static_cast<size_t>(need)); break;
    case DType::u32: fits = narrow<uint32_t>(t.uint64_data, room.get()); break;
    case DType::i8: fits = narrow<int8_t>(t.int32_data, room.get()); break;
    case DType::u8: fits = narrow<uint8_t>(t.int32_data, room.get()); break;
    case DType::i16: fits = narrow<int16_t>(t.int32_data, room.get()); break;
    case DType::u16:
    case DType::f16:
    case DType::bf16: fits = narrow<uint16_t>(t.int32_data, room.get()); break;
    case DType::boolean: fits = narrow<uint8_t>(t.int32_data, room.get()); break;
    default:
      if (!dtype_is_narrow(dtype)) return error(Code::internal, "no dtype");
      {
        std::vector<uint8_t> bytes(stored);
        fits = narrow<uint8_t>(t.int32_data, bytes.data());
        unpack(dtype, bytes.data(), count, static_cast<uint8_t*>(room.get()));
      }
  }
  if (!fits) return error(Code::invalid_model, "a value does not fit its type {}", dtype_name(dtype));
  v->data = room.get();
  v->owner = std::move(room);
  return {};
}

}  // namespace

ConstantPtr TensorValue::constant() const {
  return lender ? ConstantTensor::lent(dtype, dims, data, lender) : std::make_shared<const ConstantTensor>(dtype, dims, data, owner);
}

const char* element_type_name(int32_t type) noexcept {
  static constexpr const char* kNames[] = {"undefined",      "float32",    "uint8",          "int8",       "uint16",    "int16",
                                           "int32",          "int64",      "string",         "bool",       "float16",   "float64",
                                           "uint32",         "uint64",     "complex64",      "complex128", "bfloat16",  "float8e4m3fn",
                                           "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",      "float4e2m1",
                                           "float8e8m0",     "uint2",      "int2",           "float6e2m3", "float6e3m2"};
  constexpr auto kCount = static_cast<int32_t>(sizeof(kNames) / sizeof(kNames[0]));
  return type >= 0 && type < kCount ? kNames[type] : "unknown";
}

Result<DType> dtype_of(int32_t type) {
  switch (type) {
    case kFloat: return DType::f32;
    case kUint8: return DType::u8;
    case kInt8: return DType::i8;
    case kUint16: return DType::u16;
    case kInt16: return DType::i16;
    case kInt32: return DType::i32;
    case kInt64: return DType::i64;
    case kBool: return DType::boolean;
    case kFloat16: return DType::f16;
    case kDouble: return DType::f64;
    case kUint32: return DType::u32;
    case kUint64: return DType::u64;
    case kBfloat16: return DType::bf16;
    case kFloat8E4M3FN: return DType::f8e4m3fn;
    case kFloat8E4M3FNUZ: return DType::f8e4m3fnuz;
    case kFloat8E5M2: return DType::f8e5m2;
    case kFloat8E5M2FNUZ: return DType::f8e5m2fnuz;
    case kFloat8E8M0: return DType::f8e8m0;
    case kFloat4E2M1: return DType::f4e2m1;
    case kInt4: return DType::i4;
    case kUint4: return DType::u4;
    case kInt2: return DType::i2;
    case kUint2: return DType::u2;
    default: break;
  }
  if (type <= 0 || type > 28) return error(Code::invalid_model, "element type {} is not one of ONNX's", type);
  return unimplemented("element type {} ({}) is not supported", element_type_name(type), type);
}

Result<TensorValue> read_tensor(const TensorProto& t, const Bytes& model, ExternalData* external) {
  Result<DType> dtype = dtype_of(t.data_type);
  if (!dtype.ok()) return dtype.take_status();
  if (t.has_segment) return unimplemented("tensors in segments are not supported");
  TensorValue v;
  v.dtype = *dtype;
  int64_t count = 1;
  bool overflow = false;
  for (const int64_t d : t.dims) {
    if (d < 0) return error(Code::invalid_model, "a dim of it is {}; expected 0 or more", d);
    overflow |= !checked_mul(count, d, &count);
  }
  // A zero among huge dims makes an empty tensor, not an overflow.
  for (const int64_t d : t.dims)
    if (d == 0) count = 0, overflow = false;
  int64_t need = 0;
  if (overflow || !checked_mul(count, dtype_size(v.dtype), &need) || need >= kMaxSize)
    return error(Code::invalid_model, "its dims multiply to more than the address space");
  if (t.dims.size() > static_cast<size_t>(kMaxRank)) return unimplemented("rank {} is not supported; at most {}", t.dims.size(), kMaxRank);
  for (const int64_t d : t.dims) v.dims.push_back(d);
  v.bytes = need;

  if (!t.is_external && !t.has_raw_data) {
    ANYDIM_TRY(typed_values(t, v.dtype, count, need, &v));
    return v;
  }
  Bytes raw{t.lender ? t.lender : model.lender, t.raw_data};
  const int64_t stored = packed_bytes(v.dtype, count);
  if (t.is_external) ANYDIM_TRY(external_bytes(t, stored, external, &raw));
  if (raw.view.size() != static_cast<size_t>(stored))
    return error(Code::invalid_model, "it stores {} bytes; its dims need {} ({} values of type {})", raw.view.size(), stored, count,
                 dtype_name(v.dtype));
  if (need == 0) return v;
  // Used in place when somebody provides it; protobuf promises no alignment. Small tensors are copied all the same: one of them in
  // use would keep the whole file mapped after the large ones are packed.
  constexpr int64_t kWorthSharing = 64 * 1024;
  if (raw.lender != nullptr && need >= kWorthSharing && v.dtype != DType::boolean && stored == need) {
    v.data = raw.view.data();
    v.lender = std::move(raw.lender);
    return v;
  }
  std::shared_ptr<void> room = allocate(need);
  if (!room) return error(Code::out_of_memory, "no memory for {} bytes", need);
  if (dtype_is_narrow(v.dtype))
    unpack(v.dtype, reinterpret_cast<const uint8_t*>(raw.view.data()), count, static_cast<uint8_t*>(room.get()));
  else std::memcpy(room.get(), raw.view.data(), static_cast<size_t>(need));
  if (v.dtype == DType::boolean) {
    // Any other byte than 0 and 1 would be a trap for code that reads a bool.
    auto* b = static_cast<uint8_t*>(room.get());
    for (int64_t i = 0; i < need; ++i) b[i] = b[i] != 0;
  }
  v.data = room.get();
  v.owner = std::move(room);
  return v;
}

}  // namespace anydim::onnx
