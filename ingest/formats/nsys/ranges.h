#ifndef STEPSIM_INGEST_FORMATS_NSYS_RANGES_H
#define STEPSIM_INGEST_FORMATS_NSYS_RANGES_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/nsys/activities.h"

namespace stepsim::ingest {

/// A range that NCCL marked on a host thread: a call of its interface.
struct NcclRange {
  TrackId thread;
  RecordedTime time;
  std::string name;     ///< "ncclAllReduce"
  std::string payload;  ///< the bytes of NVTX's extended payload; may be empty
};

/// Reads NVTX_EVENTS. What emit_nvtx() of PyTorch wrote becomes operators; other ranges become annotations; those of
/// NCCL are kept beside. Ranges that are named like steps (step_name()) mark the steps: of all kinds on all threads of
/// a process, those that cover the longest time, unless it has marks of Kineto's name.
class NsysRanges {
 public:
  NsysRanges(NsysEvents& events, PartSink& sink, const std::string& file) : events_(events), sink_(sink), file_(file) {}

  void read();
  /// NCCL's calls by process, in the order of the file.
  [[nodiscard]] const std::map<std::int64_t, std::vector<NcclRange>>& nccl() const noexcept { return nccl_; }

 private:
  struct Step {
    RecordedTime time;
    std::optional<std::int64_t> number;
  };
  /// The steps of one name on one thread.
  using Families = std::map<std::pair<TrackId, std::string>, std::vector<Step>>;

  void add(std::int64_t thread, std::string_view name, RecordedTime when, std::string_view payload);
  void mark_steps(NsysProcess& process, Families& families);

  NsysEvents& events_;
  PartSink& sink_;
  const std::string& file_;
  std::map<std::int64_t, Families> steps_;
  std::map<std::int64_t, std::vector<NcclRange>> nccl_;
};

}  // namespace stepsim::ingest

#endif
