#include "ingest/privacy/json_rewriter.h"

#include <array>
#include <cstddef>

#include "ingest/bytes/byte_source.h"
#include "ingest/json/escape.h"
#include "model/base/error.h"
#include "model/base/quoted.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kLongestString = std::size_t{64} << 20U;
constexpr std::size_t kDeepest = 4096;

class Rewriter {
 public:
  Rewriter(ByteSource& source, const JsonChanges& changes, const std::function<void(std::string_view)>& out)
      : source_(source), changes_(changes), out_(out) {}

  void run() {
    for_each_byte(
        source_,
        [this](char c) {
          take(c);
          ++offset_;
        },
        [this] { flush(); });
    if (in_string_) put(text_);  // the text was cut in it
    flush();
  }

 private:
  void take(char c) {
    if (in_string_) return take_in_string(c);
    switch (c) {
      case '"':
        if (!is_key_next()) begin_value(c);
        in_string_ = true;
        string_at_ = offset_;
        text_.assign(1, c);
        return;
      case '{':
      case '[':
        begin_value(c);
        open(c == '{');
        break;
      case '}':
      case ']': put(c); return close();
      case ',':
        expecting_value_ = in_array();
        wants_key_ = !in_array();
        break;
      case ':': expecting_value_ = true; break;
      case ' ':
      case '\t':
      case '\r':
      case '\n': break;
      default: begin_value(c);
    }
    put(c);
  }

  void take_in_string(char c) {
    if (text_.size() > kLongestString)
      throw InputError({source_.name(), string_at_, {}}, "a string is longer than 64 MiB; expected a trace");
    text_ += c;
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      end_string();
    }
  }

  void end_string() {
    const std::string_view raw = std::string_view(text_).substr(1, text_.size() - 2);
    std::string unescaped;
    std::string_view content = raw;
    if (raw.find('\\') != std::string_view::npos) content = unescaped = json::unescaped(raw);
    const bool is_key = is_key_next();
    if (is_key) {
      wants_key_ = false;
      keys_.back() = content;
    }
    if (skips_) return;
    const auto changed = (is_key ? changes_.key : changes_.string)(place(string_at_), content);
    if (!changed) return put(text_);
    put_quoted(*changed);
  }

  /// A value of an object may be replaced as a whole: then what it holds is passed over.
  void begin_value(char first) {
    if (!expecting_value_) return;
    expecting_value_ = false;
    if (skips_ || in_array()) return;
    const std::optional<std::string> whole = changes_.value(place(offset_), first);
    if (!whole) return;
    put_quoted(*whole);
    skipped_depth_ = is_object_.size();
    skips_ = true;
  }

  void open(bool object) {
    if (is_object_.size() == kDeepest)
      throw InputError({source_.name(), offset_, {}}, "more than 4096 brackets in each other; expected a trace");
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
  [[nodiscard]] JsonPlace place(std::uint64_t offset) const { return {source_.name(), offset, keys_}; }

  // A value that is passed over ends at the next comma or bracket of the object that it is in.
  void put(char c) {
    const bool ends = c == ',' || c == '}' || c == ']';
    const std::size_t depth = is_object_.size();
    if (skips_ && ends && depth == skipped_depth_) skips_ = false;
    if (!skips_) ready_ += c;
  }
  void put(std::string_view text) {
    if (!skips_) ready_ += text;
  }
  void put_quoted(std::string_view content) {
    std::string written;
    append_exact_json_string(written, content);
    put(written);
  }
  void flush() {
    if (!ready_.empty()) out_(ready_);
    ready_.clear();
  }

  ByteSource& source_;
  const JsonChanges& changes_;
  const std::function<void(std::string_view)>& out_;
  std::string ready_;
  std::uint64_t offset_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  std::string text_;  ///< of the string that is being read, with its quotes
  std::uint64_t string_at_ = 0;
  std::vector<bool> is_object_;
  std::vector<std::string> keys_;  ///< one a bracket
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
