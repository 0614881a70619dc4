#ifndef STEPSIM_MODEL_JOB_KERNEL_NAME_H
#define STEPSIM_MODEL_JOB_KERNEL_NAME_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim {

/// Returns the part of a kernel's name that a reader needs: the function without return type, namespaces and
/// parameters, with the operation and the data types among its template arguments. For
/// "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>
/// >(int, ...)" this is "vectorized_elementwise_kernel<CUDAFunctor_add<float>>". A lambda has the name of the function
/// around it and the types of its parameters: "direct_copy_kernel_cuda<float>".
///
/// Words in parentheses after the name remain: " (same stream)". Returns other names unchanged: those of operators,
/// Triton and cuBLAS kernels, mangled and truncated ones. O(length).
[[nodiscard]] std::string short_kernel_name(std::string_view name);

/// Returns the short names of `names`, in order. Different names have different short names: those that would be equal
/// keep all template arguments, or if that is not enough the whole name.
[[nodiscard]] std::vector<std::string> short_kernel_names(std::span<const std::string> names);

}  // namespace stepsim

#endif
