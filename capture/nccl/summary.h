#ifndef STEPSIM_CAPTURE_NCCL_SUMMARY_H
#define STEPSIM_CAPTURE_NCCL_SUMMARY_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/nccl/recorder.h"

namespace stepsim::capture::nccl {

/// The collectives of a communicator for which nccl-tests defines a bus bandwidth.
struct CollectiveKind {
  std::string_view name;       ///< NCCL's
  double bus_traffic = 0;      ///< bus bandwidth = algorithm bandwidth * this, times (ranks - 1) / ranks if of_ring
  bool of_ring = false;        ///< every rank has a part of the data
  bool counts_a_part = false;  ///< NCCL's count is that of one rank's part
};

/// A collective in the ring of a communicator.
struct RingEntry {
  std::uint32_t operation = 0;  ///< number of the operation; 0 = empty
  std::uint32_t text = 0;       ///< index into the texts: "AllReduce/ncclFloat32/RING/LL"
  std::uint8_t kind = 0;        ///< index into the kinds
  std::uint8_t channels = 0;    ///< number of channels that it uses; 0 = unknown
  std::uint16_t ended = 0;      ///< number of channels that have ended
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;  ///< of the larger of a rank's buffers, as in nccl-tests; 0 = unknown
  std::uint64_t enqueued = 0;
  std::uint64_t start = 0;         ///< of the first channel, by the host's clock
  std::uint64_t end = 0;           ///< of the last channel
  std::uint64_t device_start = 0;  ///< the same by the GPU's timer; 0 = unknown
  std::uint64_t device_end = 0;

  /// True if all channels have ended, so that its time is known.
  [[nodiscard]] bool is_timed() const noexcept { return ended > 0 && ended >= channels; }
  [[nodiscard]] bool is_by_device() const noexcept { return device_start > 0 && device_end > device_start; }
  [[nodiscard]] std::uint64_t duration() const noexcept {
    return is_by_device() ? device_end - device_start : end - start;
  }
};
static_assert(sizeof(RingEntry) == 72);

/// Counts of the collectives of one kind and size class.
struct ClassTotals {
  std::uint64_t count = 0;
  std::uint64_t timed = 0;  ///< those of `count` whose time is known; the following are of these
  std::uint64_t bytes = 0;
  std::uint64_t nanoseconds = 0;
};

/// Returns `text` as JSON, in quotation marks.
[[nodiscard]] std::string json_text(std::string_view text);

/// A summary of NCCL's collectives: for each communicator the last ones in a ring, and counts of all of them by kind
/// and size. Thread-safe. A call holds a lock for a few assignments, or for copying one ring. The memory of a
/// communicator is fixed: 72 bytes per entry of its ring, and 13 kB.
class Summary : public Sink {
 public:
  /// Each communicator keeps its last `ring` collectives; `ring` is at least 1.
  explicit Summary(std::size_t ring) : ring_(ring) {}

  /// Takes the records of collectives, of their channels and proxy operations, and of communicators; ignores others.
  void add(std::uint32_t communicator, wire::Record record, std::string_view text) noexcept override;

  /// Properties of the process, which to_json() states first; see docs/internals/capture-format.md.
  using Properties = std::vector<std::pair<std::string, std::string>>;
  /// Returns everything as JSON. `properties` are pairs of a key and a value in JSON. Throws std::bad_alloc.
  [[nodiscard]] std::string to_json(const Properties& properties) const;

  static constexpr std::size_t kKinds = 6;
  static constexpr std::size_t kSizeClasses = 65;  ///< by the number of bits of the size: 0, 1, 2 to 3, 4 to 7, ...

 private:
  using Totals = std::array<std::array<ClassTotals, kSizeClasses>, kKinds>;
  struct OfCommunicator {
    std::string name;
    std::uint64_t id = 0;
    std::uint32_t ranks = 0;  ///< 0 = unknown, as below
    std::int64_t rank = -1;
    std::uint32_t nodes = 0;
    bool has_channels = false;  ///< false before version 3 of the interface
    bool ended = false;
    std::uint64_t collectives = 0;
    std::uint64_t others = 0;     ///< operations that are none of the kinds
    std::vector<RingEntry> ring;  ///< the k-th collective, from 0, is at k modulo its size
    Totals left{};                ///< of the collectives that have left the ring

    /// The number of collectives in the ring.
    [[nodiscard]] std::uint64_t kept() const noexcept { return std::min<std::uint64_t>(collectives, ring.size()); }
    /// The last collective if `back` is 1, the one before if it is 2, up to kept().
    [[nodiscard]] RingEntry& newest(std::uint64_t back) noexcept { return ring[(collectives - back) % ring.size()]; }
    [[nodiscard]] const RingEntry& newest(std::uint64_t back) const noexcept {
      return ring[(collectives - back) % ring.size()];
    }
  };

  void describe(const wire::Record& record, std::string_view name);
  void begin(OfCommunicator& of, const wire::Record& record, std::string_view text);
  static void end_channel(OfCommunicator& of, const wire::Record& record) noexcept;
  [[nodiscard]] std::uint32_t number_of(std::string_view text);
  static void count(Totals& totals, const RingEntry& entry) noexcept;
  static void append(std::string& json, const OfCommunicator& of, const std::vector<std::string>& texts);
  static void append_classes(std::string& json, const OfCommunicator& of);
  static void append_ring(std::string& json, const OfCommunicator& of, const std::vector<std::string>& texts);

  const std::size_t ring_;
  mutable std::mutex mutex_;  ///< guards the following
  std::map<std::uint32_t, OfCommunicator> communicators_;
  std::vector<std::string> texts_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;  ///< of texts
  std::uint64_t lost_ = 0;                                     ///< channels that were lost for lack of room
};

}  // namespace stepsim::capture::nccl

#endif
