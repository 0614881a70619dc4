#include "cli/sweep/part.h"

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

std::optional<std::size_t> number_in(std::string_view text) {
  const auto number = parse_number<std::size_t>(text);
  return number && *number <= kMostShards ? number : std::nullopt;
}

/// Returns the number in an environment variable; nothing if it is not set. Throws UsageError if it is not a number.
std::optional<std::size_t> variable(const Environment& get, const char* name) {
  const char* const text = get(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  if (const auto number = number_in(text)) return number;
  throw UsageError(
      fmt::format("{} is '{}'; expected a number from 0 to {}, or --shard I/N", name, shown(text, 60), kMostShards));
}

Shard checked(const Shard& shard) {
  if (shard.index < shard.count && shard.count <= kMostShards) return shard;
  throw UsageError(fmt::format("{} say shard {} of {}; expected 0 to one less, or --shard I/N", shard.from, shard.index,
                               shard.count));
}

/// Returns the shard of this task of a Slurm array: its index is the position of the task's id among the array's evenly
/// spaced ids. Returns one shard with all points outside an array.
Shard array_task(const Environment& get) {
  const auto id = variable(get, "SLURM_ARRAY_TASK_ID");
  const auto count = variable(get, "SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return {};
  const std::size_t first = variable(get, "SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::size_t step = variable(get, "SLURM_ARRAY_TASK_STEP").value_or(1);
  const std::size_t last = variable(get, "SLURM_ARRAY_TASK_MAX").value_or(first + (*count - 1) * step);
  if (step == 0 || *id < first || (*id - first) % step != 0 || last != first + (*count - 1) * step) {
    throw UsageError(
        "the ids of the Slurm array are not evenly spaced; expected for example --array=0-7, or --shard I/N");
  }
  return checked({(*id - first) / step, *count, "SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT"});
}

struct Launcher {
  const char* index;
  const char* count;
};
constexpr std::array kLaunchers{Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                Launcher{"PMI_RANK", "PMI_SIZE"}, Launcher{"SLURM_PROCID", "SLURM_NTASKS"},
                                Launcher{"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"}};

Shard process(const Environment& get) {
  for (const Launcher& launcher : kLaunchers) {
    const auto index = variable(get, launcher.index);
    if (!index) continue;
    const auto count = variable(get, launcher.count);
    if (!count) {
      throw UsageError(fmt::format("{} is set, but not the number of shards; set {} too, or give --shard I/N",
                                   launcher.index, launcher.count));
    }
    return checked({*index, *count, fmt::format("{} and {}", launcher.index, launcher.count)});
  }
  return {};
}

}  // namespace

std::size_t shard_of(const scenarios::Points& points, std::size_t point, std::size_t shards) {
  std::size_t turn = 0;
  // One step on an axis passes over `stride` points. After shards / gcd(stride, shards) steps it would be the turn of
  // the same shard again, for every value of the other axes; the next one takes this turn instead.
  const auto pass = [&turn, shards](std::size_t steps, std::size_t stride) {
    turn += steps * stride + steps / (shards / std::gcd(stride, shards));
  };
  if (points.axes.empty()) pass(point, 1);
  for (std::size_t axis = 0; axis < points.axes.size(); ++axis) pass(points.place(point, axis), points.stride(axis));
  return turn % shards;
}

std::vector<std::size_t> Shard::deal(const scenarios::Points& points) const {
  std::vector<std::size_t> mine;
  for (std::size_t point = 0; point < points.size(); ++point) {
    if (shard_of(points, point, count) == index) mine.push_back(point);
  }
  return mine;
}

std::string Shard::to_text() const { return fmt::format("{}/{}", index, count); }

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = number_in(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : number_in(text.substr(slash + 1));
  if (!index || !count || *index >= *count) {
    throw UsageError(
        fmt::format("--shard: '{}' is not a shard; expected I/N with I from 0 to N - 1, such as 0/4", shown(text, 60)));
  }
  return {*index, *count, {}};
}

Shard shard_of_environment(const Environment& get) {
  Shard array = array_task(get);
  const Shard inner = process(get);
  if (array.count <= 1) return inner.count <= 1 ? Shard{} : inner;
  if (inner.count <= 1) return array;
  return checked({array.index * inner.count + inner.index, array.count * inner.count, array.from + ", " + inner.from});
}

}  // namespace stepsim::cli
