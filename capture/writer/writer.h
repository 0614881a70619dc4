#ifndef STEPSIM_CAPTURE_WRITER_WRITER_H
#define STEPSIM_CAPTURE_WRITER_WRITER_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "capture/writer/buffers.h"
#include "capture/writer/capture_file.h"
#include "capture/writer/process.h"
#include "capture/writer/producer.h"

namespace stepsim::capture {

/// Writes capture files (model/wire/, docs/internals/capture-format.md), one after the other, while the recorded
/// program runs. Records that are made while no file is open are dropped. Any thread may record. A separate thread,
/// which handles no signals, turns full buffers into blocks and appends them to the file. All buffers are allocated at
/// the start. Except for open(), end_file(), close() and the destructor, no function waits for the disk or another
/// thread, and none throws. Records that do not fit or cannot be written are lost; their number is written to the file.
/// After a failed write nothing more is written; the first block of the file then says why. In a child of fork() all
/// calls do nothing, because the file belongs to the parent.
class Writer {
 public:
  /// Creates a writer without a file. `buffer_bytes` is the size of all buffers together. Returns null and sets errno
  /// on failure.
  [[nodiscard]] static std::unique_ptr<Writer> create(std::size_t buffer_bytes) noexcept;
  /// The same with a new file.
  [[nodiscard]] static std::unique_ptr<Writer> create(const std::string& path, std::size_t buffer_bytes) noexcept;
  /// Waits until everything is written, without a time limit.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Gives one thread exclusive use of a producer until destruction.
  class Lease {
   public:
    Lease(Writer* writer, std::uint32_t number) noexcept : writer_(writer), number_(number) {}
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] Producer* operator->() const noexcept { return &writer_->producer(number_); }
    [[nodiscard]] Producer& operator*() const noexcept { return writer_->producer(number_); }

   private:
    Writer* writer_;
    std::uint32_t number_;
  };
  /// Creates a new file for the records from now on. Returns false and sets errno on failure. Precondition: no file is
  /// open. One thread may call this and end_file().
  [[nodiscard]] bool open(const std::string& path) noexcept;
  /// Writes the remaining records, marks the file as complete and closes it. Waits without a time limit for the disk,
  /// and up to 1 s for threads that are recording; what they record then is lost.
  void end_file() noexcept;

  /// Reserves a free producer for the caller and returns its number. Returns nullopt in a child of the process that
  /// created the writer, and if no file is open. Also returns nullopt, and counts a lost record, if kProducers threads
  /// are recording at the same time.
  [[nodiscard]] std::optional<std::uint32_t> take_producer() noexcept;
  [[nodiscard]] Producer& producer(std::uint32_t number) noexcept { return *producers_[number]; }
  void give_back_producer(std::uint32_t number) noexcept { busy_[number].store(false, std::memory_order_release); }

  /// Calls `record` with a producer. Returns false if take_producer() finds none.
  template <class Record>
  bool with_producer(Record record) noexcept {
    const std::optional<std::uint32_t> number = take_producer();
    if (!number) return false;
    const Lease lease(this, *number);
    record(*lease);
    return true;
  }

  /// Passes all records to the writing thread, except those of producers that other threads are using at this moment.
  /// The records of these producers are written when their buffer is full, or at close().
  void flush() noexcept;

  /// Adds to the number of records that were lost before they reached the writer. This number is also written to the
  /// file.
  void add_lost_before(std::uint64_t records) noexcept { lost_before_.fetch_add(records, std::memory_order_relaxed); }
  /// Writes a status and a sentence for the user to the file. `when` is the time in nanoseconds on the file's clock.
  void report(wire::Status status, std::string_view sentence, std::uint64_t when) noexcept;
  /// Returns the size of the file in bytes.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  /// Writes the remaining records and marks the capture as complete. Waits at most 10 seconds, because a hanging disk
  /// must not keep the program from ending. Only one thread may call it. Later records are not written.
  void close() noexcept;

  static constexpr std::uint32_t kProducers = 128;

 private:
  /// Producer number of the blocks that contain the capture's status.
  static constexpr std::uint16_t kOwnProducer = 0xFFFF;

  explicit Writer(std::size_t buffer_bytes);
  void run() noexcept;
  void write_full_buffers() noexcept;
  /// Makes a block with the capture's status in `memory`. `problem` is the value of errno of a failed write.
  [[nodiscard]] std::span<const std::byte> status_block(wire::Status status, std::uint64_t number, int problem,
                                                        std::span<std::byte> memory) const noexcept;
  void write_status(wire::Status status) noexcept;
  [[nodiscard]] bool append(std::span<const std::byte> block) noexcept;

  Owner owner_;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> lost_before_{0};
  std::atomic<std::uint64_t> written_{0};
  Buffers buffers_;
  std::array<std::unique_ptr<Producer>, kProducers> producers_;
  std::array<std::atomic<bool>, kProducers> busy_{};  ///< per producer: true while a thread uses it
  std::atomic<bool> stop_{false};
  std::atomic<bool> done_{false};
  std::atomic<bool> open_{false};
  std::atomic<std::uint32_t> files_{0};  ///< how many files were opened
  std::mutex writing_;                   ///< guards the members below, up to thread_
  std::optional<CaptureFile> file_;      ///< the open file
  std::uint64_t next_block_ = 0;
  std::uint64_t written_lost_ = 0;
  std::uint64_t written_lost_before_ = 0;
  bool failed_ = false;
  std::thread thread_;
};

}  // namespace stepsim::capture

#endif
