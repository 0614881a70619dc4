#include "ingest/chrome/record_marks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "ingest/json/json_bytes.h"

namespace stepsim::ingest {

namespace {

/// Members that profilers write behind the list of events and never inside an event.
constexpr std::array<std::string_view, 10> kMembersBehind = {
    "traceName",     "distributedInfo", "displayTimeUnit", "baseTimeNanoseconds", "deviceProperties",
    "schemaVersion", "otherData",       "metadata",        "host_name",           "trace_id"};

const char* behind_blanks(const char* at, const char* end) {
  while (at != end && json::is_blank(*at)) ++at;
  return at;
}

const char* before_blanks(const char* at, const char* begin) {
  while (at != begin && json::is_blank(at[-1])) --at;
  return at;
}

/// Does `"key":` stand at `at`?
bool is_key(const char* at, const char* end, std::string_view key) {
  const auto left = static_cast<std::size_t>(end - at);
  if (left < key.size() + 2 || *at != '"' || at[key.size() + 1] != '"') return false;
  if (std::memcmp(at + 1, key.data(), key.size()) != 0) return false;
  const char* const colon = behind_blanks(at + key.size() + 2, end);
  return colon != end && *colon == ':';
}

}  // namespace

bool may_begin_record(const char* begin, const char* at, const char* end) {
  const char* before = before_blanks(at, begin);
  if (before != begin && before[-1] == ':') {
    before = before_blanks(before - 1, begin);
    if (before != begin && before[-1] == '"') return false;
  }
  const char* const key = behind_blanks(at + 1, end);
  return key != end && *key == '"';
}

const char* last_record_gap(const char* begin, const char* end) {
  for (const char* at = end; at != begin;) {
    if (*--at != '{' || !may_begin_record(begin, at, end)) continue;
    const char* const gap = before_blanks(at, begin);
    if (gap == begin || gap[-1] != ',') continue;
    const char* const record_end = before_blanks(gap - 1, begin);
    if (record_end != begin && record_end[-1] == '}') return gap;
  }
  return end;
}

bool ends_events(const char* at, const char* end) {
  const char* const comma = behind_blanks(at + 1, end);
  if (comma == end || *comma != ',') return false;
  const char* const key = behind_blanks(comma + 1, end);
  return std::any_of(kMembersBehind.begin(), kMembersBehind.end(),
                     [key, end](std::string_view member) { return is_key(key, end, member); });
}

bool is_events_key(const char* at, const char* end) { return is_key(at, end, "traceEvents"); }

}  // namespace stepsim::ingest
