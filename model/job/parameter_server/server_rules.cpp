#include "model/job/parameter_server/server_rules.h"

#include <algorithm>
#include <array>

namespace stepsim {
namespace {

std::uint64_t sdbm(std::string_view digits) noexcept {
  std::uint64_t hash = 0;
  for (const char digit : digits) hash = static_cast<unsigned char>(digit) + hash * 65'599;
  return hash;
}

std::optional<std::uint32_t> by_djb2(std::int64_t key, const Job& job) {
  return static_cast<std::uint32_t>(djb2(std::to_string(key)) % *job.servers);
}

std::optional<std::uint32_t> by_sdbm(std::int64_t key, const Job& job) {
  return static_cast<std::uint32_t>(sdbm(std::to_string(key)) % *job.servers);
}

std::optional<std::uint32_t> naively(std::int64_t key, const Job& job) {
  const auto sum = static_cast<std::uint64_t>((key >> 16) + key % 65'536);
  return static_cast<std::uint32_t>(sum * 9'973 % *job.servers);
}

/// Assigns keys as BytePS's mixed mode does: every worker's host runs a server, and `alone` further servers have
/// separate hosts. The further servers get the share of keys that balances the load of all links.
std::optional<std::uint32_t> mixed(std::int64_t key, const Job& job) {
  constexpr std::uint64_t kBound = 101;  // default of BYTEPS_MIXED_MODE_BOUND
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

constexpr std::array kRules{
    ServerRule{"djb2", "djb2 hash of the key's decimal digits, modulo the number of servers", by_djb2},
    ServerRule{"sdbm", "sdbm hash of the key's decimal digits, modulo the number of servers", by_sdbm},
    ServerRule{"naive", "(declared key + partition) * 9973, modulo the number of servers", naively},
    ServerRule{"built_in", "std::hash of the job's C++ library; cannot be predicted"},
    ServerRule{"mixed",
               "BytePS's mixed mode: servers on workers' hosts and separate ones, with equal load on each link", mixed},
};

}  // namespace

std::uint64_t djb2(std::string_view digits) noexcept {
  std::uint64_t hash = 5381;
  for (const char digit : digits) hash = hash * 33 + static_cast<unsigned char>(digit);
  return hash;
}

std::span<const ServerRule> server_rules() noexcept { return kRules; }

std::vector<std::string> server_rule_names(bool computable) {
  std::vector<std::string> names;
  for (const ServerRule& rule : server_rules()) {
    if (rule.server_of != nullptr || !computable) names.emplace_back(rule.name);
  }
  return names;
}

const ServerRule* find_server_rule(std::string_view name) noexcept {
  const auto* const found =
      std::find_if(kRules.begin(), kRules.end(), [name](const ServerRule& rule) { return rule.name == name; });
  return found == kRules.end() ? nullptr : found;
}

}  // namespace stepsim
