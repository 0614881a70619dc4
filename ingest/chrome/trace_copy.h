#ifndef STEPSIM_INGEST_CHROME_TRACE_COPY_H
#define STEPSIM_INGEST_CHROME_TRACE_COPY_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/chrome/chrome_events.h"

namespace stepsim::ingest {

/// Position of a record in the text of a trace.
struct RecordSpan {
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
  bool odd = false;  ///< the record is not strict JSON

  RecordSpan() = default;
  explicit RecordSpan(const ChromeEvent& event)
      : begin(event.offset), size(static_cast<std::uint32_t>(event.record.size())), odd(event.odd) {}
};

/// Produces a copy of a trace with a subset of its records, always as strict JSON. The records and the text around the
/// list of events are copied byte for byte where they are strict JSON. Each record begins on a new line. Parts that
/// ChromeEventReader could not read are dropped. Memory: one piece of text and the longest record that is not strict
/// JSON.
class TraceCopy final : public ByteSource {
 public:
  /// `source` is at the beginning of a trace, `frame` comes from a reader that has read this trace to its end, and
  /// `records` are in ascending order. All must outlive this object.
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
  std::size_t next_ = 0;  ///< index of the next record in records_
  std::unique_ptr<char[]> buffer_;
  std::string_view piece_;      ///< current piece of the source's text, in buffer_
  std::size_t used_ = 0;        ///< bytes of piece_ used so far
  std::uint64_t at_ = 0;        ///< offset of the next unused byte in the source
  std::string ready_;           ///< output that read() has not returned yet
  std::size_t ready_used_ = 0;  ///< bytes of ready_ that read() has returned
};

}  // namespace stepsim::ingest

#endif
