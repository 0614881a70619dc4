#ifndef STEPSIM_INGEST_CHROME_TRACE_COPY_H
#define STEPSIM_INGEST_CHROME_TRACE_COPY_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/chrome/chrome_events.h"

namespace stepsim::ingest {

/// A record in the text of a trace.
struct RecordSpan {
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
  bool odd = false;  ///< not strict JSON

  RecordSpan() = default;
  explicit RecordSpan(const ChromeEvent& event)
      : begin(event.offset), size(static_cast<std::uint32_t>(event.record.size())), odd(event.odd) {}
};

/// The text of a trace with some of its records: strict JSON, whatever the trace is. These records and the text around
/// the list of events are copied byte for byte where they are strict JSON, each record on a line of its own. What
/// ChromeEventReader could not read is not in it. Memory is a piece of text and the longest odd record.
class TraceCopy final : public ByteSource {
 public:
  /// `source` is at the beginning of a trace that a reader has read to its end before, `frame` is what that reader
  /// said. `records` ascend. All must outlive this.
  TraceCopy(ByteSource& source, const ChromeFrame& frame, const std::vector<RecordSpan>& records)
      : ByteSource(source.name()), source_(source), frame_(frame), records_(records) {}

  [[nodiscard]] std::size_t read(std::span<char> out) override;

 private:
  enum class Stage : std::uint8_t { kHead, kRecords, kTail, kDone };

  void advance();
  void head();
  void record();
  void tail();
  [[nodiscard]] bool copy_until(std::uint64_t end);
  void skip_to(std::uint64_t offset);
  [[nodiscard]] bool fill();
  [[nodiscard]] std::string members(std::size_t first, std::size_t last, std::string_view before,
                                    std::string_view after) const;

  ByteSource& source_;
  const ChromeFrame& frame_;
  const std::vector<RecordSpan>& records_;
  Stage stage_ = Stage::kHead;
  std::size_t next_ = 0;        ///< of records_
  std::string piece_;           ///< of the source's text
  std::size_t used_ = 0;        ///< of piece_
  std::uint64_t at_ = 0;        ///< offset in the source after what was used
  std::string ready_;           ///< to be read
  std::size_t ready_used_ = 0;  ///< of ready_
};

}  // namespace stepsim::ingest

#endif
