#ifndef STEPSIM_INGEST_CHROME_TRACE_DEFECTS_H
#define STEPSIM_INGEST_CHROME_TRACE_DEFECTS_H

#include <cstdint>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Counts what is wrong with a Chrome trace that can still be used. Offsets are those in the
/// inflated file.
class TraceDefects {
 public:
  /// Both must outlive this.
  TraceDefects(const ByteSource& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  [[nodiscard]] InputLocation at(std::uint64_t offset) const { return {source_.name(), offset, {}}; }
  /// Only the first `detail` is kept, so it may be empty once bad_records() > 0.
  void bad_record(std::uint64_t offset, std::string_view detail);
  [[nodiscard]] std::uint64_t bad_records() const noexcept { return bad_records_; }
  void bad_member(std::uint64_t offset, std::string_view detail);
  /// Text that is not strict JSON, but whose meaning is clear.
  void odd(std::uint64_t offset);
  void ignored_member(std::uint64_t offset);
  void text_behind(std::uint64_t offset, std::string_view detail);
  /// The file ends inside the trace.
  void cut(std::uint64_t offset);
  /// The trace is whole, but the gzip stream is damaged behind it.
  void damaged_gzip(std::uint64_t offset);

 private:
  const ByteSource& source_;
  Diagnostics& diagnostics_;
  std::uint64_t bad_records_ = 0;
};

}  // namespace stepsim::ingest

#endif
