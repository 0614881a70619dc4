#include "ingest/chrome/chrome_record.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "ingest/json/escape.h"
#include "ingest/json/json_bytes.h"
#include "ingest/json/json_values.h"

namespace stepsim::ingest {
namespace {

/// Packs up to four characters and their number into one number, so that "ph" differs from "ph" with a NUL at its end.
constexpr std::uint64_t packed(std::string_view text) noexcept {
  std::uint64_t number = std::uint64_t{text.size()} << 32;
  for (std::size_t i = 0; i < text.size(); ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  }
  return number;
}

ChromeRecord::Member member_called(std::string_view key) noexcept {
  if (key.size() < 2 || key.size() > 4) return ChromeRecord::kOther;
  switch (packed(key)) {
    case packed("ph"): return ChromeRecord::kPhase;
    case packed("cat"): return ChromeRecord::kCategory;
    case packed("name"): return ChromeRecord::kName;
    case packed("pid"): return ChromeRecord::kProcess;
    case packed("tid"): return ChromeRecord::kThread;
    case packed("id"): return ChromeRecord::kId;
    case packed("ts"): return ChromeRecord::kStart;
    case packed("dur"): return ChromeRecord::kDuration;
    case packed("args"): return ChromeRecord::kArguments;
    default: return ChromeRecord::kOther;
  }
}

/// Returns the text of a value, including the quotes of a string.
std::string_view whole_text(const json::Value& value) noexcept {
  return value.type == json::Type::kString ? std::string_view{value.raw.data() - 1, value.raw.size() + 2} : value.raw;
}

}  // namespace

bool ChromeRecord::scan(json::Scanner& scanner) {
  seen_ = 0;
  arguments_.clear();
  return scanner.object([this, &scanner](std::string_view key, const char* p) {
    const Member member = member_called(key);
    seen_ |= 1U << member;
    return member == kArguments && *p == '{' ? scan_arguments(scanner, p) : scanner.value_at(p, values_[member]);
  });
}

const char* ChromeRecord::scan_arguments(json::Scanner& scanner, const char* p) {
  const char* const begin = p;
  bool too_many = false;
  arguments_.clear();
  p = scanner.members_at(p, [this, &scanner, &too_many](std::string_view key, const char* at) {
    json::Value value;
    at = scanner.value_at(at, value);
    if (at == nullptr) return at;
    too_many = too_many || arguments_.size() == kMostArguments;
    if (!too_many) arguments_.push_back({key, whole_text(value)});
    return at;
  });
  if (p == nullptr) return nullptr;
  if (too_many) arguments_.clear();
  values_[kArguments] = {{begin, static_cast<std::size_t>(p - begin)}, json::Type::kObject, true};
  return p;
}

std::string_view ChromeRecord::content(Member member, std::deque<std::string>& unescaped) const {
  if (!has(member)) return {};
  const json::Value& value = values_[member];
  if (value.type == json::Type::kLiteral && value.raw == "null") return {};
  if (value.plain) return value.raw;
  return unescaped.emplace_back(json::unescaped(value.raw));
}

std::optional<std::int64_t> ChromeRecord::time(Member member) const {
  if (!has(member) || values_[member].type > json::Type::kNumber) return std::nullopt;
  return microseconds_as_ns(values_[member].raw);
}

void ChromeRecord::fill(ChromeEvent& event, std::deque<std::string>& unescaped) const {
  event.phase = content(kPhase, unescaped);
  event.category = content(kCategory, unescaped);
  event.name = content(kName, unescaped);
  event.process = content(kProcess, unescaped);
  event.thread = content(kThread, unescaped);
  event.id = has(kId) && values_[kId].type <= json::Type::kNumber ? content(kId, unescaped) : std::string_view{};
  const bool has_arguments = has(kArguments) && values_[kArguments].type == json::Type::kObject;
  event.arguments = has_arguments ? values_[kArguments].raw : std::string_view{};
  event.argument_list = has_arguments ? std::span<const ChromeArgument>{arguments_} : std::span<const ChromeArgument>{};
  event.start_ns = time(kStart);
  event.duration_ns = time(kDuration);
  event.has_duration = has(kDuration);
}

const char* ChromeRecord::wrong_member() const noexcept {
  const auto nested = [this](Member member) { return has(member) && values_[member].type >= json::Type::kObject; };
  if (nested(kPhase)) return "text for \"ph\"";
  if (nested(kCategory)) return "text for \"cat\"";
  if (nested(kName)) return "text for \"name\"";
  if (nested(kProcess)) return "a number or text for \"pid\"";
  if (nested(kThread)) return "a number or text for \"tid\"";
  return nullptr;
}

namespace {

/// Top-level members that profilers write after the list of events and never inside an event.
constexpr std::array<std::string_view, 11> kMembersAfterEvents = {
    "traceName",        "distributedInfo", "displayTimeUnit", "baseTimeNanoseconds",
    "deviceProperties", "schemaVersion",   "otherData",       "metadata",
    "host_name",        "trace_id",        "stepsim_model"};

const char* behind_blanks(const char* at, const char* end) {
  while (at != end && json::is_blank(*at)) ++at;
  return at;
}

const char* before_blanks(const char* at, const char* begin) {
  while (at != begin && json::is_blank(at[-1])) --at;
  return at;
}

/// True if `"key":` begins at `at`.
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
  return std::any_of(kMembersAfterEvents.begin(), kMembersAfterEvents.end(),
                     [key, end](std::string_view member) { return is_key(key, end, member); });
}

bool is_events_key(const char* at, const char* end) { return is_key(at, end, "traceEvents"); }

}  // namespace stepsim::ingest
