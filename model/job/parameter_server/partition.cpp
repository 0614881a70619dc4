#include "model/job/parameter_server/partition.h"

#include <algorithm>
#include <string>

namespace stepsim {
namespace {

constexpr std::int64_t kDefaultBound = 4'096'000;  // BYTEPS_PARTITION_BYTES
constexpr std::int64_t kPage = 4'096;
constexpr std::uint64_t kMixedBound = 101;  // BYTEPS_MIXED_MODE_BOUND

/// Mixed mode: every worker's host runs a server, and `alone` further servers have hosts of
/// their own. Keys go to these in the share that evens out the load of all links.
std::optional<std::uint32_t> mixed(std::string_view digits, const Job& job) {
  const std::uint64_t workers = job.workers.value_or(0);
  if (workers == 0 || *job.servers <= workers) return std::nullopt;
  const std::uint64_t alone = *job.servers - workers;
  const auto balance = static_cast<double>(workers * (workers + alone)) - 2.0 * static_cast<double>(alone);
  if (balance <= 0) return std::nullopt;
  const double share = 2.0 * static_cast<double>(alone * (workers - 1)) / balance;
  const std::uint64_t place = djb2(digits) % kMixedBound;
  const std::uint64_t again = djb2(std::to_string(place));
  const bool on_its_own = static_cast<double>(place) < share * static_cast<double>(kMixedBound);
  return static_cast<std::uint32_t>(on_its_own ? again % alone : alone + again % workers);
}

}  // namespace

Bytes partition_bound(const Job& job) {
  const std::int64_t bound = std::max<std::int64_t>(1, job.partition_bytes.value_or(Bytes{kDefaultBound}).count());
  if (job.exact.value_or(false)) return Bytes{bound};
  const std::int64_t grain = static_cast<std::int64_t>(job.local_size.value_or(1)) * kPage;
  return Bytes{(bound + grain - 1) / grain * grain};
}

std::uint32_t partition_count(Bytes tensor, Bytes bound) noexcept {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, (tensor.count() + bound.count() - 1) / bound.count()));
}

std::optional<Bytes> partition_size(Bytes tensor, Bytes bound, std::int64_t index) noexcept {
  if (index < 0 || index >= static_cast<std::int64_t>(partition_count(tensor, bound))) return std::nullopt;
  return std::min(bound, tensor - Bytes{index * bound.count()});
}

std::uint64_t djb2(std::string_view digits) noexcept {
  std::uint64_t hash = 5381;
  for (const char digit : digits) hash = hash * 33 + static_cast<unsigned char>(digit);
  return hash;
}

std::uint64_t sdbm(std::string_view digits) noexcept {
  std::uint64_t hash = 0;
  for (const char digit : digits) hash = static_cast<unsigned char>(digit) + hash * 65'599;
  return hash;
}

std::optional<std::uint32_t> server_of(std::int64_t key, const Job& job) {
  if (!job.servers.has_value() || *job.servers == 0) return std::nullopt;
  if (*job.servers == 1) return 0;
  const std::string digits = std::to_string(key);
  const std::string hash = job.key_hash.value_or("djb2");
  if (hash == "djb2") return static_cast<std::uint32_t>(djb2(digits) % *job.servers);
  if (hash == "sdbm") return static_cast<std::uint32_t>(sdbm(digits) % *job.servers);
  if (hash == "naive")
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>((key >> 16) + key % 65'536) * 9'973 % *job.servers);
  return hash == "mixed" ? mixed(digits, job) : std::nullopt;
}

std::vector<std::uint32_t> engine_threads(const std::vector<Bytes>& first_pushes, std::uint32_t threads) {
  std::vector<Bytes> load(std::max(1U, threads));
  std::vector<std::uint32_t> thread_of;
  thread_of.reserve(first_pushes.size());
  for (const Bytes bytes : first_pushes) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += bytes;
    thread_of.push_back(static_cast<std::uint32_t>(least - load.begin()));
  }
  return thread_of;
}

}  // namespace stepsim
