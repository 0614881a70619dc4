#include "capture/session/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string_view>

#include "model/wire/environment.h"

namespace stepsim::capture {

wire::Phase Schedule::phase_of(std::uint64_t number) const noexcept {
  if (number < skip_first) return wire::Phase::kWait;
  std::uint64_t at = number - skip_first;
  if (active > 0) {
    const std::uint64_t cycle = wait + warm_up + active;
    if (repeat > 0 && at / cycle >= repeat) return wire::Phase::kDone;
    at %= cycle;
  }
  if (at < wait) return wire::Phase::kWait;
  return at - wait < warm_up ? wire::Phase::kWarmUp : wire::Phase::kActive;
}

namespace {

std::string_view text(const Variables& variables, const char* name) {
  const char* const value = variables(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number(const Variables& variables, const char* name) {
  return number(text(variables, name));
}

/// The environment variables with which a launcher identifies a process.
struct Launcher {
  const char* rank;
  const char* local_rank;
  const char* world;
};
constexpr std::array<Launcher, 4> kLaunchers{{
    {"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},
}};

Identity byteps_identity(const Variables& variables) {
  const auto worker = number(variables, "DMLC_WORKER_ID");
  if (!worker) return {};
  const std::uint64_t size = number(variables, "BYTEPS_LOCAL_SIZE").value_or(1);
  const std::uint64_t local = number(variables, "BYTEPS_LOCAL_RANK").value_or(0);
  Identity identity{.rank = *worker * size + local, .local_rank = local, .world = std::nullopt};
  if (const auto global = number(variables, "BYTEPS_GLOBAL_RANK")) identity.rank = global;
  if (const auto workers = number(variables, "DMLC_NUM_WORKER")) identity.world = *workers * size;
  return identity;
}

/// True if `item`, such as "3" or "4-7", contains `rank`.
bool names(std::string_view item, std::uint64_t rank) {
  const std::size_t dash = item.find('-');
  const auto first = number(item.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
  return first && last && *first <= rank && rank <= *last;
}

/// True if `list`, such as "0,4-7", contains `rank`. Also true if the list is empty or the rank is unknown.
bool is_listed(std::string_view list, std::optional<std::uint64_t> rank) {
  if (list.empty() || !rank) return true;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (names(list.substr(0, comma), *rank)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

Identity identity_from(const Variables& variables) {
  for (const Launcher& launcher : kLaunchers) {
    const auto rank = number(variables, launcher.rank);
    if (rank) return {rank, number(variables, launcher.local_rank), number(variables, launcher.world)};
  }
  return byteps_identity(variables);
}

std::optional<std::string> Settings::why_over(bool marked, std::chrono::nanoseconds recorded,
                                              std::uint64_t bytes) const {
  const auto longest = duration.value_or(std::chrono::seconds{marked ? 0 : wire::kUnmarkedSeconds});
  const auto most = most_bytes.value_or(marked ? 0 : std::uint64_t{wire::kUnmarkedMb} << 20U);
  if (longest > std::chrono::seconds::zero() && recorded >= longest) {
    if (duration) return "";
    return "recording ended after " + std::to_string(wire::kUnmarkedSeconds) +
           " s, because no step was marked; give --duration for another time";
  }
  if (most == 0 || bytes < most) return std::nullopt;
  if (most_bytes) return "";
  return "recording ended at " + std::to_string(wire::kUnmarkedMb) +
         " MiB, because no step was marked; give --max-size for more";
}

Settings settings_from(const Variables& variables, std::optional<std::uint64_t> rank) {
  Settings settings;
  if (!is_listed(text(variables, wire::kRanksVariable), rank)) return settings;
  settings.directory = text(variables, wire::kDirectoryVariable);
  settings.run = text(variables, wire::kRunVariable);
  settings.idle = text(variables, wire::kIdleVariable);
  settings.signal = static_cast<int>(std::min<std::uint64_t>(number(variables, wire::kSignalVariable).value_or(0), 64));
  settings.schedule.skip_first = number(variables, wire::kSkipFirstVariable).value_or(0);
  settings.schedule.wait = number(variables, wire::kWaitVariable).value_or(0);
  settings.schedule.warm_up = number(variables, wire::kWarmUpVariable).value_or(0);
  settings.schedule.active = number(variables, wire::kActiveVariable).value_or(0);
  settings.schedule.repeat = number(variables, wire::kRepeatVariable).value_or(1);
  settings.delay = std::chrono::seconds{number(variables, wire::kDelayVariable).value_or(0)};
  if (const auto seconds = number(variables, wire::kDurationVariable))
    settings.duration = std::chrono::seconds{*seconds};
  if (const auto size = number(variables, wire::kMaxSizeVariable)) settings.most_bytes = *size << 20U;
  settings.profiler_api = text(variables, wire::kProfilerApiVariable) == "1";
  settings.buffer_bytes = static_cast<std::size_t>(std::clamp<std::uint64_t>(
                              number(variables, wire::kBufferVariable).value_or(wire::kDefaultBufferMb), 4, 65'536))
                          << 20U;
  settings.step_range = text(variables, wire::kStepRangeVariable);
  settings.sync = text(variables, wire::kSyncVariable) != "0";
  settings.nvtx = text(variables, wire::kNvtxVariable) != "0";
  settings.whole_graphs = text(variables, wire::kWholeGraphsVariable) == "1";
  if (const auto seconds = number(variables, wire::kNcclSummaryVariable))
    settings.nccl_summary = std::chrono::seconds{*seconds};
  settings.nccl_ring = std::clamp<std::size_t>(number(variables, wire::kNcclRingVariable).value_or(wire::kSummaryRing),
                                               1, wire::kLargestSummaryRing);
  settings.cupti = text(variables, wire::kCuptiVariable);
  return settings;
}

}  // namespace stepsim::capture
