#ifndef STEPSIM_CAPTURE_WRITER_WRITER_H
#define STEPSIM_CAPTURE_WRITER_WRITER_H

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "capture/writer/buffers.h"
#include "capture/writer/producer.h"

namespace stepsim::capture {

/// Writes a capture file (model/wire/, docs/capture-format.md) while the program that it is about runs. Any thread may
/// record; one thread of the writer's own, which takes no signals, makes blocks of full buffers and appends them.
/// Memory is what it was given at the start. Nothing here waits for the disk or another thread, except close(), and
/// nothing throws: what there is no room for, or what cannot be written, is lost and counted, and the count is written.
/// After a fork() the child's calls do nothing: the file is its parent's.
class Writer {
 public:
  /// Makes a new file. Null, with errno, if that cannot be done.
  [[nodiscard]] static std::unique_ptr<Writer> create(const char* path, std::size_t buffer_bytes) noexcept;
  /// Waits until all is written, however long.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// A producer in the hands of one thread.
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
  /// Nothing in a child of the process that made the writer, and if kProducers threads record at once.
  [[nodiscard]] std::optional<std::uint32_t> take_producer() noexcept;
  [[nodiscard]] Producer& producer(std::uint32_t number) noexcept { return *producers_[number]; }
  void give_back_producer(std::uint32_t number) noexcept { busy_[number].store(false, std::memory_order_release); }

  /// Calls `record` with a producer. False, and one record counts as lost, if there is none.
  template <class Record>
  bool with_producer(Record record) noexcept {
    const std::optional<std::uint32_t> number = take_producer();
    if (!number) return false;
    const Lease lease(this, *number);
    record(*lease);
    return true;
  }

  /// Hands over all that was recorded to be written, except what other threads are recording just now. What is not
  /// handed over is written when its buffer is full, or at close().
  void flush() noexcept;

  /// Records that were lost before they reached the writer, to be told with its own.
  void add_lost_before(std::uint64_t records) noexcept { lost_before_.fetch_add(records, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  /// Writes what is left, and that the capture is whole, and waits for that, 30 seconds at most: a disk that hangs must
  /// not keep the program from ending. One thread may call it, and what is recorded afterwards is not written.
  void close() noexcept;

  static constexpr std::uint32_t kProducers = 128;

 private:
  /// Of blocks that say how the capture stands.
  static constexpr std::uint16_t kOwnProducer = 0xFFFF;

  Writer(int file, std::size_t buffer_bytes);
  void run() noexcept;
  void write_full_buffers() noexcept;
  void write_status(bool closed) noexcept;
  [[nodiscard]] bool append(const std::byte* bytes, std::size_t count) noexcept;

  int file_;
  ::pid_t owner_;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> lost_before_{0};
  Buffers buffers_;
  std::array<std::unique_ptr<Producer>, kProducers> producers_;
  std::array<std::atomic<bool>, kProducers> busy_{};  ///< by producer: some thread has it
  std::atomic<bool> stop_{false};
  std::atomic<bool> done_{false};
  std::uint64_t next_block_ = 0;  ///< of the writing thread, as are the next three
  std::uint64_t told_lost_ = 0;
  std::uint64_t told_lost_before_ = 0;
  bool failed_ = false;
  std::thread thread_;
};

}  // namespace stepsim::capture

#endif
