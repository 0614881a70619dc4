#ifndef STEPSIM_INGEST_PRIVACY_SCRUBBER_H
#define STEPSIM_INGEST_PRIVACY_SCRUBBER_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/byte_source.h"
#include "ingest/privacy/json_rewriter.h"
#include "ingest/privacy/private_text.h"
#include "model/job/capture_contents.h"

namespace stepsim::ingest {

/// A cache of facts about texts. A new text may replace a cached one. Long texts have few places of their own, for the
/// lists of ranks that each collective of a large job repeats, and the longest are not cached, so memory and the time
/// of a lookup are bounded for any input.
template <class Facts>
class TextMemo {
 public:
  /// Returns the facts of a text, which the caller may change. They are `Facts{}` for a text that is not cached. The
  /// reference is valid until the next call.
  [[nodiscard]] Facts& operator[](std::string_view text) {
    if (text.size() > kLongest) return of_long_text(text);
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
  static constexpr std::size_t kLongEntries = std::size_t{1} << 6U;     // of texts that are longer
  static constexpr std::size_t kLongestOfAll = std::size_t{64} << 10U;  // numbers of some 11,000 ranks

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

  struct LongEntry {
    std::string text;
    Facts facts{};
  };

  [[nodiscard]] Facts& of_long_text(std::string_view text) {
    if (text.size() > kLongestOfAll) return uncached_ = {};
    long_entries_.resize(kLongEntries);
    LongEntry& entry = long_entries_[std::hash<std::string_view>{}(text) % kLongEntries];
    if (entry.text != text) entry = {std::string(text), {}};
    return entry.facts;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(kFewestEntries);
  std::size_t texts_ = 0;  ///< texts that entered this table, including those replaced since
  std::size_t last_ = 0;   ///< index of the text that was looked up last: keys are looked up several times in a row
  std::vector<LongEntry> long_entries_;  ///< empty until there is a long text
  Facts uncached_{};
};

/// The form of a file's text. It determines how the text is scrubbed.
enum class TextForm : std::uint8_t {
  kTrace,  ///< JSON of a profiler: top-level members next to the events describe the run and are replaced
  kJson,   ///< other JSON: all members are kept
  kLines,  ///< plain text, or anything else, treated as lines of text
};

/// Rewrites the text of traces so that they can be shared. It replaces private content, with the same substitute for
/// the same text in every file: secrets, e-mail addresses, user and host names, IP addresses, and paths that are not
/// part of a public package. It also replaces every top-level member of a profiler's file, above all the environment,
/// unless the member is known to describe the device, the job's ranks or the profiler's settings. Keys are scrubbed
/// like values. Numbers of events, structure and all other texts stay byte for byte, including names of functions,
/// modules, operators, kernels and annotations.
///
/// Names of users and hosts are learned from all files first, so that they are also found elsewhere. The substitutes
/// sort in the same order as the names.
class Scrubber {
 public:
  using Sink = std::function<void(std::string_view text)>;

  /// Learns names of users and hosts. Call this for each file before any file is scrubbed. Reads `source` to its end.
  void learn(ByteSource& source, TextForm form);
  /// Adds a host name that is known from elsewhere, such as a file's name.
  void learn_host(std::string_view name);

  /// Passes the text of `source` to `out` with private content replaced. Throws InputError as rewrite_json() does, and
  /// for a line of more than 64 MiB in other text.
  void scrub(ByteSource& source, TextForm form, const Sink& out);

  /// Returns a file name, or another text of one line, with private content replaced.
  [[nodiscard]] std::string text(std::string_view line);

  /// The replaced content by kind, in the order of first occurrence.
  [[nodiscard]] const std::vector<PrivateContent>& found() const noexcept { return found_; }
  /// Returns the number of characters that were searched for private content. Texts that are repeated count once, as
  /// far as they are cached.
  [[nodiscard]] std::uint64_t searched() const noexcept { return searched_; }

 private:
  /// Selects the learned names that are replaced in a text. A name that is a plain word may also occur as a word of the
  /// format.
  enum class Names : std::uint8_t {
    kAll,               ///< all names, in any case
    kOutsideOperators,  ///< names of 3 or more characters, in the same case; no plain words in names of operators
    kNoPlainWords,
  };
  static constexpr std::size_t kNamesCount = 3;
  /// Properties of a member's value that follow from its key.
  struct KeyFacts {
    SecretName secret = SecretName::kNone;
    bool host = false;
    bool user = false;
    bool of_process = false;
  };
  /// Cached results for a text.
  struct Known {
    std::array<bool, kNamesCount> clean{};  ///< indexed by Names: the text contains nothing private
    std::optional<KeyFacts> as_key;
  };
  /// A learned name and its kind.
  using Name = std::pair<const std::string, PrivateKind>;

  struct NaturalOrder {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept;
  };

  void learn_name(PrivateKind kind, std::string_view name);
  void learn_from(std::string_view key, std::string_view text);
  void number_names();
  [[nodiscard]] std::optional<std::string> whole_member(const JsonPlace& place, TextForm form, char first);
  [[nodiscard]] const KeyFacts& facts_of_key(std::string_view key);
  [[nodiscard]] std::optional<std::string> changed(const JsonPlace& place, std::string_view text);
  [[nodiscard]] std::optional<std::string> changed_by_key(const JsonPlace& place, std::string_view text);
  [[nodiscard]] std::optional<std::string> changed_by_form(const JsonPlace& place, std::string_view text, Names names);
  [[nodiscard]] std::optional<std::string> changed_key(const JsonPlace& place, TextForm form);
  void scrub_lines(ByteSource& source, const Sink& out);
  [[nodiscard]] std::optional<std::string> changed_if_not_clean(const JsonPlace& place, std::string_view text,
                                                                Names names);
  [[nodiscard]] const Name* name_at(std::string_view text, std::size_t at, Names names) const;
  void append_with_names(std::string& out, std::string_view text, const JsonPlace& place, Names names);
  [[nodiscard]] std::string place_text(const JsonPlace& place) const;
  [[nodiscard]] std::string substitute(PrivateKind kind, std::string_view text);
  void count(std::string_view kind, bool secret, const JsonPlace& place);

  std::map<std::string, PrivateKind, NaturalOrder> names_;  ///< names of users and hosts
  /// The names in names_ in lower case, sorted; filled after all names are learned.
  std::vector<std::pair<std::string, const Name*>> sorted_names_;
  bool names_numbered_ = false;
  std::array<std::map<std::string, std::size_t, std::less<>>, kPrivateKindCount> numbers_;  ///< by kind
  TextMemo<Known> known_;
  std::vector<PrivateContent> found_;
  std::uint64_t searched_ = 0;
};

}  // namespace stepsim::ingest

#endif
