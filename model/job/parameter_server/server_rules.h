#ifndef STEPSIM_MODEL_JOB_PARAMETER_SERVER_SERVER_RULES_H
#define STEPSIM_MODEL_JOB_PARAMETER_SERVER_SERVER_RULES_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/job/job.h"

namespace stepsim {

/// Which server holds a key: `key_hash` of job.yaml. The rules are those of BytePS
/// (byteps/common/global.cc); the table is in server_rules.cpp.
struct ServerRule {
  std::string_view name;     ///< "djb2"
  std::string_view summary;  ///< one line
  /// The server of `key`, below job.servers; nothing if the job's numbers of workers and servers do
  /// not allow this rule. Precondition: job.servers is at least 2. Null where no program but the
  /// job's own can work it out.
  std::optional<std::uint32_t> (*server_of)(std::int64_t key, const Job& job) = nullptr;
};

/// All of them; the first is BytePS's default.
[[nodiscard]] std::span<const ServerRule> server_rules() noexcept;

/// Their names, in that order; with `computable`, of those only that have server_of.
[[nodiscard]] std::vector<std::string> server_rule_names(bool computable);

/// Null if there is no such rule.
[[nodiscard]] const ServerRule* find_server_rule(std::string_view name) noexcept;

/// djb2 of a key's decimal digits, modulo 2^64.
[[nodiscard]] std::uint64_t djb2(std::string_view digits) noexcept;

}  // namespace stepsim

#endif
