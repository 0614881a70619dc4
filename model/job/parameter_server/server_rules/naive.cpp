#include "model/job/parameter_server/server_rules/server_rule.h"

namespace stepsim {
namespace {

std::optional<std::uint32_t> naive_server_of(std::int64_t key, const Job& job) {
  const auto sum = static_cast<std::uint64_t>((key >> 16) + key % 65'536);
  return static_cast<std::uint32_t>(sum * 9'973 % *job.servers);
}

}  // namespace

extern const ServerRule naive_server_rule;
const ServerRule naive_server_rule{
    .name = "naive",
    .summary = "(declared key + partition) * 9973, modulo the number of servers",
    .server_of = naive_server_of,
};

}  // namespace stepsim
