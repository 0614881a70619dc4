#include "model/job/kernel_name.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace stepsim {
namespace {

struct Example {
  std::string name;
  std::string shown;
};

std::ostream& operator<<(std::ostream& out, const Example& example) { return out << example.shown; }

class KernelNameTest : public ::testing::TestWithParam<Example> {};

TEST_P(KernelNameTest, IsTheFunctionWithItsOperationAndDataTypes) {
  EXPECT_EQ(short_kernel_name(GetParam().name), GetParam().shown);
}

// Names from captures in shared/traces.
INSTANTIATE_TEST_SUITE_P(
    Captures, KernelNameTest,
    ::testing::Values(
        Example{"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
                "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
                "vectorized_elementwise_kernel<CUDAFunctor_add<float>>"},
        Example{"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::(anonymous "
                "namespace)::masked_fill_kernel(at::TensorIterator&, c10::Scalar const&)::{lambda()#1}::operator()() "
                "const::{lambda()#7}::operator()() const::{lambda(float, bool)#1}>(at::TensorIteratorBase&, int "
                "const&)::{lambda(int)#1}>(int, int)",
                "elementwise_kernel<masked_fill_kernel<float, bool>>"},
        Example{"void at::native::elementwise_kernel<(int)128, (int)4, void at::native::gpu_kernel_impl_nocast<at::"
                "native::direct_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 3)]::operator ()() "
                "const::[lambda() (instance 12)]::operator ()() const::[lambda(c10::BFloat16) (instance 1)]>(at::"
                "TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
                "elementwise_kernel<direct_copy_kernel_cuda<BFloat16>>"},
        Example{
            "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<double, at::native::func_wrapper_t<double, "
            "at::native::sum_functor<double, double, double>::operator()(at::TensorIterator&)::{lambda(double, "
            "double)#1}>, unsigned int, double, 4> >(at::native::ReduceOp<double>)",
            "reduce_kernel<sum_functor<double>>"},
        Example{"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                "namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, "
                "2, 2, 0>, std::plus<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<2>)",
                "multi_tensor_apply_kernel<BinaryOpListAlphaFunctor<float>, plus<float>>"},
        Example{"void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_cta_per_row_1<float, float, "
                "float, 5ul>(at::GenericPackedTensorAccessor<float, 1ul, at::RestrictPtrTraits, int>)",
                "split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_cta_per_row_1<float>"},
        Example{"std::enable_if<true, void>::type internal::gemvx::kernel<int, int, __half, float, true, false, 5>"
                "(cublasGemvParams<float>)",
                "gemvx::kernel<int, __half, float>"},
        Example{"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_16x6_tn_align4>(T1::Params)",
                "cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_16x6_tn_align4>"},
        Example{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
                "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t"},
        Example{"void cudnn::f<float>(float*) (same thread or stream)", "f<float> (same thread or stream)"}));

TEST(KernelNamesTest, OtherNamesStayWhole) {
  for (const std::string name :
       {"volta_sgemm_128x64_tn", "triton_poi_fused_gelu_view_9", "aten::add_", "Memcpy HtoD (Pinned -> Device)",
        "_ZN2ck16tensor_operation6deviceE", "autograd::engine::evaluate_function: AddmmBackward0",
        "autograd::engine::evaluate_function: torch::autograd::CppNode<SplitLookupFunction_Dense_Op>",
        "torch/nn/modules/module.py(1501): _call_impl", "<built-in method empty of type object at 0x7f>",
        "forward(batch 3)", "rank 1, the last to arrive, after void a::f<int>(int) (launch)", "cudaLaunchKernel", ""}) {
    EXPECT_EQ(short_kernel_name(name), name);
  }
}

TEST(KernelNamesTest, UnbalancedAndEmptyBracketsAreHarmless) {
  for (const std::string name : {"void a::f<int(", "void f>", "void a::f<b::{lambda", "void (", "void )("})
    EXPECT_EQ(short_kernel_name(name), name);
  for (const std::string name :
       {"void ()", "void <>()", "void f<>()", "void f<,>(,)", "void ::()", "void f<()::{lambda}>()",
        "void f<a()::{lambda(}>()", "void f<{lambda()#1}>(int)", "void f<operator()()::{lambda}>()"})
    EXPECT_LE(short_kernel_name(name).size(), name.size()) << name;
}

std::string nested(int depth) {
  std::string name = "void f<";
  for (int i = 0; i < depth; ++i) name += "a<";
  return name.append("b").append(static_cast<std::size_t>(depth), '>').append(">(int)");
}

TEST(KernelNamesTest, DeepNamesAreNotFollowedToTheEnd) {
  EXPECT_EQ(short_kernel_name(nested(3)), "f<a<b>>");
  EXPECT_FALSE(short_kernel_name(nested(3'000)).empty());
  EXPECT_EQ(short_kernel_name(nested(1'000'000)), nested(1'000'000));
}

TEST(KernelNamesTest, DifferentNamesStayDifferentAndEqualOnesEqual) {
  const auto made = [](const std::string& width, const std::string& functor) {
    return "void n::vectorized_elementwise_kernel<" + width + ", n::" + functor +
           "<float, float, n::MulFunctor<float> > >(int)";
  };
  const std::vector<std::string> names{made("4", "AUnaryFunctor"), made("4", "BinaryFunctor"),
                                       made("4", "AUnaryFunctor")};
  EXPECT_EQ(short_kernel_names(names),
            (std::vector<std::string>{"vectorized_elementwise_kernel<AUnaryFunctor<MulFunctor<float>>, 4>",
                                      "vectorized_elementwise_kernel<BinaryFunctor<MulFunctor<float>>, 4>",
                                      "vectorized_elementwise_kernel<AUnaryFunctor<MulFunctor<float>>, 4>"}));
  const std::vector<std::string> overloads{"void a::f<int>(float)", "void a::f<int>(double)", "void a::g<int>(int)"};
  EXPECT_EQ(short_kernel_names(overloads), (std::vector<std::string>{overloads[0], overloads[1], "g<int>"}));
}

TEST(ShortKernelNameTest, AcceptsNamesOfUnnamedNamespacesOnly) {
  for (const char* const name :
       {"void (anonymous namespace)", "void <unnamed>::<unnamed>", "void f<(anonymous namespace)>()", "void )("})
    EXPECT_FALSE(short_kernel_name(name).empty()) << name;
}

}  // namespace
}  // namespace stepsim
