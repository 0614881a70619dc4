#include "model/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace stepsim {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t index) noexcept {
  return static_cast<std::uint8_t>(text[index]);
}

/// Removes one character from `rest` and returns it in printable form.
std::string take_shown(std::string_view& rest) {
  const Character character = decode_utf8(rest);
  const std::string_view raw = rest.substr(0, character.length);
  rest.remove_prefix(character.length);
  if (!character.valid) return fmt::format("\\x{:02x}", static_cast<std::uint8_t>(raw.front()));
  if (!is_control(character.code)) return std::string{raw};
  switch (character.code) {
    case U'\n': return "\\n";
    case U'\r': return "\\r";
    case U'\t': return "\\t";
    default: break;
  }
  const auto code = static_cast<std::uint32_t>(character.code);
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

std::string shown_whole(std::string_view text) {
  std::string out;
  while (!text.empty()) out += take_shown(text);
  return out;
}

/// Returns as many characters from the front, in printable form, as fit into `room` bytes.
std::string shown_front(std::string_view text, std::size_t room) {
  std::string out;
  while (!text.empty()) {
    const std::string next = take_shown(text);
    if (out.size() + next.size() > room) break;
    out += next;
  }
  return out;
}

/// Returns as many characters from the back, in printable form, as fit into `room` bytes.
std::string shown_back(std::string_view text, std::size_t room) {
  // The last `room` bytes of `text` are enough, because every byte is printed as at least one byte. Start at the first
  // character that begins within them.
  std::size_t from = text.size() - std::min(text.size(), room);
  while (from < text.size() && (byte_at(text, from) & 0xC0U) == 0x80U) ++from;
  std::vector<std::string> characters;
  for (std::string_view rest = text.substr(from); !rest.empty();) characters.push_back(take_shown(rest));
  std::size_t size = 0;
  auto first = characters.end();
  while (first != characters.begin() && size + std::prev(first)->size() <= room) {
    --first;
    size += first->size();
  }
  std::string out;
  for (; first != characters.end(); ++first) out += *first;
  return out;
}

/// Returns the number of edits (insert, delete, replace, swap two neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view leading_number(std::string_view text) noexcept {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  return text.substr(0, length);
}

std::string_view without_zeros(std::string_view digits) noexcept {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? digits.substr(digits.size()) : digits.substr(first);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) c = lower_case(c);
  return lower;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string plain_name(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-'; });
  return plain;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) noexcept {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return contains(text, word); });
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) noexcept {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [text](std::string_view beginning) { return text.starts_with(beginning); });
}

bool is_control(char32_t code) noexcept {
  const bool c0_or_c1 = code < 0x20 || (code >= 0x7F && code <= 0x9F);
  const bool direction = code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                         (code >= 0x2066 && code <= 0x2069);
  return c0_or_c1 || direction || code == 0x2028 || code == 0x2029;
}

Character decode_utf8(std::string_view text) noexcept {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte_at(text, i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length, true};
}

void append_utf8(std::string& out, char32_t code) {
  const auto push = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  const auto continuation = [](char32_t bits) { return 0x80U | (bits & 0x3FU); };
  if (code < 0x80) return push(code);
  if (code < 0x800) {
    push(0xC0U | code >> 6U);
  } else {
    if (code < 0x10000) {
      push(0xE0U | code >> 12U);
    } else {
      push(0xF0U | code >> 18U);
      push(continuation(code >> 12U));
    }
    push(continuation(code >> 6U));
  }
  push(continuation(code));
}

std::string shown(std::string_view text, std::size_t limit) {
  constexpr std::string_view kCut = "...";
  if (text.size() <= limit) {
    std::string whole = shown_whole(text);
    if (whole.size() <= limit) return whole;
  }
  const std::size_t room = limit - std::min(limit, kCut.size());
  const std::string front = shown_front(text, room - room / 2);
  return fmt::format("{}{}{}", front, kCut, shown_back(text, room / 2));
}

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> known, std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> near;  // with the edit distance
  for (const std::string& name : known) {
    const std::size_t longer = std::max(word.size(), name.size());
    const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    if (longer - std::min(word.size(), name.size()) > allowed) continue;
    const std::size_t distance = edit_distance(word, name);
    const bool is_new = std::none_of(near.begin(), near.end(), [&](const auto& other) { return other.second == name; });
    if (distance <= allowed && is_new) near.emplace_back(distance, name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (auto& [distance, name] : near) {
    if (names.size() < most) names.push_back(std::move(name));
  }
  return names;
}

std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> known) {
  std::vector<std::string> names = nearest_names(word, known, 1);
  return names.empty() ? std::nullopt : std::optional(std::move(names.front()));
}

std::string enumerated(std::span<const std::string> words, std::string_view conjunction) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? fmt::format(" {} ", conjunction) : ", ";
    out += words[i];
  }
  return out;
}

void add_item(std::string& list, std::string_view item, std::string_view separator) {
  if (!list.empty()) list += separator;
  list += item;
}

std::string ranges_of(const std::set<std::int64_t>& numbers, std::string_view separator) {
  std::string list;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    add_item(list, first == last ? std::to_string(*first) : fmt::format("{}-{}", *first, *last), separator);
    first = std::next(last);
  }
  return list;
}

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, 1, ',');
  return digits;
}

std::string counted(std::size_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  const bool has_consonant_y = noun.size() > 1 && noun.ends_with('y') &&
                               std::string_view("aeiou").find(noun[noun.size() - 2]) == std::string_view::npos;
  if (has_consonant_y) return fmt::format("{} {}ies", grouped(count), noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}{}", grouped(count), noun, noun.ends_with('s') ? "es" : "s");
}

bool natural_less(std::string_view a, std::string_view b) noexcept {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    const std::string_view digits_a = leading_number(a);
    const std::string_view digits_b = leading_number(b);
    if (!digits_a.empty() && !digits_b.empty()) {
      const std::string_view number_a = without_zeros(digits_a);
      const std::string_view number_b = without_zeros(digits_b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      a.remove_prefix(digits_a.size());
      b.remove_prefix(digits_b.size());
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() != b.empty() ? a.empty() : whole_a < whole_b;
}

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD, the replacement character

/// Returns how many bytes at the front of `text` need no escape in a JSON string.
std::size_t plain_prefix(std::string_view text) noexcept {
  std::size_t length = 0;
  while (length < text.size()) {
    const char c = text[length];
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\' || c == '<') break;
    ++length;
  }
  return length;
}

std::string escaped(char32_t code) {
  switch (code) {
    case U'"': return "\\\"";
    case U'\\': return "\\\\";
    case U'\n': return "\\n";
    case U'\r': return "\\r";
    case U'\t': return "\\t";
    default: return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const std::size_t plain = plain_prefix(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character next = decode_utf8(text);
    if (!next.valid) {
      out += kReplacement;
    } else if (next.code < 0x80 || is_control(next.code)) {
      out += escaped(next.code);
    } else {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  out += '"';
}

void append_exact_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned char kFirstPrintable = 0x20;
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kFirstPrintable) {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

std::string gml_quoted(std::string_view text) {
  constexpr std::uint32_t kReplacementCode = 0xFFFD;
  std::string quoted = "\"";
  while (!text.empty()) {
    const Character character = decode_utf8(text);
    const bool plain = character.code >= ' ' && character.code < 0x7F && character.code != '"' && character.code != '&';
    if (plain) {
      quoted += static_cast<char>(character.code);
    } else {
      quoted += fmt::format("&#{};", character.valid ? std::uint32_t{character.code} : kReplacementCode);
    }
    text.remove_prefix(character.length);
  }
  return quoted + '"';
}

}  // namespace stepsim
