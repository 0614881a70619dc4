#ifndef STEPSIM_INGEST_FORMATS_CAPTURE_RECORDS_H
#define STEPSIM_INGEST_FORMATS_CAPTURE_RECORDS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"
#include "model/job/task_tables.h"
#include "model/wire/block.h"
#include "model/wire/record.h"

namespace stepsim::ingest {

/// A whole block of a capture file.
struct CaptureBlock {
  wire::BlockHeader header;
  std::span<const std::byte> records;  ///< valid until the next block is read
  std::uint64_t offset = 0;            ///< offset of the records in the file
};

/// Calls `use` with each whole block of `source`, in order. Damaged data is skipped up to the next block and counted in
/// `sink`, and so are missing blocks. An incomplete block at the end is not counted, because a killed program leaves
/// one. Returns the offset after the last whole block. Throws InputError for a file of another format version. Memory:
/// one block.
std::uint64_t for_each_capture_block(ByteSource& source, PartSink& sink,
                                     const std::function<void(const CaptureBlock&)>& use);

/// A communicator as NCCL's profiler interface describes it.
struct NcclCommunicator {
  std::string name;        ///< may be empty
  std::uint64_t id = 0;    ///< the same on all its ranks; 0 = unknown
  std::int32_t size = 0;   ///< number of ranks; 0 = unknown
  std::int32_t rank = -1;  ///< rank in the communicator; -1 = unknown
  std::int32_t nodes = 0;  ///< number of nodes of its ranks; 0 = unknown
};

/// The records of a capture file, from all of its producers.
struct CaptureRecords {
  /// All records that have a time, in order of time, so the order of blocks in the file does not matter. `which` is an
  /// index into texts, plus 1; the launch of a kernel is an index into launches, plus 1.
  std::vector<wire::Record> events;
  std::vector<std::string> texts;
  std::vector<std::optional<KernelLaunch>> launches;

  /// The records of NCCL, in order of time. Text indices are as in `events`.
  std::vector<wire::Record> nccl;
  std::map<std::uint32_t, NcclCommunicator> communicators;  ///< the key is the communicator's number in the file

  std::map<std::string, std::string> session;
  std::map<std::uint64_t, std::int32_t> device_of_context;
  struct Device {
    std::string name;
    std::uint64_t memory = 0;  ///< bytes; 0 = unknown
  };
  std::map<std::int32_t, Device> devices;
  std::map<std::pair<std::uint64_t, std::uint32_t>, wire::StreamKind> streams;  ///< by context and number
  std::optional<wire::Status> status;                                           ///< the last recorded status
  std::string reason;  ///< reason for the status, if it needs one
  std::uint64_t lost_by_cupti = 0;
  std::uint64_t lost_by_writer = 0;
  std::uint64_t nccl_lost = 0;        ///< lost events of NCCL
  std::uint64_t nccl_unfinished = 0;  ///< events of NCCL that were still open when their communicator ended

  [[nodiscard]] std::string_view text(std::uint32_t which) const noexcept {
    return which == 0 ? std::string_view{} : std::string_view{texts[which - 1]};
  }
};

/// Reads all blocks. Invalid records are left out and counted in `sink`; work that a killed program left unfinished is
/// counted too. Throws InputError if there is no whole block.
[[nodiscard]] CaptureRecords read_capture_records(ByteSource& source, PartSink& sink);

/// The steps of a capture that its schedule selected for recording, derived from the step marks.
class CaptureWindows {
 public:
  struct Step {
    std::uint64_t number = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = kOpen;  ///< kOpen = no mark followed
    std::uint32_t thread = 0;   ///< thread that marked the beginning
  };
  static constexpr std::uint64_t kOpen = std::numeric_limits<std::uint64_t>::max();

  /// Precondition: `events` are in order of time.
  explicit CaptureWindows(const std::vector<wire::Record>& events);

  /// The active steps, in order of time.
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  /// True if host work that begins at `time` belongs to the capture: it is in an active step, or there are no steps at
  /// all.
  [[nodiscard]] bool contains(std::uint64_t time) const noexcept;

 private:
  std::vector<Step> steps_;
};

/// A repetition that lasts until the end of a sequence.
struct Repetition {
  std::size_t first = 0;   ///< index at which the repetition begins
  std::size_t period = 0;  ///< length of one period
};

/// Returns the longest repetition that lasts until the end of `sequence`, with its shortest period. It must have at
/// least three periods and fill at least half of the sequence; otherwise returns nullopt. Repetitions within a period,
/// such as layers within a step, do not match because they do not continue to the end. O(n). Source: the failure
/// function of Knuth, Morris and Pratt (1977), applied to the reversed sequence.
[[nodiscard]] std::optional<Repetition> repetition_of(std::span<const std::uint32_t> sequence);

}  // namespace stepsim::ingest

#endif
