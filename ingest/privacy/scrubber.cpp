#include "ingest/privacy/scrubber.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ingest/bytes/byte_source.h"
#include "ingest/privacy/private_path.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kScrubbed = "scrubbed";
constexpr std::size_t kShortestPrivate = 2;
constexpr std::size_t kShortestName = 3;  ///< shortest name of a host; kShortestPrivate is that of a user

/// Members of a profiler's file that do not identify who ran it, or whose strings are examined one by one.
constexpr auto kKeptMembers = std::to_array<std::string_view>({"traceEvents",          "schemaVersion",
                                                               "deviceProperties",     "distributedInfo",
                                                               "baseTimeNanoseconds",  "displayTimeUnit",
                                                               "stepsim_model",        "cupti_version",
                                                               "cuda_runtime_version", "cuda_driver_version",
                                                               "roctracer_version",    "rocprofiler-sdk_version",
                                                               "hip_runtime_version",  "hip_driver_version",
                                                               "record_shapes",        "with_stack",
                                                               "profile_memory",       "with_flops",
                                                               "with_modules",         "traceName",
                                                               "stackFrames",          "samples"});

/// Members of a profiler's "distributedInfo" that describe the layout of the job and not where it ran.
constexpr auto kKeptOfJob =
    std::to_array<std::string_view>({"backend", "rank", "world_size", "pg_count", "pg_config", "nccl_version"});

/// Members of an event's arguments that contain the environment or command line of the process.
constexpr auto kProcessMembers = std::to_array<std::string_view>(
    {"env", "environ", "environment", "cmdline", "command_line", "argv", "cwd", "labels_env"});

bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.' || c == '-'; });
}

bool is_plain_word(std::string_view name) {
  return std::none_of(name.begin(), name.end(), [](char c) { return is_digit(c) || c == '.' || c == '-'; });
}

/// Returns the end of the domain after a host name that ends at `at`, as in "gpu7.example.org". Returns `at` if there
/// is no domain, or if it looks like the name of a file.
std::size_t end_of_domain(std::string_view text, std::size_t at) {
  constexpr auto kFiles = std::to_array<std::string_view>(
      {"json", "gz", "zst", "pt", "txt", "log", "yaml", "yml", "py", "csv", "sqlite", "prof", "trace", "db", "et"});
  std::size_t end = at;
  while (end < text.size() && (is_word(text[end]) || text[end] == '.' || text[end] == '-')) ++end;
  while (end > at && !is_word(text[end - 1])) --end;
  const std::string_view domain = text.substr(at, end - at);
  const bool has_labels = domain.starts_with('.') && domain.find('.', 1) != std::string_view::npos;
  const std::string_view top = domain.substr(domain.find_last_of('.') + 1);
  return has_labels && !is_number(top) && !is_one_of(kFiles, top) ? end : at;
}

/// True if the text looks like the name of an operator or kernel. Their words may coincide with somebody's name.
bool names_operator(std::string_view text) {
  return text.find_first_of("<(") != std::string_view::npos || text.find("::") != std::string_view::npos;
}

bool is_printable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7F;
}

/// Cuts text that is not JSON into runs of printable characters, which go to `take`; the rest goes to `between`. Runs
/// are not cut into lines or words, because a password may be anywhere after the option that names it.
template <class Take, class Between>
void for_each_run(ByteSource& source, Take&& take, Between&& between) {
  constexpr std::size_t kLongest = std::size_t{64} << 20U;
  std::string begun;  // part of the current run in earlier pieces
  std::uint64_t offset = 0;
  for_each_piece(source, [&](std::string_view piece) {
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t end = end_of(piece, at, is_printable);
      if (begun.size() + end - at > kLongest) {
        throw InputError({source.name(), offset + at + kLongest - begun.size(), {}},
                         "a line is longer than 64 MiB; expected JSON or lines of text");
      }
      const bool whole = begun.empty() && end < piece.size();
      if (!whole) begun.append(piece, at, end - at);
      if (end == piece.size()) break;
      const std::string_view run = whole ? piece.substr(at, end - at) : std::string_view(begun);
      if (!run.empty()) take(run, offset + end - run.size());
      begun.clear();
      at = end_of(piece, end, [](char c) { return !is_printable(c); });
      between(piece.substr(end, at - end));
    }
    offset += piece.size();
  });
  if (!begun.empty()) take(std::string_view(begun), offset - begun.size());
}

const std::vector<std::string> kNoKeys;

}  // namespace

bool Scrubber::NaturalOrder::operator()(std::string_view a, std::string_view b) const noexcept {
  return natural_less(a, b) || (!natural_less(b, a) && a < b);
}

void Scrubber::learn_name(PrivateKind kind, std::string_view name) {
  constexpr auto kCommon =
      std::to_array<std::string_view>({"localhost", "root", "user", "host", "node", "python", "cuda", "torch", "stream",
                                       "kernel", "device", "train", "test", "main", "admin", "ubuntu", "scrubbed",
                                       // keys of events' arguments
                                       "correlation", "context", "grid", "block", "bytes", "queued", "rank", "backend",
                                       "name", "args", "bandwidth", "registers"});
  constexpr std::size_t kLongest = 255;  // maximum length of a path component and of a DNS name
  const std::size_t shortest = kind == PrivateKind::kUser ? kShortestPrivate : kShortestName;
  if (name.size() < shortest || name.size() > kLongest || is_one_of(kCommon, name) || is_number(name)) return;
  names_.try_emplace(std::string(name), kind);
}

/// Learns the name with and without its domain.
void Scrubber::learn_host(std::string_view name) {
  learn_name(PrivateKind::kHost, name);
  learn_name(PrivateKind::kHost, name.substr(0, name.find('.')));
}

void Scrubber::learn_from(std::string_view key, std::string_view text) {
  if (names_user(key)) learn_name(PrivateKind::kUser, text);
  if (names_host(key)) learn_host(text);
  learn_name(PrivateKind::kUser, user_in_path(text));
}

void Scrubber::learn(ByteSource& source, TextForm form) {
  if (form == TextForm::kLines) {
    for_each_run(
        source, [this](std::string_view run, std::uint64_t) { learn_from({}, run); }, [](std::string_view) {});
    return;
  }
  JsonChanges changes;
  changes.string = [this](const JsonPlace& place, std::string_view text) -> std::optional<std::string> {
    learn_from(place.key(), text);
    return std::nullopt;
  };
  changes.key = [this](const JsonPlace&, std::string_view text) -> std::optional<std::string> {
    learn_from({}, text);
    return std::nullopt;
  };
  changes.value = [](const JsonPlace&, char) -> std::optional<std::string> { return std::nullopt; };
  rewrite_json(source, changes, [](std::string_view) {});
}

void Scrubber::scrub(ByteSource& source, TextForm form, const Sink& out) {
  number_names();
  if (form == TextForm::kLines) return scrub_lines(source, out);
  JsonChanges changes;
  changes.string = [this](const JsonPlace& place, std::string_view text) { return changed(place, text); };
  changes.key = [this, form](const JsonPlace& place, std::string_view) { return changed_key(place, form); };
  changes.value = [this, form](const JsonPlace& place, char first) { return whole_member(place, form, first); };
  rewrite_json(source, changes, out);
}

void Scrubber::scrub_lines(ByteSource& source, const Sink& out) {
  bool in_private_key = false;
  for_each_run(
      source,
      [&](std::string_view run, std::uint64_t offset) {
        if (in_private_key) {
          in_private_key = !closes_private_key(run);
          return out(kScrubbed);
        }
        in_private_key = opens_private_key(run);
        const std::optional<std::string> other = changed_by_form({source.name(), offset, kNoKeys}, run, Names::kAll);
        out(other ? *other : run);
      },
      out);
}

std::string Scrubber::text(std::string_view line) {
  number_names();
  return changed_by_form({{}, 0, kNoKeys}, line, Names::kAll).value_or(std::string(line));
}

/// Numbers the learned names in their sort order. A substitute contains the number, so sorting the substitutes gives
/// the same order as sorting the names.
void Scrubber::number_names() {
  if (std::exchange(names_numbered_, true)) return;
  for (const auto& known : names_) {
    static_cast<void>(substitute(known.second, known.first));
    sorted_names_.emplace_back(lower_case(known.first), &known);
  }
  std::stable_sort(sorted_names_.begin(), sorted_names_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

const Scrubber::KeyFacts& Scrubber::facts_of_key(std::string_view key) {
  std::optional<KeyFacts>& facts = known_[key].as_key;
  if (!facts) {
    facts = {.secret = key.size() < kShortestName ? SecretName::kNone : names_secret(key),
             .host = names_host(key),
             .user = names_user(key),
             .of_process = is_one_of(kProcessMembers, lower_case(key))};
  }
  return *facts;
}

/// Returns the substitute for a whole member, or nullopt to examine its content. In the file of a profiler, members
/// that may describe the environment are replaced whole. So are objects, arrays and numbers whose key is that of a
/// secret. Strings with such a key, and numbers that may count tokens, are examined.
std::optional<std::string> Scrubber::whole_member(const JsonPlace& place, TextForm form, char first) {
  const std::string_view key = place.key();
  const bool trace = form == TextForm::kTrace;
  const bool at_top = place.keys.size() == 1;
  const KeyFacts& facts = facts_of_key(key);
  const bool unknown = trace && at_top && !is_one_of(kKeptMembers, key) && !facts.host && !facts.user;
  const bool of_process = trace && !at_top && facts.of_process;
  const bool of_job =
      trace && place.keys.size() == 2 && place.keys.front() == "distributedInfo" && !is_one_of(kKeptOfJob, key);
  const SecretName name = facts.secret;
  const bool number = is_digit(first) || first == '-';
  const bool secret =
      (first == '{' || first == '[') ? name != SecretName::kNone : number && name == SecretName::kSecret;
  if (!unknown && !of_process && !of_job && !secret) return std::nullopt;
  count(name != SecretName::kNone ? "value of a member that is named like a secret" : "environment and metadata",
        name != SecretName::kNone, place);
  return std::string(kScrubbed);
}

std::optional<std::string> Scrubber::changed(const JsonPlace& place, std::string_view text) {
  if (text == kScrubbed) return std::nullopt;
  if (text.size() >= kShortestPrivate) {
    if (std::optional<std::string> other = changed_by_key(place, text)) return other;
  }
  return changed_if_not_clean(place, text, place.key() == "name" ? Names::kOutsideOperators : Names::kAll);
}

/// Returns the substitute for a key, or nullopt to keep the key. If the format defines the key, a plain word in it is
/// kept even if the word is also a learned name. Such keys are the known top-level ones and those of an event in a
/// profiler's file, and all keys in other files.
std::optional<std::string> Scrubber::changed_key(const JsonPlace& place, TextForm form) {
  const std::size_t depth_of_event_keys = place.keys.front().empty() ? 2 : 3;
  const bool at_top = place.keys.size() == 1;
  const bool own = form != TextForm::kTrace ||
                   (at_top ? is_one_of(kKeptMembers, place.key()) : place.keys.size() <= depth_of_event_keys);
  return changed_if_not_clean(place, place.key(), own ? Names::kNoPlainWords : Names::kAll);
}

std::optional<std::string> Scrubber::changed_if_not_clean(const JsonPlace& place, std::string_view text, Names names) {
  if (text.size() < kShortestPrivate) return std::nullopt;
  std::array<bool, kNamesCount>& clean = known_[text].clean;
  if (clean[static_cast<std::size_t>(names)]) return std::nullopt;
  std::optional<std::string> other = changed_by_form(place, text, names);
  clean[static_cast<std::size_t>(names)] = !other;
  return other;
}

std::optional<std::string> Scrubber::changed_by_key(const JsonPlace& place, std::string_view text) {
  const std::string_view key = place.key();
  if (key.size() <= 3) return std::nullopt;  // short keys such as cat, ph, pid, tid and ts
  const auto by = [&](PrivateKind kind) {
    count(to_text(kind), false, place);
    return substitute(kind, text);
  };
  const KeyFacts& facts = facts_of_key(key);
  if (facts.host && text.size() >= kShortestName) return by(PrivateKind::kHost);
  if (facts.user) return by(PrivateKind::kUser);
  if (key == "traceName" && place.keys.size() == 1) return by(PrivateKind::kPath);
  if (facts.secret == SecretName::kNone || (facts.secret == SecretName::kOrCount && is_number(text)))
    return std::nullopt;
  count("value of a member that is named like a secret", true, place);
  return std::string(kScrubbed);
}

std::optional<std::string> Scrubber::changed_by_form(const JsonPlace& place, std::string_view text, Names names) {
  if (names == Names::kOutsideOperators && names_operator(text)) names = Names::kNoPlainWords;
  searched_ += text.size();
  const std::vector<PrivatePiece> pieces = find_private(text);
  if (pieces.empty() && names_.empty()) return std::nullopt;
  std::string result;
  std::size_t at = 0;
  for (const PrivatePiece& piece : pieces) {
    append_with_names(result, text.substr(at, piece.begin - at), place, names);
    const std::string_view found = text.substr(piece.begin, piece.end - piece.begin);
    const bool secret = piece.kind == PrivateKind::kSecret;
    count(secret ? piece.what : to_text(piece.kind), secret, place);
    if (piece.kind == PrivateKind::kPath && !user_in_path(found).empty())
      count(to_text(PrivateKind::kUser), false, place);
    result += substitute(piece.kind, found);
    at = piece.end;
  }
  append_with_names(result, text.substr(at), place, names);
  return result == text ? std::nullopt : std::optional(std::move(result));
}

/// Returns the longest learned name that begins at `at` and is not part of a longer word; nullptr if there is none.
/// O(length of the name * log names).
const Scrubber::Name* Scrubber::name_at(std::string_view text, std::size_t at, Names names) const {
  if (at > 0 && is_word(text[at - 1])) return nullptr;
  const auto may_be = [&](const Name& name) {
    const std::string_view here = text.substr(at, name.first.size());
    if (names == Names::kNoPlainWords && is_plain_word(name.first)) return false;
    return names == Names::kAll || (here == name.first && name.first.size() >= kShortestName);
  };
  const Name* longest = nullptr;
  auto first = sorted_names_.begin();
  auto last = sorted_names_.end();
  for (std::size_t length = 0; first != last; ++length) {  // names in [first, last) match the text so far
    const bool ends_here = at + length == text.size() || !is_word(text[at + length]);
    for (; first != last && first->first.size() == length; ++first) {
      if (ends_here && may_be(*first->second)) longest = first->second;
    }
    if (at + length == text.size()) break;
    const auto next = static_cast<unsigned char>(lower_case(text[at + length]));
    const auto before = [length](const auto& name, unsigned char c) {
      return static_cast<unsigned char>(name.first[length]) < c;
    };
    const auto behind = [length](unsigned char c, const auto& name) {
      return c < static_cast<unsigned char>(name.first[length]);
    };
    first = std::lower_bound(first, last, next, before);
    last = std::upper_bound(first, last, next, behind);
  }
  return longest;
}

void Scrubber::append_with_names(std::string& out, std::string_view text, const JsonPlace& place, Names names) {
  for (std::size_t at = 0; at < text.size();) {
    const Name* const name = name_at(text, at, names);
    if (name == nullptr) {
      out += text[at++];
      continue;
    }
    count(to_text(name->second), false, place);
    out += substitute(name->second, name->first);
    at += name->first.size();
    if (name->second == PrivateKind::kHost) at = end_of_domain(text, at);
  }
}

/// Describes the position of private content without revealing it: keys that are private themselves are replaced.
std::string Scrubber::place_text(const JsonPlace& place) const {
  std::string member;
  for (const std::string& key : place.keys) {
    bool is_private = !find_private(key).empty();
    for (std::size_t at = 0; at < key.size() && !is_private; ++at)
      is_private = name_at(key, at, Names::kAll) != nullptr;
    const std::string_view shown_key = is_private ? kScrubbed : std::string_view(key);
    if (!member.empty() && !key.empty()) member += '.';
    member += shown_key;
  }
  const InputLocation where{std::string(place.file), place.offset, {}};
  return member.empty() ? where.to_text() : fmt::format("{}, member {}", where.to_text(), shown(member));
}

std::string Scrubber::substitute(PrivateKind kind, std::string_view text) {
  if (kind == PrivateKind::kSecret) return std::string(kScrubbed);
  auto& numbers = numbers_[static_cast<std::size_t>(kind)];
  const std::size_t number = numbers.try_emplace(std::string(text), numbers.size() + 1).first->second;
  switch (kind) {
    case PrivateKind::kEmail: return fmt::format("person{}@example.org", number);
    case PrivateKind::kUser: return fmt::format("user{:03}", number);
    case PrivateKind::kHost: return fmt::format("host{:03}", number);
    case PrivateKind::kAddress: return fmt::format("address{}", number);
    case PrivateKind::kPath:
    case PrivateKind::kSecret: break;
  }
  if (text.ends_with('/')) return fmt::format("/folder{}/", number);
  const std::string_view file = text.substr(text.find_last_of("/\\") + 1);
  const std::size_t dot = file.find('.', 1);
  return fmt::format("{}file{}{}", text.starts_with('/') ? "/" : "", number,
                     dot == std::string_view::npos ? std::string_view{} : file.substr(file.find_last_of('.')));
}

void Scrubber::count(std::string_view kind, bool secret, const JsonPlace& place) {
  auto known = std::find_if(found_.begin(), found_.end(), [kind](const PrivateContent& c) { return c.kind == kind; });
  if (known == found_.end()) {
    found_.push_back({std::string(kind), secret, 0, place.file.empty() ? "in a file name" : place_text(place)});
    known = std::prev(found_.end());
  }
  ++known->count;
}

}  // namespace stepsim::ingest
