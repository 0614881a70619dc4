#include "model/job/kernel_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace stepsim {
namespace {

using enum KernelClass;

using Named = std::pair<KernelClass, std::string_view>;

void expect_classes(const std::vector<Named>& kernels) {
  for (const auto& [expected, name] : kernels) EXPECT_EQ(to_text(classify_kernel(name)), to_text(expected)) << name;
}

// The names are from captures of PyTorch jobs on V100, A100, RTX 2080 Ti and H100.
TEST(KernelClassTest, CudaKernelsAreClassedByTheirNames) {
  expect_classes({
      {kGemm, "volta_sgemm_64x64_nt"},
      {kGemm, "ampere_sgemm_32x32_sliced1x4_tn"},
      {kGemm,
       "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel"
       "__5x_cublas"},
      {kGemm,
       "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>(cutlass_80_wmma_"
       "tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8::Params)"},
      {kGemm, "void splitKreduce_kernel<float, float, float, float, true, false, false>(cublasSplitKParams<float>)"},
      {kGemm, "void gemvNSP_kernel<float, float, float, float, 1, 32, 4, 1024>(cublasGemvParams<float>)"},
      {kConvolution, "cudnn_volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1"},
      {kConvolution, "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int, int, float const*)"},
      {kConvolution,
       "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4"},
      {kAttention,
       "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
       "cutlass::bfloat16_t> >(pytorch_flash::Flash_fwd_params)"},
      {kElementwise,
       "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, "
       "3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)"},
      {kElementwise, "triton_poi_fused_add_native_layer_norm_0"},
      {kReduction, "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float> > >"},
      {kNormalisation, "triton_red_fused_native_layer_norm_1"},
      {kReduction, "triton_red_fused_sum_1"},
      {kNormalisation, "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 128, true, 1, true>"},
      {kNormalisation, "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"},
      {kSoftmax, "void (anonymous namespace)::softmax_warp_backward<float, float, float, 10, true, false>"},
      {kGather,
       "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, "
       "true>"},
      {kGather, "void split_embedding_codegen_forward_unweighted_kernel<float, float, float, long, 5ul>"},
      {kScatter, "void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_cta_per_row_1<float>"},
      {kCopy, "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3, 64, 64>"},
      {kCopy, "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)2>"},
      {kMemset, "Memset (Device)"},
      {kHostCopy, "Memcpy HtoD (Pinned -> Device)"},
      {kHostCopy, "Memcpy DtoH (Device -> Pinned)"},
      {kStagedCopy, "Memcpy HtoD (Pageable -> Device)"},
      {kStagedCopy, "Memcpy DtoH (Device -> Pageable)"},
      {kCopy, "Memcpy DtoD (Device -> Device)"},
      {kCollective, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"},
      {kOptimizer, "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>"},
  });
}

// The names are from captures on MI210, MI250 and MI300X.
TEST(KernelClassTest, RocmKernelsAreClassedByTheirNames) {
  expect_classes({
      {kGemm, "Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT256x128x64_MI16x16x1_SN_LDSB1_AFC1_AFEM1_AFEM1_ASEM1"},
      {kGemm, "Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16_MI16x16x1_SN_LDSB0"},
      {kConvolution, "igemm_wrw_gtcx2_nhwc_bf16_bx0_ex1_bt128x128x16_wt32x32x8_ws1x1_wr2x2_ta1x4x1x2_1x4x1x64"},
      {kConvolution, "miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1"},
      {kAttention, "attn_fwd"},
      {kElementwise,
       "void at::native::elementwise_kernel_manual_unroll<128, 8, at::native::gpu_kernel_impl_nocast<at::native::"
       "BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16> > >"},
      {kElementwise, "SubTensorOpWithScalar1d"},
      {kNormalisation, "MIOpenBatchNormFwdTrainSpatial"},
      {kCopy, "batched_transpose_16x64_pack_1x4_ediv_1x2_half"},
      {kCopy, "__amd_rocclr_copyBuffer.kd"},
      {kMemset, "__amd_rocclr_fillBufferAligned.kd"},
      {kMemset,
       "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, std::array<char*, 1> >"},
  });
}

TEST(KernelClassTest, KernelsOfServersAndOfQuantisedAttentionAreClassed) {
  // The names are from captures of vLLM, SGLang and xDiT (AMD TraceLens), and from the sources of vLLM and
  // SageAttention.
  for (const auto& [kernel_class, name] : std::vector<std::pair<KernelClass, std::string>>{
           {kAttention, "sage_fwd"},
           {kElementwise, "sage_quant_kernel"},
           {kElementwise, "quant_query_per_thread_int8_kernel"},
           {kElementwise, "quant_per_block_int8_kernel"},
           {kElementwise, "void QuantInt8Kernel<128u, 128u, 1u, true, false, __nv_bfloat16>(__nv_bfloat16*)"},
           {kNormalisation, "void SubMeanKernel<128u, 128u, 2u, __nv_bfloat16>(__nv_bfloat16*)"},
           {kNormalisation, "void MeanScaleKernel<64u, false, __half>(__half*, signed char*, float*, float*)"},
           {kAttention, "void qk_int_sv_f8_attn_kernel<128u, 64u, 32u, 64u, 128u>(signed char*)"},
           {kScatter, "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>(__nv_bfloat16 const*)"},
           {kScatter, "void vllm::concat_and_cache_mla_kernel<__nv_bfloat16>(__nv_bfloat16 const*)"},
           {kScatter, "void (anonymous namespace)::store_kvcache<2048l, 4, false, long>(StoreKVCacheParams)"},
           {kGather, "create_flashinfer_kv_indices_triton"},
           {kAttention, "void paged_attention_ll4mi_QKV_mfma16_kernel<0, (vllm::Fp8KVCacheDataType)0>(int)"},
           {kGather,
            "void moe::dev::routing::routingIndicesOffsetsKernel<moe::dev::routing::KernelParams<__nv_bfloat16> >()"},
           {kGather, "void vllm::moe::moe_align_block_size_kernel<int>(int const*, int*)"},
           {kGather, "void vllm::moe::count_and_sort_expert_tokens_kernel<int>(int const*, int*)"},
           {kGather, "void moe::dev::finalize::finalizeKernelVecLoad<cutlass::bfloat16_t>(int)"},
           {kSoftmax, "void vllm::moe::topkGatingSoftmax<4, 64, 4, 16, int>(float const*)"},
           {kReduction, "_topk_forward"},
           {kGemm, "fused_moe_kernel"},
           {kGemm, "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1"},
           {kElementwise, "void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>(int)"},
           {kNormalisation, "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0E"},
           {kElementwise, "triton_poi_fused__scaled_dot_product_flash_attention_cat_transpose_view_10"},
           {kReduction, "triton_red_fused__to_copy_add_fmha_v3_fwd_mean_mul_24"}})
    EXPECT_EQ(classify_kernel(name), kernel_class) << name;
}

TEST(KernelClassTest, TheKindOfATaskGoesBeforeItsName) {
  EXPECT_EQ(classify_kernel(TaskKind::kCollective, "my_all_to_all"), kCollective);
  EXPECT_EQ(classify_kernel(TaskKind::kMemset, "x"), kMemset);
  EXPECT_EQ(classify_kernel(TaskKind::kCopy, "Memcpy HtoD (Pinned -> Device)"), kHostCopy);
  EXPECT_EQ(classify_kernel(TaskKind::kCopy, "Memcpy PtoP (Device -> Device)"), kCopy);
  EXPECT_EQ(classify_kernel(TaskKind::kOperator, "FW.resnet.conv1"), kConvolution);
}

TEST(KernelClassTest, NamesThatSayNothingAreUnknown) {
  for (const std::string_view name : {"", "kernel", "at::cuda::(anonymous namespace)::spin_kernel(long)", "\xff\x01"}) {
    EXPECT_EQ(classify_kernel(name), kUnknown) << name;
    EXPECT_EQ(precision_in(name), std::nullopt) << name;
  }
}

TEST(KernelClassTest, ALibrarysNameIsNotWhatItsKernelsDo) {
  EXPECT_EQ(classify_kernel("void fbgemm_gpu::permute_2D_data_kernel<false, int>(int, int)"), kCopy);
  EXPECT_EQ(classify_kernel("void fbgemm_gpu::(anonymous namespace)::_FP8rowwise_to_float_cuda_kernel<float>"),
            kElementwise);
}

TEST(KernelClassTest, PrecisionIsWhatTheNameStates) {
  const std::vector<std::pair<Precision, std::string_view>> kernels{
      {Precision::kFloat32, "volta_sgemm_64x64_nt"},
      {Precision::kTensor32, "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_32x6_nt_align1>"},
      {Precision::kTensor32, "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw"},
      {Precision::kFloat16, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"},
      {Precision::kFloat16, "volta_h884gemm_128x64_ldg8_nn"},
      {Precision::kFloat16, "Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT32x32x64"},
      {Precision::kFloat16, "Cijk_Alik_Bljk_HHS_BH_MT32x32x64"},
      {Precision::kFloat32, "Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16"},
      {Precision::kFloat64, "Cijk_Ailk_Bjlk_DB_MT64x16x16"},
      {Precision::kFloat8, "sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128"},
  };
  for (const auto& [expected, name] : kernels) EXPECT_EQ(precision_in(name), expected) << name;
  for (const std::string_view name : {"Cijk_", "Cijk__", "Cijk___", "Cijk_A_B_"})
    EXPECT_EQ(precision_in(name), std::nullopt) << name;
}

TEST(KernelClassTest, EveryClassHasANameOfItsOwn) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    const std::string_view name = to_text(static_cast<KernelClass>(i));
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 0) << name;
    names.push_back(name);
  }
}

}  // namespace
}  // namespace stepsim
