// SPDX-License-Identifier: Apache-2.0
// See emulated_instructions.h. The operations are those of the Software Developer's Manual of Intel.
#include "core/kernels/testing/emulated_instructions.h"

#include <cpuid.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/kernels/tiles/bf16.h"

namespace anydim::testing {

namespace {

// --- the CPU's state in a signal's frame --------------------------------------------------------------------------------------------

constexpr int kRegisters[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
constexpr uint64_t kHighHalves = 1u << 2, kHighQuarters = 1u << 6;  // of the extended state: of ymm, of zmm 0 to 15
uint32_t high_halves_at = 0, high_quarters_at = 0;

struct Frame {
  ucontext_t* context;
  uint8_t* state;  // as XSAVE writes it
  uint64_t general(int i) const { return static_cast<uint64_t>(context->uc_mcontext.gregs[kRegisters[i]]); }
  uint64_t ip() const { return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RIP]); }
  // A part that the processor had no need to save is zeros.
  uint64_t saved() const { return load<uint64_t>(state + 512); }
  template <class T> static T load(const void* p) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  void read(int i, uint8_t (&to)[32]) const {
    std::memcpy(to, state + 160 + 16 * i, 16);
    if ((saved() & kHighHalves) != 0) std::memcpy(to + 16, state + high_halves_at + 16 * i, 16);
    else std::memset(to + 16, 0, 16);
  }
  // All of the register above what is written becomes 0.
  void write(int i, const uint8_t (&from)[32]) const {
    const uint64_t kept = saved() | 2 | kHighHalves;
    if ((saved() & kHighHalves) == 0) std::memset(state + high_halves_at, 0, 256);
    if ((saved() & 2) == 0) std::memset(state + 160, 0, 256);
    std::memcpy(state + 512, &kept, sizeof kept);
    std::memcpy(state + 160 + 16 * i, from, 16);
    std::memcpy(state + high_halves_at + 16 * i, from + 16, 16);
    if ((saved() & kHighQuarters) != 0) std::memset(state + high_quarters_at + 32 * i, 0, 32);
  }
};

// --- decoding -----------------------------------------------------------------------------------------------------------------------

enum Prefix { kNone, k66, kF3, kF2 };
struct Instruction {
  int opcode, map, prefix, wide, length256;
  int reg, rm, second;  // of registers; `second`: the one in the VEX prefix
  int field;            // the bits that are `reg`, without their extension
  bool memory, has_sib;
  uint64_t base;                // of the memory operand, with the displacement, without the index
  uint64_t index, index_scale;  // 0 without one
  uint64_t next;
};

bool decode(const Frame& f, Instruction* out) {
  const auto* p = reinterpret_cast<const uint8_t*>(f.ip());
  if (p[0] != 0xC4) return false;  // all of these have the longer form
  Instruction i = {};
  i.map = p[1] & 31;
  i.wide = p[2] >> 7;
  i.second = ~p[2] >> 3 & 15;
  i.length256 = p[2] >> 2 & 1;
  i.prefix = p[2] & 3;
  i.opcode = p[3];
  const int r = (~p[1] >> 7 & 1) * 8, x = (~p[1] >> 6 & 1) * 8, b = (~p[1] >> 5 & 1) * 8;
  const int mode = p[4] >> 6, low = p[4] & 7;
  i.field = p[4] >> 3 & 7;
  i.reg = i.field + r;
  i.rm = low + b;
  i.memory = mode != 3;
  p += 5;
  if (i.memory) {
    bool relative = mode == 0 && low == 5;
    if (low == 4) {
      const int sib = *p++, index = (sib >> 3 & 7) + x, base = (sib & 7) + b;
      i.has_sib = true;
      if (index != 4) i.index = f.general(index), i.index_scale = uint64_t{1} << (sib >> 6);
      const bool none = mode == 0 && (sib & 7) == 5;
      i.base = none ? 0 : f.general(base);
      if (none) i.base += static_cast<uint64_t>(int64_t{Frame::load<int32_t>(p)}), p += 4;
    } else if (!relative) {
      i.base = f.general(i.rm);
    }
    if (mode == 1) i.base += static_cast<uint64_t>(int64_t{Frame::load<int8_t>(p)}), p += 1;
    if (mode == 2 || relative) i.base += static_cast<uint64_t>(int64_t{Frame::load<int32_t>(p)}), p += 4;
    if (relative) i.base += reinterpret_cast<uint64_t>(p);
  }
  i.next = reinterpret_cast<uint64_t>(p);
  *out = i;
  return i.map == 2 && i.wide == 0;
}

// --- AVX-VNNI -----------------------------------------------------------------------------------------------------------------------

int32_t wrapped(int64_t sum) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(sum))); }
int32_t saturated(int64_t sum) { return static_cast<int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum); }

bool dot_products(const Frame& f, const Instruction& i) {
  if (i.prefix != k66) return false;
  const bool words = i.opcode >= 0x52, saturates = i.opcode % 2 == 1;
  uint8_t acc[32], a[32], w[32] = {};
  f.read(i.reg, acc);
  f.read(i.second, a);
  const int bytes = i.length256 ? 32 : 16;
  if (i.memory) std::memcpy(w, reinterpret_cast<const void*>(i.base + i.index * i.index_scale), static_cast<size_t>(bytes));
  else f.read(i.rm, w);
  for (int at = 0; at < bytes; at += 4) {
    int64_t sum = Frame::load<int32_t>(acc + at);
    if (words)
      for (int j = 0; j < 4; j += 2) sum += int64_t{Frame::load<int16_t>(a + at + j)} * Frame::load<int16_t>(w + at + j);
    else
      for (int j = 0; j < 4; ++j) sum += a[at + j] * static_cast<int8_t>(w[at + j]);
    const int32_t y = saturates ? saturated(sum) : wrapped(sum);
    std::memcpy(acc + at, &y, sizeof y);
  }
  if (bytes == 16) std::memset(acc + 16, 0, 16);
  f.write(i.reg, acc);
  return true;
}

// --- AMX ----------------------------------------------------------------------------------------------------------------------------

constexpr int kTiles = 8, kMostRows = 16, kMostBytes = 64;
struct Tiles {
  uint8_t shapes[64] = {};  // as LDTILECFG reads them
  uint8_t rows[kTiles][kMostRows][kMostBytes] = {};
  int bytes_of(int t) const { return Frame::load<uint16_t>(shapes + 16 + 2 * t); }
  int rows_of(int t) const { return shapes[48 + t]; }
  bool there(int t) const { return t < kTiles && shapes[0] == 1 && rows_of(t) > 0; }
};
thread_local Tiles tiles;

bool configure(const uint8_t* shapes) {
  Tiles t;
  std::memcpy(t.shapes, shapes, sizeof t.shapes);
  if (t.shapes[0] == 0) return tiles = Tiles(), true;
  if (t.shapes[0] != 1) return false;
  for (int i = 1; i < 16; ++i)
    if (t.shapes[i] != 0) return false;
  for (int i = 0; i < 16; ++i) {
    const int bytes = t.bytes_of(i), rows = t.rows_of(i);
    if (bytes > kMostBytes || rows > kMostRows || (bytes == 0) != (rows == 0) || (i >= kTiles && rows != 0)) return false;
  }
  tiles = t;
  return true;
}

bool move_tile(const Instruction& i, bool stores) {
  const int t = i.field;
  if (!i.has_sib || !tiles.there(t)) return false;
  if (!stores) std::memset(tiles.rows[t], 0, sizeof tiles.rows[t]);
  for (int row = 0; row < tiles.rows_of(t); ++row) {
    auto* const at = reinterpret_cast<void*>(i.base + static_cast<uint64_t>(row) * i.index * i.index_scale);
    const auto bytes = static_cast<size_t>(tiles.bytes_of(t));
    if (stores) std::memcpy(at, tiles.rows[t][row], bytes);
    else std::memcpy(tiles.rows[t][row], at, bytes);
  }
  return true;
}

template <class A, class W> void multiply(int to, int left, int right) {
  for (int m = 0; m < tiles.rows_of(to); ++m) {
    int32_t sums[kMostBytes / 4] = {};
    const int n_count = tiles.bytes_of(to) / 4;
    std::memcpy(sums, tiles.rows[to][m], static_cast<size_t>(4 * n_count));
    for (int k = 0; k < tiles.rows_of(right); ++k)
      for (int n = 0; n < n_count; ++n)
        for (int j = 0; j < 4; ++j) {
          const auto a = static_cast<A>(tiles.rows[left][m][4 * k + j]);
          const auto w = static_cast<W>(tiles.rows[right][k][4 * n + j]);
          sums[n] = wrapped(int64_t{sums[n]} + int64_t{a} * w);
        }
    std::memcpy(tiles.rows[to][m], sums, sizeof sums);
  }
}

// TDPBF16PS: for each sum a chain of the lower and one of the upper halves of words, from 0, then their sum.
void multiply_bf16(int to, int left, int right) {
  const auto number = [](const uint8_t* p) { return as_bf16(std::bit_cast<float>(uint32_t{Frame::load<uint16_t>(p)} << 16)); };
  for (int m = 0; m < tiles.rows_of(to); ++m)
    for (int n = 0; n < tiles.bytes_of(to) / 4; ++n) {
      float chain[2] = {};
      for (int k = 0; k < tiles.rows_of(right); ++k)
        for (int half = 0; half < 2; ++half)
          chain[half] =
              flushed_fma(number(tiles.rows[left][m] + 4 * k + 2 * half), number(tiles.rows[right][k] + 4 * n + 2 * half), chain[half]);
      uint8_t* const at = tiles.rows[to][m] + 4 * n;
      const float sum = flushed_sum(Frame::load<float>(at), flushed_sum(chain[0], chain[1]));
      std::memcpy(at, &sum, sizeof sum);
    }
}

bool products_of_tiles(const Instruction& i) {
  const int to = i.field, left = i.rm, right = i.second;
  if (i.memory || to == left || to == right || left == right) return false;
  if (!tiles.there(to) || !tiles.there(left) || !tiles.there(right)) return false;
  if (tiles.bytes_of(to) % 4 != 0 || tiles.bytes_of(left) % 4 != 0 || tiles.bytes_of(to) != tiles.bytes_of(right)) return false;
  if (tiles.rows_of(to) != tiles.rows_of(left) || tiles.bytes_of(left) / 4 != tiles.rows_of(right)) return false;
  if (i.opcode == 0x5C) return i.prefix == kF3 && (multiply_bf16(to, left, right), true);
  switch (i.prefix) {
    case kNone: multiply<uint8_t, uint8_t>(to, left, right); break;
    case k66: multiply<uint8_t, int8_t>(to, left, right); break;
    case kF3: multiply<int8_t, uint8_t>(to, left, right); break;
    default: multiply<int8_t, int8_t>(to, left, right); break;
  }
  return true;
}

bool execute(const Frame& f, const Instruction& i) {
  if (i.opcode >= 0x50 && i.opcode <= 0x53) return dot_products(f, i);
  if (i.length256 || i.reg != i.field) return false;
  auto* const at = reinterpret_cast<uint8_t*>(i.base + i.index * i.index_scale);
  switch (i.opcode) {
    case 0x49:
      if (i.second != 0) return false;
      if (i.memory && i.field == 0 && i.prefix == kNone) return configure(at);
      if (i.memory && i.field == 0 && i.prefix == k66) return std::memcpy(at, tiles.shapes, sizeof tiles.shapes), true;
      if (!i.memory && i.field == 0 && i.rm == 0 && i.prefix == kNone) return tiles = Tiles(), true;
      if (!i.memory && i.rm == 0 && i.prefix == kF2 && tiles.there(i.field)) {
        std::memset(tiles.rows[i.field], 0, sizeof tiles.rows[i.field]);
        return true;
      }
      return false;
    case 0x4B: return i.memory && i.second == 0 && i.prefix != kNone && move_tile(i, i.prefix == kF3);
    case 0x5C:
    case 0x5E: return products_of_tiles(i);
    default: return false;
  }
}

struct sigaction before = {};
std::atomic<int64_t> all_executed{0};
void handle(int, siginfo_t*, void* context) {
  auto* const c = static_cast<ucontext_t*>(context);
  const Frame f{c, reinterpret_cast<uint8_t*>(c->uc_mcontext.fpregs)};
  // As many as stand one after the other: signals take most of the time.
  int executed = 0;
  for (Instruction i; decode(f, &i) && execute(f, i); ++executed) c->uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(i.next);
  all_executed.fetch_add(executed, std::memory_order_relaxed);
  if (executed == 0) sigaction(SIGILL, &before, nullptr);  // which the instruction meets once more
}

}  // namespace

int64_t emulated_instructions() noexcept { return all_executed.load(); }

Isa emulate_instructions() noexcept {
  static const bool done = [] {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(0xD, 2, &a, &b, &c, &d)) high_halves_at = b;
    if (__get_cpuid_count(0xD, 6, &a, &b, &c, &d)) high_quarters_at = b;
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGILL, &action, &before);
    return true;
  }();
  (void)done;
  Isa there;
  if (find_cpu().hardware.includes(Isa::avx2)) there = there | Isa{CpuFeature::avx_vnni};
  if (find_cpu().hardware.includes(Isa::avx512_vnni))
    there = there | Isa{CpuFeature::avx512_bf16, CpuFeature::amx_tile, CpuFeature::amx_int8, CpuFeature::amx_bf16};
  return there;
}

bool emulate_if_asked() noexcept {
  const char* const asked = std::getenv("ANYDIM_TEST_EMULATE");
  if (asked == nullptr || std::strcmp(asked, "1") != 0) return false;
  static CpuFeatures features = find_cpu();
  features.usable = features.hardware = features.hardware | emulate_instructions();
  if (const char* const limit = std::getenv("ANYDIM_MAX_ISA"); limit != nullptr) lower(&features.usable, limit);
  detail::found_cpu.store(&features, std::memory_order_release);
  return true;
}

}  // namespace anydim::testing
