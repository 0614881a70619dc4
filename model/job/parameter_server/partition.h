#ifndef STEPSIM_MODEL_JOB_PARAMETER_SERVER_PARTITION_H
#define STEPSIM_MODEL_JOB_PARAMETER_SERVER_PARTITION_H

#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/units.h"
#include "model/job/job.h"

/// How BytePS cuts tensors into partitions and spreads these over servers and their threads
/// (byteps/common/operations.cc and global.cc, byteps/server/server.h).
namespace stepsim {

/// The largest partition: job.partition_bytes (4,096,000 by default), rounded up to a multiple
/// of local_size pages of 4096 bytes unless job.exact; of those that fit into 64 bits, the largest.
[[nodiscard]] Bytes partition_bound(const Job& job);

/// ceil(tensor / bound), at least 1. Precondition: bound > 0.
[[nodiscard]] std::int64_t partition_count(Bytes tensor, Bytes bound) noexcept;

/// All partitions are as large as the bound but the last. Nothing for an index past the last one.
[[nodiscard]] std::optional<Bytes> partition_size(Bytes tensor, Bytes bound, std::int64_t index) noexcept;

/// Declared key of the tensor in the upper bits, index of the partition in the lower 16.
[[nodiscard]] constexpr std::int64_t partition_key(std::int64_t declared_key, std::int64_t index) noexcept {
  return declared_key * 65'536 + index;
}

/// The server that holds a key, by the rule that job.key_hash names (server_rules/); without a name
/// by the first of them. Nothing if job.servers is absent or the rule does not say. 0 where there is
/// one server.
[[nodiscard]] std::optional<std::uint32_t> server_of(std::int64_t key, const Job& job);

/// The engine thread of each key of one server: at its first push a key goes to the thread with
/// the fewest bytes so far, the first of equal ones, and stays. `first_pushes` holds the sizes
/// in the order of the first pushes. O(keys * threads).
[[nodiscard]] std::vector<std::uint32_t> engine_threads(const std::vector<Bytes>& first_pushes, std::uint32_t threads);

}  // namespace stepsim

#endif
