#ifndef STEPSIM_SIM_COMPARE_MATCH_NAMES_H
#define STEPSIM_SIM_COMPARE_MATCH_NAMES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compare/side.h"

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

/// How the names of a row were found to mean the same.
enum class Match : std::uint8_t {
  kExact,
  kNumbers,    ///< they differ in numbers, addresses and hashes (without_numbers())
  kArguments,  ///< they also differ in template arguments, parameters or architecture
  kOnlyA,
  kOnlyB,
};
[[nodiscard]] std::string_view to_text(Match match) noexcept;  ///< "exact", "numbers", "arguments", "only A", "only B"

/// Work that both sides do, or one of them.
struct Row {
  std::string name;  ///< of several names, what they have in common
  std::string kind;
  std::string kernel_class;
  Match match = Match::kExact;
  std::size_t names_a = 0;  ///< how many names of A it stands for
  std::size_t names_b = 0;
  double count_a = 0;
  double count_b = 0;
  Duration time_a{};
  Duration time_b{};

  [[nodiscard]] Duration difference() const noexcept { return time_b - time_a; }
};

/// One row a name: first the names that are equal, then, of the rest, those that are equal without numbers, then those
/// that are equal without arguments; what remains has a row of its own. Only work of one kind matches. So a time is in
/// one row, and the rows sum to both sides. By kind and name. O(names log names).
[[nodiscard]] std::vector<Row> match_names(const std::vector<WorkGroup>& a, const std::vector<WorkGroup>& b);

}  // namespace stepsim::sim

#endif
