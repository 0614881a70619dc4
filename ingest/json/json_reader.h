#ifndef STEPSIM_INGEST_JSON_JSON_READER_H
#define STEPSIM_INGEST_JSON_JSON_READER_H

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/json/source_cursor.h"

namespace stepsim::ingest {

/// A JSON document (RFC 8259) read front to back, value by value, as the caller asks for it:
/// for formats in which anything wrong is an error with a byte offset.
///
///     json.object([&](const std::string& key) { key == "id" ? id = json.number() : json.skip(); });
///
/// Every function throws InputError with the offset of what it did not expect. Memory is that
/// of a TextWindow, whatever the document's size; one text or number must fit into it, and so
/// must each member of what is skipped.
class JsonReader {
 public:
  /// `source` must outlive the reader. A byte order mark at the front is skipped.
  explicit JsonReader(ByteSource& source);

  /// The first character of the next value, which tells its type; 0 at the end of the file.
  [[nodiscard]] char peek() { return text_.next_char(); }
  /// Its offset.
  [[nodiscard]] std::uint64_t offset();

  /// Enters an object and calls `member(key)` at the value of each member, which it has to take.
  template <class Member>
  void object(Member&& member);
  /// Enters an array and calls `element()` at each element, which it has to take.
  template <class Element>
  void array(Element&& element);
  /// Takes a string, unescaped.
  [[nodiscard]] std::string text();
  /// Takes a number as it is written; valid until the next call.
  [[nodiscard]] std::string_view number();
  /// Takes any value as it is written, strings without their quotes; valid until the next call. It must fit into a
  /// TextWindow.
  [[nodiscard]] std::string_view raw() { return value().raw; }
  /// Takes any value without using it.
  void skip();
  /// Checks that nothing follows the document.
  void expect_end();

  /// True once a function failed because the file ended.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[noreturn]] void fail(std::uint64_t offset, std::string_view problem) const;

 private:
  /// Takes `bracket`.
  void open(char bracket, std::string_view expected);
  /// True once `bracket` was taken; false at the next item.
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

template <class Element>
void JsonReader::array(Element&& element) {
  open('[', "an array");
  for (bool is_first = true; !closes(']', is_first); is_first = false) element();
}

}  // namespace stepsim::ingest

#endif
