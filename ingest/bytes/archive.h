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

/// libarchive's reader on a source of bytes. What goes wrong in the source is thrown, and what is wrong with the bytes
/// is noted.
class ArchiveReader {
 public:
  /// Makes a reader of what the functions `support`, such as archive_read_support_format_tar, turn on. `bytes` must
  /// outlive it.
  ArchiveReader(ByteSource& bytes, std::initializer_list<int (*)(::archive*)> support);

  [[nodiscard]] ::archive* get() const noexcept { return reader_.get(); }
  /// Notes what a call of the library came back with; false if it cannot go on. Throws what the source threw.
  [[nodiscard]] bool goes_on(std::ptrdiff_t result);
  /// What is wrong with the bytes, in words; empty if nothing was seen to be.
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

/// True if bytes that begin so are a tar or zip archive (POSIX.1-1988 ustar and its successors;
/// PKWARE's APPNOTE 4.3).
[[nodiscard]] bool is_archive(std::string_view head) noexcept;

/// The members of a tar or zip archive, one after the other, as they pass by. Nothing is unpacked
/// to disk, and no member's name ever becomes a path: "../x" is only a text.
class Archive {
 public:
  /// `input` must outlive the archive.
  explicit Archive(Input& input);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  struct Member {
    std::string name;         ///< as the archive has it, without "./"
    std::string_view whynot;  ///< why it cannot be read: "a link"; empty if it can
  };

  /// Goes to the next member that is no folder; nothing at the end, and where the archive is
  /// damaged. Throws InputError for more than a million members.
  [[nodiscard]] std::optional<Member> next();
  /// The bytes of the member that next() went to, valid until its next call; `name` for messages.
  /// Reading throws InputError once it gives more than a trace can hold: over 1 GiB, and over 250
  /// times what was taken of the archive until then.
  [[nodiscard]] std::unique_ptr<ByteSource> open(std::string name);

  /// What is wrong with the archive, in words; empty if nothing was seen to be.
  [[nodiscard]] const std::string& damage() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepsim::ingest

#endif
