#include "ingest/stitch/host_device/rank_events.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace stepsim::ingest {
namespace {

TEST(RuntimeCallsTest, ACallsNameSaysWhatItMayWaitFor) {
  constexpr std::pair<std::string_view, CallWait> kCalls[] = {
      {"cudaDeviceSynchronize", CallWait::kDevice},
      {"cuCtxSynchronize", CallWait::kDevice},
      {"cudaStreamSynchronize", CallWait::kStream},
      {"hipEventSynchronize", CallWait::kStream},
      {"cudaMemcpyAsync", CallWait::kOwnWork},
      {"hipMemcpyWithStream", CallWait::kOwnWork},
      {"cudaMalloc", CallWait::kAllocation},
      {"cuMemAlloc_v2", CallWait::kAllocation},
      {"cudaFreeHost", CallWait::kFree},
      {"cuMemFree_v2", CallWait::kFree},
      {"hipHostFree", CallWait::kFree},
      {"cudaHostAlloc", CallWait::kAllocation},
      {"cudaMallocAsync", CallWait::kNothing},
      {"cudaMallocFromPoolAsync_v11020", CallWait::kNothing},
      {"cuMemAllocFromPoolAsync", CallWait::kNothing},
      {"hipMallocAsync", CallWait::kNothing},
      {"hipHostMalloc", CallWait::kAllocation},
      {"cudaMallocHost", CallWait::kAllocation},
      {"cuMemHostAlloc", CallWait::kAllocation},
      {"cudaMemcpy2DAsync", CallWait::kOwnWork},
      {"cudaFreeAsync", CallWait::kNothing},
      {"cuMemFreeAsync", CallWait::kNothing},
      {"hipFree", CallWait::kFree},
      {"cudaLaunchKernel", CallWait::kLaunch},
      {"hipExtModuleLaunchKernel", CallWait::kLaunch},
      {"cudaMemsetAsync", CallWait::kRoom},
      {"cudaEventRecord", CallWait::kRoom},
      {"cudaStreamWaitEvent", CallWait::kRoom},
      {"aclrtSynchronizeDevice", CallWait::kDevice},
      {"aclrtSynchronizeStreamWithTimeout", CallWait::kStream},
      {"aclrtMemcpyAsync", CallWait::kOwnWork},
      {"launch", CallWait::kLaunch},
      {"aclrtStreamWaitEvent", CallWait::kRoom},
      {"urQueueFinish", CallWait::kStream},
      {"urEventWait", CallWait::kStream},
      {"zeCommandQueueSynchronize", CallWait::kStream},
      {"zeCommandListHostSynchronize", CallWait::kStream},
      {"zeEventHostSynchronize", CallWait::kStream},
      {"zeFenceHostSynchronize", CallWait::kStream},
      {"piEventsWait", CallWait::kStream},
      {"aclrtSynchronizeEvent", CallWait::kStream},
      {"urEnqueueKernelLaunch", CallWait::kLaunch},
      {"zeCommandListAppendLaunchKernel", CallWait::kLaunch},
      {"urEnqueueEventsWait", CallWait::kNothing},
  };
  for (const auto& [name, wait] : kCalls) EXPECT_EQ(wait_of_call(name), wait) << name;
}

}  // namespace
}  // namespace stepsim::ingest
