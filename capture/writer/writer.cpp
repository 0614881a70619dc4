#include "capture/writer/writer.h"

#include <fcntl.h>
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

std::uint64_t now() noexcept {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count());
}

}  // namespace

Writer::Lease::~Lease() { writer_->give_back_producer(number_); }

Writer::Writer(int file, std::size_t buffer_bytes) : file_(file), owner_(::getpid()), buffers_(buffer_bytes) {
  for (std::uint32_t i = 0; i < kProducers; ++i)
    producers_[i] = std::make_unique<Producer>(buffers_, lost_, static_cast<std::uint16_t>(i));
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

std::unique_ptr<Writer> Writer::create(const char* path, std::size_t buffer_bytes) noexcept {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return nullptr;
  try {
    return std::unique_ptr<Writer>(new Writer(file, buffer_bytes));
  } catch (...) {
    ::close(file);
    ::unlink(path);
    errno = ENOMEM;
    return nullptr;
  }
}

Writer::~Writer() {
  if (::getpid() != owner_) {
    thread_.detach();
    return;
  }
  if (thread_.joinable()) close();
  if (thread_.joinable()) thread_.join();
  ::close(file_);
}

/// Takes the first free producer, so that threads that record one after the other share one table of texts.
std::optional<std::uint32_t> Writer::take_producer() noexcept {
  if (::getpid() != owner_) return std::nullopt;
  for (std::uint32_t i = 0; i < kProducers; ++i) {
    if (!busy_[i].load(std::memory_order_relaxed) && !busy_[i].exchange(true, std::memory_order_acquire)) return i;
  }
  lost_.fetch_add(1, std::memory_order_relaxed);
  return std::nullopt;
}

void Writer::flush() noexcept {
  if (::getpid() != owner_) return;
  for (std::uint32_t i = 0; i < kProducers; ++i) {
    if (busy_[i].exchange(true, std::memory_order_acquire)) continue;
    producers_[i]->submit();
    give_back_producer(i);
  }
}

void Writer::run() noexcept {
  for (bool stopping = false; !stopping;) {
    const std::uint32_t seen = buffers_.changes();
    stopping = stop_.load(std::memory_order_acquire);
    write_full_buffers();
    const bool news = lost() != written_lost_ || lost_before_.load(std::memory_order_relaxed) != written_lost_before_;
    if (stopping || news) write_status(stopping);
    if (!stopping) buffers_.wait(seen);
  }
  done_.store(true, std::memory_order_release);
}

void Writer::write_full_buffers() noexcept {
  for (const std::uint32_t buffer : buffers_.take_full()) {
    const auto block = buffers_.finish(buffer, next_block_);
    if (append(block.data(), block.size())) {
      ++next_block_;
    } else {
      lost_.fetch_add((block.size() - wire::kHeaderBytes) / wire::kRecordBytes, std::memory_order_relaxed);
    }
    buffers_.give_back(buffer);
  }
}

void Writer::write_status(bool closed) noexcept {
  written_lost_ = lost();
  written_lost_before_ = lost_before_.load(std::memory_order_relaxed);
  const wire::Record record{
      .kind = wire::Kind::kStatus,
      .detail = static_cast<std::uint8_t>(closed ? wire::Status::kClosed : wire::Status::kRecording),
      .start = now(),
      .a = written_lost_before_,
      .b = written_lost_};
  std::array<std::byte, wire::kHeaderBytes + 2 * wire::kRecordBytes> memory;
  const auto block = std::span(memory).first(wire::kHeaderBytes + wire::slots_of(record) * wire::kRecordBytes);
  wire::write(record, block.data() + wire::kHeaderBytes);
  wire::BlockHeader header{.producer = kOwnProducer,
                           .bytes = static_cast<std::uint32_t>(block.size() - wire::kHeaderBytes),
                           .number = next_block_};
  header.checksum = wire::block_checksum(header, block.subspan(wire::kHeaderBytes));
  std::memcpy(block.data(), &header, sizeof header);
  if (append(block.data(), block.size())) ++next_block_;
}

bool Writer::append(const std::byte* bytes, std::size_t count) noexcept {
  while (!failed_ && count > 0) {
    const ::ssize_t written = ::write(file_, bytes, count);
    if (written > 0) {
      bytes += written;
      count -= static_cast<std::size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      failed_ = true;
    }
  }
  return !failed_;
}

void Writer::close() noexcept {
  constexpr std::chrono::seconds kLongest{30};
  constexpr std::chrono::milliseconds kPause{1};
  if (::getpid() != owner_ || !thread_.joinable()) return;
  flush();
  stop_.store(true, std::memory_order_release);
  buffers_.wake();
  const auto give_up = std::chrono::steady_clock::now() + kLongest;
  while (!done_.load(std::memory_order_acquire) && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(kPause);
  if (done_.load(std::memory_order_acquire)) thread_.join();
}

}  // namespace stepsim::capture
