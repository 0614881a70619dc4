#include "ingest/privacy/private_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "ingest/privacy/private_path.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr bool is_blank_or_control(char c) { return static_cast<unsigned char>(c) <= ' '; }
constexpr bool is_url(char c) {
  return !is_blank_or_control(c) && c != '"' && c != '\'' && c != '<' && c != '>' && c != ')' && c != ',';
}

/// A type of token with a fixed beginning chosen by its issuer.
struct TokenForm {
  std::string_view beginning;
  std::size_t fewest;  ///< minimum number of characters after the beginning
  std::string_view what;
};

constexpr auto kTokenForms = std::to_array<TokenForm>({
    {"hf_", 20, "Hugging Face token"},    {"ghp_", 20, "GitHub token"},     {"gho_", 20, "GitHub token"},
    {"ghu_", 20, "GitHub token"},         {"ghs_", 20, "GitHub token"},     {"ghr_", 20, "GitHub token"},
    {"github_pat_", 20, "GitHub token"},  {"glpat-", 16, "GitLab token"},   {"AKIA", 16, "AWS access key"},
    {"ASIA", 16, "AWS access key"},       {"sk-", 20, "API key (sk-)"},     {"sk_live_", 16, "API key (sk_live_)"},
    {"xoxb-", 16, "Slack token"},         {"xoxp-", 16, "Slack token"},     {"AIza", 30, "Google API key"},
    {"ya29.", 20, "Google access token"}, {"nvapi-", 20, "NVIDIA API key"}, {"dckr_pat_", 16, "Docker token"},
    {"pypi-", 40, "PyPI token"},          {"eyJ", 40, "JSON web token"},
});

constexpr std::uint32_t bit_of(char c) { return std::uint32_t{1} << (static_cast<unsigned char>(c) & 31U); }

/// For each first character of a token, the set of possible second characters. A set has one bit per character,
/// numbered by its last five bits.
constexpr std::array<std::uint32_t, 256> kSecondOfToken = [] {
  std::array<std::uint32_t, 256> seconds{};
  for (const TokenForm& form : kTokenForms)
    seconds[static_cast<unsigned char>(form.beginning.front())] |= bit_of(form.beginning[1]);
  seconds[static_cast<unsigned char>('-')] = bit_of('-');  // a key in PEM form
  return seconds;
}();

/// Quick check: false if no token begins at `at`.
bool may_begin_token(std::string_view text, std::size_t at) {
  const std::uint32_t seconds = kSecondOfToken[static_cast<unsigned char>(text[at])];
  return seconds != 0 && at + 1 < text.size() && (seconds & bit_of(text[at + 1])) != 0;
}

bool is_jwt(char c) { return is_token(c) || c == '.'; }

constexpr std::string_view kPemBegin = "-----BEGIN ";

/// Finds tokens. The positions passed to at() must not decrease. Each character is then examined once, even in texts
/// such as "sk-sk-sk-", where a token may begin at every third character.
class TokenFinder {
 public:
  explicit TokenFinder(std::string_view text) : text_(text) {}

  std::optional<PrivatePiece> at(std::size_t at) {
    if (!may_begin_token(text_, at)) return std::nullopt;
    const bool inside_word = at > 0 && is_word_character(text_[at - 1]);
    for (const TokenForm& form : kTokenForms) {
      if (form.beginning.front() != text_[at] || !text_.substr(at).starts_with(form.beginning)) continue;
      const std::size_t rest = at + form.beginning.size();
      if (inside_word && !is_random(rest, form.fewest)) continue;
      read_run(at);
      // Real tokens contain digits; a run without digits is a name of hyphenated words.
      if (run_end_ >= rest + form.fewest && after_last_digit_ > rest)
        return PrivatePiece{at, run_end_, PrivateKind::kSecret, form.what};
    }
    if (inside_word) return std::nullopt;
    constexpr std::size_t kLongestTitle = 64;
    if (text_.substr(at).starts_with(kPemBegin) &&
        text_.substr(at, kLongestTitle).find("PRIVATE KEY") != std::string_view::npos)
      return PrivatePiece{at, text_.size(), PrivateKind::kSecret, "private key"};
    return std::nullopt;
  }

 private:
  /// True if the `count` characters from `at` are mixed-case letters and digits without a hyphen. No word looks like
  /// this.
  [[nodiscard]] bool is_random(std::size_t at, std::size_t count) const {
    const std::string_view part = text_.substr(std::min(at, text_.size()), count);
    return part.size() == count && std::all_of(part.begin(), part.end(), is_word) &&
           std::any_of(part.begin(), part.end(), is_digit_char) && std::any_of(part.begin(), part.end(), is_upper) &&
           std::any_of(part.begin(), part.end(), is_lower);
  }

  /// Reads the run of token characters from `at`, unless it has been read.
  void read_run(std::size_t at) {
    if (at < run_end_) return;
    for (run_end_ = at; run_end_ < text_.size() && is_jwt(text_[run_end_]); ++run_end_) {
      if (is_digit_char(text_[run_end_])) after_last_digit_ = run_end_ + 1;
    }
  }

  std::string_view text_;
  std::size_t run_end_ = 0;
  std::size_t after_last_digit_ = 0;  ///< end of the last digit in the run
};

/// A program with a short option that takes a password.
struct PasswordOption {
  std::string_view program;
  char option;
  bool may_be_apart;  ///< "-p SECRET" means the same as "-pSECRET"
};

constexpr auto kPasswordOptions = std::to_array<PasswordOption>({{"mysql", 'p', false},
                                                                 {"mysqldump", 'p', false},
                                                                 {"mysqladmin", 'p', false},
                                                                 {"mysqlimport", 'p', false},
                                                                 {"mariadb", 'p', false},
                                                                 {"mariadb-dump", 'p', false},
                                                                 {"sshpass", 'p', true},
                                                                 {"redis-cli", 'a', true},
                                                                 {"docker login", 'p', true},
                                                                 {"curl", 'u', true}});

bool ends_argument(char c) { return is_blank_or_control(c) || c == '"' || c == '\''; }

/// Finds passwords after the options in kPasswordOptions. The positions passed to at() must not decrease.
class PasswordOptionFinder {
 public:
  explicit PasswordOptionFinder(std::string_view text) : text_(text) {}

  std::optional<PrivatePiece> at(std::size_t at) {
    if (text_[at] != '-') return std::nullopt;
    for (; next_ <= at; ++next_) note_program(next_);
    if (program_ == nullptr || !begins_word(at)) return std::nullopt;
    if (at + 1 == text_.size() || text_[at + 1] != program_->option) return std::nullopt;
    std::size_t begin = at + 2;
    if (program_->may_be_apart) begin = end_of(text_, begin, [](char c) { return c == ' '; });
    if (begin == text_.size()) return std::nullopt;
    const char quote = text_[begin];
    const bool is_quoted = quote == '"' || quote == '\'';
    const std::size_t end = is_quoted ? std::min(text_.find(quote, begin + 1), text_.size())
                                      : end_of(text_, begin, [](char c) { return !ends_argument(c); });
    if (is_quoted) ++begin;
    if (end <= begin) return std::nullopt;
    return PrivatePiece{begin, end, PrivateKind::kSecret, "password of a command"};
  }

 private:
  [[nodiscard]] bool begins_word(std::size_t at) const { return at == 0 || ends_argument(text_[at - 1]); }

  /// Updates program_: set at the name of a program, cleared at the end of a command.
  void note_program(std::size_t at) {
    const char c = text_[at];
    if (c == ';' || c == '|' || c == '&') program_ = nullptr;
    if (!is_lower(c) || (at > 0 && (is_token(text_[at - 1]) || text_[at - 1] == '.'))) return;
    for (const PasswordOption& one : kPasswordOptions) {
      const std::size_t end = at + one.program.size();
      if (text_.substr(at).starts_with(one.program) && (end == text_.size() || ends_argument(text_[end])))
        program_ = &one;
    }
  }

  std::string_view text_;
  std::size_t next_ = 0;                     ///< first position that note_program() has not seen
  const PasswordOption* program_ = nullptr;  ///< program of the current command line
};

bool is_quote(char c) { return c == '"' || c == '\''; }

/// Returns the length of the assignment sign at `at`: "=", ":" or their URL encodings; 0 if there is none. "::" is part
/// of a C++ name, not a sign.
std::size_t sign_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("::")) return 0;
  if (rest.starts_with('=') || rest.starts_with(':')) return 1;
  if (!rest.starts_with('%')) return 0;
  return rest.starts_with("%3D") || rest.starts_with("%3d") || rest.starts_with("%3A") || rest.starts_with("%3a") ? 3
                                                                                                                  : 0;
}

/// Returns the name before `end`, skipping blanks and quotes between them. Names are cut to 128 characters.
std::string_view name_before(std::string_view text, std::size_t end) {
  constexpr std::size_t kMostBetween = 8;
  constexpr std::size_t kLongest = 128;
  const std::size_t least = end - std::min(end, kMostBetween);
  while (end > least && (is_blank(text[end - 1]) || is_quote(text[end - 1]) || text[end - 1] == '\\')) --end;
  std::size_t begin = end;
  while (begin > 0 && end - begin < kLongest && is_token(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

/// Returns the end of the value that begins at `begin`. A quoted value ends at its closing quote. Any other value ends
/// at the next blank, quote, control character or '&', without commas, semicolons and closing brackets at its end. A
/// value that begins with the word "Bearer" or "Basic" includes the word after it.
std::size_t end_of_value(std::string_view text, std::size_t begin) {
  if (begin > 0 && is_quote(text[begin - 1])) {
    std::size_t end = text.find(text[begin - 1], begin);
    if (end != std::string_view::npos) {
      while (end > begin && text[end - 1] == '\\') --end;
      return end;
    }
  }
  const auto ends_at = [](char c) { return !ends_argument(c) && c != '&'; };
  std::size_t end = end_of(text, begin, ends_at);
  const std::string_view first = text.substr(begin, end - begin);
  if (first == "Bearer" || first == "Basic") end = end_of(text, end_of(text, end, is_blank), ends_at);
  while (end > begin && std::string_view(",;)]}").find(text[end - 1]) != std::string_view::npos) --end;
  return end;
}

/// Finds NAME=VALUE, --name VALUE and NAME: VALUE where the name is that of a secret.
std::optional<PrivatePiece> assigned_at(std::string_view text, std::size_t at) {
  const std::size_t sign = sign_at(text, at);
  const bool may_be_option = text[at] == ' ';
  if (sign == 0 && !may_be_option) return std::nullopt;
  const std::string_view name = name_before(text, at);
  if (name.empty() || (may_be_option && !name.starts_with("--"))) return std::nullopt;
  const SecretName secret = names_secret(name);
  if (secret == SecretName::kNone) return std::nullopt;
  const std::size_t after = at + std::max(sign, std::size_t{1});
  const std::size_t value = end_of(text, after, [](char c) { return is_blank(c) || is_quote(c) || c == '\\'; });
  if (value == text.size() || (may_be_option && sign_at(text, value) > 0)) return std::nullopt;
  const std::size_t end = end_of_value(text, value);
  const std::string_view content = text.substr(value, end - value);
  if (content.empty()) return std::nullopt;
  // "input_tokens: 512" is a count, not a secret.
  if (secret == SecretName::kOrCount && std::all_of(content.begin(), content.end(), is_digit_char)) return std::nullopt;
  return PrivatePiece{value, end, PrivateKind::kSecret, "value of a variable that is named like a secret"};
}

std::optional<PrivatePiece> email_at(std::string_view text, std::size_t at) {
  if (text[at] != '@') return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && is_local_part(text[begin - 1])) --begin;
  const std::size_t end = end_of(text, at + 1, [](char c) { return is_token(c) || c == '.'; });
  const std::string_view domain = text.substr(at + 1, end - at - 1);
  const std::size_t dot = domain.find_last_of('.');
  if (begin == at || dot == std::string_view::npos || dot == 0 || domain.size() - dot < 3) return std::nullopt;
  const std::string_view top = domain.substr(dot + 1);
  if (!std::all_of(top.begin(), top.end(), [](char c) { return is_lower(c) || is_upper(c); })) return std::nullopt;
  return PrivatePiece{begin, end, PrivateKind::kEmail, {}};
}

std::optional<PrivatePiece> url_at(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("://") || at == 0 || !is_word_character(text[at - 1])) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  const std::size_t end = end_of(text, at + 3, is_url);
  if (end == at + 3) return std::nullopt;
  const std::string_view rest = text.substr(at + 3, end - at - 3);
  const std::string_view authority = rest.substr(0, rest.find('/'));
  const bool has_password =
      authority.find('@') != std::string_view::npos && authority.find(':') != std::string_view::npos;
  return PrivatePiece{begin, end, has_password ? PrivateKind::kSecret : PrivateKind::kHost,
                      has_password ? "password in a URL" : std::string_view{}};
}

/// Finds NAME@HOST:PATH as used by ssh and scp.
std::optional<PrivatePiece> remote_path_at(std::string_view text, std::size_t at) {
  if (text[at] != '@') return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && is_local_part(text[begin - 1])) --begin;
  const std::size_t colon = end_of(text, at + 1, [](char c) { return is_token(c) || c == '.'; });
  if (begin == at || colon == at + 1 || !text.substr(colon).starts_with(':')) return std::nullopt;
  const std::size_t end = end_of(text, colon + 1, is_path);
  const bool is_remote = text.substr(colon + 1, end - colon - 1).find_first_of("/~.") != std::string_view::npos;
  return is_remote ? std::optional(PrivatePiece{begin, end, PrivateKind::kHost, {}}) : std::nullopt;
}

/// Returns the end of four numbers such as "10.0.0.1" that begin at `p`, with `between` as the separator; nullopt if
/// there are none.
std::optional<std::size_t> end_of_four_numbers(std::string_view text, std::size_t p, char between) {
  for (int part = 0; part < 4; ++part) {
    const std::size_t end = end_of(text, p, is_digit_char);
    if (end == p || end - p > 3) return std::nullopt;
    int number = 0;
    for (; p < end; ++p) number = 10 * number + (text[p] - '0');
    if (number > 255) return std::nullopt;
    if (part == 3) break;
    if (p == text.size() || text[p] != between) return std::nullopt;
    ++p;
  }
  return p;
}

bool is_host(char c) { return is_word(c) || c == '-' || c == '.'; }

/// Returns the beginning of the run of host name characters that contains `at`.
std::size_t begin_of_host(std::string_view text, std::size_t at) {
  while (at > 0 && is_host(text[at - 1])) --at;
  return at;
}

/// Finds host names in non-public domains such as ".local"; `at` must be the last dot of the name.
std::optional<PrivatePiece> local_host_at(std::string_view text, std::size_t at) {
  if (text[at] != '.') return std::nullopt;
  constexpr auto kDomains =
      std::to_array<std::string_view>({"internal", "local", "localdomain", "lan", "intranet", "corp", "private"});
  const std::size_t end = end_of(text, at + 1, is_word);
  if (end < text.size() &&
      (is_token(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_word(text[end + 1]))))
    return std::nullopt;
  if (!is_one_of(kDomains, text.substr(at + 1, end - at - 1))) return std::nullopt;
  const std::size_t begin = begin_of_host(text, at);
  return begin == at ? std::nullopt : std::optional(PrivatePiece{begin, end, PrivateKind::kHost, {}});
}

/// Finds names such as "ip-10-0-0-1.ec2.internal" that clouds derive from an address.
std::optional<PrivatePiece> cloud_host_at(std::string_view text, std::size_t at) {
  if (text[at] != 'i' || !text.substr(at).starts_with("ip-") || (at > 0 && is_word_character(text[at - 1])))
    return std::nullopt;
  if (!end_of_four_numbers(text, at + 3, '-')) return std::nullopt;
  std::size_t end = end_of(text, at, is_host);
  while (text[end - 1] == '.') --end;
  return PrivatePiece{at, end, PrivateKind::kHost, {}};
}

bool is_hex(char c) { return is_digit_char(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Finds IPv6 and Ethernet addresses: groups of hexadecimal digits between colons. Times of day have fewer groups, and
/// C++ names have more than one "::".
std::optional<PrivatePiece> long_address_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestPart = 4;
  if (text[at] != ':') return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && at - begin <= kLongestPart && is_hex(text[begin - 1])) --begin;
  if (begin == at || (begin > 0 && (is_token(text[begin - 1]) || text[begin - 1] == ':'))) return std::nullopt;
  const std::size_t end = end_of(text, begin, [](char c) { return is_hex(c) || c == ':'; });
  const std::string_view address = text.substr(begin, end - begin);
  if (end < text.size() && is_word_character(text[end])) return std::nullopt;
  const auto colons = std::count(address.begin(), address.end(), ':');
  const std::size_t gap = address.find("::");
  const bool one_gap = gap == std::string_view::npos || address.find("::", gap + 1) == std::string_view::npos;
  const bool is_link_local = address.starts_with("fe80:");
  if ((colons < 4 && !(colons == 3 && gap != std::string_view::npos) && !is_link_local) || !one_gap)
    return std::nullopt;
  for (std::size_t part = 0; part < address.size();) {
    const std::size_t colon = std::min(address.find(':', part), address.size());
    if (colon - part > kLongestPart) return std::nullopt;
    part = colon + 1;
  }
  if (std::none_of(address.begin(), address.end(), is_digit_char)) return std::nullopt;
  return PrivatePiece{begin, end, PrivateKind::kAddress, {}};
}

/// Finds IPv4 addresses: four numbers up to 255. Version numbers have fewer parts, larger numbers, or a letter in
/// front.
std::optional<PrivatePiece> address_at(std::string_view text, std::size_t at) {
  if (!is_digit_char(text[at]) || (at > 0 && (is_word_character(text[at - 1]) || text[at - 1] == '.')))
    return std::nullopt;
  const std::optional<std::size_t> end = end_of_four_numbers(text, at, '.');
  if (!end || (*end < text.size() && (is_word_character(text[*end]) || text[*end] == '.'))) return std::nullopt;
  const std::string_view address = text.substr(at, *end - at);
  if (address == "127.0.0.1" || address == "0.0.0.0") return std::nullopt;
  return PrivatePiece{at, *end, PrivateKind::kAddress, {}};
}

/// Characters inside a word at which private content may be detected.
constexpr std::array<bool, 256> kSigns = [] {
  std::array<bool, 256> signs{};
  for (const char c : std::string_view("=@:/.~- \\%")) signs[static_cast<unsigned char>(c)] = true;
  return signs;
}();

/// Quick check: false if nothing private begins or is detected at `at`.
bool may_hold_something(std::string_view text, std::size_t at) {
  return kSigns[static_cast<unsigned char>(text[at])] || at == 0 || !is_word_character(text[at - 1]) ||
         may_begin_token(text, at);
}

bool ends_with_word(std::string_view key, std::string_view word) {
  if (!key.ends_with(word)) return false;
  return key.size() == word.size() || !is_lower(key[key.size() - word.size() - 1]);
}

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
  constexpr std::size_t kShortest = 4;
  std::vector<PrivatePiece> pieces;
  if (text.size() < kShortest) return pieces;
  TokenFinder tokens(text);
  PasswordOptionFinder passwords(text);
  for (std::size_t at = 0; at < text.size();) {
    if (!may_hold_something(text, at)) {
      ++at;
      continue;
    }
    std::optional<PrivatePiece> piece = tokens.at(at);
    if (!piece) piece = passwords.at(at);
    for (const auto find : {assigned_at, email_at, remote_path_at, url_at, address_at, long_address_at, local_host_at,
                            cloud_host_at, private_path_at}) {
      if (!piece) piece = find(text, at);
    }
    if (!piece) {
      ++at;
      continue;
    }
    // A piece that is found later may begin earlier, because some of these functions search backwards from a sign such
    // as '@'. The new piece replaces the previous pieces that it overlaps, and covers them.
    while (!pieces.empty() && pieces.back().end > piece->begin) {
      piece->begin = std::min(piece->begin, pieces.back().begin);
      pieces.pop_back();
    }
    at = std::max(piece->end, at + 1);
    pieces.push_back(*piece);
  }
  return pieces;
}

bool opens_private_key(std::string_view text) noexcept {
  const std::size_t begin = text.rfind(kPemBegin);
  return begin != std::string_view::npos && text.find("PRIVATE KEY", begin) != std::string_view::npos &&
         !closes_private_key(text.substr(begin));
}

bool closes_private_key(std::string_view text) noexcept {
  const std::size_t end = text.find("-----END ");
  return end != std::string_view::npos && text.find("PRIVATE KEY", end) != std::string_view::npos;
}

SecretName names_secret(std::string_view key) noexcept {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"secret",     "secrets",     "password",    "passwords",   "passwd",      "pwd",           "passphrase",
       "apikey",     "api_key",     "api-key",     "api key",     "api_keys",    "access_key",    "access-key",
       "access key", "access_keys", "private_key", "private-key", "private key", "secret_key",    "secret-key",
       "secret key", "credential",  "credentials", "auth_key",    "auth",        "authorization", "cookie"});
  // PWD and OLDPWD are working folders of a shell, not passwords. One stray character may precede PWD, because in a
  // database a byte of another value may come before the name.
  if ((key.size() <= 4 && key.ends_with("PWD")) || key.ends_with("OLDPWD")) return SecretName::kNone;
  const std::string low = lower_case(key);
  const auto ends_with = [&low](std::string_view word) { return ends_with_word(low, word); };
  if (std::any_of(kWords.begin(), kWords.end(), ends_with)) return SecretName::kSecret;
  return ends_with("token") || ends_with("tokens") ? SecretName::kOrCount : SecretName::kNone;
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
