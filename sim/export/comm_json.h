#ifndef STEPSIM_SIM_EXPORT_COMM_JSON_H
#define STEPSIM_SIM_EXPORT_COMM_JSON_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "model/job/trace_details.h"
#include "sim/output/write_file.h"

/// BytePS's comm.json: the communication of one GPU, by tensor, partition and stage.
///
///     {"ph": "X", "args": {"name": "Comm.allreduce.7"}, "pid": "Comm.allreduce.7",
///      "name": "Comm.allreduce.7.REDUCE", "ts": 1600000000001200, "dur": 850, "tid": "458752", "cat": "Comm"}
namespace stepsim::sim {

/// The communication of one rank.
struct RankCommunication {
  struct Event {
    std::uint32_t tensor = 0;  ///< index into tensors
    std::int64_t key = -1;     ///< key of the partition; -1 for the whole tensor including queueing ("total")
    std::string_view stage;    ///< "REDUCE", a literal; empty for "total"
    Time start;
    Duration duration{};
  };
  Rank rank = 0;
  std::uint32_t worker = 0;          ///< number of its host
  std::uint32_t gpu = 0;             ///< number of the rank among the ranks of its host
  std::vector<std::string> tensors;  ///< in the order in which they were first sent
  std::vector<Event> events;

  /// Returns the number of steps. The file has no step numbers, so this is the largest number of times that any stage
  /// of a partition occurs.
  [[nodiscard]] std::size_t steps() const;
  /// Returns the number of tensors that occur less often than steps(). Readers of the file assign the k-th event of
  /// such a tensor to the k-th step, which may be wrong.
  [[nodiscard]] std::size_t tensors_in_some_steps() const;
};

struct Communication {
  std::vector<RankCommunication> ranks;  ///< ranks in ascending order
  /// Work that comm.json cannot contain, counted by kind ("compute kernels").
  std::map<std::string, std::uint64_t> left_out;
  /// True if ranks do not communicate with each other and `ranks` has copies between hosts and devices instead.
  bool of_copies = false;
};

/// Returns the communication in a capture's whole steps, with the recorded times. Stages of BytePS are unchanged. A
/// collective becomes one stage: REDUCE if ranks add or exchange data, BROADCAST if they copy it, PUSH for a send and
/// PULL for a receive.
///
/// A collective's tensor has its own name if the capture knows it. Otherwise it is numbered by operation and group
/// within the step, which gives the same name on all ranks: "allreduce.7". A tensor's "total" begins with the call that
/// started the collective, if that was recorded. If ranks do not communicate, as on a single device, copies from the
/// host (COPYH2D, "copy.HtoD.0") and to it (COPYD2H) are used. Throws CannotAnswer if there are no copies either.
/// O(tasks log tasks).
[[nodiscard]] Communication communication_of(const Capture& capture, const TraceDetails& details);

/// Writes the communication of one rank as BytePS does: for each tensor the totals, then the stages of the partitions.
/// Times that are not whole microseconds have three decimals. The caller commits.
void write_comm_json(const RankCommunication& communication, OutputFile& out);

}  // namespace stepsim::sim

#endif
