#include "ingest/privacy/private_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_digit_char(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word_character(char c) { return is_lower(c) || is_upper(c) || is_digit_char(c) || c == '_'; }
constexpr bool is_token(char c) { return is_word_character(c) || c == '-'; }
constexpr bool is_local_part(char c) { return is_token(c) || c == '.' || c == '+' || c == '%'; }
constexpr bool is_path(char c) {
  return is_token(c) || c == '.' || c == '/' || c == '+' || c == '@' || c == '%' || c == '~';
}
constexpr bool is_blank_or_control(char c) { return static_cast<unsigned char>(c) <= ' '; }
constexpr bool is_url(char c) {
  return !is_blank_or_control(c) && c != '"' && c != '\'' && c != '<' && c != '>' && c != ')' && c != ',';
}

/// A token that its issuer begins in a way of its own.
struct TokenForm {
  std::string_view beginning;
  std::size_t fewest;  ///< characters after the beginning
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

std::size_t end_of(std::string_view text, std::size_t at, bool (*belongs)(char)) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

bool is_jwt(char c) { return is_token(c) || c == '.'; }

constexpr std::string_view kPemBegin = "-----BEGIN ";

/// Finds tokens. Positions must not decrease from call to call, so that each character is looked at once although
/// "sk-sk-sk-" is the beginning of a token at every third of them.
class TokenFinder {
 public:
  explicit TokenFinder(std::string_view text) : text_(text) {}

  std::optional<PrivatePiece> at(std::size_t at) {
    if (at > 0 && is_word_character(text_[at - 1])) return std::nullopt;
    for (const TokenForm& form : kTokenForms) {
      if (!text_.substr(at).starts_with(form.beginning)) continue;
      read_run(at);
      const std::size_t rest = at + form.beginning.size();
      // Words with bars between them are names: real tokens have digits.
      if (run_end_ >= rest + form.fewest && after_last_digit_ > rest)
        return PrivatePiece{at, run_end_, PrivateKind::kSecret, form.what};
    }
    constexpr std::size_t kLongestTitle = 64;
    if (text_.substr(at).starts_with(kPemBegin) &&
        text_.substr(at, kLongestTitle).find("PRIVATE KEY") != std::string_view::npos)
      return PrivatePiece{at, text_.size(), PrivateKind::kSecret, "private key"};
    return std::nullopt;
  }

 private:
  /// Reads the characters of tokens from `at` on, unless they have been read.
  void read_run(std::size_t at) {
    if (at < run_end_) return;
    for (run_end_ = at; run_end_ < text_.size() && is_jwt(text_[run_end_]); ++run_end_) {
      if (is_digit_char(text_[run_end_])) after_last_digit_ = run_end_ + 1;
    }
  }

  std::string_view text_;
  std::size_t run_end_ = 0;
  std::size_t after_last_digit_ = 0;  ///< of the run
};

/// A program that takes a password as the value of a short option.
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

/// Finds what follows the option of a program that takes a password by it. Positions must not decrease from call to
/// call.
class PasswordOptionFinder {
 public:
  explicit PasswordOptionFinder(std::string_view text) : text_(text) {}

  std::optional<PrivatePiece> at(std::size_t at) {
    for (; next_ <= at; ++next_) note_program(next_);
    if (program_ == nullptr || text_[at] != '-' || !begins_word(at)) return std::nullopt;
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

  /// Where a program's name begins, its command line does; where a command ends, its options do.
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
  std::size_t next_ = 0;                     ///< whose program is not known yet
  const PasswordOption* program_ = nullptr;  ///< whose command line this is
};

/// NAME=VALUE, --name VALUE and NAME: VALUE, where the name is that of a secret.
std::optional<PrivatePiece> assigned_at(std::string_view text, std::size_t at) {
  if (text[at] != '=' && text[at] != ' ' && text[at] != ':') return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && is_token(text[begin - 1])) --begin;
  const std::string_view name = text.substr(begin, at - begin);
  const bool is_option = name.starts_with("--");
  if (name.empty() || (text[at] == ' ' && !is_option) || !names_secret(name)) return std::nullopt;
  const std::size_t value = end_of(text, at + 1, [](char c) { return c == ' ' || c == '"' || c == '\''; });
  // "::" goes on a C++ name.
  if (value == text.size() || text[value] == ':') return std::nullopt;
  const std::size_t end =
      end_of(text, value, [](char c) { return !ends_argument(c) && c != ',' && c != ';' && c != '}'; });
  // "input_tokens: 512" is a number of something.
  const std::string_view content = text.substr(value, end - value);
  if (std::all_of(content.begin(), content.end(), is_digit_char)) return std::nullopt;
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

/// Four numbers up to 255. Versions have fewer, or larger ones, or stand behind a letter or a bar.
std::optional<PrivatePiece> address_at(std::string_view text, std::size_t at) {
  if (!is_digit_char(text[at]) || (at > 0 && (is_token(text[at - 1]) || text[at - 1] == '.'))) return std::nullopt;
  std::size_t p = at;
  for (int part = 0; part < 4; ++part) {
    const std::size_t end = end_of(text, p, is_digit_char);
    if (end == p || end - p > 3) return std::nullopt;
    int number = 0;
    for (; p < end; ++p) number = 10 * number + (text[p] - '0');
    if (number > 255) return std::nullopt;
    if (part == 3) break;
    if (p == text.size() || text[p] != '.') return std::nullopt;
    ++p;
  }
  if (p < text.size() && (is_token(text[p]) || text[p] == '.')) return std::nullopt;
  const std::string_view address = text.substr(at, p - at);
  if (address == "127.0.0.1" || address == "0.0.0.0") return std::nullopt;
  return PrivatePiece{at, p, PrivateKind::kAddress, {}};
}

constexpr auto kPublicPackages = std::to_array<std::string_view>(
    {"torch",     "torchvision", "torchaudio",   "numpy",        "tensorflow", "byteps",     "horovod",
     "apex",      "deepspeed",   "megatron",     "transformers", "accelerate", "triton",     "nvidia",
     "jax",       "flash_attn",  "xformers",     "torch_npu",    "torchrec",   "fbgemm_gpu", "pytorch_lightning",
     "lightning", "vllm",        "site-packages"});

bool is_public_package(std::string_view name) {
  return std::find(kPublicPackages.begin(), kPublicPackages.end(), name) != kPublicPackages.end();
}

std::string_view first_component(std::string_view path) { return path.substr(0, path.find('/')); }

/// Where the part of `path` begins that is the same for everybody: a public package's files, or Python's own. The
/// path's length if there is none.
std::size_t public_part(std::string_view path) {
  for (const std::string_view folder : {"site-packages/", "dist-packages/"}) {
    const std::size_t at = path.find(folder);
    if (at == std::string_view::npos) continue;
    const std::size_t package = at + folder.size();
    return is_public_package(first_component(path.substr(package))) ? package : path.size();
  }
  const std::size_t python = path.find("lib/python3");
  if (python != std::string_view::npos) {
    const std::size_t behind = path.find('/', python + 4);
    if (behind != std::string_view::npos) return behind + 1;
  }
  return !path.starts_with('/') && is_public_package(first_component(path)) ? 0 : path.size();
}

bool is_source_file(std::string_view path) {
  constexpr auto kExtensions =
      std::to_array<std::string_view>({".py", ".pyx", ".so", ".cpp", ".cc", ".cu", ".cuh", ".h", ".hpp", ".json",
                                       ".yaml", ".yml", ".sh", ".ipynb", ".pt"});
  return std::any_of(kExtensions.begin(), kExtensions.end(),
                     [path](std::string_view extension) { return path.ends_with(extension); });
}

/// Absolute paths of two components and more, and relative ones of files of programs.
std::optional<PrivatePiece> path_at(std::string_view text, std::size_t at) {
  const bool windows =
      at + 2 < text.size() && is_word_character(text[at]) && text[at + 1] == ':' && text[at + 2] == '\\';
  if (!is_path(text[at]) || (at > 0 && (is_path(text[at - 1]) || text[at - 1] == '\\'))) return std::nullopt;
  std::size_t end = at;
  if (windows) {
    end = end_of(text, at + 2, [](char c) { return is_path(c) || c == '\\'; });
    return PrivatePiece{at, end, PrivateKind::kPath, {}};
  }
  end = end_of(text, at, is_path);
  while (end > at && text[end - 1] == '.') --end;  // the end of a sentence
  const std::string_view path = text.substr(at, end - at);
  const std::size_t slash = path.find('/', 1);
  const bool absolute = path.size() > 2 && path[0] == '/' && (is_word_character(path[1]) || path[1] == '.') &&
                        slash != std::string_view::npos;
  const bool from_home = path.starts_with("~/") || path.starts_with("./") || path.starts_with("../");
  if (!absolute && !from_home && !is_source_file(path)) return std::nullopt;
  const std::size_t shared = public_part(path);
  if (shared == 0) return std::nullopt;
  return PrivatePiece{at, at + shared, PrivateKind::kPath, {}};
}

/// Characters at which something private can begin or be seen. All else is passed over at once.
constexpr std::array<bool, 256> kTriggers = [] {
  std::array<bool, 256> triggers{};
  for (const char c : std::string_view("=@:/.~- \\")) triggers[static_cast<unsigned char>(c)] = true;
  return triggers;
}();

bool may_hold_something(std::string_view text) {
  constexpr std::size_t kShortest = 4;
  if (text.size() < kShortest) return false;
  const bool triggered =
      std::any_of(text.begin(), text.end(), [](char c) { return kTriggers[static_cast<unsigned char>(c)]; });
  return triggered || std::any_of(kTokenForms.begin(), kTokenForms.end(), [text](const TokenForm& form) {
           return text.find(form.beginning) != std::string_view::npos;
         });
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
  std::vector<PrivatePiece> pieces;
  if (!may_hold_something(text)) return pieces;
  TokenFinder tokens(text);
  PasswordOptionFinder passwords(text);
  for (std::size_t at = 0; at < text.size();) {
    std::optional<PrivatePiece> piece = tokens.at(at);
    if (!piece) piece = passwords.at(at);
    for (const auto find : {assigned_at, email_at, url_at, address_at, path_at}) {
      if (!piece) piece = find(text, at);
    }
    if (!piece) {
      ++at;
      continue;
    }
    // What begins before it and is found later holds it: alice@host.org was seen as a path up to '@'.
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

bool names_secret(std::string_view key) noexcept {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"token", "secret", "password", "passwd", "passphrase", "apikey", "api_key", "api-key", "access_key",
       "access-key", "private_key", "secret_key", "credential", "credentials", "auth_key"});
  const std::string low = lower_case(key);
  return std::any_of(kWords.begin(), kWords.end(), [&low](std::string_view word) { return ends_with_word(low, word); });
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

std::string_view user_in_path(std::string_view path) noexcept {
  constexpr auto kHomes = std::to_array<std::string_view>({"/home/", "/Users/", ":\\Users\\", "/u/", "torchinductor_"});
  constexpr auto kCommon =
      std::to_array<std::string_view>({"root", "user", "ubuntu", "runner", "jovyan", "admin", "nobody"});
  for (const std::string_view home : kHomes) {
    const std::size_t at = path.find(home);
    if (at == std::string_view::npos) continue;
    const std::size_t begin = at + home.size();
    const std::size_t end = end_of(path, begin, [](char c) { return is_token(c) || c == '.'; });
    const std::string_view name = path.substr(begin, end - begin);
    if (name.empty() || std::find(kCommon.begin(), kCommon.end(), name) != kCommon.end()) continue;
    return name;
  }
  return {};
}

}  // namespace stepsim::ingest
