#include "ingest/job_file.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "ingest/byte_source.h"
#include "model/error.h"
#include "model/text.h"

namespace stepsim::ingest {
namespace {

// A job is some twenty lines. yaml-cpp takes seconds and gigabytes for files of tens of megabytes.
constexpr std::size_t kLargestFile = 1U << 20U;
constexpr std::int64_t kMostMembers = 1'000'000'000;

/// Where the reader is: for messages.
struct Place {
  const std::string* file = nullptr;
  std::uint32_t line = 1;
};

[[noreturn]] void fail(const Place& place, std::string_view problem) {
  throw InputError({*place.file, {}, place.line}, problem);
}

std::uint32_t line_of(const YAML::Mark& mark) noexcept {
  return mark.line < 0 ? 1U : static_cast<std::uint32_t>(mark.line) + 1U;
}

std::string_view kind_of(const YAML::Node& node) noexcept {
  switch (node.Type()) {
    case YAML::NodeType::Map: return "a map";
    case YAML::NodeType::Sequence: return "a list";
    case YAML::NodeType::Scalar: return "a value";
    default: return "nothing";
  }
}

/// One `key: value` of the file.
struct Entry {
  std::string key;
  YAML::Node value;
  Place place;

  [[noreturn]] void reject(std::string_view expected) const {
    const bool scalar = value.IsScalar();
    fail(place,
         fmt::format("'{}' is {}; expected {}", key,
                     scalar ? fmt::format("'{}'", shown(value.Scalar(), 60)) : std::string(kind_of(value)), expected));
  }

  [[nodiscard]] const std::string& scalar(std::string_view expected) const {
    if (!value.IsScalar() || value.Scalar().empty()) reject(expected);
    return value.Scalar();
  }

  /// A word as frameworks are called. Not just any text: a forgotten quote takes in the rest of the file.
  [[nodiscard]] const std::string& word(std::string_view expected) const {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+";
    const std::string& text = scalar(expected);
    if (text.size() > 60 || text.find_first_not_of(kLetters) != std::string::npos) reject(expected);
    return text;
  }

  [[nodiscard]] std::optional<std::int64_t> integer() const {
    if (!value.IsScalar()) return std::nullopt;
    const std::string& text = value.Scalar();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{number} : std::nullopt;
  }

  [[nodiscard]] std::uint32_t count() const {
    const auto number = integer();
    if (!number.has_value() || *number < 1 || *number > kMostMembers) reject("a whole number from 1 to 1000000000");
    return static_cast<std::uint32_t>(*number);
  }

  [[nodiscard]] bool flag() const {
    const std::string& text = scalar("true or false");
    if (text != "true" && text != "false") reject("true or false");
    return text == "true";
  }

  /// What a unit parser makes of the value; its complaint becomes ours.
  template <class Parse>
  [[nodiscard]] auto with_unit(Parse parse) const {
    const std::string& text = scalar("a value with its unit");
    try {
      return parse(text);
    } catch (const std::invalid_argument& error) {
      fail(place, fmt::format("'{}': {}", key, error.what()));
    }
  }

  /// A size such as 25MiB, or a plain whole number of bytes.
  [[nodiscard]] Bytes bytes(std::int64_t least) const {
    const auto number = integer();
    const Bytes size = number.has_value() ? Bytes{*number} : with_unit(parse_bytes);
    if (size.count() < least) reject(fmt::format("at least {} bytes", least));
    return size;
  }

  /// The value's place in `words`.
  [[nodiscard]] std::size_t one_of_words(const std::vector<std::string>& words) const {
    const std::string expected = one_of(words);
    const std::string& text = scalar(expected);
    const auto word = std::find(words.begin(), words.end(), text);
    if (word != words.end()) return static_cast<std::size_t>(word - words.begin());
    const auto nearest = nearest_name(text, words);
    reject(nearest.has_value() ? fmt::format("{} (did you mean '{}'?)", expected, *nearest) : expected);
  }
};

/// A known key and what its value sets.
struct Key {
  std::string_view name;
  void (*set)(Job& job, const Entry& entry);
};

using Keys = std::vector<Key>;

void for_each_entry(const YAML::Node& map, const Place& place, const Keys& known, Job& job);

const Keys& network_keys() {
  static const Keys keys{
      {"bandwidth", [](Job& job, const Entry& entry) { job.bandwidth = entry.with_unit(parse_bandwidth); }},
      {"latency",
       [](Job& job, const Entry& entry) {
         job.latency = entry.with_unit(parse_duration);
         if (*job.latency < Duration{}) entry.reject("a time of 0 or more");
       }},
  };
  return keys;
}

const Keys& job_keys() {
  static const Keys keys{
      {"framework",
       [](Job& job, const Entry& entry) { job.framework = entry.word("a framework's name such as byteps"); }},
      {"backend", [](Job& job, const Entry& entry) { job.backend = entry.word("a backend's name such as nccl"); }},
      {"workers", [](Job& job, const Entry& entry) { job.workers = entry.count(); }},
      {"servers", [](Job& job, const Entry& entry) { job.servers = entry.count(); }},
      {"local_size", [](Job& job, const Entry& entry) { job.local_size = entry.count(); }},
      {"server_threads", [](Job& job, const Entry& entry) { job.server_threads = entry.count(); }},
      {"key_hash",
       [](Job& job, const Entry& entry) {
         const std::vector<std::string> words{"djb2", "sdbm", "naive", "built_in", "mixed"};
         job.key_hash = words[entry.one_of_words(words)];
       }},
      {"partition_bytes", [](Job& job, const Entry& entry) { job.partition_bytes = entry.bytes(1); }},
      {"exact", [](Job& job, const Entry& entry) { job.exact = entry.flag(); }},
      {"bucket_bytes", [](Job& job, const Entry& entry) { job.bucket_bytes = entry.bytes(1); }},
      {"schedule",
       [](Job& job, const Entry& entry) {
         job.schedule = entry.one_of_words({"fifo", "priority"}) == 0 ? Schedule::kFifo : Schedule::kPriority;
       }},
      {"credit_bytes", [](Job& job, const Entry& entry) { job.credit_bytes = entry.bytes(0); }},
      {"barrier",
       [](Job& job, const Entry& entry) {
         job.barrier = entry.one_of_words({"global", "cross"}) == 0 ? Barrier::kGlobal : Barrier::kCross;
       }},
      {"control",
       [](Job& job, const Entry& entry) {
         job.control = entry.one_of_words({"first", "inline"}) == 0 ? Control::kFirst : Control::kInline;
       }},
      {"network",
       [](Job& job, const Entry& entry) {
         if (!entry.value.IsMap()) entry.reject("a map with bandwidth and latency");
         for_each_entry(entry.value, entry.place, network_keys(), job);
       }},
  };
  return keys;
}

std::vector<std::string> names_of(const Keys& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.emplace_back(key.name);
  return names;
}

/// Where a key or value stands; an empty value has no mark of its own.
std::uint32_t line_of(const YAML::Node& node, std::uint32_t otherwise) {
  const YAML::Mark mark = node.Mark();
  return mark.is_null() || node.IsNull() ? otherwise : line_of(mark);
}

[[noreturn]] void reject_key(const Place& place, const std::string& key, const Keys& known) {
  const std::vector<std::string> names = names_of(known);
  const auto nearest = nearest_name(key, names);
  const std::string hint = nearest.has_value() ? fmt::format("did you mean '{}'? ", *nearest) : std::string{};
  fail(place, fmt::format("unknown key '{}'; {}expected {}", shown(key, 60), hint, one_of(names)));
}

void for_each_entry(const YAML::Node& map, const Place& place, const Keys& known, Job& job) {
  std::vector<std::uint32_t> first_line(known.size(), 0);
  for (const auto& member : map) {
    const Place at{place.file, line_of(member.first, place.line)};
    if (!member.first.IsScalar()) fail(at, fmt::format("a key is {}; expected a name", kind_of(member.first)));
    const std::string& name = member.first.Scalar();
    const auto key =
        std::find_if(known.begin(), known.end(), [&](const Key& candidate) { return candidate.name == name; });
    if (key == known.end()) reject_key(at, name, known);
    std::uint32_t& first = first_line[static_cast<std::size_t>(key - known.begin())];
    if (first != 0) fail(at, fmt::format("'{}' is given twice, first in line {}; expected it once", name, first));
    first = at.line;
    key->set(job, {name, member.second, {place.file, line_of(member.second, at.line)}});
  }
}

/// Notes where a document begins and takes nothing else in.
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

/// yaml-cpp 0.7 reads ",-" as empty documents without end, so that LoadAll never returns: the
/// first is loaded, and a second one only looked for.
YAML::Node root_of(std::string_view text, const Place& start) {
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    DocumentMark mark;
    if (parser.HandleNextDocument(mark) && parser.HandleNextDocument(mark)) {
      fail({start.file, line_of(mark.begin())},
           "a second document, or text outside the first; expected one map of keys");
    }
    return YAML::Load(std::string(text));
  } catch (const YAML::Exception& error) {
    fail({start.file, line_of(error.mark)}, fmt::format("{}; expected YAML such as 'workers: 2'", error.msg));
  }
}

}  // namespace

Job parse_job(std::string_view text, const std::string& name) {
  const Place start{&name, 1};
  if (text.size() > kLargestFile) fail(start, "the file is larger than 1 MiB; expected a job.yaml of some lines");
  Job job;
  const YAML::Node root = root_of(text, start);
  if (!root.IsDefined() || root.IsNull()) return job;  // an empty file says nothing, which is allowed
  if (!root.IsMap())
    fail({start.file, line_of(root, 1)},
         fmt::format("the file holds {}; expected a map of keys such as 'workers: 2'", kind_of(root)));
  for_each_entry(root, start, job_keys(), job);
  return job;
}

Job read_job_file(const std::string& path) {
  const auto source = ByteSource::open(path);
  std::string text;
  std::vector<char> piece(1U << 16U);
  while (text.size() <= kLargestFile) {
    const std::size_t got = source->read(piece);
    if (got == 0) break;
    text.append(piece.data(), got);
  }
  return parse_job(text, path);
}

}  // namespace stepsim::ingest
