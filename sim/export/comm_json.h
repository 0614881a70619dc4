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

/// comm.json, as BytePS writes it: one GPU's communication, by tensor, partition and stage.
///
///     {"ph": "X", "args": {"name": "Comm.allreduce.7"}, "pid": "Comm.allreduce.7",
///      "name": "Comm.allreduce.7.REDUCE", "ts": 1600000000001200, "dur": 850, "tid": "458752", "cat": "Comm"}
namespace stepsim::sim {

/// What one rank communicated.
struct RankCommunication {
  struct Event {
    std::uint32_t tensor = 0;  ///< index into tensors
    std::int64_t key = -1;     ///< of the partition; -1: all of the tensor, queueing included ("total")
    std::string_view stage;    ///< "REDUCE", a literal; empty for "total"
    Time start;
    Duration duration{};
  };
  Rank rank = 0;
  std::uint32_t worker = 0;          ///< its host, counted
  std::uint32_t gpu = 0;             ///< among those of its host
  std::vector<std::string> tensors;  ///< in the order in which they were first sent
  std::vector<Event> events;

  /// The file has no steps: as many as some stage of a partition comes.
  [[nodiscard]] std::size_t steps() const;
  /// Tensors that come less often than that. Their k-th event then counts as the k-th step's.
  [[nodiscard]] std::size_t tensors_in_some_steps() const;
};

struct Communication {
  std::vector<RankCommunication> ranks;  ///< ascending
  /// What has no place in such a file, by what it is ("compute kernels").
  std::map<std::string, std::uint64_t> left_out;
  /// Nothing goes from rank to rank here: copies between hosts and devices are what moves data.
  bool of_copies = false;
};

/// The communication of a capture's whole steps, with the times that were recorded. A collective becomes one stage:
/// REDUCE where ranks add or exchange, BROADCAST where they copy, PUSH for a send and PULL for a receive; stages of
/// BytePS stay what they are. Its tensor has its own name where the capture knows it. Else it is the k-th of its
/// operation and group in the step, which is the same on all ranks: "allreduce.7". The total begins with the call that
/// began it, if that was recorded. Where ranks do not communicate, as on a single device, copies from the host
/// (COPYH2D, "copy.HtoD.0") and to it (COPYD2H) are all there is. Throws CannotAnswer if there are none either. O(tasks
/// log tasks).
[[nodiscard]] Communication communication_of(const Capture& capture, const TraceDetails& details);

/// Writes one rank's as BytePS does: per tensor the totals, then the partitions' stages. Times that are no whole
/// microseconds have three decimals. The caller commits.
void write_comm_json(const RankCommunication& communication, OutputFile& out);

}  // namespace stepsim::sim

#endif
