#include "ingest/chrome/trace_defects.h"

#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {

void TraceDefects::bad_record(std::uint64_t offset, std::string_view detail) {
  ++bad_records_;
  diagnostics_.count(diagnostic("bad_record"), at(offset), detail);
}

void TraceDefects::bad_member(std::uint64_t offset, std::string_view detail) {
  diagnostics_.count(diagnostic("bad_member"), at(offset), detail);
}

void TraceDefects::odd(std::uint64_t offset) { diagnostics_.count(diagnostic("odd_json"), at(offset)); }

void TraceDefects::ignored_member(std::uint64_t offset) {
  diagnostics_.count(diagnostic("member_ignored"), at(offset));
}

void TraceDefects::text_behind(std::uint64_t offset, std::string_view detail) {
  if (diagnostics_.count_of("trailing_text") > 0) return;
  diagnostics_.count(diagnostic("trailing_text"), at(offset), detail);
}

void TraceDefects::cut(std::uint64_t offset) {
  diagnostics_.count(diagnostic("truncated_file"), at(offset),
                     source_.truncated() ? "the gzip data is cut off or damaged" : "the text ends here");
}

void TraceDefects::damaged_gzip(std::uint64_t offset) { diagnostics_.count(diagnostic("damaged_gzip"), at(offset)); }

}  // namespace stepsim::ingest
