#include "ingest/privacy/json_rewriter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "ingest/bytes/byte_source.h"
#include "ingest/json/escape.h"
#include "ingest/json/json_bytes.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kLongestString = std::size_t{64} << 20U;
constexpr std::size_t kDeepest = 4096;

/// The characters that end a number or a literal.
constexpr std::array<bool, 256> kEndsPlain = [] {
  std::array<bool, 256> ends{};
  for (const char c : std::string_view("\"{}[],: \t\r\n")) ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();

class Rewriter {
 public:
  Rewriter(ByteSource& source, const JsonChanges& changes, const std::function<void(std::string_view)>& out)
      : source_(source), changes_(changes), out_(out) {}

  void run() {
    for_each_piece<json::kPadding>(source_, [this](std::string_view piece) { take(piece); });
    if (in_string_) write(text_);  // the text ended inside a string
  }

 private:
  void take(std::string_view piece) {
    at_ = unwritten_ = piece.data();
    end_ = at_ + piece.size();
    end_offset_ += piece.size();
    while (at_ != end_) {
      in_string_ ? take_more_of_string() : take_token();
    }
    if (!in_string_) write_up_to(end_);
  }

  void take_token() {
    const char c = *at_;
    switch (c) {
      case '"': return take_string();
      case '{':
      case '[':
        begin_value(c);
        open(c == '{');
        break;
      case '}':
      case ']':
        end_skipped();
        close();
        break;
      case ',':
        end_skipped();
        expecting_value_ = in_array();
        wants_key_ = !in_array();
        break;
      case ':': expecting_value_ = true; break;
      case ' ':
      case '\t':
      case '\r':
      case '\n': at_ = json::skip_blank_run(at_, end_); return;
      default:
        begin_value(c);
        at_ = std::find_if(at_, end_, [](char other) { return kEndsPlain[static_cast<unsigned char>(other)]; });
        return;
    }
    ++at_;
  }

  void take_string() {
    if (!is_key_next()) begin_value('"');
    string_at_ = offset(at_);
    has_escapes_ = false;
    const char* const begin = at_;
    at_ = end_of_string(begin + 1);
    if (at_ != end_) {
      const std::string_view raw(begin + 1, static_cast<std::size_t>(at_ - begin - 1));
      ++at_;
      const std::optional<std::string> changed = changed_string(raw);
      if (!changed) return;
      write_up_to(begin);
      return write_quoted(*changed);
    }
    write_up_to(begin);
    in_string_ = true;
    append_to_text(begin);
  }

  void take_more_of_string() {
    const char* const begin = at_;
    at_ = end_of_string(begin);
    in_string_ = at_ == end_;
    if (!in_string_) ++at_;
    append_to_text(begin);
    if (in_string_) return;
    const std::optional<std::string> changed = changed_string(std::string_view(text_).substr(1, text_.size() - 2));
    changed ? write_quoted(*changed) : write(text_);
    unwritten_ = at_;
    text_.clear();
  }

  void append_to_text(const char* begin) {
    text_.append(begin, at_);
    if (text_.size() > kLongestString + 1)
      throw InputError({source_.name(), string_at_, {}}, "a string is longer than 64 MiB; expected a trace");
  }

  /// Returns the quote that ends the current string at or after `p`, or the end of the piece if the string continues.
  const char* end_of_string(const char* p) {
    for (bool ascii = true; p != end_; ++p) {
      if (std::exchange(escaped_, false)) continue;
      p = json::find_string_stop(p, ascii);
      if (p == end_ || *p == '"') return p;
      escaped_ = *p == '\\';
      has_escapes_ = has_escapes_ || escaped_;
    }
    return p;
  }

  std::optional<std::string> changed_string(std::string_view raw) {
    std::string unescaped;
    const std::string_view content = has_escapes_ ? unescaped = json::unescaped(raw) : raw;
    const bool is_key = is_key_next();
    if (is_key) {
      wants_key_ = false;
      keys_.back() = content;
    }
    if (skips_) return std::nullopt;
    return (is_key ? changes_.key : changes_.string)(place(string_at_), content);
  }

  /// At the beginning of a member's value, asks changes_.value whether to replace the whole value. If so, writes the
  /// replacement and skips the value's text.
  void begin_value(char first) {
    if (!expecting_value_) return;
    expecting_value_ = false;
    if (skips_ || in_array()) return;
    const std::optional<std::string> whole = changes_.value(place(offset(at_)), first);
    if (!whole) return;
    write_up_to(at_);
    write_quoted(*whole);
    skipped_depth_ = is_object_.size();
    skips_ = true;
  }

  /// Ends the skipping of a value at the next comma or bracket of the object that contains it.
  void end_skipped() {
    if (!skips_ || is_object_.size() != skipped_depth_) return;
    skips_ = false;
    unwritten_ = at_;
  }

  void open(bool object) {
    if (is_object_.size() == kDeepest)
      throw InputError({source_.name(), offset(at_), {}}, "more than 4096 nested brackets; expected a trace");
    is_object_.push_back(object);
    keys_.emplace_back();
    wants_key_ = object;
    expecting_value_ = !object;
  }

  void close() {
    if (is_object_.empty()) return;
    is_object_.pop_back();
    keys_.pop_back();
    wants_key_ = false;
    expecting_value_ = false;
  }

  [[nodiscard]] bool in_array() const { return is_object_.empty() || !is_object_.back(); }
  [[nodiscard]] bool is_key_next() const { return wants_key_ && !in_array(); }
  [[nodiscard]] std::uint64_t offset(const char* p) const { return end_offset_ - static_cast<std::uint64_t>(end_ - p); }
  [[nodiscard]] JsonPlace place(std::uint64_t offset) const { return {source_.name(), offset, keys_}; }

  void write(std::string_view text) {
    if (!skips_ && !text.empty()) out_(text);
  }
  /// Writes unchanged text up to `end`.
  void write_up_to(const char* end) { write({unwritten_, static_cast<std::size_t>(end - unwritten_)}); }
  /// Writes `content` as a string, in place of the text up to at_.
  void write_quoted(std::string_view content) {
    std::string written;
    append_exact_json_string(written, content);
    write(written);
    unwritten_ = at_;
  }

  ByteSource& source_;
  const JsonChanges& changes_;
  const std::function<void(std::string_view)>& out_;
  // The current piece of text ends at end_. Its unchanged text from unwritten_ to at_ is not written yet.
  const char* unwritten_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t end_offset_ = 0;
  bool in_string_ = false;  ///< inside a string that began in an earlier piece
  bool escaped_ = false;
  bool has_escapes_ = false;
  std::string text_;  ///< text of this string, with its quotes
  std::uint64_t string_at_ = 0;
  std::vector<bool> is_object_;
  std::vector<std::string> keys_;  ///< one key per open bracket
  bool wants_key_ = false;
  bool expecting_value_ = false;
  bool skips_ = false;
  std::size_t skipped_depth_ = 0;
};

}  // namespace

void rewrite_json(ByteSource& source, const JsonChanges& changes, const std::function<void(std::string_view)>& out) {
  Rewriter(source, changes, out).run();
}

}  // namespace stepsim::ingest
