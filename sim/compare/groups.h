#ifndef STEPSIM_SIM_COMPARE_GROUPS_H
#define STEPSIM_SIM_COMPARE_GROUPS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/compare/side.h"

namespace stepsim::sim {

/// What a row stands for.
enum class By : std::uint8_t {
  kName,
  kClass,
  kKind,
  kOperator,
  kCategory,  ///< as dPRO's categories: FW, BW, UPDATE, PUSH, ...; of other work its class
};
[[nodiscard]] std::string_view to_text(By by) noexcept;  ///< "name", "class", ...

/// FW of FW.NAME, and BW, UPDATE, OUTPUT and STEP; the stage of Comm.NAME.STAGE.PARTITION; empty for other names.
[[nodiscard]] std::string_view category_of(std::string_view name) noexcept;

/// The partitions of a tensor's stage as one group: Comm.w.PUSH.0 and Comm.w.PUSH.1 are Comm.w.PUSH. By name and kind.
[[nodiscard]] std::vector<WorkGroup> without_partitions(const std::vector<WorkGroup>& work);

/// The work of a side in groups; by name as it is. Throws UsageError if the side does not know operators that are asked
/// for. O(names log names).
[[nodiscard]] std::vector<WorkGroup> groups_by(By by, const Side& side);

}  // namespace stepsim::sim

#endif
