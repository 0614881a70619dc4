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

/// The records of a piece of a Chrome trace's list of events, and what their views point into.
struct RecordPiece {
  std::uint64_t begin = 0;  ///< offset of its text
  std::uint64_t end = 0;
  std::vector<ChromeEvent> events;  ///< with their offsets
  std::vector<ChromeArgument> arguments;
  std::deque<std::string> unescaped;
};

/// Reads a Chrome trace ahead of its reader, cuts it behind commas where records seem to begin, and scans the pieces on
/// other threads. A guess: a piece is of use if the reader comes to its beginning between two records. Then its records
/// are those that the reader would have found, because a piece with anything else in it is not handed out. Memory is a
/// few pieces, whatever the size of the trace.
class RecordsAhead final : public ByteSource {
 public:
  /// Reads and scans on `threads` threads, the caller's included. `source` must outlive this.
  RecordsAhead(ByteSource& source, int threads, std::size_t piece_bytes);
  ~RecordsAhead() override;
  RecordsAhead(const RecordsAhead&) = delete;
  RecordsAhead& operator=(const RecordsAhead&) = delete;

  /// The text that was neither read nor taken, but not beyond the end of a piece. Throws what the source throws.
  [[nodiscard]] std::size_t read(std::span<char> out) override;
  /// Precondition: read() has returned 0.
  [[nodiscard]] bool truncated() const noexcept override;

  /// Takes the piece that begins at `offset`, if read() comes to it next and it holds whole records with one comma
  /// behind each, and no more; else null. It is valid until the next call of this or read(). Throws as read() does.
  [[nodiscard]] RecordPiece* take(std::uint64_t offset);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepsim::ingest

#endif
