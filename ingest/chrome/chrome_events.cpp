#include "ingest/chrome/chrome_events.h"

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "ingest/chrome/chrome_record.h"
#include "ingest/chrome/records_ahead.h"
#include "ingest/json/source_cursor.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {
/// Counts the defects of a Chrome trace that is still usable. Offsets are those in the decompressed file.
class TraceDefects {
 public:
  /// `source` and `diagnostics` must outlive this object.
  TraceDefects(const ByteSource& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  [[nodiscard]] InputLocation at(std::uint64_t offset) const { return {source_.name(), offset, {}}; }
  /// Counts a record that cannot be used; `detail` says why. Only the first detail is kept, so it may be empty once
  /// bad_records() > 0.
  void bad_record(std::uint64_t offset, std::string_view detail);
  [[nodiscard]] std::uint64_t bad_records() const noexcept { return bad_records_; }
  void bad_member(std::uint64_t offset, std::string_view detail);
  /// Counts text that is not strict JSON, but whose meaning is clear.
  void odd(std::uint64_t offset);
  void ignored_member(std::uint64_t offset);
  void count_trailing_text(std::uint64_t offset, std::string_view detail);
  /// Reports that the file ends inside the trace.
  void cut(std::uint64_t offset);
  /// Reports that the trace is complete, but the gzip stream after it is damaged.
  void damaged_gzip(std::uint64_t offset);

 private:
  const ByteSource& source_;
  Diagnostics& diagnostics_;
  std::uint64_t bad_records_ = 0;
};

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

void TraceDefects::count_trailing_text(std::uint64_t offset, std::string_view detail) {
  if (diagnostics_.count_of("trailing_text") > 0) return;
  diagnostics_.count(diagnostic("trailing_text"), at(offset), detail);
}

void TraceDefects::cut(std::uint64_t offset) {
  diagnostics_.count(diagnostic("truncated_file"), at(offset),
                     source_.truncated() ? "the gzip data is truncated or damaged" : "the text ends here");
}

void TraceDefects::damaged_gzip(std::uint64_t offset) { diagnostics_.count(diagnostic("damaged_gzip"), at(offset)); }

using json::Scanner;
using json::Type;
using json::Value;

constexpr std::string_view kEventsKey = "traceEvents";

}  // namespace

struct ChromeEventReader::State {
  State(ByteSource& source_in, Diagnostics& diagnostics_in, std::unique_ptr<RecordsAhead> ahead_in)
      : ahead(std::move(ahead_in)),
        source(ahead ? *ahead : source_in),
        defects(source_in, diagnostics_in),
        text(source) {}

  bool next(ChromeEvent& event);

  std::unique_ptr<RecordsAhead> ahead;  // null with one thread
  ByteSource& source;
  TraceDefects defects;
  ChromeFrame frame;
  std::uint64_t records = 0;

  enum class Place { kStart, kMembers, kEvents, kBehind, kDone };

  void start();
  void member();
  void member_value(std::uint64_t begin, const std::string& key);
  void keep_member(std::string key, std::string value);
  bool take_piece();
  bool in_events(ChromeEvent& event);
  bool record(ChromeEvent& event);
  void other_element();
  void behind();
  void finish();
  void item();
  void comma();
  void close();
  void odd_place();
  void frame_is_odd() { (events_found ? frame.tail_is_json : frame.head_is_json) = false; }
  void begin_events();

  void bad_record(std::uint64_t begin, std::string_view detail);
  void bad_member(std::uint64_t begin);
  void recover_from(std::uint64_t resume, std::uint64_t stopped_at);
  bool find_record();
  bool find_events_key();
  void cut(std::uint64_t begin);

  SourceCursor text;
  Place place = Place::kStart;
  bool events_found = false;
  RecordPiece* piece = nullptr;  // the piece whose records are being returned
  std::size_t next_of_piece = 0;
  ChromeRecord fields;
  std::deque<std::string> unescaped;  // strings of the record that was returned last
  enum class Before { kOpening, kItem, kComma } before = Before::kOpening;  // what precedes text.at()
  bool recovering = false;                   // searching for the next record after a bad one
  std::optional<std::uint64_t> open_record;  // offset of a record whose end was not found
  std::uint64_t read_again = 0;              // bytes that were read twice during recovery
  std::size_t members_bytes = 0;
};

bool ChromeEventReader::State::next(ChromeEvent& event) {
  while (true) {
    if (piece != nullptr && next_of_piece < piece->events.size()) {
      event = piece->events[next_of_piece++];
      ++records;
      if (event.odd) defects.odd(event.offset);
      return true;
    }
    switch (place) {
      case Place::kStart: start(); break;
      case Place::kMembers: member(); break;
      case Place::kEvents:
        if (!take_piece() && in_events(event)) return true;
        break;
      case Place::kBehind: behind(); break;
      case Place::kDone: return false;
    }
  }
}

void ChromeEventReader::State::start() {
  text.skip_byte_order_mark();
  const char first = text.next_char();
  if (first == '[') {
    frame.bare = true;
    return begin_events();
  }
  if (first != '{') throw InputError(defects.at(text.at()), text.unexpected("a Chrome trace: a JSON object or array"));
  place = Place::kMembers;
  text.advance();
}

// Enters a list of events. Precondition: text.at() is the list's opening bracket. If a trace has two lists, the events
// of both are read, but `frame` describes only the first list.
void ChromeEventReader::State::begin_events() {
  text.advance();
  if (events_found) {
    frame.tail_is_json = false;
  } else {
    frame.events_begin = text.at();
    frame.members_before = frame.members.size();
  }
  events_found = true;
  place = Place::kEvents;
  before = Before::kOpening;
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
    if (!events_found) throw InputError(defects.at(begin), text.unexpected("\"traceEvents\""));
    return cut(begin);
  }
  item();
  std::string key;
  bool odd = false;
  const Outcome outcome = text.scan([&](Scanner& scanner) {
    std::string_view name;
    const bool whole = scanner.key(name);
    key = name;
    odd = scanner.odd();
    return whole;
  });
  if (odd) frame_is_odd();
  if (outcome == Outcome::kCut && events_found) return cut(begin);
  if (outcome != Outcome::kDone) return bad_member(begin);
  member_value(begin, key);
}

void ChromeEventReader::State::member_value(std::uint64_t begin, const std::string& key) {
  const char first = text.next_char();
  if (key == kEventsKey) {
    if (first != '[') throw InputError(defects.at(text.at()), text.unexpected("'[': \"traceEvents\" is a list"));
    return begin_events();
  }
  std::string raw;
  bool odd = false;
  const Outcome outcome = text.scan([&](Scanner& scanner) {
    Value value;
    const char* const from = scanner.at();
    if (!scanner.value(value)) return false;
    raw.assign(from, scanner.at());
    odd = scanner.odd();
    return true;
  });
  if (odd) frame_is_odd();
  if (outcome == Outcome::kDone) return keep_member(key, std::move(raw));
  if (outcome == Outcome::kCut && events_found) return cut(begin);
  bad_member(begin);
}

void ChromeEventReader::State::keep_member(std::string key, std::string value) {
  constexpr std::size_t kMostMembers = 4096;
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  members_bytes += key.size() + value.size();
  if (frame.members.size() < kMostMembers && members_bytes <= kMostBytes) {
    frame.members.emplace_back(std::move(key), std::move(value));
    return;
  }
  defects.ignored_member(text.at());
}

// Uses the records of the next piece of the text if another thread has already scanned them. This is possible only
// between two records, when the text in memory is used up. Returns false if there are no such records.
bool ChromeEventReader::State::take_piece() {
  if (!ahead || recovering || before != Before::kComma || !text.at_window_end()) return false;
  piece = ahead->take(text.at());
  if (piece == nullptr || piece->events.empty()) return false;
  next_of_piece = 0;
  text.skip_to(piece->end);
  return true;
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
      frame.events_end = text.at();
      close();
      place = frame.bare ? Place::kBehind : Place::kMembers;
      return false;
    default:
      if (text.at_end() && frame.bare && before == Before::kComma && !source.truncated()) {
        // Programs that write a bare list record by record never close it, which the format allows.
        place = Place::kDone;
        frame.tail_is_json = false;
      } else if (text.at_end()) {
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
  std::string_view written;
  bool odd = false;
  const Outcome outcome = text.scan([this, &written, &odd](Scanner& scanner) {
    const char* const from = scanner.at();
    const bool whole = fields.scan(scanner);
    odd = scanner.odd();
    written = {from, static_cast<std::size_t>(scanner.at() - from)};
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
    ++records;
    unescaped.clear();
    fields.fill(event, unescaped);
    event.offset = begin;
    event.record = written;
    event.odd = odd;
    if (odd) defects.odd(begin);
    return true;
  }
  if (outcome == Outcome::kCut) {
    if (!open_record) open_record = begin;
  } else if (!recovering || fields.has(ChromeRecord::kPhase)) {
    bad_record(begin, defects.bad_records() > 0 ? std::string{}
                                                : fmt::format("byte {}: {}", text.stopped_at(), text.problem()));
  }
  recover_from(begin + 1, text.stopped_at());
  return false;
}

// Handles an element of the list of events that is not an object.
void ChromeEventReader::State::other_element() {
  const std::uint64_t begin = text.at();
  item();
  const std::string problem = defects.bad_records() > 0 ? std::string{} : text.unexpected("an event: '{'");
  Value element;
  char next = '\0';
  const Outcome outcome =
      text.scan([&](Scanner& scanner) { return scanner.value(element) && scanner.next_char(next); });
  if (outcome == Outcome::kCut) {
    open_record = begin;
    return recover_from(begin + 1, text.stopped_at());
  }
  bad_record(begin, problem);
  if (outcome != Outcome::kDone) return recover_from(begin + 1, text.stopped_at());
  // The element may contain records. A stray bracket turns the records after it into a list. A stray quote turns the
  // text up to the next quote into a string; no comma or closing bracket follows such a string.
  if (element.type == Type::kArray || (next != ',' && next != ']')) recover_from(begin + 1, text.at());
}

// Handles text after the end of the trace. If the trace seemed to end too early, because of a stray bracket, the
// records in this text are read; other text is ignored.
void ChromeEventReader::State::behind() {
  static_cast<void>(text.next_char());
  if (text.at_end()) return finish();
  frame_is_odd();
  defects.count_trailing_text(text.at(), text.unexpected("the end of the file"));
  if (!events_found) {  // the object ended too early
    if (!find_events_key()) return finish();
    place = Place::kMembers;
    before = Before::kComma;
    return;
  }
  place = Place::kEvents;
  recover_from(text.at(), text.at());
}

void ChromeEventReader::State::finish() {
  if (place != Place::kBehind) frame.tail_is_json = false;  // the trace does not end properly
  place = Place::kDone;
  if (source.truncated()) defects.damaged_gzip(text.at());
  if (!events_found) {
    throw InputError(defects.at(text.at()), "no \"traceEvents\" in it; expected a Chrome trace");
  }
}

void ChromeEventReader::State::odd_place() {
  defects.odd(text.at());
  if (place == Place::kMembers) frame_is_odd();
}

// Counts a missing comma before an item; comma() and close() count an extra one. Neither is strict JSON, but the
// meaning is clear.
void ChromeEventReader::State::item() {
  if (before == Before::kItem && !recovering) odd_place();
  before = Before::kItem;
}

void ChromeEventReader::State::comma() {
  if (before != Before::kItem) odd_place();
  before = Before::kComma;
  text.advance();
}

void ChromeEventReader::State::close() {
  if (before == Before::kComma) odd_place();
  before = Before::kItem;
  text.advance();
}

void ChromeEventReader::State::cut(std::uint64_t begin) {
  place = Place::kDone;
  frame.tail_is_json = false;
  defects.cut(begin);
}

void ChromeEventReader::State::bad_record(std::uint64_t begin, std::string_view detail) {
  ++records;
  defects.bad_record(begin, detail);
}

void ChromeEventReader::State::bad_member(std::uint64_t begin) {
  const std::string problem = text.problem();
  const std::uint64_t stopped_at = text.stopped_at();
  frame_is_odd();
  if (events_found) {
    place = Place::kEvents;
    recover_from(text.at(), stopped_at);
  } else if (!find_events_key()) {
    throw InputError(defects.at(stopped_at), problem);
  }
  defects.bad_member(begin, problem);
}

bool ChromeEventReader::State::find_events_key() {
  return text.find('"', '"', [](const char*, const char* at, const char* end) { return is_events_key(at, end); });
}

// Continues at `resume`, just after the beginning of a bad item, so that a missing quote in one record does not hide
// the next one. The amount of text that is read twice is limited, so that the work stays linear in the file's size.
// When the limit is reached, reading continues at `stopped_at`, where the scan failed.
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

// Moves to the probable beginning of the next record, or to the end of the list of events. Returns false if there is
// neither.
bool ChromeEventReader::State::find_record() {
  bool closes = false;
  const bool found = text.find('{', ']', [this, &closes](const char* begin, const char* at, const char* end) {
    closes = *at == ']';
    return closes ? !frame.bare && ends_events(at, end) : may_begin_record(begin, at, end);
  });
  if (found && closes) {
    recovering = false;
    if (open_record) bad_record(*open_record, "has no end");
    open_record.reset();
  }
  return found;
}

ChromeEventReader::ChromeEventReader(ByteSource& source, Diagnostics& diagnostics, int threads, std::size_t piece_bytes)
    : state_(std::make_unique<State>(
          source, diagnostics, threads > 1 ? std::make_unique<RecordsAhead>(source, threads, piece_bytes) : nullptr)) {}

ChromeEventReader::~ChromeEventReader() = default;

bool ChromeEventReader::next(ChromeEvent& event) { return state_->next(event); }

const std::vector<std::pair<std::string, std::string>>& ChromeEventReader::members() const noexcept {
  return state_->frame.members;
}

const ChromeFrame& ChromeEventReader::frame() const noexcept { return state_->frame; }

std::uint64_t ChromeEventReader::records() const noexcept { return state_->records; }

std::uint64_t ChromeEventReader::skipped() const noexcept { return state_->defects.bad_records(); }

}  // namespace stepsim::ingest
