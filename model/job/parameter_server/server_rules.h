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

/// A rule that assigns keys to servers: `key_hash` in job.yaml. The rules are BytePS's (byteps/common/global.cc); their
/// table is in server_rules.cpp.
struct ServerRule {
  std::string_view name;     ///< "djb2"
  std::string_view summary;  ///< one-line description
  /// Returns the server of `key`, less than job.servers, or nothing if the rule does not work with the job's numbers of
  /// workers and servers. Precondition: job.servers is at least 2. The pointer is null for a rule that only the job's
  /// own program can evaluate.
  std::optional<std::uint32_t> (*server_of)(std::int64_t key, const Job& job) = nullptr;
};

/// Returns all rules; the first is BytePS's default.
[[nodiscard]] std::span<const ServerRule> server_rules() noexcept;

/// Returns the names of the rules in the same order. If `computable`, omits rules without server_of.
[[nodiscard]] std::vector<std::string> server_rule_names(bool computable);

/// Returns the rule with this name, or null.
[[nodiscard]] const ServerRule* find_server_rule(std::string_view name) noexcept;

/// Returns the djb2 hash of a key's decimal digits, modulo 2^64.
[[nodiscard]] std::uint64_t djb2(std::string_view digits) noexcept;

}  // namespace stepsim

#endif
