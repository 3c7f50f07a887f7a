// SPDX-License-Identifier: Apache-2.0
// Runs one verbose line; see replay_call.h. Over the C API only, so a line is replayed by what any program could do.
#include "cli/replay_call.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>

#include "cli/print.h"

namespace anydim_cli {

namespace {

// Memory of a tensor with any strides, and its view.
struct Operand {
  anydim_call_tensor_t info = ANYDIM_CALL_TENSOR_INIT;
  std::vector<uint64_t> memory;  // from its lowest element on
  int64_t lowest = 0;            // elements from the tensor's first to the lowest (0 or less)
  anydim_view_t view = {};

  std::byte* bytes() { return reinterpret_cast<std::byte*>(memory.data()); }
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(memory.data()); }
};

int64_t span_of(const anydim_call_tensor_t& t, int64_t* lowest) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < t.dims.rank; ++i) {
    if (t.dims.values[i] == 0) return *lowest = 0, 0;
    int64_t reach = 0;
    if (__builtin_mul_overflow(t.dims.values[i] - 1, t.strides.values[i], &reach) || std::abs(reach) > INT64_C(1) << 40)
      throw Failure("field tensors: a tensor reaches over more than 1 TB");
    (reach < 0 ? low : high) += reach;
  }
  *lowest = low;
  return high - low + 1;
}

// xorshift: the same values for a seed on every machine.
class Values {
 public:
  explicit Values(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) {}
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 32);
  }
  // Floats lie in [-1, 1); integers between low and high as far as the type allows; bools are 0 or 1.
  void fill(anydim_dtype_t dtype, int64_t low, int64_t high, std::byte* to, int64_t count) {
    const int64_t size = dtype_size(dtype);
    if (dtype == ANYDIM_BOOL) low = 0, high = 1;
    if (size == 1) high = std::min<int64_t>(high, dtype == ANYDIM_I8 ? 127 : 255);
    const auto range = static_cast<uint64_t>(high - low) + 1;
    for (int64_t i = 0; i < count; ++i, to += size) {
      const uint32_t r = next();
      if (dtype == ANYDIM_F32) {
        const float v = static_cast<float>(r >> 8) / 8388608.f - 1.f;
        std::memcpy(to, &v, 4);
      } else if (dtype == ANYDIM_F64) {
        const double v = static_cast<double>(r) / 2147483648.0 - 1.0;
        std::memcpy(to, &v, 8);
      } else if (dtype == ANYDIM_F16 || dtype == ANYDIM_BF16) {
        // 0.5 <= |v| < 1, a sign and some mantissa: valid in either form.
        const auto v = static_cast<uint16_t>((dtype == ANYDIM_F16 ? 0x3800 : 0x3F00) | (r & 0x8000) | (r & 0x7F));
        std::memcpy(to, &v, 2);
      } else {
        const int64_t v = low + static_cast<int64_t>(r % range);
        std::memcpy(to, &v, static_cast<size_t>(size));  // little endian: the low bytes
      }
    }
  }

 private:
  uint64_t state_;
};

std::unique_ptr<Operand> make_operand(const anydim_call_tensor_t& info, Values* values) {
  auto o = std::make_unique<Operand>();
  o->info = info;
  const int64_t span = span_of(info, &o->lowest), size = dtype_size(info.dtype);
  make_room(&o->memory, (span * size + 7) / 8 + 8, "an operand of the call");
  if (values != nullptr) values->fill(info.dtype, info.low, info.high, o->bytes(), span);
  else std::memset(o->bytes(), 0xA5, o->memory.size() * 8);
  o->view.data = o->bytes() - o->lowest * size;
  o->view.dtype = info.dtype;
  o->view.dims = info.dims;
  o->view.strides = info.strides;
  return o;
}

bool is_nan(anydim_dtype_t dtype, const std::byte* p) {
  const auto bits = [p]<class T>(T) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
  };
  switch (dtype) {
    case ANYDIM_F32: return (bits(uint32_t{}) & 0x7FFFFFFFu) > 0x7F800000u;
    case ANYDIM_F64: return (bits(uint64_t{}) & 0x7FFFFFFFFFFFFFFFu) > 0x7FF0000000000000u;
    case ANYDIM_F16: return (bits(uint16_t{}) & 0x7FFF) > 0x7C00;
    case ANYDIM_BF16: return (bits(uint16_t{}) & 0x7FFF) > 0x7F80;
    default: return false;
  }
}

std::string hex(const std::byte* p, int64_t size) {
  std::string text = "0x";
  for (int64_t i = size - 1; i >= 0; --i) text += formatted("{:02x}", static_cast<unsigned>(p[i]));
  return text;
}

// Empty, or where two tensors of the same dims and strides differ first. A NaN equals every NaN (docs/numerics.md).
std::string difference(const Operand& a, const Operand& b) {
  if (a.memory == b.memory) return {};
  const int64_t size = dtype_size(a.info.dtype);
  const int rank = a.info.dims.rank;
  int64_t at[8] = {}, count = 1, differing = 0;
  for (int i = 0; i < rank; ++i) count *= a.info.dims.values[i];
  std::string first;
  for (int64_t n = 0; n < count; ++n) {
    int64_t offset = -a.lowest;
    for (int i = 0; i < rank; ++i) offset += at[i] * a.info.strides.values[i];
    const std::byte *x = a.bytes() + offset * size, *y = b.bytes() + offset * size;
    if (std::memcmp(x, y, static_cast<size_t>(size)) != 0 && !(is_nan(a.info.dtype, x) && is_nan(a.info.dtype, y)) && differing++ == 0)
      first =
          formatted("output {} at [{}]: {} against the reference's {}", a.info.index, joined(at, rank, ","), hex(x, size), hex(y, size));
    for (int i = rank - 1; i >= 0 && ++at[i] == a.info.dims.values[i]; --i) at[i] = 0;
  }
  return differing == 0 ? std::string() : formatted("{}; {} of {} elements differ", first, differing, count);
}

// The primitive of a call with all its tensors.
struct Run {
  std::vector<std::unique_ptr<Operand>> operands;
  std::vector<anydim_view_t> inputs, weights, outputs;
  std::vector<const Operand*> results;
  std::vector<std::pair<Memory, Operand*>> placed;  // in memory of a device
  Primitive primitive;

  Run(anydim_engine_t engine, anydim_call_t call, int32_t tensors, const std::string& kernel, uint64_t seed) {
    Values values(seed);
    for (int32_t i = 0; i < tensors; ++i) {
      anydim_call_tensor_t info = ANYDIM_CALL_TENSOR_INIT;
      check(anydim_call_get_tensor(call, i, &info));
      const bool output = info.role == ANYDIM_CALL_OUTPUT;
      operands.push_back(make_operand(info, output ? nullptr : &values));
      if (on_device(engine) && info.role != ANYDIM_CALL_WEIGHTS) place(engine, operands.back().get());
      (output ? outputs : info.role == ANYDIM_CALL_WEIGHTS ? weights : inputs).push_back(operands.back()->view);
      if (output) results.push_back(operands.back().get());
    }
    check(
        anydim_call_create_primitive(call, engine, kernel.c_str(), weights.data(), static_cast<int32_t>(weights.size()), primitive.out()));
  }
  void execute(const Stream& stream) {
    check(anydim_primitive_execute(primitive.get(), stream.get(), inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                                   static_cast<int32_t>(outputs.size())));
    if (placed.empty()) return;
    check(anydim_stream_wait(stream.get()));
    for (auto& [memory, operand] : placed) move(memory, operand, false);
  }

 private:
  static bool on_device(anydim_engine_t engine) {
    anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
    check(anydim_engine_query(engine, &info));
    return info.kind != ANYDIM_ENGINE_CPU;
  }
  static void move(const Memory& memory, Operand* o, bool there) {
    const auto bytes = static_cast<int64_t>(o->memory.size() * sizeof(o->memory[0]));
    void* mapped = nullptr;
    check(anydim_memory_map(memory.get(), 0, bytes, &mapped));
    std::memcpy(there ? mapped : o->bytes(), there ? o->bytes() : mapped, static_cast<size_t>(bytes));
    check(anydim_memory_unmap(memory.get(), 0, bytes));
  }
  void place(anydim_engine_t engine, Operand* o) {
    Memory memory;
    check(anydim_memory_allocate(engine, static_cast<int64_t>(o->memory.size() * sizeof(o->memory[0])), memory.out()));
    move(memory, o, true);
    o->view.data = nullptr;
    o->view.memory = memory.get();
    o->view.offset = -o->lowest * dtype_size(o->info.dtype);
    placed.emplace_back(std::move(memory), o);
  }
};

// The scalar kernels, one of which is the truth: of the candidates those whose names end so.
std::vector<std::string> references_of(const Primitive& primitive) {
  int32_t count = 0;
  check(anydim_primitive_get_candidate_count(primitive.get(), &count));
  std::vector<std::string> found;
  for (int32_t i = 0; i < count; ++i) {
    anydim_candidate_t info = ANYDIM_CANDIDATE_INIT;
    check(anydim_primitive_get_candidate(primitive.get(), i, &info));
    const std::string name = text_of(info.name);
    if (name.size() > 10 && name.compare(name.size() - 10, 10, ".reference") == 0) found.push_back(name);
  }
  if (found.empty()) throw Failure("the operator has no reference kernel");
  return found;
}

Stream stream_of(anydim_engine_t engine, int threads) {
  anydim_stream_options_t options = ANYDIM_STREAM_OPTIONS_INIT;
  options.threads = threads;
  Stream stream;
  check(anydim_stream_create(engine, &options, stream.out()));
  return stream;
}

}  // namespace

ReplayResult replay_call(anydim_engine_t engine, const std::string& line, const ReplaySettings& settings) {
  Call call;
  if (line.find('\0') != std::string::npos) throw Failure("the line holds a zero byte; expected text");
  check(anydim_call_parse(line.c_str(), call.out()));
  anydim_call_info_t info = ANYDIM_CALL_INFO_INIT;
  check(anydim_call_query(call.get(), &info));
  ReplayResult r;
  r.name = text_of(info.name);
  r.op = text_of(info.op);
  r.post_ops = text_of(info.post_ops);
  r.tier = text_of(info.tier);
  r.logged_ns = static_cast<double>(info.time_ns);
  r.threads = settings.threads > 0 ? settings.threads : info.threads;
  // Beside another engine each makes its own choice: the line names no kernel of either.
  if (settings.reference_engine == nullptr) r.kernel = settings.kernel.empty() ? text_of(info.kernel) : settings.kernel;
  Run run(engine, call.get(), info.tensors, r.kernel, settings.seed);
  for (const auto& o : run.operands) {
    const anydim_dims_t& dims = o->info.dims;
    if (!r.tensors.empty()) r.tensors += o->info.role == ANYDIM_CALL_OUTPUT && o->info.index == 0 ? " -> " : " ";
    r.tensors += dims.rank == 0 ? "scalar" : joined(dims.values, dims.rank, "x");
  }
  const Stream stream = stream_of(engine, r.threads);
  run.execute(stream);
  std::vector<double> times;
  for (int i = 0; i < settings.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run.execute(stream);
    times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  r.median_ns = times[times.size() / 2];
  r.least_ns = times[0];
  if (info.flops >= 0 && r.median_ns > 0) r.gflops = static_cast<double>(info.flops) / r.median_ns;
  if (!settings.check) return r;
  // An operator has a second one for scales and zero points: the call is one's or the other's.
  std::unique_ptr<Run> truth;
  const anydim_engine_t reference = settings.reference_engine != nullptr ? settings.reference_engine : engine;
  Call reference_call;
  if (reference != engine) check(anydim_call_parse(settings.reference_line.c_str(), reference_call.out()));
  const std::vector<std::string> references = reference == engine ? references_of(run.primitive) : std::vector<std::string>(1);
  for (size_t i = 0; truth == nullptr; ++i) try {
      r.reference = references[i];
      truth = std::make_unique<Run>(reference, reference == engine ? call.get() : reference_call.get(), info.tensors, r.reference,
                                    settings.reference_seed);
    } catch (const Failure&) {
      if (i + 1 == references.size()) throw;
    }
  truth->execute(stream_of(reference, 1));
  r.checked = true;
  for (size_t i = 0; i < run.results.size() && r.difference.empty(); ++i) r.difference = difference(*run.results[i], *truth->results[i]);
  r.equal = r.difference.empty();
  return r;
}

}  // namespace anydim_cli
