#ifndef STEPSIM_INGEST_BYTES_ARCHIVE_H
#define STEPSIM_INGEST_BYTES_ARCHIVE_H

#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/bytes/input.h"

struct archive;
namespace stepsim::ingest {

/// Runs a libarchive reader on a ByteSource. Errors of the source are rethrown; errors in the archive's bytes end up in
/// damage().
class ArchiveReader {
 public:
  /// `support` lists libarchive functions that enable formats and filters, such as archive_read_support_format_tar.
  /// `bytes` must outlive the reader.
  ArchiveReader(ByteSource& bytes, std::initializer_list<int (*)(::archive*)> support);

  [[nodiscard]] ::archive* get() const noexcept { return reader_.get(); }
  /// Checks the result of a libarchive call. Returns false, and sets damage(), if reading cannot continue. Rethrows an
  /// exception of the source; throws bad_alloc if memory ran out.
  [[nodiscard]] bool goes_on(std::ptrdiff_t result);
  /// Describes the damage found so far; empty if there is none.
  [[nodiscard]] const std::string& damage() const noexcept { return damage_; }

 private:
  struct Free {
    void operator()(::archive* reader) const noexcept;
  };
  static std::ptrdiff_t read_more(::archive* reader, void* data, const void** buffer) noexcept;

  ByteSource& bytes_;
  std::vector<char> piece_;
  std::unique_ptr<::archive, Free> reader_;
  std::exception_ptr error_;
  std::string damage_;
};

/// True if `head` is the beginning of a tar or zip archive (POSIX.1-1988 ustar and its successors; PKWARE APPNOTE 4.3).
[[nodiscard]] bool is_archive(std::string_view head) noexcept;

/// Reads the members of a tar or zip archive in sequence. Nothing is unpacked to disk, and a member's name is never
/// used as a path on disk, so "../x" is harmless.
class Archive {
 public:
  /// `input` must outlive the archive.
  explicit Archive(Input& input);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  struct Member {
    std::string name;                    ///< its path in the archive, without a leading "./"
    std::string_view unreadable_reason;  ///< why it cannot be read, for example "a link"; empty if it can
  };

  /// Moves to the next member that is not a folder. Returns nullopt at the end of the archive and where it is damaged.
  /// Throws InputError if there are more than a million members.
  [[nodiscard]] std::optional<Member> next();
  /// Opens the member that next() returned last; valid until next() is called again. `name` is used in messages. To
  /// stop decompression bombs, reading throws InputError once the decompressed member exceeds both 1 GiB and 250 times
  /// the archive bytes read so far.
  [[nodiscard]] std::unique_ptr<ByteSource> open(std::string name);

  /// Describes the damage found so far; empty if there is none.
  [[nodiscard]] const std::string& damage() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepsim::ingest

#endif
