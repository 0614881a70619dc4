#include "ingest/bytes/archive_reader.h"

#include <archive.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

namespace stepsim::ingest {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;

}  // namespace

void ArchiveReader::Free::operator()(::archive* reader) const noexcept { ::archive_read_free(reader); }

ArchiveReader::ArchiveReader(ByteSource& bytes, std::initializer_list<int (*)(::archive*)> support)
    : bytes_(bytes), piece_(kPiece), reader_(::archive_read_new()) {
  if (reader_ == nullptr) throw std::bad_alloc();
  const bool supported =
      std::all_of(support.begin(), support.end(), [this](auto* turn_on) { return goes_on(turn_on(get())); });
  // archive_read_open() would do the last three, but go on without the memory for the second and crash.
  const bool opened = supported && goes_on(::archive_read_set_read_callback(get(), &ArchiveReader::read_more)) &&
                      goes_on(::archive_read_set_callback_data(get(), this)) && goes_on(::archive_read_open1(get()));
  // What the library finds wrong it says, but for the memory that it did not get here.
  if (!opened && ::archive_error_string(get()) == nullptr) throw std::bad_alloc();
}

/// An exception must not pass through the library's C.
std::ptrdiff_t ArchiveReader::read_more(::archive* reader, void* data, const void** buffer) noexcept {
  ArchiveReader& self = *static_cast<ArchiveReader*>(data);
  try {
    *buffer = self.piece_.data();
    return static_cast<std::ptrdiff_t>(self.bytes_.read(self.piece_));
  } catch (...) {
    self.error_ = std::current_exception();
    ::archive_set_error(reader, EIO, "the source cannot be read");
    return ARCHIVE_FATAL;
  }
}

bool ArchiveReader::goes_on(std::ptrdiff_t result) {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  if (result >= 0 || result == ARCHIVE_WARN) return true;
  if (::archive_errno(get()) == ENOMEM) throw std::bad_alloc();
  const char* const text = ::archive_error_string(get());
  damage_ = text == nullptr ? "damaged" : text;
  return false;
}

}  // namespace stepsim::ingest
