#ifndef STEPSIM_INGEST_PARTS_BYTEPS_NAMES_H
#define STEPSIM_INGEST_PARTS_BYTEPS_NAMES_H

#include <optional>
#include <string_view>

#include "ingest/parts/part.h"

/// The names that BytePS, ByteProfile and dPRO give to events.
namespace stepsim::ingest {

/// Nanoseconds since 1970 up to which times are taken: the year 2042. Differences of clocks and
/// of times on them stay within 64 bits.
inline constexpr std::int64_t kLatestTime = 2'300'000'000'000'000'000;

/// "rank0.FW.x", "wk1.rank0.Comm.w.PUSH" or "host0.rank1->BW.y", taken apart.
struct QualifiedName {
  std::string_view process;  ///< "rank0", "wk1.rank0", "host0.rank1"; empty if the name has none
  std::string_view name;     ///< "FW.x": begins with a category
};
[[nodiscard]] QualifiedName split_process(std::string_view text) noexcept;

/// "w.PUSH" as "w" and kPush; the whole and kTotal where the text behind the last dot is no stage.
struct StagedName {
  std::string_view tensor;
  Stage stage = Stage::kTotal;
};
[[nodiscard]] StagedName split_stage(std::string_view name) noexcept;

/// "COPYD2H"; "total" for kTotal.
[[nodiscard]] std::string_view to_text(Stage stage) noexcept;

/// A partition key: tid in decimal. Keys of declared tensors from 32768 on were recorded as
/// negative 32-bit numbers and come back as what they were. Nothing for "total", -1 and other text.
[[nodiscard]] std::optional<std::int64_t> partition_key(std::string_view thread) noexcept;

}  // namespace stepsim::ingest

#endif
