#include "model/job/parameter_server/server_rules/server_rule.h"

namespace stepsim {
namespace {

std::optional<std::uint32_t> djb2_server_of(std::int64_t key, const Job& job) {
  return static_cast<std::uint32_t>(djb2(std::to_string(key)) % *job.servers);
}

}  // namespace

extern const ServerRule djb2_server_rule;
const ServerRule djb2_server_rule{
    .name = "djb2",
    .summary = "djb2 of the key's decimal digits, modulo the number of servers",
    .server_of = djb2_server_of,
};

}  // namespace stepsim
