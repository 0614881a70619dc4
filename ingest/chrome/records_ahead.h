#ifndef STEPSIM_INGEST_CHROME_RECORDS_AHEAD_H
#define STEPSIM_INGEST_CHROME_RECORDS_AHEAD_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/chrome/chrome_events.h"

namespace stepsim::ingest {

/// The records of one piece of a Chrome trace's list of events, with the storage that their views point to.
struct RecordPiece {
  std::uint64_t begin = 0;  ///< offset of the piece's text
  std::uint64_t end = 0;
  std::vector<ChromeEvent> events;  ///< with their offsets in the file
  std::vector<ChromeArgument> arguments;
  std::deque<std::string> unescaped;
};

/// Reads a Chrome trace ahead of its reader and scans pieces of it on other threads. It cuts the text after commas
/// where records seem to begin. A cut is a guess, so a piece is used only if the reader arrives at its beginning
/// between two records, and if the piece consists of whole records. Its records are then those that the reader itself
/// would have found. Memory is a few pieces, whatever the size of the trace.
class RecordsAhead final : public ByteSource {
 public:
  /// Reads and scans on `threads` threads, including the caller's. `source` must outlive this object.
  RecordsAhead(ByteSource& source, int threads, std::size_t piece_bytes);
  ~RecordsAhead() override;
  RecordsAhead(const RecordsAhead&) = delete;
  RecordsAhead& operator=(const RecordsAhead&) = delete;

  /// Returns text that neither read() nor take() has returned yet, up to the end of a piece at most. Throws what the
  /// source throws.
  [[nodiscard]] std::size_t read(std::span<char> out) override;
  /// True if the source is truncated. Precondition: read() has returned 0.
  [[nodiscard]] bool truncated() const noexcept override;

  /// Returns the scanned records of the piece at `offset`, if read() would return that piece next and it holds only
  /// whole records, each followed by one comma; otherwise null. The result is valid until the next call of take() or
  /// read(). Throws as read() does.
  [[nodiscard]] RecordPiece* take(std::uint64_t offset);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepsim::ingest

#endif
