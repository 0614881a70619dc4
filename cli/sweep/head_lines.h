#ifndef STEPSIM_CLI_SWEEP_HEAD_LINES_H
#define STEPSIM_CLI_SWEEP_HEAD_LINES_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep/sealed_lines.h"
#include "cli/sweep/shard.h"
#include "scenarios/answer/sweep_answer.h"

namespace stepsim::cli {

using scenarios::SweepHead;

/// A sweep's head as lines of a part's file. The first line names the kind of file and its version, the
/// last the shard. All other lines are the same in all parts of one sweep.
[[nodiscard]] std::vector<Fields> head_lines(const SweepHead& head, const Shard& shard);

struct HeadRead {
  SweepHead head;
  Shard shard;
  std::size_t lines = 0;  ///< how many lines the head takes
};
/// Throws InputError (at `path` and line).
[[nodiscard]] HeadRead read_head(std::span<const Fields> lines, const std::string& path);

/// The first line that `b` lacks, in words: "its input 'a.json 12 bytes'". Empty if both are heads of one
/// sweep.
[[nodiscard]] std::string difference(std::span<const Fields> a, std::span<const Fields> b);

/// Whether a line is the head's last.
[[nodiscard]] bool is_last_of_head(const Fields& fields);

/// The line of a point, behind the head.
[[nodiscard]] Fields point_line(std::size_t point, const scenarios::Outcome& outcome);

/// What such a line says.
struct PointLine {
  std::size_t point = 0;
  scenarios::Outcome outcome;
};
/// Throws InputError at `path` and line `number`.
[[nodiscard]] PointLine read_point_line(const Fields& fields, const std::string& path, std::size_t number);

/// Whether a text, whole or damaged, is the file of a part.
[[nodiscard]] bool begins_like_a_part(std::string_view text);

/// Throws InputError for a part that a version before JSON lines wrote.
void refuse_old_part(std::string_view text, const std::string& path);

}  // namespace stepsim::cli

#endif
