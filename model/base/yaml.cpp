#include "model/base/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim {
namespace {

using Kind = YamlValue::Kind;

constexpr std::size_t kShown = 60;  // longest value in a message, in bytes

std::string_view kind_text(Kind kind) noexcept {
  switch (kind) {
    case Kind::kMap: return "a map";
    case Kind::kList: return "a list";
    case Kind::kScalar: return "a value";
    case Kind::kNothing: return "nothing";
  }
  return {};
}

std::string with_hint(std::string_view expected, std::string_view word, const std::vector<std::string>& words) {
  const auto nearest = nearest_name(word, words);
  return nearest.has_value() ? fmt::format("{} (did you mean '{}'?)", expected, *nearest) : std::string(expected);
}

/// Returns the result of `parse` for the text of a field. If `parse` throws std::invalid_argument, throws a ValueError
/// with the field's file and line instead.
template <class Parse>
auto with_unit(const YamlField& field, Parse parse) {
  const std::string& text = field.scalar("a value with its unit");
  try {
    return parse(text);
  } catch (const std::invalid_argument& error) {
    throw ValueError({*field.file, {}, field.value->line}, fmt::format("'{}': {}", field.name, error.what()));
  }
}

constexpr std::size_t kMostValues = 1'000'000;
/// Marks the end of the document. Without it, yaml-cpp silently closes a quote that is never closed.
constexpr std::string_view kEnd = "...\n";

std::uint32_t line_of(const YAML::Mark& mark) noexcept {
  return mark.line < 0 ? 1U : static_cast<std::uint32_t>(mark.line) + 1U;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded by yaml-cpp
std::size_t size_of(const YamlValue& value) {
  std::size_t size = 1;
  for (const YamlValue& item : value.items) size += size_of(item);
  return size;
}

/// Builds the tree of a document from yaml-cpp's events. yaml-cpp limits the depth.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  [[nodiscard]] YamlValue take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(Kind::kNothing, mark, anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto meant = anchors_.find(anchor);
    if (meant == anchors_.end()) {
      throw InputError({file_, {}, line_of(mark)}, "an alias is inside its own anchor; expected it after the anchor");
    }
    YamlValue copy = meant->second;
    copy.line = line_of(mark);
    charge(copy);
    put(std::move(copy), YAML::NullAnchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& text) override {
    put({Kind::kScalar, line_of(mark), text, {}}, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({{Kind::kList, line_of(mark), {}, {}}, anchor});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({{Kind::kMap, line_of(mark), {}, {}}, anchor});
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlValue value;
    YAML::anchor_t anchor;
  };

  void add(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    // An empty value has no place in the file: use the line of its key, or line 1 for an empty file.
    const bool after_key = !open_.empty() && !open_.back().value.items.empty();
    const std::uint32_t line = open_.empty() && kind == Kind::kNothing ? 1 : line_of(mark);
    put({kind, after_key ? open_.back().value.items.back().line : line, {}, {}}, anchor);
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    put(std::move(done.value), done.anchor);
  }

  /// Adds the values of a copy to the number of copied values. Throws InputError if there are more than kMostValues,
  /// because nested anchors can expand a few values into very many.
  void charge(const YamlValue& copy) {
    copied_ += size_of(copy);
    if (copied_ <= kMostValues) return;
    throw InputError({file_, {}, copy.line},
                     fmt::format("anchors and aliases expand to more than {} values; expected fewer", kMostValues));
  }

  void put(YamlValue value, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      charge(value);
      anchors_[anchor] = value;
    }
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      open_.back().value.items.push_back(std::move(value));
    }
  }

  const std::string& file_;
  YamlValue root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlValue> anchors_;
  std::size_t copied_ = 0;  // number of values copied so far
};

/// Records where a document begins and ignores its content.
class DocumentMark final : public YAML::EventHandler {
 public:
  [[nodiscard]] const YAML::Mark& begin() const noexcept { return begin_; }

  void OnDocumentStart(const YAML::Mark& mark) override { begin_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  YAML::Mark begin_;
};

/// Refuses characters that YAML does not allow; yaml-cpp silently ends the document at some control characters.
void check_characters(std::string_view text, const std::string& name) {
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = decode_utf8(text.substr(at));
    const bool blank = character.code == '\t' || character.code == '\n' || character.code == '\r';
    const bool control = (character.code < 0x20 && !blank) || character.code == 0x7F;
    if (!character.valid || control) {
      throw InputError({name, {}, line}, fmt::format("the file holds the byte 0x{:02x}; expected text in UTF-8",
                                                     static_cast<unsigned char>(text[at])));
    }
    line += character.code == '\n' ? 1U : 0U;
    at += character.length;
  }
}

/// Refuses tabs as indentation: YAML allows only blanks (YAML 1.2, section 6.1). yaml-cpp accepts a tab as one blank
/// before a list in brackets, before a value and within brackets, however wide an editor shows it.
void refuse_tab_indents(std::string_view text, const std::string& name, const YamlForm& form) {
  std::uint32_t line = 1;
  for (std::size_t begin = 0, end = 0; end < text.size(); begin = end + 1) {
    end = std::min(text.find_first_of("\r\n", begin), text.size());
    const std::string_view whole = text.substr(begin, end - begin);
    const std::string_view indent = whole.substr(0, whole.find_first_not_of(" \t"));
    const bool says_nothing = indent.size() == whole.size() || whole[indent.size()] == '#';
    const std::size_t tab = says_nothing ? std::string_view::npos : indent.find('\t');
    if (tab != std::string_view::npos) {
      throw InputError(
          {name, {}, line, static_cast<std::uint32_t>(tab) + 1},
          fmt::format("a tab indents the line, but YAML needs blanks; expected YAML such as '{}'", form.example));
    }
    if (end < text.size() && text[end] == '\n') ++line;
  }
}

/// Turns yaml-cpp's error about `text`, to which kEnd was added, into a readable sentence.
InputError in_words(const YAML::Exception& error, std::string_view text, const std::string& name,
                    const YamlForm& form) {
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
  const std::uint32_t line = std::min(line_of(error.mark), lines);
  std::string_view problem = error.msg;
  if (dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr) {
    problem = "lists or maps are nested too deeply";
  } else if (line_of(error.mark) > lines && problem == YAML::ErrorMsg::DOC_IN_SCALAR) {
    problem = "a quote is not closed";
  }
  return {{name, {}, line}, fmt::format("{}; expected YAML such as '{}'", problem, form.example)};
}

}  // namespace

std::vector<std::string> scalars_of(const YamlValue& value) {  // NOLINT(misc-no-recursion): as deep as the file
  if (value.kind == YamlValue::Kind::kScalar) return {value.text};
  std::vector<std::string> texts{"["};
  for (const YamlValue& item : value.items) {
    std::vector<std::string> inner = scalars_of(item);
    texts.insert(texts.end(), std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
  }
  texts.emplace_back("]");
  return texts;
}

void YamlField::fail(std::string_view problem) const { throw InputError({*file, {}, value->line}, problem); }

void YamlField::reject(std::string_view expected) const {
  const std::string found =
      is(Kind::kScalar) ? fmt::format("'{}'", shown(value->text, kShown)) : std::string(kind_text(value->kind));
  throw ValueError({*file, {}, value->line}, fmt::format("'{}' is {}; expected {}", name, found, expected));
}

const std::string& YamlField::scalar(std::string_view expected) const {
  if (!is(Kind::kScalar) || value->text.empty()) reject(expected);
  return value->text;
}

const std::string& YamlField::word(std::string_view expected) const {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+";
  const std::string& text = scalar(expected);
  if (text.size() > 60 || text.find_first_not_of(kLetters) != std::string::npos) reject(expected);
  return text;
}

const std::string& YamlField::line_of_text(std::string_view expected) const {
  const std::string& text = scalar(expected);
  if (text.size() > 200 || text.find('\n') != std::string::npos) reject(expected);
  return text;
}

std::optional<std::int64_t> YamlField::integer() const noexcept {
  return is(Kind::kScalar) ? parse_number<std::int64_t>(value->text) : std::nullopt;
}

std::uint32_t YamlField::count(std::uint32_t least, std::uint32_t most) const {
  const auto number = integer();
  if (!number.has_value() || *number < least || *number > most) {
    reject(fmt::format("a whole number from {} to {}", least, most));
  }
  return static_cast<std::uint32_t>(*number);
}

double YamlField::number(double least, double most) const {
  const std::string expected = fmt::format("a number from {} to {}", least, most);
  const auto number = parse_number<double>(scalar(expected));
  if (!number || !(*number >= least && *number <= most)) reject(expected);
  return *number;
}

bool YamlField::flag() const {
  const std::string& text = scalar("true or false");
  if (text != "true" && text != "false") reject("true or false");
  return text == "true";
}

Bytes YamlField::bytes(std::int64_t least) const {
  const auto number = integer();
  const Bytes size = number.has_value() ? Bytes{*number} : with_unit(*this, parse_bytes);
  if (size.count() < least) reject(fmt::format("at least {} bytes", least));
  return size;
}

Bandwidth YamlField::bandwidth() const { return with_unit(*this, parse_bandwidth); }

LinkRate YamlField::link_rate() const { return with_unit(*this, parse_link_rate); }

Duration YamlField::duration() const {
  const Duration time = with_unit(*this, parse_duration);
  if (time < Duration{} || time > std::chrono::hours{1}) reject("a time from 0 to 3600s");
  return time;
}

std::size_t YamlField::one_of_words(const std::vector<std::string>& words) const {
  const std::string expected = one_of(words);
  const std::string& text = scalar(expected);
  const auto word = std::find(words.begin(), words.end(), text);
  if (word == words.end()) reject(with_hint(expected, text, words));
  return static_cast<std::size_t>(word - words.begin());
}

std::vector<YamlField> YamlField::list(std::string_view expected) const {
  if (!is(Kind::kList)) reject(expected);
  std::vector<YamlField> items;
  for (const YamlValue& item : value->items) items.push_back({fmt::format("{}[{}]", name, items.size()), &item, file});
  return items;
}

void YamlField::for_each_entry(std::span<const std::string> known,
                               const std::function<void(std::size_t, const YamlField&)>& take) const {
  std::vector<std::uint32_t> first_line(known.size(), 0);
  for (std::size_t i = 0; i + 1 < value->items.size(); i += 2) {
    const YamlValue& key = value->items[i];
    const YamlField at{name, &key, file};
    if (key.kind != Kind::kScalar) at.fail(fmt::format("a key is {}; expected a name", kind_text(key.kind)));
    const auto found = std::find(known.begin(), known.end(), key.text);
    if (found == known.end()) {
      const auto nearest = nearest_name(key.text, known);
      const std::string hint = nearest.has_value() ? fmt::format("did you mean '{}'? ", *nearest) : std::string{};
      at.fail(fmt::format("unknown key '{}'; {}expected {}", shown(key.text, kShown), hint, one_of(known)));
    }
    const auto place = static_cast<std::size_t>(found - known.begin());
    if (first_line[place] != 0) {
      at.fail(fmt::format("'{}' is given twice, first in line {}; expected it once", key.text, first_line[place]));
    }
    first_line[place] = key.line;
    take(place, {key.text, &value->items[i + 1], file});
  }
}

bool is_filled_map(const YamlField& file, const YamlForm& form) {
  if (file.is(Kind::kNothing)) return false;
  if (!file.is(Kind::kMap)) {
    file.fail(
        fmt::format("the file is {}; expected a map of keys such as '{}'", kind_text(file.value->kind), form.example));
  }
  return true;
}

YamlValue parse_yaml(std::string_view text, const std::string& name, const YamlForm& form) {
  if (text.size() > form.largest) {
    throw InputError({name, {}, 1},
                     fmt::format("the file is larger than {} MiB; expected a short file", form.largest >> 20U));
  }
  check_characters(text, name);
  refuse_tab_indents(text, name, form);
  const std::string whole = fmt::format("{}{}", text, text.ends_with('\n') ? "" : "\n");
  try {
    std::istringstream stream(whole + std::string(kEnd));
    YAML::Parser parser(stream);
    TreeBuilder tree(name);
    // yaml-cpp 0.7 reads ",-" as endless empty documents, so only the beginning of a second document is checked.
    DocumentMark second;
    if (parser.HandleNextDocument(tree) && parser.HandleNextDocument(second)) {
      throw InputError({name, {}, line_of(second.begin())},
                       "a second document, or text outside the first; expected one map of keys");
    }
    return tree.take();
  } catch (const YAML::Exception& error) {
    throw in_words(error, whole, name, form);
  }
}

}  // namespace stepsim
