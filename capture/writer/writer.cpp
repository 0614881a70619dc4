#include "capture/writer/writer.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "capture/writer/signals_blocked.h"
#include "model/wire/block.h"

namespace stepsim::capture {
namespace {

constexpr std::size_t kLargestStatus = wire::kHeaderBytes + 2 * wire::kRecordBytes;

}  // namespace

Writer::Lease::~Lease() { writer_->give_back_producer(number_); }

Writer::Writer(std::size_t buffer_bytes) : buffers_(buffer_bytes) {
  for (std::uint32_t i = 0; i < kProducers; ++i)
    producers_[i] = std::make_unique<Producer>(buffers_, lost_, static_cast<std::uint16_t>(i));
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

std::unique_ptr<Writer> Writer::create(std::size_t buffer_bytes) noexcept try {
  return std::unique_ptr<Writer>(new Writer(buffer_bytes));
} catch (...) {
  errno = ENOMEM;
  return nullptr;
}

std::unique_ptr<Writer> Writer::create(const std::string& path, std::size_t buffer_bytes) noexcept {
  std::unique_ptr<Writer> writer = create(buffer_bytes);
  if (writer == nullptr || writer->open(path)) return writer;
  const int problem = errno;
  writer.reset();
  errno = problem;
  return nullptr;
}

bool Writer::open(const std::string& path) noexcept {
  std::optional<CaptureFile> file = CaptureFile::create(path);
  if (!file) return false;
  const std::lock_guard lock(writing_);
  file_.emplace(std::move(*file));
  failed_ = false;
  next_block_ = written_lost_ = written_lost_before_ = 0;
  for (std::atomic<std::uint64_t>* const count : {&lost_, &lost_before_, &written_}) count->store(0);
  std::array<std::byte, kLargestStatus> memory;
  static_cast<void>(append(status_block(wire::Status::kRecording, 0, 0, memory)));  // replaced when a write fails
  files_.fetch_add(1, std::memory_order_relaxed);
  open_.store(true, std::memory_order_release);
  return true;
}

void Writer::end_file() noexcept {
  constexpr std::chrono::seconds kLongest{1};
  constexpr std::chrono::milliseconds kPause{1};
  if (!owner_.is_surely_here() || !open_.exchange(false)) return;
  const auto give_up = std::chrono::steady_clock::now() + kLongest;
  for (std::uint32_t i = 0; i < kProducers; ++i) {
    bool mine = false;
    while (!(mine = !busy_[i].exchange(true, std::memory_order_acquire)) && std::chrono::steady_clock::now() < give_up)
      std::this_thread::sleep_for(kPause);
    if (!mine) continue;
    producers_[i]->submit();
    give_back_producer(i);
  }
  const std::lock_guard lock(writing_);
  write_full_buffers();
  write_status(wire::Status::kClosed);
  file_.reset();
}

Writer::~Writer() {
  if (!owner_.is_surely_here()) {
    thread_.detach();
    return;
  }
  if (thread_.joinable()) close();
  if (thread_.joinable()) thread_.join();
}

/// Takes the first free producer, so that threads that record one after the other share one table of texts.
std::optional<std::uint32_t> Writer::take_producer() noexcept {
  if (!owner_.is_here() || !open_.load(std::memory_order_relaxed)) return std::nullopt;
  for (std::uint32_t i = 0; i < kProducers; ++i) {
    if (busy_[i].load(std::memory_order_relaxed) || busy_[i].exchange(true, std::memory_order_acquire)) continue;
    if (open_.load(std::memory_order_acquire)) {
      producers_[i]->use_for(files_.load(std::memory_order_relaxed));
      return i;
    }
    give_back_producer(i);
    return std::nullopt;
  }
  lost_.fetch_add(1, std::memory_order_relaxed);
  return std::nullopt;
}

void Writer::flush() noexcept {
  if (!owner_.is_here()) return;
  for (std::uint32_t i = 0; i < kProducers; ++i) {
    if (busy_[i].exchange(true, std::memory_order_acquire)) continue;
    producers_[i]->submit();
    give_back_producer(i);
  }
}

void Writer::report(wire::Status status, std::string_view sentence, std::uint64_t when) noexcept {
  with_producer([&](Producer& producer) {
    producer.add({.kind = wire::Kind::kStatus,
                  .detail = static_cast<std::uint8_t>(status),
                  .which = producer.text(sentence),
                  .start = when});
  });
  flush();
}

void Writer::run() noexcept {
  for (bool stopping = false; !stopping;) {
    const std::uint32_t seen = buffers_.changes();
    stopping = stop_.load(std::memory_order_acquire);
    {
      const std::lock_guard lock(writing_);
      write_full_buffers();
      const bool news = lost() != written_lost_ || lost_before_.load(std::memory_order_relaxed) != written_lost_before_;
      if (stopping || news) write_status(stopping ? wire::Status::kClosed : wire::Status::kRecording);
    }
    if (!stopping) buffers_.wait(seen);
  }
  done_.store(true, std::memory_order_release);
}

void Writer::write_full_buffers() noexcept {
  for (const std::uint32_t buffer : buffers_.take_full()) {
    const auto block = buffers_.finish(buffer, next_block_);
    if (!append(block))
      lost_.fetch_add((block.size() - wire::kHeaderBytes) / wire::kRecordBytes, std::memory_order_relaxed);
    buffers_.give_back(buffer);
  }
}

std::span<const std::byte> Writer::status_block(wire::Status status, std::uint64_t number, int problem,
                                                std::span<std::byte> memory) const noexcept {
  const wire::Record record{.kind = wire::Kind::kStatus,
                            .detail = static_cast<std::uint8_t>(status),
                            .start = system_now(),
                            .duration = static_cast<std::uint64_t>(problem),
                            .a = written_lost_before_,
                            .b = written_lost_};
  const auto block = memory.first(wire::kHeaderBytes + wire::slots_of(record) * wire::kRecordBytes);
  wire::write(record, block.data() + wire::kHeaderBytes);
  wire::BlockHeader header{.producer = kOwnProducer,
                           .bytes = static_cast<std::uint32_t>(block.size() - wire::kHeaderBytes),
                           .number = number};
  header.checksum = wire::block_checksum(header, block.subspan(wire::kHeaderBytes));
  std::memcpy(block.data(), &header, sizeof header);
  return block;
}

void Writer::write_status(wire::Status status) noexcept {
  written_lost_ = lost();
  written_lost_before_ = lost_before_.load(std::memory_order_relaxed);
  std::array<std::byte, kLargestStatus> memory;
  static_cast<void>(append(status_block(status, next_block_, 0, memory)));
}

bool Writer::append(std::span<const std::byte> block) noexcept {
  if (!file_ || failed_) return false;
  const int problem = file_->append(block);
  if (problem == 0) {
    ++next_block_;
    written_.fetch_add(block.size(), std::memory_order_relaxed);
    return true;
  }
  failed_ = true;
  written_lost_ = written_lost_before_ = 0;  // as in the first block, so that this one has its size
  std::array<std::byte, kLargestStatus> memory;
  static_cast<void>(file_->overwrite_beginning(status_block(wire::Status::kNotWritten, 0, problem, memory)));
  return false;
}

void Writer::close() noexcept {
  constexpr std::chrono::seconds kLongest{10};
  constexpr std::chrono::milliseconds kPause{1};
  if (!owner_.is_surely_here() || !thread_.joinable()) return;
  flush();
  stop_.store(true, std::memory_order_release);
  buffers_.wake();
  const auto give_up = std::chrono::steady_clock::now() + kLongest;
  while (!done_.load(std::memory_order_acquire) && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(kPause);
  if (done_.load(std::memory_order_acquire)) thread_.join();
}

}  // namespace stepsim::capture
