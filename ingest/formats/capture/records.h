#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_RECORDS_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_RECORDS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/formats/capture/blocks.h"
#include "ingest/parts/part_sink.h"
#include "ingest/parts/text_table.h"
#include "model/job/kernel_launch.h"
#include "model/wire/record.h"

namespace stepsim::ingest {

/// A communicator of NCCL, as its profiler interface told of it.
struct NcclCommunicator {
  std::string name;        ///< may be empty
  std::uint64_t id = 0;    ///< equal in all its ranks; 0: not known
  std::int32_t size = 0;   ///< 0: not known
  std::int32_t rank = -1;  ///< in it; -1: not known
};

/// The records of a capture file, whoever of its producers wrote them.
struct CaptureRecords {
  /// All that have a time, by it; `which` is an index into texts, plus 1, and the launch of a kernel one into launches,
  /// plus 1. So the order of blocks in the file decides nothing.
  std::vector<wire::Record> events;
  std::vector<std::string> texts;
  std::vector<std::optional<KernelLaunch>> launches;

  /// What NCCL told, by time, with texts as those of events.
  std::vector<wire::Record> nccl;
  std::map<std::uint32_t, NcclCommunicator> communicators;  ///< by number

  std::map<std::string, std::string> session;
  std::map<std::uint64_t, std::int32_t> device_of_context;
  std::map<std::int32_t, std::string> device_names;
  std::optional<wire::Status> status;  ///< as told last
  std::string reason;                  ///< of a status that needs one
  std::uint64_t lost_by_cupti = 0;
  std::uint64_t lost_by_writer = 0;
  std::uint64_t nccl_lost = 0;        ///< events of NCCL
  std::uint64_t nccl_unfinished = 0;  ///< events of NCCL that were still open when their communicator ended

  [[nodiscard]] std::string_view text(std::uint32_t which) const noexcept {
    return which == 0 ? std::string_view{} : std::string_view{texts[which - 1]};
  }
};

/// Reads all blocks. Records that cannot be are left out, and counted in `sink`, as is what a killed program left
/// undone. Throws InputError if there is no whole block.
[[nodiscard]] CaptureRecords read_capture_records(ByteSource& source, PartSink& sink);

}  // namespace stepsim::ingest

#endif
