#ifndef STEPSIM_INGEST_JSON_JSON_READER_H
#define STEPSIM_INGEST_JSON_JSON_READER_H

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/json/source_cursor.h"

namespace stepsim::ingest {

/// Reads a JSON document (RFC 8259) from front to back. The caller asks for one value after another. Use it for formats
/// in which any deviation is an error that is reported with its byte offset.
///
///     json.object([&](const std::string& key) { key == "id" ? id = json.number() : json.skip(); });
///
/// Every function throws InputError with the offset of unexpected text. Memory is that of a TextWindow, whatever the
/// document's size. Each string or number, and each member of a skipped value, must fit into the window.
class JsonReader {
 public:
  /// `source` must outlive the reader. A byte order mark at the front is skipped.
  explicit JsonReader(ByteSource& source);

  /// The first character of the next value, which determines its type; 0 at the end of the file.
  [[nodiscard]] char peek() { return text_.next_char(); }
  /// The offset of the next value.
  [[nodiscard]] std::uint64_t offset();

  /// Enters an object and calls `member(key)` for each member. The callback must read the member's value.
  template <class Member>
  void object(Member&& member);
  /// Reads an object straight from the text in memory, for records of a known form. Calls `value_end(scanner, key, p)`
  /// for each member, with the key as written. The callback scans the value at p and returns the position after it, as
  /// json::Scanner::value_at() does. If the text in memory ends first, reads more and calls it again for all members.
  /// Returns false and reads nothing if this is not an object or does not fit into a TextWindow; object() then says
  /// why.
  template <class ValueEnd>
  [[nodiscard]] bool scan_object(ValueEnd&& value_end);
  /// Moves back to `offset`, where the last scan_object() began.
  void go_back(std::uint64_t offset) { text_.move_to(offset); }
  /// Enters an array and calls `element()` for each element. The callback must read the element.
  template <class Element>
  void array(Element&& element);
  /// Reads a string and unescapes it.
  [[nodiscard]] std::string text();
  /// Reads a number and returns its text; valid until the next call.
  [[nodiscard]] std::string_view number();
  /// Reads any value and returns its text, strings without their quotes; valid until the next call. The value must fit
  /// into a TextWindow.
  [[nodiscard]] std::string_view raw() { return value().raw; }
  /// Reads and discards any value.
  void skip();
  /// Checks that nothing follows the document; throws if something does.
  void expect_end();

  /// True after a function failed because the file ended.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[noreturn]] void fail(std::uint64_t offset, std::string_view problem) const;

 private:
  /// Reads `bracket`; throws if something else is there.
  void open(char bracket, std::string_view expected);
  /// True if `bracket` was read; false at the next item.
  [[nodiscard]] bool closes(char bracket, bool is_first);
  [[nodiscard]] std::string key();
  [[nodiscard]] json::Value value();
  [[noreturn]] void fail_here(std::string_view expected);
  [[noreturn]] void fail_scan();

  SourceCursor text_;
  std::string file_;
  bool ended_ = false;
};

template <class Member>
void JsonReader::object(Member&& member) {
  open('{', "an object");
  for (bool is_first = true; !closes('}', is_first); is_first = false) member(key());
}

template <class ValueEnd>
bool JsonReader::scan_object(ValueEnd&& value_end) {
  if (peek() != '{') return false;
  const auto scan_members = [&value_end](json::Scanner& scanner) {
    return scanner.object([&](std::string_view key, const char* p) { return value_end(scanner, key, p); });
  };
  return text_.scan(scan_members) == Outcome::kDone;
}

template <class Element>
void JsonReader::array(Element&& element) {
  open('[', "an array");
  for (bool is_first = true; !closes(']', is_first); is_first = false) element();
}

}  // namespace stepsim::ingest

#endif
