#ifndef STEPSIM_INGEST_PARTS_NAMES_H
#define STEPSIM_INGEST_PARTS_NAMES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/parts/part.h"
#include "model/base/units.h"

/// How other programs name events and ranks, and how they write the shapes of tensors. Views that are returned point
/// into the argument.
namespace stepsim::ingest {

/// The latest time that is accepted, in nanoseconds since 1970 (in the year 2042). With this limit, the difference of
/// two times, and of two such differences, fits in 64 bits.
inline constexpr std::int64_t kLatestTime = 2'300'000'000'000'000'000;

/// The two parts of a name such as "rank0.FW.x", "wk1.rank0.Comm.w.PUSH" or "host0.rank1->BW.y".
struct QualifiedName {
  std::string_view process;  ///< "rank0", "wk1.rank0", "host0.rank1"; empty if the name has none
  std::string_view name;     ///< "FW.x": begins with a category
};
[[nodiscard]] QualifiedName split_process(std::string_view text) noexcept;

/// A name split at its stage: "w.PUSH" gives "w" and kPush. Without a stage after the last dot, `tensor` is the whole
/// name and the stage is kTotal.
struct StagedName {
  std::string_view tensor;
  Stage stage = Stage::kTotal;
};
[[nodiscard]] StagedName split_stage(std::string_view name) noexcept;

/// Returns the stage as BytePS writes it: "COPYD2H"; "total" for kTotal.
[[nodiscard]] std::string_view stage_name(Stage stage) noexcept;

/// Parses the partition key in a tid, a decimal number. BytePS recorded the keys of the 32,768th declared tensor and
/// later ones as negative 32-bit numbers; these are converted back. Returns nullopt for "total", "-1" and other text.
[[nodiscard]] std::optional<std::int64_t> partition_key(std::string_view thread) noexcept;

/// The parts of a name such as "t0~PART1.PUSH".
struct ExchangeName {
  std::string tensor;           ///< "t0"
  std::int32_t partition = -1;  ///< 1; -1 if the tensor is not divided
  std::string_view operation;   ///< "PUSH"; a view into the name
};

/// Splits a name such as "t0~PART1.PUSH". Returns nullopt if there is no dot, no tensor, or no number after "~PART".
[[nodiscard]] std::optional<ExchangeName> exchange_name(std::string_view name);

/// Returns the number of a node with this role: 3 for "server_3" and the role "server_". Returns nullopt if the text
/// has another form.
[[nodiscard]] std::optional<std::int32_t> node_number(std::string_view node, std::string_view role);

/// Returns the rank that the last part of a path names after the word "rank": 3 for "rank3_trace.json",
/// "job.Rank-3.pt.gz" and "trace_rank_3.json". Of several, the last counts; "local_rank" does not. Returns nullopt if
/// there is none.
[[nodiscard]] std::optional<std::int64_t> rank_named_in(std::string_view path);
/// Returns the rank in the name of an execution trace: rank_named_in(), else the last number before its extensions, as
/// in workload.3.et or dlrm_eg_3.json; nullopt if there is none.
[[nodiscard]] std::optional<std::int64_t> rank_of_execution_trace(std::string_view path);

/// Returns the size of a tensor. The shape is written as "(512, 1024)", "[64]" or "(512,)", the type as for
/// find_element_type(). Returns nullopt if the shape contains anything but numbers, if the type is unknown, or if the
/// size exceeds kMostRecordedBytes.
[[nodiscard]] std::optional<Bytes> tensor_size(std::string_view shape, std::string_view dtype) noexcept;

}  // namespace stepsim::ingest

#endif
