#ifndef STEPSIM_INGEST_FORMATS_NSYS_COLLECTIVES_H
#define STEPSIM_INGEST_FORMATS_NSYS_COLLECTIVES_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/nsys/activities.h"

namespace stepsim::ingest {

/// A range that NCCL marked on a host thread: a call of its API.
struct NcclRange {
  TrackId thread;
  RecordedTime time;
  std::string name;     ///< "ncclAllReduce"
  std::string payload;  ///< the bytes of NVTX's extended payload; may be empty
  std::string json;     ///< the same payload as an object of names and values; may be empty
};

/// Reads NVTX_EVENTS. Ranges of PyTorch's emit_nvtx() become operators; other ranges become annotations; those of NCCL
/// are also kept for NsysCollectives.
class NsysRanges {
 public:
  NsysRanges(NsysEvents& events, PartSink& sink, const std::string& file) : events_(events), sink_(sink), file_(file) {}

  void read();
  /// NCCL's calls by process, in file order.
  [[nodiscard]] const std::map<std::int64_t, std::vector<NcclRange>>& nccl() const noexcept { return nccl_; }

 private:
  /// The extended payload of an NVTX range, either as binary data or as JSON.
  struct Payload {
    std::string_view bytes;
    std::string_view json;
  };
  void add(std::int64_t thread, std::string_view name, RecordedTime when, Payload payload);

  NsysEvents& events_;
  PartSink& sink_;
  const std::string& file_;
  std::map<std::int64_t, std::vector<NcclRange>> nccl_;
};

/// Gives each NCCL kernel the operation, size and communicator of its call, which NCCL marked with NVTX. A kernel
/// belongs to the call that encloses its launch. A kernel that is launched by ncclGroupEnd() belongs to the call in the
/// group, if there is only one. The payload of a mark is either in `jsonText`, by the names of its fields
/// (schema 3.27), or in `binaryData` (schema 3.25). The latter has the layout given in NVTX_PAYLOAD_SCHEMA_ENTRIES,
/// after a header of 32 bytes with the schema's number in bytes 8 to 11. Source: src/include/nvtx_payload_schemas.h of
/// NCCL 2.26, and exports of Nsight Systems that contain the two forms.
class NsysCollectives {
 public:
  explicit NsysCollectives(NsysEvents& events);

  /// Sets operation, size and communicator of the NCCL kernels of all processes.
  void describe(const std::map<std::int64_t, std::vector<NcclRange>>& calls);

  /// The rank of a process among `size` ranks.
  struct Place {
    std::int64_t rank = 0;
    std::int64_t size = 0;
  };
  /// Returns a process's rank in its largest communicator; nullopt if no communicator was created during the recording.
  [[nodiscard]] std::optional<Place> place_of(std::int64_t process) const;

 private:
  struct Field {
    std::size_t offset = 0;
    std::size_t size = 0;
  };
  /// A call of NCCL, from its range and payload. -1 = unknown.
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
  /// The ranks of a process in its communicators.
  struct Places {
    std::map<std::uint64_t, Place> in;
    Place largest;  ///< in the first one of the largest communicators
  };
  using Calls = std::map<TrackId, std::vector<Call>>;  ///< the outermost calls of a process by thread, ordered by start

  void read_schemas(NsysTables& tables);
  [[nodiscard]] Call read(const NcclRange& range) const;
  [[nodiscard]] std::optional<std::uint64_t> field(const NcclRange& range, std::string_view name) const;
  /// Returns the group of a communicator. Its size is unknown unless it was created during the recording.
  [[nodiscard]] ProcessGroupId group_of(std::int64_t process, std::uint64_t communicator);
  [[nodiscard]] static const Call* call_around(const Calls& calls, TrackId thread, Time launched);
  void describe(std::int64_t id, const Calls& calls);
  void describe(std::int64_t id, std::uint32_t kernel, const Call& call);

  NsysEvents& events_;
  std::map<std::pair<std::uint32_t, std::string>, Field, std::less<>> fields_;  ///< by schema and name
  std::map<std::int64_t, Places> places_;                                       ///< by process
};

}  // namespace stepsim::ingest

#endif
