#ifndef STEPSIM_SIM_COMPARE_NORMAL_NAME_H
#define STEPSIM_SIM_COMPARE_NORMAL_NAME_H

#include <string>
#include <string_view>

namespace stepsim::sim {

/// `name` without what changes from build to build and from run to run: each number, address and hash is '#'.
/// "triton_poi_fused_add_12" and "triton_poi_fused_add_7" are both "triton_poi_fused_add_#". A hash is a run of eight
/// or more hexadecimal digits between other characters than letters and digits, or of 32 or more small letters and
/// digits, with a digit among them. O(length).
[[nodiscard]] std::string without_numbers(std::string_view name);

/// The same, also without template arguments, but for those that name a functor or another kernel ("<FillFunctor>"),
/// which say what is done, and without parameters ("()"), the return type void and the names of NVIDIA's
/// architectures, by which libraries call the variants of one kernel: "volta_sgemm_128x64_nn" and
/// "ampere_sgemm_32x32_nn" are both "#_sgemm_#x#_nn". O(length).
[[nodiscard]] std::string without_arguments(std::string_view name);

}  // namespace stepsim::sim

#endif
