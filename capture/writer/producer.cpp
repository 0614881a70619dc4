#include "capture/writer/producer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace stepsim::capture {

std::size_t Producer::LaunchHash::operator()(const Launch& launch) const noexcept {
  const std::array<std::uint64_t, 3> words{
      launch.blocks, static_cast<std::uint64_t>(launch.threads) << 32U | launch.registers, launch.shared_memory};
  return hash_of({reinterpret_cast<const char*>(words.data()), sizeof words});
}

std::byte* Producer::room(std::size_t records) noexcept {
  const std::size_t bytes = records * wire::kRecordBytes;
  if (buffer_ && used_ + bytes > Buffers::kBlockBytes) submit();
  if (!buffer_) {
    buffer_ = buffers_.take();
    used_ = 0;
  }
  if (!buffer_) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  std::byte* const at = buffers_.records_of(*buffer_) + used_;
  used_ += bytes;
  return at;
}

void Producer::use_for(std::uint32_t file) noexcept {
  if (std::exchange(file_, file) == file) return;
  texts_.clear();
  launches_.clear();
  used_ = 0;
}

void Producer::add(const wire::Record& record) noexcept {
  if (std::byte* const at = room(wire::slots_of(record))) wire::write(record, at);
}

bool Producer::define_text(std::uint32_t number, std::string_view text) noexcept {
  const wire::Record record{.kind = wire::Kind::kText, .which = number, .a = text.size()};
  const std::size_t padded = wire::records_of_text(text.size()) * wire::kRecordBytes;
  std::byte* const at = room(1 + wire::records_of_text(text.size()));
  if (at == nullptr) return false;
  wire::write(record, at);
  std::memcpy(at + wire::kRecordBytes, text.data(), text.size());
  std::memset(at + wire::kRecordBytes + text.size(), 0, padded - text.size());
  return true;
}

std::uint32_t Producer::known_text(std::string_view key) const noexcept {
  const auto known = texts_.find(key);
  return known == texts_.end() ? 0 : known->second;
}

std::uint32_t Producer::text(std::string_view key, std::string_view text) noexcept try {
  if (const std::uint32_t known = known_text(key); known != 0) return known;
  if (texts_.size() >= kMostTexts) return 0;
  const auto number = static_cast<std::uint32_t>(texts_.size() + 1);
  const auto added = texts_.emplace(key, number).first;
  if (define_text(number, text.substr(0, wire::kLongestText))) return number;
  texts_.erase(added);
  return 0;
} catch (...) {
  return 0;
}

std::uint32_t Producer::launch(const Launch& launch) noexcept try {
  const auto known = launches_.find(launch);
  if (known != launches_.end()) return known->second;
  if (launches_.size() >= kMostLaunches) return 0;
  const auto number = static_cast<std::uint32_t>(launches_.size() + 1);
  launches_.emplace(launch, number);
  std::byte* const at = room(1);
  if (at == nullptr) {
    launches_.erase(launch);
    return 0;
  }
  const wire::Record record{
      .kind = wire::Kind::kLaunch,
      .which = number,
      .start = launch.blocks,
      .duration = launch.threads,
      .correlation = launch.registers,
      .stream = static_cast<std::uint32_t>(std::min<std::uint64_t>(launch.shared_memory, 1U << 30U))};
  wire::write(record, at);
  return number;
} catch (...) {
  return 0;
}

void Producer::submit() noexcept {
  if (!buffer_) return;
  if (used_ > 0) {
    buffers_.submit(*buffer_, static_cast<std::uint32_t>(used_), number_);
  } else {
    buffers_.give_back(*buffer_);
  }
  buffer_.reset();
  used_ = 0;
}

}  // namespace stepsim::capture
