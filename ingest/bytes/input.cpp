#include "ingest/bytes/input.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/bytes/columns.h"
#include "model/base/error.h"

namespace stepsim::ingest {

MeteredSource::MeteredSource(std::unique_ptr<ByteSource> bytes, Watch watch)
    : ByteSource(bytes->name()), bytes_(std::move(bytes)), watch_(std::move(watch)), seen_{name(), 0, 0} {}

std::size_t MeteredSource::read(std::span<char> out) {
  if (watch_.stop != nullptr && watch_.stop->load(std::memory_order_relaxed)) throw Interrupted();
  const std::size_t got = bytes_->read(out);
  // The checksum runs at 60 GB/s on cached bytes, so its cost is negligible compared with parsing.
  seen_.checksum = checksum(seen_.checksum, std::string_view(out.data(), got));
  seen_.size += got;
  if (watch_.progress && got > 0) watch_.progress(got);
  return got;
}

const InputFile& MeteredSource::drain() {
  constexpr std::size_t kPiece = std::size_t{256} << 10U;
  std::vector<char> piece(kPiece);
  while (read(piece) > 0) {
  }
  return seen_;
}

PeekedSource::PeekedSource(std::unique_ptr<ByteSource> bytes) : ByteSource(bytes->name()), bytes_(std::move(bytes)) {
  // Archives have many small members, so the buffer starts small and grows to the whole head only when it is full.
  constexpr std::size_t kFirst = std::size_t{4} << 10U;
  for (const std::size_t room : {kFirst, kHead}) {
    const std::size_t filled = head_.size();
    head_.resize(room);
    head_.resize(filled + bytes_->read(std::span(head_).subspan(filled)));
    if (head_.size() < room) return;
  }
}

std::size_t PeekedSource::read(std::span<char> out) {
  const std::size_t take = std::min(out.size(), head_.size() - read_);
  std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(read_), take, out.begin());
  read_ += take;
  return take == out.size() ? take : take + bytes_->read(out.subspan(take));
}

namespace {

/// Every gzip member begins with these two bytes (RFC 1952), and no text does.
bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

}  // namespace

Input Input::open(const std::string& path, Watch watch) {
  Input input(open_file(path), std::move(watch));
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return input;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown) input.file_size_ = size;
  return input;
}

Input Input::standard_input(Watch watch) { return Input(open_standard_input(), std::move(watch)); }

Input Input::from_memory(std::span<const char> bytes, std::string name, Watch watch) {
  return Input(memory_source(bytes, std::move(name)), std::move(watch));
}

Input::Input(std::unique_ptr<ByteSource> bytes, Watch watch) {
  auto metered = std::make_unique<MeteredSource>(std::move(bytes), std::move(watch));
  meter_ = metered.get();
  stream_ = std::make_unique<PeekedSource>(std::move(metered));
  const bool gzip = is_gzip(stream_->head());
  if (gzip || is_zstd(stream_->head())) {
    stream_ = std::make_unique<PeekedSource>(gzip ? inflate(std::move(stream_)) : inflate_zstd(std::move(stream_)));
  }
}

std::optional<double> Input::share_taken() const noexcept {
  if (file_size_ == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(taken()) / static_cast<double>(file_size_));
}

SmallFile read_small_file(const std::string& path, std::size_t largest) {
  Input input = Input::open(path);
  std::string text = read_text(input.stream(), largest);
  InputFile identity = text.size() > largest ? InputFile{path, 0, 0} : input.identify();
  return {std::move(text), std::move(identity)};
}

std::string read_text(ByteSource& source, std::size_t largest) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  std::string text;
  for (std::size_t got = 1; got > 0 && text.size() <= largest;) {
    const std::size_t size = text.size();
    text.resize(size + std::min(kPiece, largest + 1 - size));
    got = source.read({text.data() + size, text.size() - size});
    text.resize(size + got);
  }
  return text;
}

}  // namespace stepsim::ingest
