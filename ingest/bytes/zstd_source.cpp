#include "ingest/bytes/zstd_source.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ingest/bytes/archive_reader.h"
#include "model/base/error.h"

namespace stepsim::ingest {
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
  /// The frames are the only member of an archive without a form of its own.
  void open() {
    reader_.emplace(*compressed_, std::initializer_list<int (*)(::archive*)>{&::archive_read_support_filter_zstd,
                                                                             &::archive_read_support_format_raw});
    archive_entry* entry = nullptr;
    const bool opened = reader_->damage().empty();
    if (!opened || !reader_->goes_on(::archive_read_next_header(reader_->get(), &entry))) refuse();
  }

  [[noreturn]] void refuse() {
    throw InputError({name(), 0, {}}, fmt::format("the zstd data is damaged ({}); expected whole frames: copy it again",
                                                  reader_->damage()));
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
