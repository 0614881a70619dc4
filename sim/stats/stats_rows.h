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

/// The property by which pieces are grouped into rows (--by).
enum class StatsKey : std::uint8_t {
  kName,        ///< one row per name and kind; numbered step marks count as one name
  kKind,        ///< kernel, collective, operator, ...
  kClass,       ///< device work: gemm, reduction, ...; other work: its kind
  kOperator,    ///< the framework operator that launched the device work
  kAnnotation,  ///< annotations around the launch; work inside several counts in each
  kModule,      ///< modules around the launch, counted like annotations
  kLayer,       ///< NAME of FW.NAME, BW.NAME and UPDATE.NAME
  kTensor,      ///< NAME of Comm.NAME.STAGE.PARTITION
  kStage,       ///< STAGE of Comm.NAME.STAGE.PARTITION
  kLane,        ///< thread, stream or link of each rank
  kRank,
  kStep,
};
struct NamedStatsKey {
  std::string_view name;  ///< name as typed
  StatsKey key;
};
/// Returns all keys, the default first.
[[nodiscard]] std::span<const NamedStatsKey> stats_keys() noexcept;
[[nodiscard]] std::string_view to_text(StatsKey key) noexcept;

/// A row: pieces of work that belong to one group.
struct StatsRow {
  std::string name;
  std::string kind;              ///< for example "kernel"; empty if the group has several kinds
  std::optional<WorkPart> part;  ///< part that the group's pieces belong to; absent if they belong to several
  Distribution times;            ///< durations of the pieces, including the calls that they made
  Duration self{};               ///< total time without the calls that the pieces made
  /// `self` relative to the `self` of all work with the same part, or of all work if there is no part.
  double share = 0;
  std::optional<Duration> per_step;  ///< mean of `self` over the whole steps of all ranks, if there are any
};

/// Sort order of the rows: the largest first, names from a to z.
enum class StatsOrder : std::uint8_t { kSelf, kTotal, kCount, kMean, kMedian, kShortest, kLongest, kDeviation, kName };
struct NamedStatsOrder {
  std::string_view name;
  StatsOrder order;
};
/// Returns all orders, the default first.
[[nodiscard]] std::span<const NamedStatsOrder> stats_orders() noexcept;
[[nodiscard]] std::string_view to_text(StatsOrder order) noexcept;

/// Self times of all pieces, by part and in total.
struct WorkTotals {
  std::array<Duration, kWorkParts> of_part{};
  Duration all{};
};
[[nodiscard]] WorkTotals work_totals(const MeasuredWork& work);

/// Returns the number of whole steps of all ranks together, by which StatsRow::per_step is divided.
[[nodiscard]] std::size_t whole_steps(const Recording& recording);

/// Groups the pieces. Pieces without a value for the key are in a row named "(none)". Throws CannotAnswer if no piece
/// has a value, because the capture lacks the data. O(pieces + groups log groups); O(uses) by annotation and module.
[[nodiscard]] std::vector<StatsRow> stats_rows(const MeasuredWork& work, StatsKey key, StatsOrder order);

/// Sorts the rows; ties by name. O(n log n).
void sort_rows(std::vector<StatsRow>& rows, StatsOrder order);

/// The name of the row for pieces without a value for the key.
inline constexpr std::string_view kNoGroup = "(none)";

/// Numbers names in the order in which they first occur.
class GroupNames {
 public:
  std::uint32_t number_of(std::string_view name);
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
};

/// Appends the numbers of the groups that a piece belongs to; none if the piece has no value for the key.
using GroupsOf = std::function<void(const Piece& piece, std::vector<std::uint32_t>& groups)>;

/// Returns a function that finds the groups of a piece by `key` and adds their names to `names`. The function keeps
/// references to `work` and `names`. It takes constant time for known names. With kAnnotation or kModule, the time is
/// proportional to the number of annotations or modules around the piece; for a call on the host, only the innermost 64
/// are used.
[[nodiscard]] GroupsOf grouping_by(StatsKey key, const MeasuredWork& work, GroupNames& names);

}  // namespace stepsim::sim

#endif
