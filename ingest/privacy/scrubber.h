#ifndef STEPSIM_INGEST_PRIVACY_SCRUBBER_H
#define STEPSIM_INGEST_PRIVACY_SCRUBBER_H

#include <array>
#include <cstddef>
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
#include "ingest/privacy/text_memo.h"
#include "model/job/capture_contents.h"

namespace stepsim::ingest {

/// How the text of a file is laid out, as far as rewriting it goes.
enum class TextForm : std::uint8_t {
  kTrace,  ///< JSON of a profiler: members beside its events tell of the run, and are taken out
  kJson,   ///< other JSON: every member belongs to what it says
  kLines,  ///< plain text, or anything else that is looked at as such
};

/// Rewrites the text of traces so that they can be given away. What is private is replaced, the same text by the same
/// substitute in every file: secrets, e-mail addresses, names of users and hosts, IP addresses, paths that are no part
/// of a public package, and every top-level member of a profiler's file that is not known to describe the device, the
/// job's ranks or the profiler's settings: the environment above all. Keys of members are looked at as values are.
/// Numbers of events, structure and all other texts stay byte for byte; so do names of functions, modules, operators,
/// kernels and annotations.
///
/// Names of users and hosts are learned from all files first, so that they are found wherever else they occur. Their
/// substitutes sort as the names do.
class Scrubber {
 public:
  using Sink = std::function<void(std::string_view text)>;

  /// Looks for names. To be called for each file, before any is scrubbed. Reads `source` to its end.
  void learn(ByteSource& source, TextForm form);
  /// A host that is known from elsewhere, such as a file's name.
  void learn_host(std::string_view name);

  /// Hands the text of `source` to `out` without what is private. Throws InputError as rewrite_json() does, and for a
  /// line of more than 64 MiB in other text.
  void scrub(ByteSource& source, TextForm form, const Sink& out);

  /// The name of a file, or a text of one line, without what is private.
  [[nodiscard]] std::string text(std::string_view line);

  /// What was replaced, by kind, in the order of their first place.
  [[nodiscard]] const std::vector<PrivateContent>& found() const noexcept { return found_; }

 private:
  /// Which learned names are replaced in a text. A name that is a plain word may be a word of the format, too.
  enum class Names : std::uint8_t {
    kAll,               ///< in letters of any case, too
    kOutsideOperators,  ///< plain words stay in names of operators and kernels, and names of two letters in all
    kNoPlainWords,
  };
  static constexpr std::size_t kNamesCount = 3;
  /// What a key tells of the member's value.
  struct KeyFacts {
    SecretName secret = SecretName::kNone;
    bool host = false;
    bool user = false;
    bool of_process = false;
  };
  /// What was found out about a text.
  struct Known {
    std::array<bool, kNamesCount> clean{};  ///< nothing in it is private, by Names
    std::optional<KeyFacts> as_key;
  };
  /// A learned name, and what it is the name of.
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

  std::map<std::string, PrivateKind, NaturalOrder> names_;  ///< of users and hosts
  /// The same in lower case, sorted, once all are learned.
  std::vector<std::pair<std::string, const Name*>> sorted_names_;
  bool names_numbered_ = false;
  std::array<std::map<std::string, std::size_t, std::less<>>, kPrivateKindCount> numbers_;  ///< by kind
  TextMemo<Known> known_;
  std::vector<PrivateContent> found_;
};

}  // namespace stepsim::ingest

#endif
