#include "ingest/privacy/private_text.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "ingest/privacy/private_path.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

re2::StringPiece piece_of(std::string_view text) { return {text.data(), text.size()}; }

/// A match of a form in a text. A check may change the ends of the piece and the position where the search continues.
struct Match {
  std::string_view text;
  std::size_t begin;   ///< of the whole match
  PrivatePiece piece;  ///< from the first to the last group of the pattern; the whole match if there are no groups
  std::size_t next;    ///< the search continues here
};

/// A form of private text: a regular expression and, where that is not enough, a check.
struct Form {
  PrivateKind kind;
  std::string_view what;
  std::string_view pattern;
  bool (*holds)(Match& match) = nullptr;
};

std::string_view text_of(const Match& match) {
  return match.text.substr(match.piece.begin, match.piece.end - match.piece.begin);
}

/// Extends the piece to the whole token. Real tokens contain digits; a run without digits is a name of hyphenated
/// words. Inside a word, a token begins with letters of both cases and digits, as no word does.
bool holds_token(Match& match) {
  const std::string_view body = text_of(match);
  const auto has = [](std::string_view part, bool (*is)(char)) { return std::any_of(part.begin(), part.end(), is); };
  PrivatePiece& piece = match.piece;
  if (match.begin > 0 && is_word_character(match.text[match.begin - 1]) &&
      !(has(body, is_digit_char) && has(body, is_upper) && has(body, is_lower) &&
        std::all_of(body.begin(), body.end(), is_word))) {
    match.next = match.begin + 1;
    return false;
  }
  piece.end = match.next = end_of(match.text, piece.end, [](char c) { return is_token(c) || c == '.'; });
  const bool is_random = has(text_of(match), is_digit_char);
  piece.begin = match.begin;
  return is_random;
}

/// "input_tokens: 512" is a count, not a secret.
bool is_no_count(Match& match) {
  const std::string_view value = text_of(match);
  return !std::all_of(value.begin(), value.end(), is_digit_char);
}

bool is_unusual_address(Match& match) { return text_of(match) != "127.0.0.1" && text_of(match) != "0.0.0.0"; }

/// Times of day have fewer groups than addresses, and C++ names have more than one "::".
bool is_long_address(Match& match) {
  const std::string_view address = text_of(match);
  const auto colons = std::count(address.begin(), address.end(), ':');
  const std::size_t gap = address.find("::");
  return gap == address.rfind("::") && std::any_of(address.begin(), address.end(), is_digit_char) &&
         (colons > 3 || (colons == 3 && gap != std::string_view::npos) || address.starts_with("fe80:"));
}

/// Removes the public part of a path from the piece.
bool holds_path(Match& match) {
  while (text_of(match).ends_with('.')) --match.piece.end;  // a full stop after the path
  match.piece.end = match.piece.begin + private_part(text_of(match));
  return match.piece.end > match.piece.begin;
}

/// Names of operators that begin with a slash continue with a capital letter, so they do not match.
bool is_unusual_top_folder(Match& match) {
  static const RE2 usual(
      "/(?:bin|boot|data|dev|etc|home|lib|lib64|media|mnt|nfs|opt|proc|root|run|sbin|scratch|shared|srv|sys|tmp|usr|"
      "var|work|workspace)");
  return !RE2::FullMatch(piece_of(text_of(match)), usual) && holds_path(match);
}

/// Named parts of the patterns in kForms. A part may contain the parts after it. <ends_word>, <ends_url> and <in_path>
/// are sets of characters without their brackets.
constexpr auto kParts = std::to_array<std::pair<std::string_view, std::string_view>>({
    // A program, and an option with a password. The piece ends at the last password of the command.
    {"<program>", R"((?:^|[^\w.-]))"},
    {"<options>", "<stop>(?:[^;|&]*?<stop>)??"},
    {"<argument>", R"((?:"([^"]+)|'([^']+)|([^<ends_word>]+)))"},
    {"<more>", "[^;|&]*<stop>"},
    {"<stop>", "[<ends_word>]"},
    // NAME=VALUE, NAME: VALUE, and --NAME VALUE. "::" is part of a C++ name.
    {"<name>", "(?:^|[^A-Za-z])"},
    {"<is>", R"(["' \\]*(?:(?::?=|: |%3[ADad])[ =:]*|:))"},
    {"<option>", R"((?:^|[^\w-])--(?:[\w-]*[\d_-])?)"},
    {"<blank>", R"(["'\\]* )"},
    {"<value>",
     R"([ \\]*(?:"([^"]*[^"\\ ])[\\ ]*"|'([^']*[^'\\ ])[\\ ]*'|(?:["'][ =:\\]*)?((?:(?:Bearer|Basic|[Tt]oken) [ =:]*)?<word>)))"},
    {"<word>", R"((?:[^<ends_word>&:=][^<ends_word>&]*[^<ends_word>&,;)\]}]|[^<ends_word>&:=,;)\]}]))"},
    {"<secret>",
     "(?i:secrets?|passwords?|passwd|passphrase|(?:api|access|private|secret)[_ -]?keys?|credentials?|"
     "auth|auth_key|authorization|cookie)"},
    {"<ends_word>", R"(\x00-\x20"')"},
    {"<login>", "[^/<ends_url>]*"},
    {"<ends_url>", R"(\x00-\x20"'<>),)"},
    // Brackets are part of a path that continues after them. So are blanks in a path of Windows.
    {"<path>", R"(<char>*(?:<brackets>/<char>*)*)"},
    {"<brackets>", R"((?:\(<char>*\)|\[<char>*\]))"},
    {"<windows>", R"((\\(?:<char>|\\)*(?: <char>+\\(?:<char>|\\)*)*))"},
    {"<before>", R"((?:^|[^\\<in_path>]))"},
    {"<after>", R"(\.*(?:$|[^<in_path>]))"},  // a full stop is not part of the path
    {"<char>", "[<in_path>]"},
    {"<in_path>", R"(\w./+@%~-)"},
    {"<octet>", R"((?:25[0-5]|2[0-4]\d|[01]?\d?\d))"},
});

constexpr std::string_view kPassword = "password of a command";
constexpr std::string_view kNamed = "value of a variable that is named like a secret";

/// If several forms match at the same place, the first one counts.
constexpr auto kForms = [] {
  using enum PrivateKind;
  return std::to_array<Form>({
      {kSecret, kPassword,
       "<program>(?:mysql(?:dump|admin|import)?|mariadb(?:-dump)?)<options>-p<argument>(?:<more>-p<argument>)?"},
      {kSecret, kPassword, "<program>(?:sshpass|docker login)<options>-p *<argument>(?:<more>-p *<argument>)?"},
      {kSecret, kPassword, "<program>redis-cli<options>-a *<argument>(?:<more>-a *<argument>)?"},
      {kSecret, kPassword, "<program>curl<options>-u *<argument>(?:<more>-u *<argument>)?"},
      {kSecret, kNamed,
       R"((?:(?:<name>(?:<secret>|pwd|Pwd)|[\w-][\d_-]PWD)<is>|<option>(?:<secret>|(?i:pwd))<blank>)<value>)"},
      {kSecret, kNamed, "(?:<name>(?i:tokens?)<is>|<option>(?i:tokens?)<blank>)<value>", is_no_count},
      {kSecret, "Hugging Face token", R"(hf_([\w.-]{20}))", holds_token},
      {kSecret, "GitHub token", R"((?:gh[oprsu]_|github_pat_)([\w.-]{20}))", holds_token},
      {kSecret, "GitLab token", R"(glpat-([\w.-]{16}))", holds_token},
      {kSecret, "AWS access key", R"(A[KS]IA([\w.-]{16}))", holds_token},
      {kSecret, "API key (sk-)", R"(sk-([\w.-]{20}))", holds_token},
      {kSecret, "API key (sk_live_)", R"(sk_live_([\w.-]{16}))", holds_token},
      {kSecret, "Slack token", R"(xox[bp]-([\w.-]{16}))", holds_token},
      {kSecret, "Google API key", R"(AIza([\w.-]{30}))", holds_token},
      {kSecret, "Google access token", R"(ya29\.([\w.-]{20}))", holds_token},
      {kSecret, "NVIDIA API key", R"(nvapi-([\w.-]{20}))", holds_token},
      {kSecret, "Docker token", R"(dckr_pat_([\w.-]{16}))", holds_token},
      {kSecret, "PyPI token", R"(pypi-([\w.-]{40}))", holds_token},
      {kSecret, "JSON web token", R"(eyJ([\w.-]{40}))", holds_token},
      {kSecret, "private key", R"(-----BEGIN [^-]*PRIVATE KEY(?s:.*))"},
      {kSecret, "password in a URL", R"(\w+://(?:<login>:<login>@|<login>@<login>:)[^<ends_url>]*)"},
      {kHost, {}, R"(\w+://[^<ends_url>]+)"},
      {kHost, {}, R"(\bip(?:-<octet>){4}(?:[A-Za-z_.-][\w.-]*)?\b)"},
      {kHost, {}, R"(([A-Za-z0-9.-]+\.(?:internal|local(?:domain)?|lan|intranet|corp|private))\.?(?:$|[^\w.-]))"},
      {kPath, {}, R"(<before>((?:~|\.\.?|/[\w.]<char>*<brackets>?)/<path>))", holds_path},
      {kPath, {}, R"(<before>(<path>\.(?:pyx?|so|cpp|cc|cuh?|h(?:pp)?|json|ya?ml|sh|ipynb|pt))<after>)", holds_path},
      {kPath, {}, R"(<before>(/[a-z][a-z0-9_.+@%~-]{2,}[a-z0-9_+@%~-])<after>)", is_unusual_top_folder},
      {kPath, {}, R"((?:<before>(\w:)|(?:^|[^\\])(\\\\[A-Za-z0-9][\w-]*))<windows>)"},
      {kEmail, {}, R"([\w.+%-]+@[\w.-]+\.[A-Za-z]{2,}\b)"},
      {kHost, {}, R"([\w.+%-]+@[\w.-]+:<char>*[/~.]<char>*)"},  // as used by ssh and scp
      {kAddress, {}, R"((?:^|[^\w.])((?:<octet>\.){3}<octet>)(?:$|[^\w.]))", is_unusual_address},
      {kAddress, {}, "(?:^|[^\\w:-])((?:[[:xdigit:]]{1,4}::?)+[[:xdigit:]]{0,4})(?:$|[^\\w:])", is_long_address},
  });
}();

/// Returns a pattern with the parts from kParts in place of their names.
std::string expanded(std::string_view pattern) {
  std::string result(pattern);
  for (const auto& [name, part] : kParts) {
    for (std::size_t at = result.find(name); at != std::string::npos; at = result.find(name, at))
      result.replace(at, name.size(), part);
  }
  return result;
}

/// Options for texts that need not be UTF-8.
RE2::Options latin1() {
  RE2::Options options(RE2::Quiet);
  options.set_encoding(RE2::Options::EncodingLatin1);
  return options;
}

/// The compiled patterns of kForms.
class Patterns {
 public:
  Patterns() : set_(latin1(), RE2::UNANCHORED) {
    for (const Form& form : kForms) {
      const std::string pattern = expanded(form.pattern);
      set_.Add(pattern, nullptr);
      each_.push_back(std::make_unique<RE2>(pattern, latin1()));
    }
    set_.Compile();
  }

  /// Appends the private pieces of `text`, form by form.
  void find(re2::StringPiece text, std::vector<PrivatePiece>& pieces) const {
    RE2::Set::ErrorInfo error{};
    std::vector<int> forms;
    if (!set_.Match(text, &forms, &error) && error.kind != RE2::Set::kNoError) {  // out of memory: any form may match
      forms.resize(kForms.size());
      std::iota(forms.begin(), forms.end(), 0);
    }
    std::sort(forms.begin(), forms.end());
    for (const int form : forms) {
      const auto at = static_cast<std::size_t>(form);
      find(kForms[at], *each_[at], text, pieces);
    }
  }

 private:
  static void find(const Form& form, const RE2& pattern, re2::StringPiece text, std::vector<PrivatePiece>& pieces) {
    std::array<re2::StringPiece, 8> groups;
    const int count = 1 + pattern.NumberOfCapturingGroups();
    Match match{{text.data(), text.size()}, 0, {}, 0};
    while (pattern.Match(text, match.next, text.size(), RE2::UNANCHORED, groups.data(), count)) {
      const auto begin_of = [&](const re2::StringPiece& group) {
        return static_cast<std::size_t>(group.data() - text.data());
      };
      match.begin = begin_of(groups.front());
      match.piece = {text.size(), 0, form.kind, form.what};
      for (std::size_t i = count > 1 ? 1 : 0; i < static_cast<std::size_t>(count); ++i) {
        if (groups[i].data() == nullptr) continue;  // the group took no part in the match
        match.piece.begin = std::min(match.piece.begin, begin_of(groups[i]));
        match.piece.end = begin_of(groups[i]) + groups[i].size();
      }
      match.next = match.piece.end;
      if (form.holds == nullptr || form.holds(match)) pieces.push_back(match.piece);
    }
  }

  RE2::Set set_;
  std::vector<std::unique_ptr<RE2>> each_;
};

}  // namespace

std::string_view to_text(PrivateKind kind) noexcept {
  switch (kind) {
    case PrivateKind::kSecret: return "secret";
    case PrivateKind::kEmail: return "e-mail address";
    case PrivateKind::kUser: return "user name";
    case PrivateKind::kHost: return "host name";
    case PrivateKind::kAddress: return "IP address";
    case PrivateKind::kPath: return "path";
  }
  return "";
}

std::vector<PrivatePiece> find_private(std::string_view text) {
  static const Patterns patterns;
  constexpr std::size_t kShortest = 4;
  std::vector<PrivatePiece> pieces;
  if (text.size() < kShortest) return pieces;
  patterns.find(piece_of(text), pieces);
  std::stable_sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  // Where pieces overlap, the first one counts.
  std::size_t end = 0;
  std::size_t count = 0;
  for (PrivatePiece piece : pieces) {
    piece.begin = std::max(piece.begin, end);
    if (piece.begin >= piece.end) continue;
    end = piece.end;
    pieces[count++] = piece;
  }
  pieces.resize(count);
  return pieces;
}

bool opens_private_key(std::string_view text) noexcept {
  const std::size_t begin = text.rfind("-----BEGIN ");
  return begin != std::string_view::npos && text.find("PRIVATE KEY", begin) != std::string_view::npos &&
         !closes_private_key(text.substr(begin));
}

bool closes_private_key(std::string_view text) noexcept {
  const std::size_t end = text.find("-----END ");
  return end != std::string_view::npos && text.find("PRIVATE KEY", end) != std::string_view::npos;
}

SecretName names_secret(std::string_view key) noexcept {
  static const RE2 secret(expanded("<name>(?:<secret>|(?i:pwd))$"), latin1());
  static const RE2 token(expanded("<name>(?i:tokens?)$"), latin1());
  // PWD is the working folder of a shell, not a password. One stray character may precede it, because in a database a
  // byte of another value may come before the name.
  if (key.size() <= 4 && key.ends_with("PWD")) return SecretName::kNone;
  if (RE2::PartialMatch(piece_of(key), secret)) return SecretName::kSecret;
  return RE2::PartialMatch(piece_of(key), token) ? SecretName::kOrCount : SecretName::kNone;
}

bool names_user(std::string_view key) noexcept {
  const std::string low = lower_case(key);
  return low == "user" || low == "username" || low == "user_name" || low == "logname" || low.ends_with("_user") ||
         low.ends_with("_username");
}

bool names_host(std::string_view key) noexcept {
  const std::string low = lower_case(key);
  return low == "host" || low == "hostname" || low == "host_name" || low == "nodename" || low.ends_with("_hostname") ||
         low.ends_with("_nodename") || low == "master_addr" || low == "slurmd_nodename";
}

}  // namespace stepsim::ingest
