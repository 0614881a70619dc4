#include "model/job/kernel_class.h"

#include <gtest/gtest.h>

namespace stepsim {
namespace {

struct Case {
  std::string_view name;
  std::string_view library;
  std::string_view operation;
};

// The names are from captures or from the sources of the libraries.
TEST(CommunicationKernelTest, LibrariesAreToldByTheirKernels) {
  for (const Case& one : {
           Case{"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "NCCL", "AllReduce"},
           Case{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)", "NCCL",
                "SendRecv"},
           Case{"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", "NCCL", "Generic"},
           Case{"nccldevkernel_allreduce_sum_f32_ring_ll(nccldevkernelargsstorage<4096ul>)", "NCCL", "allreduce"},
           Case{"rcclGenericKernel<1, false>(ncclDevComm*, channelMasks, ncclWork*)", "RCCL", "GenericKernel"},
           Case{"userbuffers_fp16_sum_inplace_gpu_rw_ag(int, int)", "Transformer Engine",
                "userbuffers_fp16_sum_inplace_gpu_rw_ag"},
           Case{"kuserbuffers_pushsendrecv(int, int)", "Transformer Engine", "userbuffers_pushsendrecv"},
           Case{"hcom_allReduce__586_0_1", "HCCL", "allReduce"},
           Case{"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*)", "DeepEP", "dispatch"},
           Case{"void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8, 2, 16, 24>(int4*, float*)", "DeepEP",
                "combine"},
           Case{"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", "custom all-reduce",
                "cross_device_reduce"},
           Case{"void (anonymous namespace)::two_shot_all_reduce_kernel<float>", "symmetric memory",
                "two_shot_all_reduce"},
           Case{"nvshmemi_barrier_all_kernel", "NVSHMEM", "nvshmemi_barrier_all_kernel"},
           Case{"void aiter::reduce_scatter_cross_device_store<__nv_bfloat16, 8>(aiter::RankData*)", "another library",
                "reduce_scatter"},
           Case{"void tensorrt_llm::kernels::moeAllToAllKernel<true>(tensorrt_llm::kernels::FusedMoeCommKernelParam)",
                "another library", "AllToAll"},
           Case{"void flashinfer::moe_a2a_combine<8>(float*)", "another library", "a2a_"},
           Case{"void pplx::a2a_dispatch_send_kernel<__nv_bfloat16>(uint8_t*)", "another library", "a2a_"},
           Case{"void moeA2ADispatchKernel<2>(DispatchKernelPointers)", "another library", "A2A"},
           Case{"MTIA all_reduce", "another library", "all_reduce"},
           Case{"all-reduce.3", "another library", "all-reduce"},
       }) {
    const auto found = communication_kernel(one.name);
    ASSERT_TRUE(found) << one.name;
    EXPECT_EQ(found->library, one.library) << one.name;
    EXPECT_EQ(found->operation, one.operation) << one.name;
    EXPECT_EQ(classify_kernel(one.name), KernelClass::kCollective) << one.name;
  }
}

TEST(CommunicationKernelTest, KernelsThatComputeAreNone) {
  for (const std::string_view name :
       {"", "volta_sgemm_128x64_tn", "void at::native::reduce_kernel<512, 1>", "moe_dispatch_kernel",
        "void cuda::reduce_fused_impl<__nv_bfloat16>(int4 const*)", "Memcpy HtoD (Pageable -> Device)"})
    EXPECT_FALSE(communication_kernel(name)) << name;
}

}  // namespace
}  // namespace stepsim
