// SPDX-License-Identifier: Apache-2.0
// CPU features as a set: names, what includes what, and how ANYDIM_MAX_ISA lowers.
#include "core/base/cpu.h"

#include <gtest/gtest.h>

#include <string>

namespace anydim {
namespace {

TEST(CpuFeatures, AreASetAndNoLadder) {
  // A CPU with AVX-VNNI and without AVX-512, and one the other way round.
  const Isa alder = Isa::avx2_vnni, ice = Isa::avx512_vnni;
  EXPECT_FALSE(alder.includes(Isa::avx512));
  EXPECT_FALSE(ice.includes(Isa::avx2_vnni));
  EXPECT_TRUE(alder.includes(Isa::avx2) && ice.includes(Isa::avx2));
  EXPECT_TRUE(Isa::neon_dot.includes(Isa::neon));
  EXPECT_FALSE(Isa::neon.includes(Isa::neon_dot));
  EXPECT_FALSE((Isa::avx2 | Isa{CpuFeature::avx512f}).includes(Isa::avx512)) << "a part of AVX-512 is not what kernels need";
  EXPECT_TRUE(Isa::portable.includes({}) && Isa{}.includes(Isa::portable));
}

TEST(CpuFeatures, HaveTheNameOfTheBestSetInThem) {
  EXPECT_EQ(isa_name({}), std::string("portable"));
  EXPECT_EQ(isa_name(Isa::avx512), std::string("avx512"));
  EXPECT_EQ(isa_name(Isa::avx2_vnni), std::string("avx2_vnni"));
  EXPECT_EQ(isa_name(Isa::avx512_bf16 | Isa::avx2_vnni), std::string("avx512_bf16"));
  EXPECT_EQ(isa_name(Isa::amx | Isa::avx2_vnni), std::string("amx"));
  EXPECT_EQ(isa_name(Isa::neon_dot | Isa{CpuFeature::neon_i8mm}), std::string("neon_dot"));
}

Isa lowered(Isa features, std::string_view limit) {
  EXPECT_TRUE(lower(&features, limit)) << limit;
  return features;
}

TEST(CpuFeatures, AreLoweredToANamedSetAndThoseBeforeItAndNeverRaised) {
  const Isa all = Isa::amx | Isa::avx2_vnni;
  EXPECT_EQ(lowered(all, "portable"), Isa::portable);
  EXPECT_EQ(lowered(all, "avx2"), Isa::avx2);
  EXPECT_EQ(lowered(all, "avx2_vnni"), Isa::avx2_vnni);
  EXPECT_EQ(lowered(all, "avx512"), Isa::avx512 | Isa::avx2_vnni);
  EXPECT_EQ(lowered(all, "amx"), all);
  EXPECT_EQ(lowered(Isa::avx2, "amx"), Isa::avx2);
  EXPECT_EQ(lowered(Isa::avx512_vnni, "avx2_vnni"), Isa::avx2);
  EXPECT_EQ(lowered(Isa::neon_dot, "neon"), Isa::neon);
}

TEST(CpuFeatures, AreLoweredToAListOfFeaturesAndSetsAndNothingElse) {
  const Isa all = Isa::amx | Isa::avx2_vnni;
  EXPECT_EQ(lowered(all, "avx2+avx_vnni"), Isa::avx2_vnni);
  EXPECT_EQ(lowered(all, "avx512+avx_vnni"), Isa::avx512 | Isa::avx2_vnni);
  EXPECT_EQ(lowered(all, "avx512+avx512"), Isa::avx512) << "without those before it, unlike the name alone";
  EXPECT_EQ(lowered(all, "avx512f"), Isa{CpuFeature::avx512f});
  EXPECT_EQ(lowered(Isa::avx2, "avx512_vnni+avx2"), Isa::avx2) << "what the CPU lacks is not made available";
  EXPECT_EQ(lowered(Isa::neon_dot, "neon_i8mm+neon"), Isa::neon);
  for (const char* wrong : {"neither", "", "+", "avx2+", "+avx2", "avx2,avx_vnni", "avx2 +avx_vnni", "AVX2", "avx2+neither"}) {
    Isa features = all;
    EXPECT_FALSE(lower(&features, wrong)) << wrong;
    EXPECT_EQ(features, all) << wrong;
  }
}

TEST(CpuFeatures, AreReportedOneByOne) {
  EXPECT_EQ(features_text({}), "");
  EXPECT_EQ(features_text(Isa::avx2), "avx2");
  EXPECT_EQ(features_text(Isa::avx2_vnni), "avx2 and avx_vnni");
  EXPECT_EQ(features_text(Isa::avx512_vnni.without(Isa::avx2)), "avx512f, avx512bw, avx512dq, avx512vl and avx512_vnni");
  for (int i = 0; i <= static_cast<int>(CpuFeature::neon_bf16); ++i)  // each has a name that the list of a limit takes
    EXPECT_TRUE(lowered(Isa{static_cast<CpuFeature>(i)}, features_text(Isa{static_cast<CpuFeature>(i)}) + "+portable")
                    .includes(Isa{static_cast<CpuFeature>(i)}));
}

TEST(CpuFeatures, OfThisCpuAreUsableIfItHasThem) {
  EXPECT_TRUE(cpu().hardware.includes(cpu().usable));
  EXPECT_GT(cpu().l1d, 0);
}

}  // namespace
}  // namespace anydim
