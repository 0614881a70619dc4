#ifndef STEPSIM_CLI_SWEEP_HEAD_LINES_H
#define STEPSIM_CLI_SWEEP_HEAD_LINES_H

#include <span>
#include <string>
#include <vector>

#include "cli/sweep/sealed_lines.h"
#include "cli/sweep/shard.h"
#include "scenarios/answer/sweep_answer.h"

namespace stepsim::cli {

using scenarios::SweepHead;

/// A sweep's head as lines of a part's file. The first names the kind of file and its version,
/// the last the shard; equal sweeps have equal lines but for that.
[[nodiscard]] std::vector<Fields> head_lines(const SweepHead& head, const Shard& shard);

struct HeadRead {
  SweepHead head;
  Shard shard;
  std::size_t lines = 0;  ///< how many they were
};
/// Throws InputError (at `path` and line).
[[nodiscard]] HeadRead read_head(std::span<const Fields> lines, const std::string& path);

/// Where two heads are not the same sweep's, in words: "its input 'a.json 12 bytes'"; empty if they are.
[[nodiscard]] std::string difference(std::span<const Fields> a, std::span<const Fields> b);

/// A whole number of a field. Throws InputError at `path` and `line`.
[[nodiscard]] std::uint64_t whole_number(const std::string& text, const std::string& path, std::size_t line);

}  // namespace stepsim::cli

#endif
