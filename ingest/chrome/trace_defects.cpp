#include "ingest/chrome/trace_defects.h"

namespace stepsim::ingest {

void TraceDefects::bad_record(std::uint64_t offset, std::string_view detail) {
  ++bad_records_;
  diagnostics_.count("bad_record", Severity::kDataLoss,
                     "an event that is not valid JSON is left out: repair it or record again", at(offset), detail);
}

void TraceDefects::bad_member(std::uint64_t offset, std::string_view detail) {
  diagnostics_.count("bad_member", Severity::kDataLoss, "a top-level member that is not valid JSON is left out",
                     at(offset), detail);
}

void TraceDefects::odd(std::uint64_t offset) {
  diagnostics_.count("odd_json", Severity::kNotice,
                     "text that is not strict JSON, but whose meaning is clear, was used", at(offset));
}

void TraceDefects::ignored_member(std::uint64_t offset) {
  diagnostics_.count("member_ignored", Severity::kNotice,
                     "the file has more top-level members than a trace has; they are ignored", at(offset));
}

void TraceDefects::text_behind(std::uint64_t offset, std::string_view detail) {
  if (diagnostics_.count_of("trailing_text") > 0) return;
  diagnostics_.count("trailing_text", Severity::kNotice,
                     "text behind the end of the trace is ignored: was another file appended?", at(offset), detail);
}

void TraceDefects::cut(std::uint64_t offset) {
  diagnostics_.count("truncated_file", Severity::kDataLoss,
                     "the file is cut off; all whole events before the cut are used: let the profiler finish writing",
                     at(offset), source_.truncated() ? "the gzip data is cut off or damaged" : "the text ends here");
}

void TraceDefects::damaged_gzip(std::uint64_t offset) {
  diagnostics_.count("damaged_gzip", Severity::kDataLoss,
                     "the gzip data is damaged or cut behind the trace: copy the file again", at(offset));
}

}  // namespace stepsim::ingest
