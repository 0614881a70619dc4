#include "ingest/bytes/input.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ingest/bytes/file_source.h"
#include "ingest/bytes/gzip_source.h"
#include "ingest/bytes/memory_source.h"
#include "ingest/bytes/zstd_source.h"

namespace stepsim::ingest {

namespace {

/// RFC 1952: every gzip member begins with these two bytes; no text does.
bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

}  // namespace

Input Input::open(const std::string& path, Watch watch) {
  Input input(open_file(path), std::move(watch));
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return input;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown) input.file_size_ = size;
  if (!input.inflated_) input.plain_file_ = path;
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
  inflated_ = gzip || is_zstd(stream_->head());
  if (inflated_) {
    stream_ = std::make_unique<PeekedSource>(gzip ? inflate(std::move(stream_)) : inflate_zstd(std::move(stream_)));
  }
}

std::optional<double> Input::share_taken() const noexcept {
  if (file_size_ == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(taken()) / static_cast<double>(file_size_));
}

}  // namespace stepsim::ingest
