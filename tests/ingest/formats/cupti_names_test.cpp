#include "ingest/formats/cupti_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace stepsim::ingest::cupti_names_test {
namespace {

TEST(CuptiNamesTest, CallsHaveNoVersion) {
  EXPECT_EQ(call_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cudaMemcpyAsync_ptds"), "cudaMemcpyAsync");
  EXPECT_EQ(call_name("cuStreamCreate"), "cuStreamCreate");
  EXPECT_EQ(call_name("cuMemFree_v2"), "cuMemFree");
  EXPECT_EQ(call_name(""), "");
  EXPECT_EQ(call_name("123"), "123");
}

TEST(CuptiNamesTest, CopiesAreNamedAsInKineto) {
  EXPECT_EQ(copy_name(1, 1, 2), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(copy_name(2, 2, 0), "Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(copy_name(99, -3, 8), "Memcpy Unknown (Unknown -> Unknown)");
  EXPECT_EQ(memset_name(2), "Memset (Device)");
}

TEST(CuptiNamesTest, OperatorsAreToldByWhatPyTorchWritesBehindThem) {
  EXPECT_EQ(operator_name("aten::mm, op_id = 12"), "aten::mm");
  EXPECT_EQ(operator_name("MmBackward0, seq = 7, op_id = 12, sizes = [[2, 3], [3, 4]]"), "MmBackward0");
  EXPECT_EQ(operator_name("aten::mm"), std::nullopt);
  EXPECT_EQ(operator_name(", seq = 7"), std::nullopt);
}

}  // namespace
}  // namespace stepsim::ingest::cupti_names_test
