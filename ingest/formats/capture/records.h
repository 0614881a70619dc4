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
  std::uint64_t offset = 0;            ///< of the records in the file
};

/// Calls `use` with each whole block of `source`, in order. What is no whole block is skipped up to the next one, and
/// counted in `sink`, as are blocks that are missing between others. A part of a block at the end is what a killed
/// writer leaves: it is not counted. Returns the offset behind the last whole block. Throws InputError for a file of a
/// later version. Memory: one block.
std::uint64_t for_each_capture_block(ByteSource& source, PartSink& sink,
                                     const std::function<void(const CaptureBlock&)>& use);

/// A communicator of NCCL, as its profiler interface told of it.
struct NcclCommunicator {
  std::string name;        ///< may be empty
  std::uint64_t id = 0;    ///< equal in all its ranks; 0: not known
  std::int32_t size = 0;   ///< 0: not known
  std::int32_t rank = -1;  ///< in it; -1: not known
  std::int32_t nodes = 0;  ///< that its ranks are on; 0: not known
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

/// The steps of a capture that its schedule was to record, from the marks in it.
class CaptureWindows {
 public:
  struct Step {
    std::uint64_t number = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = kOpen;  ///< kOpen: no mark followed
    std::uint32_t thread = 0;   ///< that marked its begin
  };
  static constexpr std::uint64_t kOpen = std::numeric_limits<std::uint64_t>::max();

  /// `events` are in order of time.
  explicit CaptureWindows(const std::vector<wire::Record>& events);

  /// Active steps, by time.
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }
  /// Whether host work that began then is to be part of the capture: in an active step, or there are none at all.
  [[nodiscard]] bool contains(std::uint64_t time) const noexcept;

 private:
  std::vector<Step> steps_;
};

/// Where a sequence repeats itself up to its end.
struct Repetition {
  std::size_t first = 0;   ///< from here on
  std::size_t period = 0;  ///< every so many
};

/// The longest tail of `sequence` that is at least three times one period, and its shortest period; nothing if that is
/// less than half of the sequence. What repeats within a period, as layers do in a step, does not repeat over its end.
/// O(n). Source: the failure function of Knuth, Morris and Pratt (1977), of the reversed sequence.
[[nodiscard]] std::optional<Repetition> repetition_of(std::span<const std::uint32_t> sequence);

}  // namespace stepsim::ingest

#endif
