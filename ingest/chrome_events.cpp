#include "ingest/chrome_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "ingest/chrome_record.h"
#include "ingest/trace_cursor.h"
#include "model/error.h"

namespace stepsim::ingest {

namespace {

using json::Scanner;
using json::Type;
using json::Value;

constexpr std::string_view kEventsKey = "traceEvents";

/// Members that profilers write behind the events: `], "traceName":` ends their list for
/// sure, where `], "block":` may stand in a record.
constexpr std::array<std::string_view, 10> kMembersBehind = {
    "traceName",      "distributedInfo", "displayTimeUnit", "baseTimeNanoseconds", "deviceProperties",
    "schemaVersion",  "otherData",       "metadata",        "host_name",           "trace_id"};

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

const char* skip_blanks_back(const char* at, const char* begin) {
  while (at != begin && is_blank(at[-1])) --at;
  return at;
}

/// A brace with a key behind it that is not itself the value of a key, as in `"args": {`.
bool may_begin_record(const char* begin, const char* brace, const char* end) {
  const char* before = skip_blanks_back(brace, begin);
  if (before != begin && before[-1] == ':') {
    before = skip_blanks_back(before - 1, begin);
    if (before != begin && before[-1] == '"') return false;
  }
  const char* const key = skip_blanks(brace + 1, end);
  return key != end && *key == '"';
}

/// Does `key":` of a known member stand behind the quote at `quote`?
template <class Keys>
bool key_follows(const char* quote, const char* end, const Keys& keys) {
  if (quote == end || *quote != '"') return false;
  const auto left = static_cast<std::size_t>(end - quote - 1);
  for (const std::string_view key : keys) {
    if (left <= key.size() || std::memcmp(quote + 1, key.data(), key.size()) != 0) continue;
    if (quote[1 + key.size()] != '"') continue;
    const char* const colon = skip_blanks(quote + 2 + key.size(), end);
    return colon != end && *colon == ':';
  }
  return false;
}

bool ends_events(const char* bracket, const char* end) {
  const char* const comma = skip_blanks(bracket + 1, end);
  return comma != end && *comma == ',' && key_follows(skip_blanks(comma + 1, end), end, kMembersBehind);
}

}  // namespace

struct ChromeEventReader::State {
  State(ByteSource& source_in, Diagnostics& diagnostics_in)
      : source(source_in), diagnostics(diagnostics_in), text(source_in) {}

  bool next(ChromeEvent& event);

  ByteSource& source;
  Diagnostics& diagnostics;
  std::vector<std::pair<std::string, std::string>> members;
  std::uint64_t records = 0;
  std::uint64_t skipped = 0;

 private:
  enum class Place { kStart, kMembers, kEvents, kBehind, kDone };

  void start();
  void member();
  void member_value(std::uint64_t begin, const std::string& key);
  void keep_member(std::string key, std::string value);
  bool in_events(ChromeEvent& event);
  bool record(ChromeEvent& event);
  void other_element();
  void behind();
  void finish();
  void item();
  void comma();
  void close();

  void odd(std::uint64_t begin);
  void bad_record(std::uint64_t begin, std::string_view detail);
  void bad_member(std::uint64_t begin);
  void recover_from(std::uint64_t resume, std::uint64_t stopped_at);
  bool find_record();
  void cut(std::uint64_t begin);

  void fill(ChromeEvent& event, std::uint64_t begin);
  std::string_view content(ChromeRecord::Member member);
  std::optional<std::int64_t> time(ChromeRecord::Member member) const;
  InputLocation place_of(std::uint64_t offset) const { return {source.name(), offset, {}}; }

  TraceCursor text;
  Place place = Place::kStart;
  bool bare_array = false;
  bool events_found = false;
  ChromeRecord fields;
  bool record_is_odd = false;               // not strict JSON
  enum class Before { kOpening, kItem, kComma } before = Before::kOpening;  // what stands before at()
  bool recovering = false;                  // looking for the next record behind a bad one
  std::optional<std::uint64_t> open_record; // begins here and has no end: cut off, unless others follow
  std::uint64_t read_again = 0;             // bytes, while recovering
  std::size_t members_bytes = 0;
  std::array<std::string, 5> scratch;  // of the members that are text, unescaped
};

bool ChromeEventReader::State::next(ChromeEvent& event) {
  while (place != Place::kDone) {
    switch (place) {
      case Place::kStart: start(); break;
      case Place::kMembers: member(); break;
      case Place::kEvents:
        if (in_events(event)) return true;
        break;
      case Place::kBehind: behind(); break;
      case Place::kDone: break;
    }
  }
  return false;
}

void ChromeEventReader::State::start() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  char first = text.next_char();
  for (const char mark : kByteOrderMark) {
    if (first != mark || first == '\0') break;
    text.advance();
    first = text.next_char();
  }
  if (first == '[') {
    bare_array = true;
    events_found = true;
    place = Place::kEvents;
  } else if (first == '{') {
    place = Place::kMembers;
  } else {
    throw InputError(place_of(text.at()), text.unexpected("a Chrome trace: a JSON object or array"));
  }
  text.advance();
}

void ChromeEventReader::State::member() {
  const char first = text.next_char();
  if (first == ',') return comma();
  if (first == '}') {
    close();
    place = Place::kBehind;
    return;
  }
  const std::uint64_t begin = text.at();
  if (text.at_end()) {
    if (!events_found) throw InputError(place_of(begin), text.unexpected("\"traceEvents\""));
    return cut(begin);
  }
  item();
  std::string key;
  const Outcome outcome = text.scan([&key](Scanner& scanner) {
    std::string_view name;
    const bool whole = scanner.key(name);
    key = name;
    return whole;
  });
  if (outcome == Outcome::kCut && events_found) return cut(begin);
  if (outcome != Outcome::kDone) return bad_member(begin);
  member_value(begin, key);
}

void ChromeEventReader::State::member_value(std::uint64_t begin, const std::string& key) {
  const char first = text.next_char();
  if (key == kEventsKey) {
    if (first != '[') throw InputError(place_of(text.at()), text.unexpected("'[': \"traceEvents\" is a list"));
    events_found = true;
    place = Place::kEvents;
    before = Before::kOpening;
    return text.advance();
  }
  std::string raw;
  const Outcome outcome = text.scan([&raw](Scanner& scanner) {
    Value value;
    const char* const from = scanner.at();
    if (!scanner.value(value)) return false;
    raw.assign(from, scanner.at());
    return true;
  });
  if (outcome == Outcome::kDone) return keep_member(key, std::move(raw));
  if (outcome == Outcome::kCut && events_found) return cut(begin);
  bad_member(begin);
}

void ChromeEventReader::State::keep_member(std::string key, std::string value) {
  constexpr std::size_t kMostMembers = 4096;
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  members_bytes += key.size() + value.size();
  if (members.size() < kMostMembers && members_bytes <= kMostBytes) {
    members.emplace_back(std::move(key), std::move(value));
    return;
  }
  diagnostics.count("member_ignored", Severity::kNotice, "the file has more top-level members than a trace has; they are ignored",
                    place_of(text.at()));
}

bool ChromeEventReader::State::in_events(ChromeEvent& event) {
  if (recovering && !find_record()) {
    if (open_record) {
      cut(*open_record);
    } else {
      finish();
    }
    return false;
  }
  switch (text.next_char()) {
    case '{': return record(event);
    case ',': comma(); return false;
    case ']':
      close();
      place = bare_array ? Place::kBehind : Place::kMembers;
      return false;
    default:
      if (text.at_end()) {
        cut(text.at());
      } else {
        other_element();
      }
      return false;
  }
}

bool ChromeEventReader::State::record(ChromeEvent& event) {
  const std::uint64_t begin = text.at();
  item();
  const Outcome outcome = text.scan([this](Scanner& scanner) {
    const bool whole = fields.scan(scanner);
    record_is_odd = scanner.odd();
    return whole;
  });
  if (outcome == Outcome::kDone) {
    if (recovering) {
      if (!fields.looks_like_event()) return false;
      recovering = false;
      if (open_record) bad_record(*open_record, "has no end");
      open_record.reset();
    }
    if (const char* const expected = fields.wrong_member()) {
      bad_record(begin, std::string{"expected "} + expected);
      return false;
    }
    fill(event, begin);
    return true;
  }
  if (outcome == Outcome::kCut) {
    if (!open_record) open_record = begin;
  } else if (!recovering || fields.has(ChromeRecord::kPhase)) {
    bad_record(begin, skipped > 0 ? std::string{} : fmt::format("byte {}: {}", text.stopped_at(), text.problem()));
  }
  recover_from(begin + 1, text.stopped_at());
  return false;
}

// Something in the list of events that is no object.
void ChromeEventReader::State::other_element() {
  const std::uint64_t begin = text.at();
  item();
  const std::string problem = skipped > 0 ? std::string{} : text.unexpected("an event: '{'");
  Value element;
  char next = '\0';
  const Outcome outcome = text.scan([&](Scanner& scanner) { return scanner.value(element) && scanner.next_char(next); });
  if (outcome == Outcome::kCut) {
    open_record = begin;
    return recover_from(begin + 1, text.stopped_at());
  }
  bad_record(begin, problem);
  if (outcome != Outcome::kDone) return recover_from(begin + 1, text.stopped_at());
  // A bracket in the wrong place makes a list of what follows, a quote makes text of it: then
  // no comma comes behind.
  if (element.type == Type::kArray || (next != ',' && next != ']')) recover_from(begin + 1, text.at());
}

// Text behind the end is no part of the trace, unless the end was none: a bracket in the
// wrong place must not hide the records behind it.
void ChromeEventReader::State::behind() {
  static_cast<void>(text.next_char());
  if (text.at_end()) return finish();
  if (diagnostics.count_of("trailing_text") == 0) {
    diagnostics.count("trailing_text", Severity::kNotice, "text behind the end of the trace is ignored: was another file appended?",
                      place_of(text.at()), text.unexpected("the end of the file"));
  }
  place = Place::kEvents;
  recover_from(text.at(), text.at());
}

void ChromeEventReader::State::finish() {
  place = Place::kDone;
  if (source.truncated()) {
    diagnostics.count("damaged_gzip", Severity::kDataLoss, "the gzip data is damaged or cut: copy the file again", place_of(text.at()));
  }
  if (!events_found) {
    throw InputError(place_of(text.at()), "no \"traceEvents\" in it; expected a Chrome trace");
  }
}

// Commas between items: one too many or too few changes nothing, but is no strict JSON.
void ChromeEventReader::State::item() {
  if (before == Before::kItem && !recovering) odd(text.at());
  before = Before::kItem;
}

void ChromeEventReader::State::comma() {
  if (before != Before::kItem) odd(text.at());
  before = Before::kComma;
  text.advance();
}

void ChromeEventReader::State::close() {
  if (before == Before::kComma) odd(text.at());
  before = Before::kItem;
  text.advance();
}

void ChromeEventReader::State::odd(std::uint64_t begin) {
  diagnostics.count("odd_json", Severity::kNotice, "text that is not strict JSON but clear was used as it is meant", place_of(begin));
}

void ChromeEventReader::State::cut(std::uint64_t begin) {
  place = Place::kDone;
  diagnostics.count("truncated_file", Severity::kDataLoss,
                    "the file is cut off; all whole events before the cut are used: let the profiler finish writing",
                    place_of(begin), source.truncated() ? "the gzip data is cut off or damaged" : "the text ends here");
}

void ChromeEventReader::State::bad_record(std::uint64_t begin, std::string_view detail) {
  ++records;
  ++skipped;
  diagnostics.count("bad_record", Severity::kDataLoss, "an event that is not valid JSON is left out: repair it or record again",
                    place_of(begin), detail);
}

void ChromeEventReader::State::bad_member(std::uint64_t begin) {
  const std::string problem = text.problem();
  const std::uint64_t stopped_at = text.stopped_at();
  if (events_found) {
    place = Place::kEvents;
    recover_from(text.at(), stopped_at);
  } else {
    constexpr std::array<std::string_view, 1> kKey = {kEventsKey};
    const bool found = text.find('"', '"', [&kKey](const char*, const char* quote, const char* end) { return key_follows(quote, end, kKey); });
    if (!found) throw InputError(place_of(stopped_at), problem);
  }
  diagnostics.count("bad_member", Severity::kDataLoss, "a top-level member that is not valid JSON is left out", place_of(begin), problem);
}

// Goes on at `resume`, which lies just behind the beginning of what is bad, so that a quote
// missing in one record does not hide the next; but only as long as reading again stays
// linear in the file's size. `stopped_at` is where the bad thing was found to be bad.
void ChromeEventReader::State::recover_from(std::uint64_t resume, std::uint64_t stopped_at) {
  constexpr std::uint64_t kAlways = std::uint64_t{16} << 20;
  constexpr std::uint64_t kFactor = 4;
  const std::uint64_t again = stopped_at > resume ? stopped_at - resume : 0;
  recovering = true;
  if (read_again + again <= kAlways + kFactor * resume) {
    read_again += again;
    text.move_to(resume);
  } else {
    text.move_to(stopped_at);
  }
}

// Moves to what may be the next record, or behind the list of events.
bool ChromeEventReader::State::find_record() {
  bool closes = false;
  const bool found = text.find('{', ']', [this, &closes](const char* begin, const char* at, const char* end) {
    closes = *at == ']';
    return closes ? !bare_array && ends_events(at, end) : may_begin_record(begin, at, end);
  });
  if (found && closes) {
    recovering = false;
    if (open_record) bad_record(*open_record, "has no end");
    open_record.reset();
  }
  return found;
}

std::string_view ChromeEventReader::State::content(ChromeRecord::Member member) {
  if (!fields.has(member)) return {};
  const Value& value = fields[member];
  if (value.type == Type::kLiteral && value.raw == "null") return {};
  if (value.plain) return value.raw;
  return scratch[member] = json::unescaped(value.raw);
}

std::optional<std::int64_t> ChromeEventReader::State::time(ChromeRecord::Member member) const {
  if (!fields.has(member) || fields[member].type > Type::kNumber) return std::nullopt;
  return microseconds_as_ns(fields[member].raw);
}

void ChromeEventReader::State::fill(ChromeEvent& event, std::uint64_t begin) {
  ++records;
  event.phase = content(ChromeRecord::kPhase);
  event.category = content(ChromeRecord::kCategory);
  event.name = content(ChromeRecord::kName);
  event.process = content(ChromeRecord::kProcess);
  event.thread = content(ChromeRecord::kThread);
  const bool has_arguments = fields.has(ChromeRecord::kArguments) && fields[ChromeRecord::kArguments].type == Type::kObject;
  event.arguments = has_arguments ? fields[ChromeRecord::kArguments].raw : std::string_view{};
  event.argument_list = has_arguments ? std::span{fields.arguments()} : std::span<const ChromeArgument>{};
  event.start_ns = time(ChromeRecord::kStart);
  event.duration_ns = time(ChromeRecord::kDuration);
  event.has_duration = fields.has(ChromeRecord::kDuration);
  event.offset = begin;
  if (record_is_odd) odd(begin);
}

ChromeEventReader::ChromeEventReader(ByteSource& source, Diagnostics& diagnostics)
    : state_(std::make_unique<State>(source, diagnostics)) {}

ChromeEventReader::~ChromeEventReader() = default;

bool ChromeEventReader::next(ChromeEvent& event) { return state_->next(event); }

const std::vector<std::pair<std::string, std::string>>& ChromeEventReader::members() const noexcept { return state_->members; }

std::uint64_t ChromeEventReader::records() const noexcept { return state_->records; }

std::uint64_t ChromeEventReader::skipped() const noexcept { return state_->skipped; }

}  // namespace stepsim::ingest
