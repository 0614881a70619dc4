#ifndef STEPSIM_INGEST_PRIVACY_TEXT_MEMO_H
#define STEPSIM_INGEST_PRIVACY_TEXT_MEMO_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::ingest {

/// A cache of facts about texts. A new text may replace a cached one, and long texts are not cached, so memory and the
/// time of a lookup are bounded for any input.
template <class Facts>
class TextMemo {
 public:
  /// Returns the facts of a text, which the caller may change. They are `Facts{}` for a text that is not cached. The
  /// reference is valid until the next call.
  [[nodiscard]] Facts& operator[](std::string_view text) {
    if (text.size() > kLongest) return long_text_ = {};
    const Ends ends(text);
    if (!entries_[last_].holds(text, ends)) {
      last_ = place(text, ends);
      if (!entries_[last_].holds(text, ends)) {
        if (++texts_ == entries_.size() && texts_ < kMostEntries) {
          entries_ = std::vector<Entry>(8 * texts_);
          texts_ = 1;
          last_ = place(text, ends);
        }
        entries_[last_].text.assign(text.size() > sizeof(Ends) ? text : std::string_view{});
        entries_[last_].size = text.size();
        entries_[last_].ends = ends;
        entries_[last_].facts = {};
      }
    }
    return entries_[last_].facts;
  }

 private:
  static constexpr std::size_t kFewestEntries = std::size_t{1} << 6U;
  static constexpr std::size_t kMostEntries = std::size_t{1} << 15U;
  static constexpr std::size_t kLongest = 512;

  /// The first and last eight characters of a text. Most texts have at most sixteen characters, so these are the whole
  /// text.
  struct Ends {
    Ends() = default;
    explicit Ends(std::string_view text) {
      if (text.size() >= sizeof(first)) {
        std::memcpy(&first, text.data(), sizeof(first));
        std::memcpy(&last, text.data() + text.size() - sizeof(last), sizeof(last));
      } else if (!text.empty()) {
        std::memcpy(&first, text.data(), text.size());
      }
    }
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const Ends&) const = default;
  };

  struct Entry {
    [[nodiscard]] bool holds(std::string_view other, const Ends& other_ends) const {
      return size == other.size() && ends == other_ends && (size <= sizeof(Ends) || text == other);
    }
    Ends ends;
    std::size_t size = 0;
    std::string text;  ///< empty if `ends` covers the whole text
    Facts facts{};
  };

  [[nodiscard]] std::size_t place(std::string_view text, const Ends& ends) const {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio
    const std::uint64_t middle = text.size() > sizeof(Ends) ? std::hash<std::string_view>{}(text) : text.size();
    return (((ends.first ^ std::rotl(ends.last, 29)) + middle) * kOdd) >> (64 - std::bit_width(entries_.size() - 1));
  }

  std::vector<Entry> entries_ = std::vector<Entry>(kFewestEntries);
  std::size_t texts_ = 0;  ///< texts that entered this table, including those replaced since
  std::size_t last_ = 0;   ///< index of the text that was looked up last: keys are looked up several times in a row
  Facts long_text_{};
};

}  // namespace stepsim::ingest

#endif
