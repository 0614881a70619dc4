#include "model/job/parameter_server/server_rules/server_rule.h"

namespace stepsim {
namespace {

constexpr std::uint64_t kBound = 101;  // BYTEPS_MIXED_MODE_BOUND

/// Every worker's host runs a server, and `alone` further servers have hosts of their own. Keys go
/// to these in the share that evens out the load of all links.
std::optional<std::uint32_t> mixed_server_of(std::int64_t key, const Job& job) {
  const std::uint64_t workers = job.workers.value_or(0);
  if (workers == 0 || *job.servers <= workers) return std::nullopt;
  const std::uint64_t alone = *job.servers - workers;
  const auto balance = static_cast<double>(workers * (workers + alone)) - 2.0 * static_cast<double>(alone);
  if (balance <= 0) return std::nullopt;
  const double share = 2.0 * static_cast<double>(alone * (workers - 1)) / balance;
  const std::uint64_t place = djb2(std::to_string(key)) % kBound;
  const std::uint64_t again = djb2(std::to_string(place));
  const bool on_its_own = static_cast<double>(place) < share * static_cast<double>(kBound);
  return static_cast<std::uint32_t>(on_its_own ? again % alone : alone + again % workers);
}

}  // namespace

extern const ServerRule mixed_server_rule;
const ServerRule mixed_server_rule{
    .name = "mixed",
    .summary = "a server on every worker's host and further ones alone, each link loaded alike",
    .server_of = mixed_server_of,
};

}  // namespace stepsim
