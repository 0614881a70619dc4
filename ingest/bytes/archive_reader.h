#ifndef STEPSIM_INGEST_BYTES_ARCHIVE_READER_H
#define STEPSIM_INGEST_BYTES_ARCHIVE_READER_H

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "ingest/bytes/byte_source.h"

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

}  // namespace stepsim::ingest

#endif
