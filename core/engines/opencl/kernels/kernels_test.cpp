// SPDX-License-Identifier: Apache-2.0
// The OpenCL engine's kernels against the CPU's references, bit for bit: random shapes, tails, empty dims, any layout, NaN and infinities,
// chains of post-ops. A program takes a compiler half a second, so there are few of them and many shapes. With ANYDIM_OPENCL_KERNELS=all
// there are all functions, kinds, dtypes and forms, and more rounds; with =small a few rounds of small shapes, for a checker of accesses.
#include <gtest/gtest.h>

#include "core/engines/opencl/kernels/groups.h"
#include "core/engines/opencl/kernels/kernels.h"
#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/engines/opencl/kernels/program_text.h"
#include "core/dispatch/testing/on_opencl.h"
#include "core/engines/kernel_cache.h"

namespace anydim::opencl {
namespace {

using namespace testing;
using Call = anydim::testing::Run;  // gtest has a Run, too

std::string_view requested_scope() {
  static const char* const text = std::getenv("ANYDIM_OPENCL_KERNELS");
  return text != nullptr ? text : "";
}
bool all_of_them() { return requested_scope() == "all"; }
bool small_ones() { return requested_scope() == "small"; }
int rounds(int all, int few) { return all_of_them() ? all : small_ones() ? (few + 3) / 4 : few; }

constexpr Layout kLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows,
                               Layout::padded_channels_last};
Layout any_layout(Random& r) { return kLayouts[r.integer(0, 4)]; }

OwnedTensor drawn(const Dims& dims, Random& r, double specials = 0.01) {
  OwnedTensor t(DType::f32, dims, any_layout(r), &r);
  t.fill(r, specials);
  return t;
}

PostOp unary(UnaryFunction f, float alpha = 0, float beta = 0) {
  PostOp p;
  p.unary = f;
  p.alpha = alpha;
  p.beta = beta;
  return p;
}
PostOp binary(BinaryFunction f, bool reversed = false) {
  PostOp p;
  p.kind = reversed ? PostOp::Kind::binary_reversed : PostOp::Kind::binary;
  p.binary = f;
  return p;
}
// Two chains: none, and one with tensors and functions.
PostOps chain(bool long_one) {
  PostOps c;
  if (!long_one) return c;
  c.append(unary(UnaryFunction::hard_swish));
  c.append(binary(BinaryFunction::add));
  c.append(unary(UnaryFunction::clip, -1.f, 2.f));
  c.append(binary(BinaryFunction::sub, true));
  return c;
}
// The chain's tensors for these dims of the output: some dims are 1, leading ones are missing.
void draw_post_in(Call* run, const Dims& out, Random& r) {
  for (const PostOp& p : run->post_ops) {
    if (!p.takes_tensor()) continue;
    Dims d;
    for (int i = r.chance(0.3) && out.rank > 0 ? 1 : 0; i < out.rank; ++i) d.push_back(r.chance(0.3) ? 1 : out[i]);
    run->post_in.push_back(drawn(d, r));
  }
}

Dims out_dims(const std::string& text, const Call& run) {
  OperatorPtr op;
  Dims d;
  if (!parse_operator(text, &op).ok()) return d;
  std::vector<TensorType> in, out(static_cast<size_t>(op->output_count()));
  for (const auto& t : run.in) in.push_back(type_of(t));
  DimPool pool;
  if (op->infer(pool, in, out).ok())
    for (const Dim x : out[0].dims) d.push_back(x.number());
  return d;
}

std::string list(const Dims& d) { return joined(d, ","); }

// Tiles by groups of work-items are for it.
bool has_groups() { return device()->traits().kind == DeviceKind::gpu && device()->traits().local_memory >= kSmallGroups.local_memory; }

#define NEEDS_A_DEVICE() \
  if (device() == nullptr) GTEST_SKIP() << why_no_device()

// A convolution of some dims; weights in any layout.
bool compare_convolution(bool transposed, Random& r, std::string* kernel) {
  const int spatial = static_cast<int>(r.chance(0.6) ? 2 : r.integer(1, 3));
  const bool depthwise = !transposed && r.chance(0.3);
  const int64_t groups = depthwise ? r.integer(2, 40) : r.chance(0.3) ? r.integer(2, 3) : 1;
  const int64_t in = depthwise ? 1
                               : r.integer(1, small_ones()    ? 3
                                              : r.chance(0.3) ? 60
                                                              : 7),
                out = depthwise ? 1 : r.integer(all_of_them() ? 1 : 17, r.chance(0.2) ? 60 : 40);
  Dims x{r.integer(0, 9) == 0 ? 0 : r.integer(1, 2), groups * in}, w = transposed ? Dims{groups * in, out} : Dims{groups * out, in};
  Dims strides, dilations, begin, end;
  for (int i = 0; i < spatial; ++i) {
    const int64_t k = r.integer(1, spatial == 3 ? 3 : 5);
    w.push_back(k);
    x.push_back(r.integer(1, small_ones() ? 4 : spatial == 3 ? 6 : 14));
    strides.push_back(r.integer(1, 3));
    dilations.push_back(r.chance(0.7) ? 1 : 2);
    begin.push_back(r.integer(0, 3));
    end.push_back(r.integer(0, 2));
  }
  const std::string text =
      formatted("{} strides={} dilations={} pads_begin={} pads_end={} group={}", transposed ? "conv_transpose" : "convolution",
                list(strides), list(dilations), list(begin), list(end), groups);
  Call run;
  run.in.push_back(drawn(x, r, r.chance(0.2) ? 0.02 : 0));
  run.in.push_back(drawn(w, r, 0));
  if (!all_of_them() || r.flag()) run.in.push_back(drawn({groups * out}, r, 0));
  run.post_ops = chain(!all_of_them() || r.chance(0.4));
  const Dims d = out_dims(text, run);
  if (d.rank == 0) return false;
  draw_post_in(&run, d, r);
  run.out_layouts = {any_layout(r)};
  run.constant_weights = r.chance(0.75);
  return compare(text, run, r, kernel);
}

TEST(OpenclKernels, Convolutions) {
  NEEDS_A_DEVICE();
  Random r(1);
  std::map<std::string, int> seen;
  const size_t kinds = device()->traits().kind == DeviceKind::gpu || small_ones() ? 2 : 5;
  const int enough = rounds(150, 40);
  for (int i = 0; i < enough || (seen.size() < kinds && i < 10 * enough); ++i) {  // some seeds draw a kind late
    std::string kernel;
    if (compare_convolution(i % 3 == 0, r, &kernel)) ++seen[kernel];
  }
  if (has_groups()) {
    EXPECT_GT(seen["conv.groups.opencl"] + seen["conv.small_groups.opencl"], 0) << "the device's compiler refused a better one";
  }
  for (const auto& [name, times] : seen) std::printf("%s %d\n", name.c_str(), times);
  EXPECT_GE(seen.size(), kinds);
}

// Channels that two blocks of 24 have, whose second lies behind the first: neither may store into the other.
TEST(OpenclKernels, BlocksOfColumns) {
  NEEDS_A_DEVICE();
  Random r(12);
  for (int i = 0; i < rounds(12, 4); ++i) {
    const int64_t out = r.integer(33, 48), in = r.integer(1, small_ones() ? 3 : 20);
    Call run;
    run.in.push_back(drawn({1, in, r.integer(1, 3), r.integer(2, small_ones() ? 3 : 20)}, r, 0));
    run.in.push_back(drawn({out, in, 1, 1}, r, 0));
    run.in.push_back(drawn({out}, r, 0));
    run.post_ops = chain(true);
    const std::string text = "convolution strides=1,1 dilations=1,1 pads_begin=0,0 pads_end=0,0 group=1";
    draw_post_in(&run, out_dims(text, run), r);
    run.out_layouts = {any_layout(r)};
    run.constant_weights = true;
    EXPECT_TRUE(compare(text, run, r));
  }
}

// Windows that tile the output, and some that nearly do.
TEST(OpenclKernels, TransposedPatches) {
  NEEDS_A_DEVICE();
  Random r(11);
  std::map<std::string, int> seen;
  for (int i = 0; i < rounds(60, 16); ++i) {
    const int64_t kh = r.integer(1, 3), kw = r.integer(1, 3), out = r.chance(0.5) ? 8 * r.integer(1, 4) : r.integer(1, 20);
    const int64_t in = r.chance(0.2) ? 128 : r.integer(1, small_ones() ? 4 : 40);
    const bool near = i % 4 == 3;
    const std::string text = formatted("conv_transpose strides={},{} pads_begin={},0 output_padding=0,{}", kh,
                                       kw + (near && r.flag() ? 1 : 0), near && kh > 1 && r.flag() ? 1 : 0, near && r.flag() ? 1 : 0);
    Call run;
    run.in.push_back(drawn({r.integer(1, 2), in, r.integer(2, small_ones() ? 3 : 9), r.integer(2, small_ones() ? 3 : 14)}, r, 0));
    run.in.push_back(drawn({in, out, kh, kw}, r, 0));
    if (r.flag()) run.in.push_back(drawn({out}, r, 0));
    run.post_ops = chain(r.chance(0.2));
    if (run.post_ops.count == 0 && r.flag()) run.post_ops.append(unary(UnaryFunction::sigmoid));
    const Dims d = out_dims(text, run);
    if (d.rank == 0) continue;
    draw_post_in(&run, d, r);
    run.out_layouts = {any_layout(r)};
    run.constant_weights = true;
    std::string kernel;
    if (compare(text, run, r, &kernel)) ++seen[kernel];
  }
  for (const auto& [name, times] : seen) std::printf("%s %d\n", name.c_str(), times);
  EXPECT_GE(seen.size(), device()->traits().kind == DeviceKind::gpu ? 1u : 2u);
}

TEST(OpenclKernels, Products) {
  NEEDS_A_DEVICE();
  Random r(2);
  int compared = 0;
  for (int i = 0; i < rounds(120, 16); ++i) {
    const int64_t m = r.integer(0, 9) == 0 ? 0 : r.integer(1, 40),
                  k = r.integer(0, 9) == 0 ? 0 : r.integer(1, r.chance(0.3) && !small_ones() ? 400 : 40),
                  n = r.integer(all_of_them() ? 1 : 17, all_of_them() && r.flag() ? 16 : 70);
    const bool ta = r.flag(), tb = r.flag(), one_a = all_of_them() && r.chance(0.1), one_b = all_of_them() && r.chance(0.1);
    Dims a = one_a ? Dims{k} : ta ? Dims{k, m} : Dims{m, k}, b = one_b ? Dims{k} : tb ? Dims{n, k} : Dims{k, n};
    const int batch = !all_of_them() || r.chance(0.4) ? 1 : 0;
    if (batch > 0 && !one_a) a.insert(0, r.integer(1, 3));
    if (batch > 0 && !one_b && r.flag()) b.insert(0, a.rank == 3 && r.flag() ? a[0] : 1);
    const bool scaled = all_of_them() ? r.chance(0.3) : i % 2 == 0;  // c comes with it
    const std::string text = formatted("matmul transpose_a={} transpose_b={}{}", !one_a && ta ? 1 : 0, !one_b && tb ? 1 : 0,
                                       scaled ? " alpha=0.5 beta=-1.5" : "");
    Call run;
    run.in.push_back(drawn(a, r, r.chance(0.2) ? 0.02 : 0));
    run.in.push_back(drawn(b, r, 0));
    const Dims d = out_dims(text, run);
    if (all_of_them() ? r.flag() : true) {
      Dims c;
      for (const int64_t x : d) c.push_back(r.chance(0.3) ? 1 : x);
      run.in.push_back(drawn(c, r, 0));
    }
    run.post_ops = chain(all_of_them() && r.chance(0.3));
    draw_post_in(&run, d, r);
    run.out_layouts = {any_layout(r)};
    run.constant_weights = r.flag();
    run.constant_bias = r.flag();
    std::string kernel;
    compared += compare(text, run, r, &kernel);
    if (has_groups()) {
      EXPECT_NE(kernel, "gemm.local.opencl") << "the device's compiler refused a better one";
    }
  }
  EXPECT_GT(compared, small_ones() ? 0 : rounds(100, 12));
}

// All tiles of groups, by the rows and columns that make them the best ones: long sums, several groups, rows and columns left over.
TEST(OpenclKernels, TilesOfGroups) {
  NEEDS_A_DEVICE();
  if (!has_groups()) GTEST_SKIP() << "it is for devices like a GPU, with local memory";
  Random r(14);
  for (int tile = 0; tile < kMostGroupTiles; ++tile) {
    want_group_tile(tile);
    for (int i = 0; i < 3; ++i) {
      const bool conv = i % 2 == 0;
      const int64_t k = conv ? r.integer(15, 20) : r.integer(129, 150), n = r.integer(33, small_ones() ? 68 : 140);
      Call run;
      if (conv) {
        run.in.push_back(drawn({1, k, r.integer(6, 9), r.integer(6, 9)}, r, r.flag() ? 0.02 : 0));
        run.in.push_back(drawn({n, k, 3, 3}, r, r.flag() ? 0.02 : 0));  // a missing element times infinity is nothing
        run.in.push_back(drawn({n}, r, 0));
      } else {
        run.in.push_back(drawn({r.integer(30, small_ones() ? 66 : 140), k}, r, r.flag() ? 0.02 : 0));
        run.in.push_back(drawn({k, n}, r, 0));
      }
      const std::string text = conv ? "convolution strides=1,1 dilations=1,1 pads_begin=1,1 pads_end=1,1 group=1" : "matmul";
      run.out_layouts = {any_layout(r)};
      run.constant_weights = conv || tile % 2 == 1;
      std::string kernel;
      EXPECT_TRUE(compare(text, run, r, &kernel)) << tile;
      EXPECT_TRUE(kernel.find("groups.opencl") != std::string::npos) << kernel;
    }
  }
  want_group_tile(-1);
}

// Few rows: sums of several blocks of 128 by several work-items.
TEST(OpenclKernels, ProductsOfFewRows) {
  NEEDS_A_DEVICE();
  if (!has_groups()) GTEST_SKIP() << "it is for devices like a GPU, with local memory";
  Random r(15);
  for (int i = 0; i < 8; ++i) {
    const int64_t m = i % 2 == 0 ? 1 : r.integer(2, 9), k = i < 4 ? r.integer(0, 130) : r.integer(1000, 1300), n = r.integer(1, 40);
    Call run;
    run.in.push_back(drawn(i % 3 == 0 ? Dims{2, m, k} : Dims{m, k}, r, r.flag() ? 0.02 : 0));
    run.in.push_back(drawn(i % 3 == 0 && r.flag() ? Dims{2, k, n} : Dims{k, n}, r, 0));
    run.post_ops = chain(r.flag());
    const Dims d = out_dims("matmul", run);
    draw_post_in(&run, d, r);
    run.out_layouts = {any_layout(r)};
    run.constant_weights = r.flag();
    EXPECT_TRUE(compare("matmul", run, r));
  }
}

TEST(OpenclKernels, ElementwiseFunctions) {
  NEEDS_A_DEVICE();
  Random r(3);
  for (int f = 0; f < static_cast<int>(UnaryFunction::count_); ++f) {
    const auto function = static_cast<UnaryFunction>(f);
    if (!supports_function(function) || (!all_of_them() && f % 12 != 3)) continue;
    if (needs_doubles(function) && !device()->traits().f64) continue;
    for (const int64_t n : {7, small_ones() ? 70 : 4000}) {
      Call run;
      run.in.push_back(OwnedTensor(DType::f32, {n}));
      run.in[0].each([&](int64_t, std::byte* p) {
        // Any bits, and numbers around 0.
        float v = r.flag() ? std::bit_cast<float>(static_cast<uint32_t>(r.engine()())) : 8.f * r.normal();
        if (r.chance(0.01)) v = -0.f;
        std::memcpy(p, &v, 4);
      });
      const char* const parameters[] = {"", " alpha=0.75", " alpha=0.75 beta=1.5"};
      const std::string text = formatted("unary function={}{}", function_name(function), parameters[parameter_count(function)]);
      EXPECT_TRUE(compare(text, run, r)) << text;
    }
  }
  for (int f = 0; f < static_cast<int>(BinaryFunction::count_); ++f) {
    const auto function = static_cast<BinaryFunction>(f);
    if (!supports_function(function) || (!all_of_them() && function != BinaryFunction::pow)) continue;
    if (needs_doubles(function) && !device()->traits().f64) continue;
    Call run;
    for (int i = 0; i < 2; ++i) {
      run.in.push_back(OwnedTensor(DType::f32, {small_ones() ? 37 : 2000}));
      run.in[static_cast<size_t>(i)].each([&](int64_t, std::byte* p) {
        float v = r.chance(0.3) ? std::bit_cast<float>(static_cast<uint32_t>(r.engine()())) : 3.f * r.normal();
        if (r.chance(0.2)) v = std::round(v);
        std::memcpy(p, &v, 4);
      });
    }
    const std::string text = formatted("binary function={}", function_name(function));
    EXPECT_TRUE(compare(text, run, r)) << text;
  }
}

TEST(OpenclKernels, ElementwiseShapes) {
  NEEDS_A_DEVICE();
  Random r(4);
  for (int i = 0; i < rounds(80, 20); ++i) {
    Dims d;
    for (int64_t rank = r.integer(all_of_them() ? 1 : 3, all_of_them() ? 4 : 3); rank > 0; --rank)
      d.push_back(r.integer(0, 19) == 0 ? 0 : r.integer(1, r.flag() ? 40 : 5));
    const bool two = r.flag();
    Call run;
    for (int k = 0; k < (two ? 2 : 1); ++k) {
      Dims own = d;
      if (two)
        for (int a = 0; a < own.rank; ++a)
          if (r.chance(0.3)) own[a] = 1;
      run.in.push_back(drawn(own, r));
    }
    const std::string text = two ? "binary function=mul" : "unary function=leaky_relu alpha=0.1";
    const Dims out = out_dims(text, run);
    run.post_ops = chain(all_of_them() ? r.chance(0.4) : two);
    draw_post_in(&run, out, r);
    run.out_layouts = {any_layout(r)};
    EXPECT_TRUE(compare(text, run, r)) << text;
  }
}

// Of so many numbers that a work-item of a device like a GPU has several, with some left over.
TEST(OpenclKernels, LongElementwiseRows) {
  NEEDS_A_DEVICE();
  if (device()->traits().kind != DeviceKind::gpu) GTEST_SKIP() << "it is for devices like a GPU";
  Random r(16);
  for (const Dims& d : {Dims{2, 70000}, Dims{139, 1003}}) {
    Call run;
    for (int k = 0; k < 2; ++k) run.in.push_back(OwnedTensor(DType::f32, d).fill(r));
    EXPECT_TRUE(compare("binary function=mul", run, r));
  }
}

TEST(OpenclKernels, Movers) {
  NEEDS_A_DEVICE();
  Random r(5);
  const auto n = [&](int64_t lo, int64_t hi) { return r.integer(lo, hi); };
  const DType dtypes[] = {DType::f32, DType::i64, DType::u8, DType::f16};
  int compared = 0;
  for (int i = 0; i < rounds(200, 32); ++i) {
    const DType t = dtypes[all_of_them() ? n(0, 3) : 0];
    const Dims d{n(1, 5), n(0, 9) == 0 ? 0 : n(1, 20), n(1, 24)};
    std::string text;
    std::vector<Dims> in{d};
    switch (i % 8) {
      case 0: text = r.flag() ? "transpose perm=2,0,1" : "transpose perm=1,0,2"; break;
      case 1: text = formatted("reshape dims={},{}", d[0] * d[1], d[2]); break;
      case 2: text = formatted("expand dims={},{},{},{}", n(1, 3), d[0], d[1], d[2]), in[0][n(0, 2)] = 1; break;
      case 3:
        text = formatted("slice starts={},0,{} steps={},1,{} lengths={},{},{}", d[0] - 1, 0, -1, 2, d[0], d[1], (d[2] + 1) / 2);
        break;
      case 4:
        text = "concat axis=1";
        in.push_back({d[0], n(0, 4), d[2]});
        in.push_back({d[0], n(1, 40), d[2]});
        break;
      case 5:
        text = formatted("pad mode={} before=1,{},2 after=0,2,{}", all_of_them() && r.flag() ? "edge" : "constant", n(0, 2), n(0, 3));
        break;
      case 6: text = formatted("tile repeats={},{},2", n(1, 3), n(1, 3)); break;
      default:
        in[0] = {n(1, 2), 4 * n(1, 5), n(1, 6), n(1, 6)};
        text = formatted("depth_to_space block=2 order={} inverse=0", r.flag() ? "depth_first" : "column_first");
        if (r.chance(0.3)) {
          in[0] = {n(1, 2), n(1, 5), 2 * n(1, 6), 2 * n(1, 6)};
          text = "depth_to_space block=2 order=depth_first inverse=1";
        }
    }
    Call run;
    for (const Dims& x : in) run.in.push_back(OwnedTensor(t, x, any_layout(r), &r).fill(r));
    run.out_layouts = {any_layout(r)};
    compared += compare(text, run, r);
  }
  EXPECT_GT(compared, small_ones() ? 0 : rounds(180, 24));
}

TEST(OpenclKernels, OperatorsThatCopyElementsOfOneSizeShareAProgram) {
  NEEDS_A_DEVICE();
  Random r(6);
  const auto made = [] { return KernelCache::totals().compiled.load() + KernelCache::totals().loaded.load(); };
  const Dims d{2, 1, 3, 2, 1, 5};  // of this rank is no other test's
  const auto run = [&](const char* text, DType t) {
    Call call;
    call.in.push_back(OwnedTensor(t, d, Layout::row_major, &r).fill(r));
    return compare(text, call, r);
  };
  ASSERT_TRUE(run("transpose perm=5,0,1,2,3,4", DType::f32));
  const int64_t before = made();
  EXPECT_TRUE(run("concat axis=2", DType::i32));
  EXPECT_TRUE(run("slice starts=0,0,1,0,0,0 steps=1,1,1,1,1,1 lengths=2,1,2,2,1,5", DType::f32));
  EXPECT_EQ(made(), before);
  EXPECT_TRUE(run("transpose perm=5,0,1,2,3,4", DType::u8));
  EXPECT_EQ(made(), before + 1) << "elements of another size";
}

TEST(OpenclKernels, PoolingAndResize) {
  NEEDS_A_DEVICE();
  Random r(6);
  const auto n = [&](int64_t lo, int64_t hi) { return r.integer(lo, hi); };
  int compared = 0;
  for (int i = 0; i < rounds(120, 24); ++i) {
    std::string text;
    const Dims d{n(0, 19) == 0 ? 0 : n(1, 2), n(1, 40), n(1, 12), n(1, 12)};
    Call run;
    run.in.push_back(drawn(d, r));
    if (i % 2 == 0) {
      const bool max = r.flag();
      text = r.chance(0.2)
                 ? formatted("pooling kind={} global=1", max ? "max" : "average")
                 : formatted("pooling kind={} window={},{} strides={},{} pads_begin=1,{} pads_end=0,1 dilations={},1 ceil_mode={}{}",
                             max ? "max" : "average", n(2, 4), n(2, 9), n(1, 3), n(1, 2), n(0, 1), n(1, 2), n(0, 1),
                             max ? "" : formatted(" count_include_pad={}", n(0, 1)));
    } else {
      const char* const modes[] = {"nearest", "linear", "cubic"};
      const char* const coordinates[] = {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "half_pixel_symmetric"};
      const char* const roundings[] = {"round_prefer_floor", "floor", "ceil"};
      const int64_t mode = all_of_them() ? n(0, 2) : n(0, 1);
      const std::string own = mode == 0               ? formatted(" nearest={}", roundings[all_of_them() ? n(0, 2) : 0])
                              : mode == 2 && r.flag() ? " exclude_outside=1"
                                                      : "";
      text = formatted("resize mode={} coordinates={}{} {}", modes[mode], coordinates[all_of_them() ? n(0, 4) : 0], own,
                       r.flag() ? std::string("scales=1,1,2,1.5") : formatted("sizes={},{},{},{}", d[0], d[1], n(1, 20), d[3]));
    }
    run.out_layouts = {any_layout(r)};
    compared += compare(text, run, r);
  }
  EXPECT_GT(compared, small_ones() ? 0 : rounds(90, 14));
}

TEST(OpenclKernels, ReductionsSoftmaxAndNorms) {
  NEEDS_A_DEVICE();
  Random r(7);
  const auto n = [&](int64_t lo, int64_t hi) { return r.integer(lo, hi); };
  const char* const kinds[] = {"sum", "mean", "max", "min", "l1", "l2", "sum_square", "prod", "log_sum", "log_sum_exp"};
  const char* const axes[] = {"2", "1", "0", "0,2", "1,2", "0,1,2"};
  int compared = 0;
  for (int i = 0; i < rounds(150, 30); ++i) {
    std::string text;
    Call run;
    const Dims d{n(1, 4), n(1, small_ones() ? 9 : 150), n(0, 19) == 0 ? 0 : n(1, r.chance(0.1) && !small_ones() ? 9000 : 70)};
    run.in.push_back(drawn(d, r, 0.001));
    switch (i % 3) {
      case 0:
        text = formatted("reduce kind={} axes={} keepdims={}",
                         kinds[!all_of_them()  ? 1
                               : r.chance(0.7) ? n(0, 2)
                                               : n(0, 9)],
                         axes[n(0, 5)], n(0, 1));
        break;
      case 1: text = formatted("softmax axis={} log={}", n(0, 2), all_of_them() ? n(0, 1) : 0); break;
      default:
        text = "layer_norm axis=-1 epsilon=0.001";
        if (!all_of_them() || r.flag()) {
          run.in.push_back(drawn({d[2]}, r, 0));
          run.in.push_back(drawn({d[2]}, r, 0));
        }
        run.post_ops = chain(!all_of_them() || r.chance(0.3));
        draw_post_in(&run, d, r);
    }
    run.out_layouts = {any_layout(r)};
    compared += compare(text, run, r);
  }
  EXPECT_GT(compared, small_ones() ? 0 : rounds(140, 20));
}

// One group and several, whose results a second launch joins; NaN, infinities, denormals, zeros of both signs, all equal, nothing at all.
TEST(OpenclKernels, RangesOfTensors) {
  NEEDS_A_DEVICE();
  Random r(13);
  const auto n = [&](int64_t lo, int64_t hi) { return r.integer(lo, hi); };
  // The quotient of 4.5e-43 and its scale is above 255.
  constexpr float kSpecials[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-42f, -4.5e-43f, 0.f, -0.f};
  const int all = rounds(300, 60);
  int compared = 0;
  for (int i = 0; i < all; ++i) {
    const auto rank = static_cast<int>(n(0, 5));
    constexpr int64_t kMost[] = {0, 200000, 500, 70, 20, 9};
    Dims d;
    for (int a = 0; a < rank; ++a) d.push_back(r.chance(0.04) ? 0 : r.chance(0.15) ? 1 : n(1, small_ones() ? 5 : kMost[rank]));
    Call run;
    run.in.push_back(OwnedTensor(DType::f32, d, any_layout(r), &r));
    const float centre = static_cast<float>(n(-40, 40)), width = r.chance(0.2) ? 0.f : static_cast<float>(n(0, 30));
    const double special = r.chance(0.4) ? r.chance(0.3) ? 1 : 1e-3 : 0;
    const int64_t first = n(0, 8), last = n(first, 8);  // of the specials
    const bool half = r.chance(0.15);                   // the zero point lies in the middle of two numbers
    run.in[0].each([&](int64_t, std::byte* p) {
      float v = half ? (r.flag() ? -40.5f : 214.5f) + centre : centre + width * r.normal();
      if (r.chance(special)) v = kSpecials[n(first, last)];
      std::memcpy(p, &v, 4);
    });
    compared += compare("quantization_range", run, r);
  }
  EXPECT_EQ(compared, all);
}

}  // namespace
}  // namespace anydim::opencl
