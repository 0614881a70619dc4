#include "ingest/bytes/byte_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "ingest/bytes/archive.h"
#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> compressed)
      : ByteSource(compressed->name()), compressed_(std::move(compressed)) {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    state_.avail_in = 0;
  }

  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size() && !ended_) done += inflate_some(out.subspan(done));
    if (truncated_) done += take_left(out.subspan(done));
    made_ += done;
    if (made_ == 0 && truncated_) {
      throw InputError({name(), taken_, {}},
                       "gzip data is damaged or truncated at its start; expected a whole .gz file");
    }
    return done;
  }
  [[nodiscard]] bool truncated() const noexcept override { return truncated_; }

 private:
  static constexpr std::size_t kInput = std::size_t{64} << 10;

  /// Decompresses into `out` with one library call and returns the number of bytes. Sets ended_ at the end of the data.
  std::size_t inflate_some(std::span<char> out) {
    refill();
    const std::size_t room = std::min<std::size_t>(out.size(), std::numeric_limits<std::uint32_t>::max());
    state_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_.avail_out = static_cast<std::uint32_t>(room);
    const bool had_input = state_.avail_in > 0;
    const int result = isal_inflate(&state_);
    const std::size_t made = room - state_.avail_out;
    const bool is_good = result == ISAL_DECOMP_OK;
    if (is_good && state_.block_state == ISAL_BLOCK_FINISH) {
      next_member();
    } else if (!is_good || (made == 0 && !had_input)) {
      stop(true);
    }
    return made;
  }

  // Returns the data that the library decompressed into its own buffer before it found the damage. This data is valid.
  std::size_t take_left(std::span<char> out) {
    const auto left = static_cast<std::size_t>(std::max(0, state_.tmp_out_valid - state_.tmp_out_processed));
    const std::size_t take = std::min(out.size(), left);
    std::copy_n(state_.tmp_out_buffer + state_.tmp_out_processed, take, out.data());
    state_.tmp_out_processed += static_cast<std::int32_t>(take);
    return take;
  }

  void refill() {
    if (state_.avail_in > 0) return;
    state_.next_in = input_.data();
    state_.avail_in =
        static_cast<std::uint32_t>(compressed_->read({reinterpret_cast<char*>(input_.data()), input_.size()}));
    taken_ += state_.avail_in;
  }

  /// Skips padding, then begins the next member or ends the stream.
  void next_member() {
    for (refill(); state_.avail_in > 0; refill()) {
      while (state_.avail_in > 0 && *state_.next_in == 0) {
        ++state_.next_in;
        --state_.avail_in;
      }
      if (state_.avail_in > 0) break;
    }
    if (state_.avail_in == 0) return stop(false);
    constexpr std::uint8_t kMagic = 0x1f;
    if (*state_.next_in != kMagic) return stop(true);
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  void stop(bool damaged) noexcept {
    ended_ = true;
    truncated_ = damaged;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::array<std::uint8_t, kInput> input_{};
  inflate_state state_{};
  std::uint64_t taken_ = 0;
  std::uint64_t made_ = 0;
  bool ended_ = false;
  bool truncated_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> inflate(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<GzipSource>(std::move(compressed));
}

namespace {

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> compressed)
      : ByteSource(compressed->name()), compressed_(std::move(compressed)) {}

  std::size_t read(std::span<char> out) override {
    if (!reader_) open();
    std::size_t done = 0;
    while (done < out.size() && !ended_) {
      const la_ssize_t got = ::archive_read_data(reader_->get(), out.data() + done, out.size() - done);
      if (!reader_->goes_on(got) || got <= 0) ended_ = true;
      if (got > 0) done += static_cast<std::size_t>(got);
    }
    given_ += done;
    if (given_ == 0 && !reader_->damage().empty()) refuse();
    return done;
  }

  [[nodiscard]] bool truncated() const noexcept override {
    return compressed_->truncated() || (reader_ && !reader_->damage().empty());
  }

 private:
  /// Opens the frames in libarchive's "raw" format, which presents the decompressed data as the only member of an
  /// archive.
  void open() {
    reader_.emplace(*compressed_, std::initializer_list<int (*)(::archive*)>{&::archive_read_support_filter_zstd,
                                                                             &::archive_read_support_format_raw});
    archive_entry* entry = nullptr;
    const bool opened = reader_->damage().empty();
    if (!opened || !reader_->goes_on(::archive_read_next_header(reader_->get(), &entry))) refuse();
  }

  [[noreturn]] void refuse() {
    throw InputError(
        {name(), 0, {}},
        fmt::format("the zstd data is damaged ({}); expected whole frames: copy the file again", reader_->damage()));
  }

  std::unique_ptr<ByteSource> compressed_;
  std::optional<ArchiveReader> reader_;
  std::uint64_t given_ = 0;
  bool ended_ = false;
};

}  // namespace

bool is_zstd(std::string_view head) noexcept { return head.starts_with("\x28\xb5\x2f\xfd"); }

std::unique_ptr<ByteSource> inflate_zstd(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<ZstdSource>(std::move(compressed));
}

}  // namespace stepsim::ingest
