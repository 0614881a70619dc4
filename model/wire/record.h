#ifndef STEPSIM_MODEL_WIRE_RECORD_H
#define STEPSIM_MODEL_WIRE_RECORD_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

/// The capture format, written by libstepsim_capture.so and read by ingest. docs/internals/capture-format.md describes
/// its bytes. All numbers are little-endian. Times are nanoseconds since 1970 on the clock of the host that recorded.
namespace stepsim::wire {

/// Version of the format. It is raised when an older reader would misread newer files. New kinds of records do not need
/// a new version: a reader counts records of unknown kinds and skips them.
inline constexpr std::uint16_t kVersion = 1;

/// The kind of a record. The numbers are part of the format.
enum class Kind : std::uint8_t {
  kText = 1,  ///< defines text `which` of this producer: a = size in bytes; the text follows, padded to whole records
  /// Defines launch `which`: start = blocks, duration = threads per block, correlation = registers per thread, stream =
  /// bytes of shared memory per block.
  kLaunch,
  kSession,  ///< a property of the whole capture: text `which` is the key, text `a` the value
  /// detail = a Status, a = records lost by CUPTI or rocprofiler-sdk so far, b = records lost by the writer, which = a
  /// text
  kStatus,
  /// A device: text `which` = its name, start = bytes of memory, duration = bytes per second of the memory, correlation
  /// = clock in kHz, stream = multiprocessors, a = text that tells devices of this name apart, and from bit 32 up the
  /// architecture, 10,000 x major + 100 x minor. 0 = unknown; earlier captures have only the name, and no stream.
  kDevice,
  kContext,  ///< a CUDA context on `device`: a = its id
  kStep,     ///< a step begins: a = its number from 0, detail = its Phase, stream = thread
  kCall,     ///< call of the runtime (detail 0) or driver (detail 1): stream = thread, a = return value
  kKernel,   ///< a = launch, and CUDA graph from bit 32 up; b = its node in the graph; detail 1: the graph as a whole
  kMemcpy,   ///< detail = CUpti_ActivityMemcpyKind, which = memory kinds (memories()), a = bytes, b = its graph node
  kMemset,   ///< which = memory kind, a = bytes, b = its graph node
  /// A synchronization: detail = CUpti_ActivitySynchronizationType, a = id of the event's record (0 = none), b =
  /// context, which = CUDA's number of the event.
  kSync,
  kEventRecord,  ///< a = id by which waits refer to this record (0 = none), b = context, which = the event
  kRangeBegin,   ///< an NVTX range begins: a = its id, stream = thread
  kRangeEnd,     ///< the range with id a ends
  kOverhead,     ///< time taken by CUPTI itself: text `which` = reason, stream = thread
  kExternal,     ///< links `correlation` to the caller's own id a; detail = CUpti_ExternalCorrelationKind
  kMore,         ///< a continuation: a is the b of the record before it

  // Events of NCCL's profiler plugin interface (capture/nccl/). Communicators, groups, operations and proxy operations
  // are numbered from 1 in a file; 0 = none.

  /// Communicator number `correlation`: text `which` = its name, a = NCCL's id, equal in all of its ranks, b = its
  /// size, and from bit 32 up the rank in it plus 1, stream = hosts, detail = interface version; 0 = unknown. If a
  /// communicator has several records, the last one counts.
  kNcclCommunicator,
  /// Operation `correlation` was enqueued: text `which` = "AllReduce/ncclFloat32/RING/LL", duration = elements, a =
  /// sequence number, b = communicator, and from bit 32 up the group, stream = thread, detail = channels, device = rank
  /// of the root.
  kNcclCollective,
  kNcclMessage,  ///< a send or receive: as kNcclCollective, but a = rank of the peer in the communicator
  /// One channel's part of operation `which` on the GPU: device = channel, a, b = begin and end by the GPU's timer, 0
  /// if the interface version does not report them. start and duration are by the host's clock, from NCCL's report of
  /// the begin to its report of the end.
  kNcclChannel,
  /// A proxy operation, the transfers of operation `which` (0 = of another process): correlation = its number, detail =
  /// 1 for sends, device = channel, stream = rank of the peer, a = bytes, b = steps.
  kNcclProxyOp,
  /// One transfer of proxy operation `which`: detail = 1 for sends, correlation = bytes, a = time waiting for the GPU,
  /// b = time waiting for the peer; the rest of the duration is the network's.
  kNcclProxyStep,
  /// Lost NCCL events: a = events lost so far for lack of space, b = events of communicator `correlation` that had not
  /// ended when the communicator did.
  kNcclStatus,
  kRangeMark,  ///< an NVTX mark, an instant: text `which` = its name, stream = thread
  kStream,     ///< a stream of context a: detail = a StreamKind, which = its priority, a signed number
  /// NCCL launched a kernel for calls `which`: a = communicator, stream = thread, detail 1 if a CUDA graph captured the
  /// launch, so that no kernel ran. Calls are those of one outermost group of NCCL's API, numbered from 1.
  kNcclLaunch,
  /// Calls `correlation` asked for operation `which`; detail 1 if a CUDA graph captured them, so that the operation is
  /// one of a replay.
  kNcclCalls,
};

/// How a stream is ordered with others, as CUpti_ActivityStreamFlag.
enum class StreamKind : std::uint8_t {
  kUnknown = 0,
  kBlocking,     ///< ordered with the default stream
  kNonBlocking,  ///< not ordered with other streams
  kDefault,      ///< the default stream: its work waits for earlier work of blocking streams, and theirs for it
};

/// The status in a kStatus record. The last one in a file is the current status.
enum class Status : std::uint8_t {
  kRecording = 1,
  kClosed,       ///< the program ended and everything recorded is in the file
  kOtherClient,  ///< another profiler is using CUPTI: nothing is recorded
  kNoCupti,      ///< CUPTI or rocprofiler-sdk cannot be loaded or does not work: nothing is recorded
  kIncomplete,   ///< text `which` says what is missing from the capture; recording goes on
  kNotWritten,   ///< in the first block: a write failed, and the capture ends there; duration = errno
};

/// How the schedule treats a step.
enum class Phase : std::uint8_t {
  kWait = 0,  ///< nothing is recorded
  kWarmUp,    ///< recorded, but not used for the answer
  kActive,    ///< recorded
  kDone,      ///< nothing more will be recorded
};

/// One record of the capture format. Members that Kind does not mention have their default values. A file stores the
/// first 40 bytes, followed by a kMore record of 40 bytes if b is not 0. For most kernels b is 0.
struct Record {
  Kind kind{};
  std::uint8_t detail = 0;
  std::uint16_t device = kNoDevice;
  std::uint32_t which = 0;  ///< number of a text of the same producer, from 1; 0 = none
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

/// Packs the source and destination of a copy (CUpti_ActivityMemoryKind) into one number.
[[nodiscard]] constexpr std::uint32_t memories(std::uint8_t source, std::uint8_t destination) noexcept {
  return static_cast<std::uint32_t>(source) | static_cast<std::uint32_t>(destination) << 8U;
}

/// Returns how many slots of kRecordBytes the text after a kText record takes, given its size in bytes.
[[nodiscard]] constexpr std::size_t records_of_text(std::size_t bytes) noexcept {
  return (bytes + kRecordBytes - 1) / kRecordBytes;
}
/// Maximum size of a text in bytes. The writer truncates longer texts, possibly in the middle of a character.
inline constexpr std::size_t kLongestText = 8192;

/// Returns how many slots of kRecordBytes the record takes in a file.
[[nodiscard]] constexpr std::size_t slots_of(const Record& record) noexcept { return record.b == 0 ? 1 : 2; }

/// Writes slots_of(record) slots to `at`.
inline void write(const Record& record, std::byte* at) noexcept {
  std::memcpy(at, &record, kRecordBytes);
  if (record.b == 0) return;
  const Record more{.kind = Kind::kMore, .a = record.b};
  std::memcpy(at + kRecordBytes, &more, kRecordBytes);
}

/// Reads the records of a block in order.
class RecordCursor {
 public:
  explicit RecordCursor(std::span<const std::byte> records) noexcept : records_(records) {}

  /// Returns the next record, or nothing at the end.
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
  /// Returns the text of the kText record that next() has just returned, or nothing if it is longer than the rest of
  /// the block or kLongestText. The view is valid as long as the block.
  [[nodiscard]] std::optional<std::string_view> text(const Record& record) noexcept {
    const std::size_t left = records_.size() - std::min(next_, records_.size());
    if (record.a > kLongestText || records_of_text(record.a) * kRecordBytes > left) return std::nullopt;
    const auto* const begin = reinterpret_cast<const char*>(records_.data() + next_);
    next_ += records_of_text(record.a) * kRecordBytes;
    return std::string_view(begin, record.a);
  }
  /// Returns the offset in the block of the last record that next() returned.
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
