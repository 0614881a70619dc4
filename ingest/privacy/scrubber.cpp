#include "ingest/privacy/scrubber.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ingest/bytes/byte_source.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kScrubbed = "scrubbed";
constexpr std::size_t kShortestPrivate = 3;
constexpr std::size_t kMostClean = std::size_t{1} << 17U;

/// Members of a profiler's file that tell nothing of who ran it, or that strings inside are looked at one by one.
constexpr auto kKeptMembers = std::to_array<std::string_view>({"traceEvents",
                                                               "schemaVersion",
                                                               "deviceProperties",
                                                               "distributedInfo",
                                                               "baseTimeNanoseconds",
                                                               "displayTimeUnit",
                                                               "cupti_version",
                                                               "cuda_runtime_version",
                                                               "cuda_driver_version",
                                                               "roctracer_version",
                                                               "rocprofiler-sdk_version",
                                                               "hip_runtime_version",
                                                               "hip_driver_version",
                                                               "record_shapes",
                                                               "with_stack",
                                                               "profile_memory",
                                                               "with_flops",
                                                               "with_modules",
                                                               "traceName",
                                                               "stackFrames",
                                                               "samples"});

/// Members of an event's arguments that hold what the process was started with.
constexpr auto kProcessMembers = std::to_array<std::string_view>(
    {"env", "environ", "environment", "cmdline", "command_line", "argv", "cwd", "labels_env"});

template <std::size_t Size>
bool is_one_of(const std::array<std::string_view, Size>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c); }

bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.' || c == '-'; });
}

bool is_plain_word(std::string_view name) {
  return std::none_of(name.begin(), name.end(), [](char c) { return is_digit(c) || c == '.' || c == '-'; });
}

/// Names of operators and kernels hold words that may be somebody's name too; texts that people write may not.
bool names_operator(std::string_view text) {
  return text.find_first_of("<(") != std::string_view::npos || text.find("::") != std::string_view::npos;
}

bool is_printable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7F;
}

/// Cuts what is no JSON into runs of printable characters, each handed to `take`, and what is between to `between`. A
/// run is not cut further: a password may follow the option that names it anywhere.
template <class Take, class Between>
void for_each_run(ByteSource& source, Take&& take, Between&& between) {
  constexpr std::size_t kLongest = std::size_t{64} << 20U;
  std::string run;
  std::uint64_t offset = 0;
  const auto end_run = [&] {
    if (!run.empty()) take(std::string_view(run), offset - run.size());
    run.clear();
  };
  for_each_byte(
      source,
      [&](char c) {
        if (is_printable(c)) {
          if (run.size() == kLongest) {
            throw InputError({source.name(), offset, {}},
                             "a line is longer than 64 MiB; expected JSON or lines of text");
          }
          run += c;
        } else {
          end_run();
          between(std::string_view(&c, 1));
        }
        ++offset;
      },
      [] {});
  end_run();
}

const std::vector<std::string> kNoKeys;

}  // namespace

bool Scrubber::NaturalOrder::operator()(std::string_view a, std::string_view b) const noexcept {
  return natural_less(a, b) || (!natural_less(b, a) && a < b);
}

void Scrubber::learn_name(PrivateKind kind, std::string_view name) {
  constexpr std::size_t kShortest = 3;
  constexpr std::size_t kMostNames = 512;  // a trace that names more is no trace
  constexpr auto kCommon =
      std::to_array<std::string_view>({"localhost", "root", "user", "host", "node", "python", "cuda", "torch", "stream",
                                       "kernel", "device", "train", "test", "main", "admin", "ubuntu", "scrubbed",
                                       // keys of events' arguments
                                       "correlation", "context", "grid", "block", "bytes", "queued", "rank", "backend",
                                       "name", "args", "bandwidth", "registers"});
  constexpr std::size_t kLongest = 255;  // of a path's part and of a host in DNS
  if (names_.size() >= kMostNames || name.size() < kShortest || name.size() > kLongest || is_one_of(kCommon, name) ||
      is_number(name))
    return;
  names_.try_emplace(std::string(name), kind);
}

void Scrubber::learn_from(std::string_view key, std::string_view text) {
  if (names_user(key)) learn_name(PrivateKind::kUser, text);
  if (names_host(key)) learn_name(PrivateKind::kHost, text);
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
  changes.value = [](const JsonPlace&) -> std::optional<std::string> { return std::nullopt; };
  rewrite_json(source, changes, [](std::string_view) {});
}

void Scrubber::scrub(ByteSource& source, TextForm form, const Sink& out) {
  number_names();
  if (form == TextForm::kLines) return scrub_lines(source, out);
  JsonChanges changes;
  changes.string = [this](const JsonPlace& place, std::string_view text) { return changed(place, text); };
  changes.key = [this, form](const JsonPlace& place, std::string_view) { return changed_key(place, form); };
  changes.value = [this, form](const JsonPlace& place) { return whole_member(place, form); };
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
  std::string result;
  append_with_names(result, line, {{}, 0, kNoKeys}, true);
  return result;
}

/// In their order, so that hosts and ranks that are sorted by name stay in it.
void Scrubber::number_names() {
  if (std::exchange(names_numbered_, true)) return;
  for (const auto& known : names_) {
    static_cast<void>(substitute(known.second, known.first));
    names_by_byte_[static_cast<unsigned char>(known.first.front())].push_back(&known);
  }
}

std::optional<std::string> Scrubber::whole_member(const JsonPlace& place, TextForm form) {
  const std::string_view key = place.key();
  const bool at_top = place.keys.size() == 1;
  const bool kept =
      form != TextForm::kTrace || !at_top || is_one_of(kKeptMembers, key) || names_host(key) || names_user(key);
  const bool of_process = !at_top && form == TextForm::kTrace && is_one_of(kProcessMembers, key);
  if (kept && !of_process) return std::nullopt;
  const bool secret = names_secret(key);
  count(secret ? "value of a member that is named like a secret" : "environment and metadata", secret, place);
  return std::string(kScrubbed);
}

std::optional<std::string> Scrubber::changed(const JsonPlace& place, std::string_view text) {
  if (text == kScrubbed) return std::nullopt;
  if (text.size() >= kShortestPrivate) {
    if (std::optional<std::string> other = changed_by_key(place, text)) return other;
  }
  return changed_if_not_clean(place, text, place.key() == "name" ? Names::kOutsideOperators : Names::kAll);
}

/// The format's own keys are those at the top and those of an event, and all of a file that is not a profiler's.
std::optional<std::string> Scrubber::changed_key(const JsonPlace& place, TextForm form) {
  const std::size_t depth_of_event_keys = place.keys.front().empty() ? 2 : 3;
  const bool at_top = place.keys.size() == 1;
  const bool own = form != TextForm::kTrace ||
                   (at_top ? is_one_of(kKeptMembers, place.key()) : place.keys.size() <= depth_of_event_keys);
  return changed_if_not_clean(place, place.key(), own ? Names::kNoPlainWords : Names::kAll);
}

std::optional<std::string> Scrubber::changed_if_not_clean(const JsonPlace& place, std::string_view text, Names names) {
  if (text.size() < kShortestPrivate) return std::nullopt;
  const std::string key(text);
  auto& clean = clean_[static_cast<std::size_t>(names)];
  if (clean.contains(key)) return std::nullopt;
  std::optional<std::string> other = changed_by_form(place, text, names);
  if (!other && clean.size() < kMostClean) clean.insert(key);
  return other;
}

std::optional<std::string> Scrubber::changed_by_key(const JsonPlace& place, std::string_view text) {
  const std::string_view key = place.key();
  if (key.size() <= 3) return std::nullopt;  // name, cat, ph, pid, tid, ts
  const auto by = [&](PrivateKind kind) {
    count(to_text(kind), false, place);
    return substitute(kind, text);
  };
  if (names_host(key)) return by(PrivateKind::kHost);
  if (names_user(key)) return by(PrivateKind::kUser);
  if (key == "traceName" && place.keys.size() == 1) return by(PrivateKind::kPath);
  if (!names_secret(key) || is_number(text)) return std::nullopt;
  count("value of a member that is named like a secret", true, place);
  return std::string(kScrubbed);
}

std::optional<std::string> Scrubber::changed_by_form(const JsonPlace& place, std::string_view text, Names names) {
  const bool plain_words = names == Names::kAll || (names == Names::kOutsideOperators && !names_operator(text));
  std::string result;
  std::size_t at = 0;
  for (const PrivatePiece& piece : find_private(text)) {
    append_with_names(result, text.substr(at, piece.begin - at), place, plain_words);
    const std::string_view found = text.substr(piece.begin, piece.end - piece.begin);
    const bool secret = piece.kind == PrivateKind::kSecret;
    count(secret ? piece.what : to_text(piece.kind), secret, place);
    if (piece.kind == PrivateKind::kPath && !user_in_path(found).empty())
      count(to_text(PrivateKind::kUser), false, place);
    result += substitute(piece.kind, found);
    at = piece.end;
  }
  append_with_names(result, text.substr(at), place, plain_words);
  return result == text ? std::nullopt : std::optional(std::move(result));
}

/// A learned name that begins at `at`, between characters that are neither letters nor digits; nullptr if none does.
const std::pair<const std::string, PrivateKind>* Scrubber::name_at(std::string_view text, std::size_t at,
                                                                   bool plain_words) const {
  if (at > 0 && is_word(text[at - 1])) return nullptr;
  const auto& candidates = names_by_byte_[static_cast<unsigned char>(text[at])];
  const auto name = std::find_if(candidates.begin(), candidates.end(), [&](const auto* known) {
    const std::string& word = known->first;
    const std::size_t end = at + word.size();
    return text.substr(at).starts_with(word) && (end == text.size() || !is_word(text[end])) &&
           (plain_words || !is_plain_word(word));
  });
  return name == candidates.end() ? nullptr : *name;
}

void Scrubber::append_with_names(std::string& out, std::string_view text, const JsonPlace& place, bool plain_words) {
  for (std::size_t at = 0; at < text.size();) {
    const auto* const name = name_at(text, at, plain_words);
    if (name == nullptr) {
      out += text[at++];
      continue;
    }
    count(to_text(name->second), false, place);
    out += substitute(name->second, name->first);
    at += name->first.size();
  }
}

/// Where something private is, without it: a key that is private itself is not written.
std::string Scrubber::place_text(const JsonPlace& place) const {
  std::string member;
  for (const std::string& key : place.keys) {
    bool is_private = !find_private(key).empty();
    for (std::size_t at = 0; at < key.size() && !is_private; ++at) is_private = name_at(key, at, true) != nullptr;
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
    found_.push_back({std::string(kind), secret, 0, place.file.empty() ? std::string() : place_text(place)});
    known = std::prev(found_.end());
  }
  ++known->count;
}

}  // namespace stepsim::ingest
