#include "model/job/parameter_server/server_rules/server_rule.h"

namespace stepsim {
namespace {

std::uint64_t sdbm(std::string_view digits) noexcept {
  std::uint64_t hash = 0;
  for (const char digit : digits) hash = static_cast<unsigned char>(digit) + hash * 65'599;
  return hash;
}

std::optional<std::uint32_t> sdbm_server_of(std::int64_t key, const Job& job) {
  return static_cast<std::uint32_t>(sdbm(std::to_string(key)) % *job.servers);
}

}  // namespace

extern const ServerRule sdbm_server_rule;
const ServerRule sdbm_server_rule{
    .name = "sdbm",
    .summary = "sdbm of the key's decimal digits, modulo the number of servers",
    .server_of = sdbm_server_of,
};

}  // namespace stepsim
