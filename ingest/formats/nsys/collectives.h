#ifndef STEPSIM_INGEST_FORMATS_NSYS_COLLECTIVES_H
#define STEPSIM_INGEST_FORMATS_NSYS_COLLECTIVES_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/nsys/activities.h"

namespace stepsim::ingest {

/// A range that NCCL marked on a host thread: a call of its interface.
struct NcclRange {
  TrackId thread;
  RecordedTime time;
  std::string name;     ///< "ncclAllReduce"
  std::string payload;  ///< the bytes of NVTX's extended payload; may be empty
  std::string json;     ///< the same payload as an object of names and values; may be empty
};

/// Reads NVTX_EVENTS. What emit_nvtx() of PyTorch wrote becomes operators; other ranges become annotations; those of
/// NCCL are kept beside. Ranges that are named like steps (step_name()) mark the steps: of all kinds on all threads of
/// a process, those that cover the longest time, unless it has marks of Kineto's name. What a range calls a warm-up is
/// no step. Without other steps, repeated ranges "forward" outside the warm-up are, if none is called "backward" there.
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
  /// NVTX's extended payload, in either form.
  struct Payload {
    std::string_view bytes;
    std::string_view json;
  };
  /// The steps of one name on one thread.
  using Families = std::map<std::pair<TrackId, std::string>, std::vector<Step>>;
  /// What a process marks by its ranges.
  struct Marks {
    Families steps;
    Families passes;  ///< ranges named "forward" and "backward", with what is behind these words
    std::vector<RecordedTime> warm_ups;
  };

  void add(std::int64_t thread, std::string_view name, RecordedTime when, Payload payload);
  void mark_steps(NsysProcess& process, Marks& marks);

  NsysEvents& events_;
  PartSink& sink_;
  const std::string& file_;
  std::map<std::int64_t, Marks> marks_;
  std::map<std::int64_t, std::vector<NcclRange>> nccl_;
};

/// Says what NCCL's kernels transfer, from the calls that NCCL marked with NVTX. A kernel is of the call around its
/// launch, or of the only call in the group whose end launched it. The payload of a mark is in `jsonText` by the names
/// of its fields (schema 3.27), or in `binaryData`, laid out as NVTX_PAYLOAD_SCHEMA_ENTRIES says, after a header of 32
/// bytes with the schema's number in bytes 8 to 11 (schema 3.25). Source: src/include/nvtx_payload_schemas.h of
/// NCCL 2.26; both forms as found in exports.
class NsysCollectives {
 public:
  explicit NsysCollectives(NsysEvents& events);

  /// Describes the kernels of all processes.
  void describe(const std::map<std::int64_t, std::vector<NcclRange>>& calls);

  /// The place of a process among `size` ranks.
  struct Place {
    std::int64_t rank = 0;
    std::int64_t size = 0;
  };
  /// Its place in its largest communicator; nothing if none was made while the session recorded.
  [[nodiscard]] std::optional<Place> place_of(std::int64_t process) const;

 private:
  struct Field {
    std::size_t offset = 0;
    std::size_t size = 0;
  };
  /// What a mark says. -1 where it does not.
  struct Call {
    const NcclRange* range = nullptr;
    std::string operation;  ///< "allreduce": the function's name in lower case
    std::optional<std::uint64_t> communicator;
    std::int64_t bytes = -1;
    std::int64_t peer = -1;
    std::int64_t ranks = -1;
    std::int64_t rank = -1;
    [[nodiscard]] bool transfers() const noexcept { return bytes >= 0; }
  };
  using Calls = std::map<TrackId, std::vector<Call>>;  ///< of a process: by thread, the outermost ones by start

  void read_schemas(NsysTables& tables);
  [[nodiscard]] Call read(const NcclRange& range) const;
  [[nodiscard]] std::optional<std::uint64_t> field(const NcclRange& range, std::string_view name) const;
  [[nodiscard]] static const Call* call_around(const Calls& calls, TrackId thread, Time launched);
  void describe(std::int64_t id, const Calls& calls);
  void describe(std::int64_t id, std::uint32_t kernel, const Call& call);
  /// "[0, 1]" if all ranks of the communicator are processes of this export whose places in the job are known.
  [[nodiscard]] std::string group_of(std::uint64_t communicator) const;

  NsysEvents& events_;
  std::map<std::pair<std::uint32_t, std::string>, Field, std::less<>> fields_;  ///< by schema and name
  std::map<std::uint64_t, std::map<std::int64_t, std::int64_t>> members_;       ///< by communicator: process by rank
  std::map<std::uint64_t, std::int64_t> sizes_;                                 ///< ranks by communicator
  std::map<std::int64_t, Place> places_;                                        ///< by process
};

}  // namespace stepsim::ingest

#endif
