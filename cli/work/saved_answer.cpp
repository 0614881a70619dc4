#include "cli/work/saved_answer.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ingest/bytes/input.h"
#include "ingest/load/recognise.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"

namespace stepsim::cli {
namespace {

using sim::Part;
using sim::Side;
using sim::WorkGroup;
using simdjson::dom::element;

constexpr std::size_t kLargest = std::size_t{1} << 30U;
/// The longest accepted duration, 18 years in nanoseconds. Sums of the parts of an iteration then do not overflow.
constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max() / 16;

/// A JSON value in a saved answer, with the path of the file for error messages.
class Node {
 public:
  Node(element value, const std::string& file) : value_(value), file_(&file) {}

  [[nodiscard]] std::optional<Node> find(std::string_view key) const {
    element found;
    if (value_[key].get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
    return Node(found, *file_);
  }
  [[nodiscard]] Node at(std::string_view key) const {
    if (const std::optional<Node> found = find(key)) return *found;
    fail(fmt::format("it has no '{}'; expected an answer as --json prints it", key));
  }
  [[nodiscard]] std::vector<Node> elements() const {
    simdjson::dom::array array;
    if (value_.get(array) != simdjson::SUCCESS) fail("a list is expected here, and it has another value");
    std::vector<Node> nodes;
    for (const element one : array) nodes.emplace_back(one, *file_);
    return nodes;
  }
  [[nodiscard]] std::vector<std::pair<std::string, Node>> members() const {
    simdjson::dom::object object;
    if (value_.get(object) != simdjson::SUCCESS) fail("an object is expected here, and it has another value");
    std::vector<std::pair<std::string, Node>> nodes;
    for (const auto& [key, value] : object) nodes.emplace_back(key, Node(value, *file_));
    return nodes;
  }
  [[nodiscard]] std::int64_t integer() const {
    std::int64_t number = 0;
    if (value_.get(number) != simdjson::SUCCESS) fail("a whole number is expected here, and it has another value");
    return number;
  }
  [[nodiscard]] bool boolean() const {
    bool boolean = false;
    if (value_.get(boolean) != simdjson::SUCCESS) fail("true or false is expected here, and it has another value");
    return boolean;
  }
  [[nodiscard]] Duration duration() const {
    const std::int64_t count = integer();
    if (count < 0 || count > kLongest) fail(fmt::format("it has a time of {} ns; expected 0 to {}", count, kLongest));
    return Duration{count};
  }
  [[nodiscard]] std::string text() const {
    std::string_view text;
    if (value_.get(text) != simdjson::SUCCESS) fail("a text is expected here, and it has another value");
    return std::string(text);
  }
  [[nodiscard]] std::string text_or_empty(std::string_view key) const {
    const std::optional<Node> found = find(key);
    return found ? found->text() : std::string();
  }
  [[nodiscard]] Duration duration_or_zero(std::string_view key) const {
    const std::optional<Node> found = find(key);
    return found ? found->duration() : Duration{};
  }
  [[nodiscard]] bool is_string() const { return value_.is_string(); }
  [[noreturn]] void fail(std::string_view problem) const { throw InputError({*file_, {}, {}}, problem); }

 private:
  element value_;
  const std::string* file_;
};

/// Returns the parts of the iteration (compute, communication, ...). Empty for answers of older versions of stepsim,
/// which did not write the parts.
std::vector<Part> parts_of(const Node& node) {
  const std::optional<Node> parts = node.find("iteration_parts");
  if (!parts) return {};
  return named(sim::IterationParts{.compute = parts->at("compute_ns").duration(),
                                   .communication = parts->at("communication_ns").duration(),
                                   .copies = parts->at("copies_ns").duration(),
                                   .collective_wait = parts->at("collective_wait_ns").duration(),
                                   .loader = parts->duration_or_zero("loader_ns"),
                                   .host = parts->at("host_ns").duration(),
                                   .other_steps = parts->duration_or_zero("other_steps_ns"),
                                   .idle = parts->at("idle_ns").duration()});
}

/// Reads the nanoseconds of each class of work on a critical path. Each member is called like its class, followed by
/// `suffix`: "compute", or "compute_ns" if the suffix is "_ns". Other members are ignored.
std::vector<Part> path_of(const Node& classes, std::string_view suffix = {}) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    const std::string name{sim::to_text(static_cast<sim::PathClass>(i))};
    const bool loader = static_cast<sim::PathClass>(i) == sim::PathClass::kLoader;  // absent if its time is 0
    const std::string key = name + std::string(suffix);
    parts.push_back({name, loader ? classes.duration_or_zero(key) : classes.at(key).duration()});
  }
  return parts;
}

/// Returns the number of the rank with the longest iteration; if several are equal, the first one. If some ranks have
/// steps, considers only these.
std::int64_t slowest_rank(const std::vector<Node>& breakdown, const std::set<std::int64_t>& with_steps) {
  std::optional<std::pair<Duration, std::int64_t>> slowest;
  for (const Node& rank : breakdown) {
    const std::int64_t number = rank.at("rank").integer();
    const Duration iteration = rank.at("iteration_ns").duration();
    const bool counts = with_steps.empty() || with_steps.contains(number);
    if (counts && (!slowest || iteration > slowest->first)) slowest = {iteration, number};
  }
  return slowest ? slowest->second : 0;
}

/// Returns the measured time, or the replayed time if nothing was measured (for a task graph).
Duration measured_or_replayed(const Node& node) {
  const std::optional<Node> measured = node.find("measured_ns");
  return measured ? measured->duration() : node.at("replayed_ns").duration();
}

Side of_replay(const Node& answer) {
  Side side{.what = "measured, saved by replay", .iteration = measured_or_replayed(answer.at("iteration"))};
  const std::vector<Node> steps = answer.at("steps").elements();
  const std::vector<Node> breakdown = answer.at("breakdown").elements();
  std::set<std::int64_t> with_steps;
  for (const Node& step : steps) with_steps.insert(step.at("rank").integer());
  const std::int64_t slowest = slowest_rank(breakdown, with_steps);
  for (const Node& step : steps) {
    if (step.at("rank").integer() == slowest) side.steps.push_back(measured_or_replayed(step));
  }
  side.parts = parts_of(answer);
  side.ranks = with_steps.empty() ? breakdown.size() : with_steps.size();
  side.path = path_of(answer.at("critical_path").at("classes"));
  return side;
}

Side of_what_if(const Node& answer) {
  const Node scenario = answer.at("scenario");
  Side side{.what = "predicted, saved by whatif", .iteration = scenario.at("iteration_ns").duration()};
  side.uncertainty = (scenario.at("high_ns").duration() - scenario.at("low_ns").duration()) / 2;
  side.parts = parts_of(scenario);
  side.path = path_of(scenario.at("critical_path"), "_ns");
  if (const std::optional<Node> changes = answer.find("changes"))
    for (const Node& change : changes->elements()) side.changes.push_back(change.text());
  if (const std::optional<Node> provenance = answer.find("provenance")) {
    for (const Node& input : provenance->at("inputs").elements()) {
      std::string path = input.at("path").text();
      const bool is_setting = path.ends_with(".yaml") || path.ends_with(".yml");
      if (!is_setting) side.asked_about.push_back(std::move(path));
    }
  }
  return side;
}

Side of_path(const Node& answer) {
  Side side{.what = "length of the path, saved by critical-path",
            .iteration = answer.at("length_ns").duration(),
            .extent = sim::Extent::kPath};
  side.path = path_of(answer.at("classes"));
  std::map<std::pair<std::string, std::string>, WorkGroup> groups;
  for (const Node& task : answer.at("tasks").elements()) {
    WorkGroup& group = groups[{task.at("name").text(), task.text_or_empty("kind")}];
    ++group.count;
    group.time = sim::saturated_sum(group.time, task.at("duration_ns").duration());
  }
  for (auto& [key, group] : groups) {
    std::tie(group.name, group.kind) = key;
    side.work.push_back(std::move(group));
  }
  return side;
}

std::vector<WorkGroup> groups_of(const Node& list) {
  std::vector<WorkGroup> groups;
  for (const Node& group : list.elements()) {
    groups.push_back({.name = group.at("name").text(),
                      .kind = group.text_or_empty("kind"),
                      .kernel_class = group.text_or_empty("class"),
                      .count = static_cast<double>(group.at("tasks").integer()),
                      .time = group.at("total_ns").duration()});
  }
  return groups;
}

Side of_tasks(const Node& answer) {
  return {.what = "not known, saved by tasks",
          .work = groups_of(answer.at("names")),
          .operators = groups_of(answer.at("operators")),
          .extent = sim::Extent::kWholeCapture};
}

Side of_sweep(const Node& answer) {
  Side side{.what = "predicted baseline, saved by sweep",
            .iteration = answer.at("baseline").at("iteration_ns").duration(),
            .extent = sim::Extent::kPoints};
  for (const Node& point : answer.at("points").elements()) {
    WorkGroup group{.kind = "point", .count = 1};
    for (const auto& [key, value] : point.at("set").members())
      add_item(group.name, fmt::format("{}={}", key, value.text()));
    const std::optional<Node> iteration = point.find("iteration_ns");
    if (!iteration) continue;  // the point was refused
    group.time = iteration->duration();
    side.work.push_back(std::move(group));
  }
  return side;
}

/// Reads the member "capture", which answers of older versions lack.
void read_capture_kind(const Node& answer, Side& side) {
  const std::optional<Node> capture = answer.find("capture");
  if (!capture) return;
  side.warning = capture->text_or_empty("warning");
  side.caution = capture->text_or_empty("caution");
  side.loss = capture->text_or_empty("loss");
  side.job = sim::JobKind{.marks_steps = capture->at("steps_marked").boolean(),
                          .has_servers = capture->at("parameter_servers").boolean(),
                          .has_device_work = capture->at("device_work").boolean()};
  for (const Node& device : capture->at("devices").elements()) side.job->devices.insert(device.text());
}

struct Kind {
  std::string_view schema;
  Side (*read)(const Node& answer);
};
constexpr std::array kKinds{Kind{"stepsim.replay/1", of_replay}, Kind{"stepsim.whatif/1", of_what_if},
                            Kind{"stepsim.critical_path/1", of_path}, Kind{"stepsim.tasks/1", of_tasks},
                            Kind{"stepsim.sweep/1", of_sweep}};

}  // namespace

bool is_saved_answer(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  return ingest::is_own_answer(ingest::Input::open(path).head());
}

Side parse_saved_answer(const std::string& text, const std::string& name) {
  simdjson::dom::parser parser;
  element root;
  const simdjson::error_code error = parser.parse(text).get(root);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) {
    throw InputError(
        {name, {}, {}},
        fmt::format("it starts like an answer of stepsim but is not valid JSON ({}); save it again with --json",
                    simdjson::error_message(error)));
  }
  const Node answer(root, name);
  const std::string schema = answer.at("schema").text();
  const auto* const kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&schema](const Kind& one) { return one.schema == schema; });
  if (kind == kKinds.end()) {
    answer.fail(
        fmt::format("it is an answer of another kind ({}); expected one of replay, whatif, critical-path, tasks "
                    "or sweep",
                    shown(schema)));
  }
  Side side = kind->read(answer);
  read_capture_kind(answer, side);
  return side;
}

Side read_saved_answer(const std::string& path, std::vector<InputFile>& inputs) {
  ingest::SmallFile file = ingest::read_small_file(path, kLargest);
  if (file.text.size() > kLargest) throw InputError({path, {}, {}}, "it is larger than 1 GiB; expected an answer");
  Side side = parse_saved_answer(file.text, path);
  inputs.push_back(std::move(file.identity));
  return side;
}

}  // namespace stepsim::cli
