#ifndef STEPSIM_SIM_STATS_GROUPING_H
#define STEPSIM_SIM_STATS_GROUPING_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/report/staged_task.h"
#include "sim/stats/measured_work.h"
#include "sim/stats/stats_rows.h"

namespace stepsim::sim {

/// The name of what the key says nothing of.
inline constexpr std::string_view kNoGroup = "(none)";

/// Numbers for names, in the order in which they come.
class GroupNames {
 public:
  std::uint32_t number_of(std::string_view name);
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
};

/// Appends the numbers of the groups that a piece belongs to; none if the key says nothing of it.
using GroupsOf = std::function<void(const Piece& piece, std::vector<std::uint32_t>& groups)>;

/// The groups by `key`, whose names are entered in `names`. Refers to its arguments. A call takes constant time but
/// for names that are new, and by annotation and module the number of those around a piece, at most 64 of a call's.
[[nodiscard]] GroupsOf grouping_by(StatsKey key, const MeasuredWork& work, GroupNames& names);

}  // namespace stepsim::sim

#endif
