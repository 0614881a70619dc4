#ifndef STEPSIM_SIM_COMPARE_MATCH_NAMES_H
#define STEPSIM_SIM_COMPARE_MATCH_NAMES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compare/side.h"

namespace stepsim::sim {

/// Returns `name` without what changes between builds and runs: each number, address and hash becomes '#'.
/// "triton_poi_fused_add_12" and "triton_poi_fused_add_7" both give "triton_poi_fused_add_#". A hash is a word of eight
/// or more hexadecimal digits, or of 32 or more lower-case letters and digits with at least one digit. O(length).
[[nodiscard]] std::string without_numbers(std::string_view name);

/// Like without_numbers(), but also removes:
///
/// * template arguments, except those that name a functor or another kernel ("<FillFunctor>") and so show what is done;
/// * parameters ("()") and the return type void;
/// * names of NVIDIA's architectures, which distinguish variants of one library kernel.
///
/// "volta_sgemm_128x64_nn" and "ampere_sgemm_32x32_nn" both give "#_sgemm_#x#_nn". O(length).
[[nodiscard]] std::string without_arguments(std::string_view name);

/// How the names in a row were matched.
enum class Match : std::uint8_t {
  kExact,
  kNumbers,    ///< the names differ in numbers, addresses and hashes (without_numbers())
  kArguments,  ///< the names also differ in template arguments, parameters or architecture
  kOnlyA,
  kOnlyB,
};
/// Returns "exact", "numbers", "arguments", "only A" or "only B".
[[nodiscard]] std::string_view to_text(Match match) noexcept;

/// Work that one or both sides do.
struct Row {
  std::string name;  ///< name; for several names, what they have in common
  std::string kind;
  std::string kernel_class;
  Match match = Match::kExact;
  std::size_t names_a = 0;  ///< number of names of A in this row
  std::size_t names_b = 0;
  double count_a = 0;
  double count_b = 0;
  Duration time_a{};
  Duration time_b{};

  [[nodiscard]] Duration difference() const noexcept { return time_b - time_a; }
};

/// Matches the names of two sides. Equal names are matched first, then names that are equal without numbers, then names
/// that are equal without arguments; each remaining name gets its own row. Only work of the same kind is matched. Each
/// time is in exactly one row, so the rows sum to both sides. The rows are sorted by kind and name. O(names log names).
[[nodiscard]] std::vector<Row> match_names(const std::vector<WorkGroup>& a, const std::vector<WorkGroup>& b);

}  // namespace stepsim::sim

#endif
