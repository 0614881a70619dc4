#include "cli/sweep/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

using scenarios::Setting;

constexpr std::string_view kKind = "stepsim.sweep.points";
constexpr std::string_view kVersion = "13";
constexpr std::string_view kOfCapture = "capture";  // why a point was refused; see scenarios::Refusal
constexpr std::string_view kOfQuestion = "question";

[[noreturn]] void fail(const std::string& path, std::size_t line, std::string_view problem) {
  throw InputError({path, std::nullopt, static_cast<std::uint32_t>(line)}, problem);
}

/// Reads the fields of one line of a sweep's file of points, one after another. Its functions throw InputError if there
/// is no such field.
class Line {
 public:
  Line(const Fields& fields, const std::string& path, std::size_t number)
      : fields_(fields), path_(path), number_(number) {}

  [[nodiscard]] const std::string& name() const { return fields_.front(); }
  [[nodiscard]] bool has_more() const { return next_ < fields_.size(); }
  const std::string& text() {
    if (!has_more()) refuse();
    return fields_[next_++];
  }
  std::uint64_t number(int base = 10) {
    const auto value = parse_number<std::uint64_t>(text(), base);
    if (!value) refuse();
    return *value;
  }
  std::uint32_t count() {
    const std::uint64_t found = number();
    if (found == 0 || found > std::numeric_limits<std::uint32_t>::max()) refuse();
    return static_cast<std::uint32_t>(found);
  }
  /// Reads the next field as a finite number above 0.
  double share() {
    const auto found = parse_number<double>(text());
    if (!found || !(*found > 0) || !std::isfinite(*found)) refuse();
    return *found;
  }
  /// Skips the next field if it is empty. Returns whether it was.
  bool skip_empty() {
    if (!has_more()) refuse();
    const bool is_empty = fields_[next_].empty();
    next_ += is_empty ? 1 : 0;
    return is_empty;
  }
  Duration duration() { return Duration{whole()}; }
  Bytes bytes() { return Bytes{whole()}; }
  [[noreturn]] void refuse() const {
    fail(path_, number_,
         fmt::format("'{}' is not what this version writes; expected a part of a sweep", shown(fields_.front(), 60)));
  }

 private:
  /// Reads the next field as a whole number from 0 that has a sign bit to spare.
  std::int64_t whole() {
    const std::uint64_t found = number();
    if (found > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) refuse();
    return static_cast<std::int64_t>(found);
  }

  const Fields& fields_;
  const std::string& path_;
  std::size_t number_;
  std::size_t next_ = 1;
};

scenarios::MemoryNeed read_memory(Line& line) {
  scenarios::MemoryNeed need;
  need.rank = static_cast<Rank>(line.number());
  need.device = line.text();
  need.peak.mid = line.bytes();
  need.peak.low = line.bytes();
  need.peak.high = line.bytes();
  if (line.has_more()) need.capacity = line.bytes();
  if (need.peak.low > need.peak.mid || need.peak.mid > need.peak.high) line.refuse();
  return need;
}

using Read = void (*)(Line& line, HeadRead& read);
struct Kind {
  std::string_view name;
  Read read;
};

void read_point(Line& line, HeadRead& read) {
  std::vector<Setting>& point = read.head.points.listed.emplace_back();
  while (line.has_more()) {
    const std::string key = line.text();
    point.push_back({key, line.text()});
  }
}

void read_axis(Line& line, HeadRead& read) {
  scenarios::Points::Axis& axis = read.head.points.axes.emplace_back();
  axis.key = line.text();
  while (line.has_more()) axis.values.push_back(line.text());
  if (axis.values.empty() || read.head.points.size() > scenarios::kMostPoints) line.refuse();
}

void read_verdict(Line& line, HeadRead& read) {
  using enum sim::Verdict;
  const std::string text = line.text();
  for (const sim::Verdict verdict : {kGood, kDoubtful, kUnusable}) {
    if (to_text(verdict) != text) continue;
    read.head.trust.verdict = verdict;
    return;
  }
  line.refuse();
}

constexpr std::array kKinds{
    Kind{"made by",
         [](Line& line, HeadRead& read) {
           read.head.provenance.version = line.text();
           read.head.provenance.commit = line.text();
         }},
    Kind{"command", [](Line& line, HeadRead& read) { read.head.provenance.command = line.text(); }},
    Kind{"input",
         [](Line& line, HeadRead& read) {
           InputFile& input = read.head.provenance.inputs.emplace_back();
           input.name = line.text();
           input.size = line.number();
           input.checksum = line.number(16);
         }},
    Kind{"name", [](Line& line, HeadRead& read) { read.head.name = line.text(); }},
    Kind{"network", [](Line& line, HeadRead& read) { read.head.network = line.text(); }},
    Kind{"verdict", read_verdict},
    Kind{"warning", [](Line& line, HeadRead& read) { read.head.trust.warning = line.text(); }},
    Kind{"caution", [](Line& line, HeadRead& read) { read.head.trust.caution = line.text(); }},
    Kind{"evidence", [](Line& line, HeadRead& read) { read.head.trust.evidence = line.text(); }},
    Kind{"findings", [](Line& line, HeadRead& read) { read.head.trust.findings = line.text(); }},
    Kind{"change", [](Line& line, HeadRead& read) { read.head.changes.push_back(line.text()); }},
    Kind{"assumption",
         [](Line& line, HeadRead& read) {
           Assumption& assumption = read.head.assumptions.emplace_back();
           assumption.id = line.text();
           assumption.sentence = line.text();
         }},
    Kind{"baseline", [](Line& line, HeadRead& read) { read.head.baseline.iteration = line.duration(); }},
    Kind{"captured steps", [](Line& line, HeadRead& read) { read.head.baseline.of_captured_steps = line.duration(); }},
    Kind{"as captured", [](Line& line, HeadRead& read) { read.head.baseline.as_captured = line.duration(); }},
    Kind{"measured", [](Line& line, HeadRead& read) { read.head.baseline.measured = line.duration(); }},
    Kind{"unprofiled", [](Line&, HeadRead& read) { read.head.baseline.unprofiled = true; }},
    Kind{"work",
         [](Line& line, HeadRead& read) {
           read.head.work.workers = line.count();
           read.head.work.devices = line.count();
           if (line.has_more()) read.head.work.batch_size = line.count();
         }},
    Kind{"assumed work", [](Line&, HeadRead& read) { read.head.work.assumed = true; }},
    Kind{"axis", read_axis},
    Kind{"listed", read_point},
    Kind{"shard",
         [](Line& line, HeadRead& read) {
           read.shard.index = line.number();
           read.shard.count = line.number();
           if (read.shard.index >= read.shard.count || read.shard.count > kMostShards) line.refuse();
         }},
};

[[noreturn]] void refuse_version(const std::string& path, std::string_view version) {
  fail(path, 1, fmt::format("is a part of version {}; expected version {}", shown(version, 20), kVersion));
}

void check_kind(std::span<const Fields> lines, const std::string& path) {
  if (lines.empty() || lines.front().size() != 2 || lines.front().front() != kKind) {
    fail(path, 1, "is not a part of a sweep; expected a file that a shard or --resume wrote");
  }
  if (lines.front()[1] != kVersion) refuse_version(path, lines.front()[1]);
}

std::string in_words(const Fields& fields) {
  std::string text = fields.front();
  for (std::size_t i = 1; i < fields.size(); ++i) text += (i == 1 ? " '" : " ") + fields[i];
  return text + '\'';
}

}  // namespace

bool is_last_of_head(const Fields& fields) { return fields.front() == "shard"; }

std::vector<Fields> head_lines(const SweepHead& head, const Shard& shard) {
  const sim::Provenance& provenance = head.provenance;
  std::vector<Fields> lines{{std::string(kKind), std::string(kVersion)},
                            {"made by", provenance.version, provenance.commit},
                            {"command", provenance.command}};
  for (const InputFile& input : provenance.inputs) {
    lines.push_back({"input", input.name, std::to_string(input.size), fmt::format("{:016x}", input.checksum)});
  }
  lines.push_back({"name", head.name});
  lines.push_back({"network", head.network});
  lines.push_back({"verdict", std::string(to_text(head.trust.verdict))});
  if (!head.trust.warning.empty()) lines.push_back({"warning", head.trust.warning});
  if (!head.trust.caution.empty()) lines.push_back({"caution", head.trust.caution});
  if (!head.trust.evidence.empty()) lines.push_back({"evidence", head.trust.evidence});
  if (!head.trust.findings.empty()) lines.push_back({"findings", head.trust.findings});
  for (const std::string& change : head.changes) lines.push_back({"change", change});
  for (const Assumption& assumption : head.assumptions)
    lines.push_back({"assumption", assumption.id, assumption.sentence});
  lines.push_back({"baseline", std::to_string(head.baseline.iteration.count())});
  lines.push_back({"captured steps", std::to_string(head.baseline.of_captured_steps.count())});
  lines.push_back({"as captured", std::to_string(head.baseline.as_captured.count())});
  if (head.baseline.measured) lines.push_back({"measured", std::to_string(head.baseline.measured->count())});
  if (head.baseline.unprofiled) lines.push_back({"unprofiled"});
  Fields& work =
      lines.emplace_back(Fields{"work", std::to_string(head.work.workers), std::to_string(head.work.devices)});
  if (head.work.batch_size) work.push_back(std::to_string(*head.work.batch_size));
  if (head.work.assumed) lines.push_back({"assumed work"});
  for (const scenarios::Points::Axis& axis : head.points.axes) {
    Fields& fields = lines.emplace_back(Fields{"axis", axis.key});
    fields.insert(fields.end(), axis.values.begin(), axis.values.end());
  }
  for (const std::vector<Setting>& point : head.points.listed) {
    Fields& fields = lines.emplace_back(Fields{"listed"});
    for (const Setting& setting : point) fields.insert(fields.end(), {setting.key, setting.value});
  }
  lines.push_back({"shard", std::to_string(shard.index), std::to_string(shard.count)});
  return lines;
}

HeadRead read_head(std::span<const Fields> lines, const std::string& path) {
  check_kind(lines, path);
  HeadRead read;
  for (read.lines = 1; read.lines < lines.size();) {
    Line line(lines[read.lines], path, read.lines + 1);
    ++read.lines;
    const auto* const kind =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& known) { return known.name == line.name(); });
    if (kind == kKinds.end()) line.refuse();
    kind->read(line, read);
    if (line.has_more()) line.refuse();
    if (kind->name == "shard") return read;
  }
  fail(path, lines.size(), "is truncated in its header; expected a part of a sweep");
}

std::string difference(std::span<const Fields> a, std::span<const Fields> b) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (a[i] == b[i] || (is_last_of_head(a[i]) && is_last_of_head(b[i]))) continue;
    return shown(in_words(is_last_of_head(a[i]) ? b[i] : a[i]));
  }
  return {};
}

Fields point_line(std::size_t point, const scenarios::Outcome& outcome) {
  if (!outcome.iteration) {
    const bool of_capture = outcome.refusal == scenarios::Refusal::kCapture;
    return {"refused", std::to_string(point), std::string(of_capture ? kOfCapture : kOfQuestion), outcome.problem};
  }
  Fields fields{"point",
                std::to_string(point),
                std::to_string(outcome.iteration->mid.count()),
                std::to_string(outcome.iteration->low.count()),
                std::to_string(outcome.iteration->high.count()),
                std::to_string(outcome.workers),
                fmt::format("{}", outcome.batches),
                std::to_string(outcome.devices),
                outcome.by_data_sheet ? std::to_string(outcome.by_data_sheet->count()) : ""};
  if (outcome.note.empty() && !outcome.memory) return fields;
  fields.push_back(outcome.note);
  if (const auto& memory = outcome.memory) {
    fields.insert(fields.end(), {std::to_string(memory->rank), memory->device, std::to_string(memory->peak.mid.count()),
                                 std::to_string(memory->peak.low.count()), std::to_string(memory->peak.high.count())});
    if (memory->capacity) fields.push_back(std::to_string(memory->capacity->count()));
  }
  return fields;
}

PointLine read_point_line(const Fields& fields, const std::string& path, std::size_t number) {
  Line line(fields, path, number);
  const bool refused = line.name() == "refused";
  if (!refused && line.name() != "point") line.refuse();
  PointLine read;
  read.point = line.number();
  if (refused) {
    const std::string& by = line.text();
    if (by != kOfCapture && by != kOfQuestion) line.refuse();
    read.outcome.refusal = by == kOfCapture ? scenarios::Refusal::kCapture : scenarios::Refusal::kQuestion;
    read.outcome.problem = line.text();
  } else {
    scenarios::Range<Duration>& step = read.outcome.iteration.emplace();
    step.mid = line.duration();
    step.low = line.duration();
    step.high = line.duration();
    read.outcome.workers = line.count();
    read.outcome.batches = line.share();
    read.outcome.devices = line.count();
    if (!line.skip_empty()) read.outcome.by_data_sheet = line.duration();
    if (line.has_more()) read.outcome.note = line.text();
    if (line.has_more()) read.outcome.memory = read_memory(line);
    if (step.low > step.mid || step.mid > step.high) line.refuse();
  }
  if (line.has_more()) line.refuse();
  return read;
}

bool begins_like_a_part(std::string_view text) { return text.starts_with(fmt::format(R"({{"line":"{}")", kKind)); }

void refuse_old_part(std::string_view text, const std::string& path) {
  // Up to version 5, fields were separated by tabs; up to version 9, a line was an array.
  for (const auto& [begin, end] :
       {std::pair{fmt::format("{}\t", kKind), '\t'}, {fmt::format(R"(["{}",")", kKind), '"'}}) {
    if (!text.starts_with(begin)) continue;
    const std::string_view rest = text.substr(begin.size());
    refuse_version(path, rest.substr(0, rest.find(end)));
  }
}

}  // namespace stepsim::cli
