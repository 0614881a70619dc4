#ifndef STEPSIM_SIM_STATS_STATS_ROWS_H
#define STEPSIM_SIM_STATS_STATS_ROWS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/stats/distribution.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// What the rows of a statistic stand for: --by.
enum class StatsKey : std::uint8_t {
  kName,        ///< one row a name and kind; marks of steps are one name
  kKind,        ///< kernel, collective, operator, ...
  kClass,       ///< of device work: gemm, reduction, ...; of other work its kind
  kOperator,    ///< the framework operator that launched the device work
  kAnnotation,  ///< around the launch; work inside several counts in each
  kModule,      ///< the same for modules
  kLayer,       ///< NAME of FW.NAME, BW.NAME and UPDATE.NAME
  kTensor,      ///< NAME of Comm.NAME.STAGE.PARTITION
  kStage,       ///< STAGE of it
  kLane,        ///< thread, stream or link, of each rank
  kRank,
  kStep,
};
struct NamedStatsKey {
  std::string_view name;  ///< as typed
  StatsKey key;
};
/// All, the default first.
[[nodiscard]] std::span<const NamedStatsKey> stats_keys() noexcept;
[[nodiscard]] std::string_view to_text(StatsKey key) noexcept;

/// A row: work that has something in common.
struct StatsRow {
  std::string name;
  std::string kind;                  ///< "kernel"; empty where the group has several
  std::optional<WorkPart> part;      ///< absent where the group has several
  Distribution times;                ///< of the pieces, with the calls that they made
  Duration self{};                   ///< without those
  double share = 0;                  ///< of `self` in that of all work of its part, or of all work
  std::optional<Duration> per_step;  ///< the mean of `self` over whole steps of ranks, where there are any
};

/// What rows are sorted by; the largest first, names from a to z.
enum class StatsOrder : std::uint8_t { kSelf, kTotal, kCount, kMean, kMedian, kShortest, kLongest, kDeviation, kName };
struct NamedStatsOrder {
  std::string_view name;
  StatsOrder order;
};
/// All, the default first.
[[nodiscard]] std::span<const NamedStatsOrder> stats_orders() noexcept;
[[nodiscard]] std::string_view to_text(StatsOrder order) noexcept;

/// Self times of all pieces, by part and in all.
struct WorkTotals {
  std::array<Duration, kWorkParts> of_part{};
  Duration all{};
};
[[nodiscard]] WorkTotals work_totals(const MeasuredWork& work);

/// How many whole steps the ranks have together: what StatsRow::per_step is divided by.
[[nodiscard]] std::size_t whole_steps(const Recording& recording);

/// Groups the pieces. Those that the key says nothing of are a row named "(none)". Throws CannotAnswer if it says
/// nothing of any: the capture lacks what it needs. O(pieces + groups log groups), by annotation and module O(uses).
[[nodiscard]] std::vector<StatsRow> stats_rows(const MeasuredWork& work, StatsKey key, StatsOrder order);

/// Puts the rows in order; of equals by name. O(n log n).
void sort_rows(std::vector<StatsRow>& rows, StatsOrder order);

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
