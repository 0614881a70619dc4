#ifndef STEPSIM_MODEL_WIRE_RECORD_H
#define STEPSIM_MODEL_WIRE_RECORD_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

/// The capture format: what libstepsim_capture.so writes and ingest reads. docs/capture-format.md describes the bytes.
/// All numbers are little-endian; times are nanoseconds since 1970, on the clock of the host that recorded.
namespace stepsim::wire {

/// Raised when a reader of older files would misread newer ones. Kinds of records may be added without that: a reader
/// counts those that it does not know.
inline constexpr std::uint16_t kVersion = 1;

/// What a record is. The numbers are part of the format.
enum class Kind : std::uint8_t {
  kText = 1,  ///< defines text `which` of this producer: a = its bytes, which follow, padded to whole records
  kLaunch,    ///< defines launch `which`: start = blocks, duration = threads of one, correlation = registers of a
              ///< thread, stream = bytes of shared memory of a block
  kSession,   ///< of the whole capture: text `which` is a key, text `a` its value
  kStatus,    ///< detail = a Status, a = records that CUPTI lost until now, b = that the writer lost; which = a text
  kDevice,    ///< device, text `which` = its name
  kContext,   ///< CUDA context a belongs to device
  kStep,      ///< a step begins: a = its number from 0, detail = its Phase, stream = the thread
  kCall,      ///< of the runtime (detail 0) or driver (1): stream = the thread, a = what it returned
  kKernel,    ///< a = its launch, and from bit 32 on its CUDA graph; b = its node there; detail 1: a graph as a whole
  kMemcpy,    ///< detail = CUpti_ActivityMemcpyKind, which = its memories (memories()), a = bytes, b = its node
  kMemset,    ///< which = its memory, a = bytes, b = its node
  kSync,      ///< detail = CUpti_ActivitySynchronizationType, a = id of the event's record (0: none), b = context,
              ///< which = CUDA's number of the event
  kEventRecord,  ///< a = id by which waits name this record (0: none), b = context, which = the event
  kRangeBegin,   ///< an NVTX range: a = its id, stream = the thread
  kRangeEnd,     ///< of the range with id a
  kOverhead,     ///< time that CUPTI itself took: text `which` = for what, stream = the thread
  kExternal,     ///< correlation belongs to the caller's own id a; detail = CUpti_ExternalCorrelationKind
  kMore,         ///< no record of its own: a is the b of the record before it, which has none otherwise

  // What NCCL's profiler plugin interface told (capture/nccl/). Numbers of communicators, groups, operations and proxy
  // operations count from 1 in a file; 0: none.
  kNcclCommunicator,  ///< number correlation: text `which` = its name, a = NCCL's id of it, equal in all its ranks, b =
                      ///< its size, and from bit 32 on the rank in it plus 1, stream = hosts, detail = version of the
                      ///< interface; 0: not known. Of several the last counts
  kNcclCollective,  ///< operation correlation was enqueued: text `which` = "AllReduce/ncclFloat32/RING/LL", duration =
                    ///< elements, a = its sequence number, b = communicator, and from bit 32 on the group, stream = the
                    ///< thread, detail = channels, device = the root's rank
  kNcclMessage,     ///< a send or a receive: the same, but a = the peer's rank in the communicator
  kNcclChannel,    ///< one channel's part of operation `which` on device: device = the channel, a, b = begin and end by
                   ///< the GPU's timer, 0 where the version does not tell; start and duration are when NCCL noticed
  kNcclProxyOp,    ///< transfers of operation `which`, which is 0 for one of another process: correlation = its number,
                   ///< detail = 1 for sends, device = the channel, stream = the peer's rank, a = bytes, b = steps
  kNcclProxyStep,  ///< one transfer of proxy operation `which`: detail = 1 for sends, correlation = bytes, a = time
                   ///< that it waited for the GPU, b = for the peer; the rest of its duration is the network's
  kNcclStatus,     ///< a = events lost for want of room until now, b = events of communicator correlation that were not
                   ///< ended when it was
  kRangeMark,      ///< an NVTX mark, an instant: text `which` = its name, stream = the thread
};

/// Numbers of kStatus. Of several the last says how the capture stands.
enum class Status : std::uint8_t {
  kRecording = 1,
  kClosed,       ///< the program ended, and all that was recorded is in the file
  kOtherClient,  ///< another profiler holds CUPTI: nothing is recorded
  kNoCupti,      ///< CUPTI could not be loaded or does not work: nothing is recorded
};

/// What the schedule makes of a step.
enum class Phase : std::uint8_t {
  kWait = 0,  ///< nothing is recorded
  kWarmUp,    ///< recorded, but not part of the answer
  kActive,    ///< recorded
  kDone,      ///< nothing more will be recorded
};

/// Members that Kind does not mention are 0. In a file it is the first 40 bytes, and another 40, of kMore, where b is
/// not 0: most kernels have none.
struct Record {
  Kind kind{};
  std::uint8_t detail = 0;
  std::uint16_t device = kNoDevice;
  std::uint32_t which = 0;  ///< a text of the same producer, by number from 1; 0: none
  std::uint64_t start = 0;
  std::uint64_t duration = 0;
  std::uint32_t correlation = 0;
  std::uint32_t stream = kNoStream;
  std::uint64_t a = 0;
  std::uint64_t b = 0;

  static constexpr std::uint16_t kNoDevice = 0xFFFF;
  static constexpr std::uint32_t kNoStream = 0xFFFFFFFF;
};
inline constexpr std::size_t kRecordBytes = offsetof(Record, b);
static_assert(kRecordBytes == 40);

/// Source and destination of a copy, as CUpti_ActivityMemoryKind, in one number.
[[nodiscard]] constexpr std::uint32_t memories(std::uint8_t source, std::uint8_t destination) noexcept {
  return static_cast<std::uint32_t>(source) | static_cast<std::uint32_t>(destination) << 8U;
}

/// How many records a text of so many bytes takes behind its kText.
[[nodiscard]] constexpr std::size_t records_of_text(std::size_t bytes) noexcept {
  return (bytes + kRecordBytes - 1) / kRecordBytes;
}
/// Longer texts are cut by the writer, at most in the middle of a character.
inline constexpr std::size_t kLongestText = 8192;

/// How many times kRecordBytes it takes in a file.
[[nodiscard]] constexpr std::size_t slots_of(const Record& record) noexcept { return record.b == 0 ? 1 : 2; }

/// Writes slots_of(record) slots.
inline void write(const Record& record, std::byte* at) noexcept {
  std::memcpy(at, &record, kRecordBytes);
  if (record.b == 0) return;
  const Record more{.kind = Kind::kMore, .a = record.b};
  std::memcpy(at + kRecordBytes, &more, kRecordBytes);
}

/// Reads the records of a block, one behind the other.
class RecordCursor {
 public:
  explicit RecordCursor(std::span<const std::byte> records) noexcept : records_(records) {}

  /// The next record; nothing at the end.
  [[nodiscard]] std::optional<Record> next() noexcept {
    offset_ = next_;
    std::optional<Record> record = take();
    if (!record || record->kind == Kind::kText) return record;
    const std::size_t behind = next_;
    const std::optional<Record> more = take();
    if (more && more->kind == Kind::kMore) {
      record->b = more->a;
    } else {
      next_ = behind;
    }
    return record;
  }
  /// The text behind a kText, which next() has just given; nothing if it is longer than what is left. Valid as long as
  /// the block.
  [[nodiscard]] std::optional<std::string_view> text(const Record& record) noexcept {
    const std::size_t left = records_.size() - std::min(next_, records_.size());
    if (record.a > kLongestText || records_of_text(record.a) * kRecordBytes > left) return std::nullopt;
    const auto* const begin = reinterpret_cast<const char*>(records_.data() + next_);
    next_ += records_of_text(record.a) * kRecordBytes;
    return std::string_view(begin, record.a);
  }
  /// Where the record that next() gave last begins in the block.
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

 private:
  std::optional<Record> take() noexcept {
    if (next_ > records_.size() || records_.size() - next_ < kRecordBytes) return std::nullopt;
    Record record;
    std::memcpy(static_cast<void*>(&record), records_.data() + next_, kRecordBytes);
    next_ += kRecordBytes;
    return record;
  }

  std::span<const std::byte> records_;
  std::size_t next_ = 0;
  std::size_t offset_ = 0;
};

}  // namespace stepsim::wire

#endif
