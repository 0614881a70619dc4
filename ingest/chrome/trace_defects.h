#ifndef STEPSIM_INGEST_CHROME_TRACE_DEFECTS_H
#define STEPSIM_INGEST_CHROME_TRACE_DEFECTS_H

#include <cstdint>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Counts what is wrong with a Chrome trace that is used all the same. Offsets are those of
/// the inflated file.
class TraceDefects {
 public:
  /// Both must outlive this.
  TraceDefects(const ByteSource& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  [[nodiscard]] InputLocation at(std::uint64_t offset) const { return {source_.name(), offset, {}}; }
  /// `detail` is kept of the first one only, so it may be empty once bad_records() > 0.
  void bad_record(std::uint64_t offset, std::string_view detail);
  [[nodiscard]] std::uint64_t bad_records() const noexcept { return bad_records_; }
  void bad_member(std::uint64_t offset, std::string_view detail);
  /// Not strict JSON, but clear.
  void odd(std::uint64_t offset);
  void ignored_member(std::uint64_t offset);
  void text_behind(std::uint64_t offset, std::string_view detail);
  /// The file ends before its text does.
  void cut(std::uint64_t offset);
  /// The text is whole, but the gzip stream around it was damaged.
  void damaged_gzip(std::uint64_t offset);

 private:
  const ByteSource& source_;
  Diagnostics& diagnostics_;
  std::uint64_t bad_records_ = 0;
};

}  // namespace stepsim::ingest

#endif
