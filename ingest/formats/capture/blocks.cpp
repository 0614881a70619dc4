#include "ingest/formats/capture/blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10U;

/// What a source holds from some offset on, as far as it was asked for.
class Window {
 public:
  explicit Window(ByteSource& source) : source_(source) {}

  /// The bytes from offset() on, at least `count` if the source has them.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t count) {
    if (end_ - begin_ < count) fill(count);
    return std::as_bytes(std::span(buffer_).subspan(begin_, end_ - begin_));
  }
  void skip(std::size_t count) noexcept {
    begin_ += count;
    offset_ += count;
  }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  void fill(std::size_t count) {
    if (buffer_.size() < count) buffer_.resize(count);
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    while (end_ < count) {
      const std::size_t got = source_.read(std::span(buffer_).subspan(end_));
      if (got == 0) return;
      end_ += got;
    }
  }

  ByteSource& source_;
  std::vector<char> buffer_ = std::vector<char>(kChunk);
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of begin_
};

std::optional<wire::BlockHeader> header_at(std::span<const std::byte> bytes) {
  if (bytes.size() < wire::kHeaderBytes) return std::nullopt;
  wire::BlockHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool possible = header.magic == wire::BlockHeader::kMagic && header.bytes <= wire::kLargestBlock &&
                        header.bytes % wire::kRecordBytes == 0;
  return possible ? std::optional(header) : std::nullopt;
}

/// How far it is to where the next block may begin: at least one byte.
std::size_t to_next_magic(std::span<const std::byte> bytes) {
  const auto magic = std::as_bytes(std::span(wire::BlockHeader::kMagic));
  return static_cast<std::size_t>(std::search(bytes.begin() + 1, bytes.end(), magic.begin(), magic.end()) -
                                  bytes.begin());
}

class Blocks {
 public:
  Blocks(ByteSource& source, PartSink& sink, const std::function<void(const CaptureBlock&)>& use)
      : file_(source.name()), window_(source), sink_(sink), use_(use) {}

  std::uint64_t read() {
    for (auto bytes = window_.bytes(wire::kHeaderBytes); !bytes.empty(); bytes = window_.bytes(wire::kHeaderBytes)) {
      if (!use_block(header_at(bytes))) search();
    }
    if (damaged_ && !cut_) sink_.diagnostics.count(diagnostic("damaged_block"), {file_, *damaged_, {}});
    return behind_last_;
  }

 private:
  /// False if there is no whole block here.
  bool use_block(const std::optional<wire::BlockHeader>& header) {
    const std::size_t size = header ? wire::kHeaderBytes + header->bytes : wire::kHeaderBytes;
    const auto block = window_.bytes(size);
    if (!damaged_) cut_ = block.size() < size;
    if (!header || block.size() < size || is_too_costly(size)) return false;
    const auto records = block.subspan(wire::kHeaderBytes, header->bytes);
    if (wire::block_checksum(*header, records) != header->checksum) {
      in_vain_ += size;
      return false;
    }
    if (header->version != wire::kVersion) {
      throw InputError({file_, window_.offset(), {}},
                       fmt::format("this capture is of version {} of its format; expected version {}, or a later "
                                   "stepsim",
                                   header->version, wire::kVersion));
    }
    note_gap(header->number);
    use_({*header, records, window_.offset() + wire::kHeaderBytes});
    window_.skip(size);
    behind_last_ = window_.offset();
    return true;
  }

  /// A file may be made of headers that each name a large block, inside each other: then most are not tried.
  [[nodiscard]] bool is_too_costly(std::size_t size) const noexcept {
    constexpr std::uint64_t kFree = std::uint64_t{64} << 20U;
    constexpr std::uint64_t kTimes = 8;
    return in_vain_ + size > kFree + kTimes * window_.offset();
  }

  /// Goes on to where the next block may begin.
  void search() {
    const auto bytes = window_.bytes(kChunk);
    if (!damaged_) damaged_ = window_.offset();
    window_.skip(to_next_magic(bytes));
  }

  void note_gap(std::uint64_t number) {
    if (damaged_) sink_.diagnostics.count(diagnostic("damaged_block"), {file_, *damaged_, {}});
    const std::uint64_t missing = number > next_number_ ? number - next_number_ : 0;
    const std::uint64_t counted = damaged_ ? 1 : 0;
    if (missing > counted)
      sink_.diagnostics.count(diagnostic("missing_block"), {file_, window_.offset(), {}}, {}, missing - counted);
    next_number_ = number < std::numeric_limits<std::uint64_t>::max() ? number + 1 : number;
    damaged_.reset();
  }

  std::string file_;
  Window window_;
  PartSink& sink_;
  const std::function<void(const CaptureBlock&)>& use_;
  std::uint64_t next_number_ = 0;
  std::uint64_t behind_last_ = 0;
  std::optional<std::uint64_t> damaged_;  // where what is no block begins
  bool cut_ = false;                      // it is what was there of a block when the file ended
  std::uint64_t in_vain_ = 0;             // bytes of blocks whose checksum was wrong
};

}  // namespace

std::uint64_t for_each_capture_block(ByteSource& source, PartSink& sink,
                                     const std::function<void(const CaptureBlock&)>& use) {
  return Blocks(source, sink, use).read();
}

}  // namespace stepsim::ingest
