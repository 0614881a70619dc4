#include "sim/compare/match_names.h"

#include <gtest/gtest.h>

namespace stepsim::sim {
namespace {

TEST(NormalNameTest, NumbersAddressesAndHashesAreOneSign) {
  EXPECT_EQ(without_numbers("triton_poi_fused_add_12"), "triton_poi_fused_add_#");
  EXPECT_EQ(without_numbers("sgemm_128x64_nn"), "sgemm_#x#_nn");
  EXPECT_EQ(without_numbers("lambda at 0x7f3a"), "lambda at #");
  EXPECT_EQ(without_numbers("kernel_3fd8a91c"), "kernel_#");
  EXPECT_EQ(without_numbers("## Call CompiledFxGraph f537jrtq2m5abcdefghijklmnopqrstu234567 ##"),
            "## Call CompiledFxGraph # ##");
}

TEST(NormalNameTest, WordsRemain) {
  for (const char* const name : {"", "deadbeef", "feedback", "aten::mm", "Memcpy DtoH (Device -> Pinned)"})
    EXPECT_EQ(without_numbers(name), name);
}

TEST(NormalNameTest, ArgumentsAndArchitecturesAreLeftOut) {
  EXPECT_EQ(without_arguments("volta_sgemm_128x64_nn"), without_arguments("ampere_sgemm_32x32_nn"));
  EXPECT_EQ(without_arguments("void cutlass::Kernel<cutlass_80_tensorop_gemm_64x64_nn>(Params)"),
            "cutlass::Kernel<>()");
  EXPECT_EQ(without_arguments("sum<vec<float, 4>, 2>(int)"), "sum<>()");
}

TEST(NormalNameTest, FunctorsSayWhatIsDoneAndRemain) {
  EXPECT_EQ(without_arguments("void elementwise<4, at::FillFunctor<float>, Array<char*, 1>>(int)"),
            "elementwise<FillFunctor>()");
  EXPECT_NE(without_arguments("elementwise<4, FillFunctor<int>>(int)"),
            without_arguments("elementwise<4, AddFunctor<int>>(int)"));
}

TEST(NormalNameTest, TextWhoseBracketsHaveNoPartnerRemains) {
  EXPECT_EQ(without_arguments("operator<< (x)"), "operator<< ()");
  EXPECT_EQ(without_arguments("a > b"), "a > b");
}

}  // namespace
}  // namespace stepsim::sim
