#include <gtest/gtest.h>

#include "capture/cupti/library.h"

namespace stepsim::capture::cupti {
namespace {

TEST(AdviceTest, NamesTheGpuTheDriverOrTheAdministrator) {
  EXPECT_EQ(advice(kUnknown, {.gpu = false, .driver = 12'020}), "no NVIDIA GPU is visible to this process");
  EXPECT_EQ(advice(kUnknown, {.gpu = true, .driver = 12'020}),
            "the driver supports CUDA 12.2, and this CUPTI may need another; use the CUPTI of that CUDA");
  EXPECT_EQ(advice(kNotInitialised, {.gpu = true, .driver = 0}), "it refuses to record");
  EXPECT_NE(advice(kInsufficientPrivileges, {}).find("only for administrators"), std::string::npos);
}

}  // namespace
}  // namespace stepsim::capture::cupti
