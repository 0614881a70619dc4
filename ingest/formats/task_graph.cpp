// A task graph written by hand or by a program:
//
//   {"hosts": 2, "links": [{"bandwidth_Bps": 1e9, "latency_s": 1e-6}], "routes": {"0-1": [0]},
//    "tasks": [{"id": 0, "kind": "compute", "host": 0, "ns": 1000, "after": []},
//              {"id": 1, "kind": "transfer", "src": 0, "dst": 1, "bytes": 4096, "after": [0]}]}
//
// Any defect is an error, because a graph with a missing task has no meaning. Unknown members (a name, expected
// answers) are skipped.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/format.h"
#include "ingest/json/json_bytes.h"
#include "ingest/json/json_reader.h"
#include "ingest/json/json_values.h"
#include "ingest/json/scanner.h"
#include "ingest/parts/successors.h"
#include "ingest/parts/text_table.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::int64_t kMostId = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostHosts = std::numeric_limits<Rank>::max();
// Limits of one task: 31 years and an exbibyte. The limits of all tasks together and of a link keep times within 64
// bits.
constexpr std::int64_t kLongestTask = 1'000'000'000'000'000'000;
constexpr double kLongestRun = 3e18;  // nanoseconds
constexpr double kSlowestLink = 1;    // bytes per second
constexpr double kFastestLink = 1e18;

/// The record of a task, before ids are resolved.
struct Record {
  std::uint64_t offset = 0;
  TaskGraph::Task task;
  std::optional<std::int64_t> id, host, source, destination, nanoseconds, bytes;
  std::string kind;
};

/// A member of a task that is a whole number from 0 to `most`.
struct NumberMember {
  std::string_view key;
  std::int64_t most;
  std::optional<std::int64_t> Record::*value;
};
constexpr NumberMember kNumberMembers[]{
    {"id", kMostId, &Record::id},
    {"host", kMostHosts, &Record::host},
    {"src", kMostHosts, &Record::source},
    {"dst", kMostHosts, &Record::destination},
    {"ns", kLongestTask, &Record::nanoseconds},
    {"bytes", kMostRecordedBytes, &Record::bytes},
};

class TaskGraphReader {
 public:
  TaskGraphReader(Input& input, PartSink& sink) : json_(input.stream()), sink_(sink) {}

  [[nodiscard]] TaskGraph read() {
    json_.object([this](const std::string& key) { read_member(key); });
    json_.expect_end();
    if (!hosts_.has_value()) fail(0, "no member 'hosts'; expected the number of hosts");
    if (graph_.tasks.empty()) {
      fail(0, tasks_seen_ ? "'tasks' is empty; expected at least one task"
                          : "no member 'tasks'; expected a list of tasks");
    }
    graph_.hosts = static_cast<std::uint32_t>(*hosts_);
    check_routes();
    check_tasks();
    graph_.texts = std::move(texts_).take();
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(std::uint64_t offset, std::string_view problem) const { json_.fail(offset, problem); }

  void read_member(const std::string& key) {
    const std::uint64_t offset = json_.offset();
    if (key == "hosts") {
      if (hosts_.has_value()) fail(offset, "'hosts' is given twice; expected it once");
      hosts_ = integer("hosts", 1, kMostHosts);
    } else if (key == "links") {
      if (!graph_.links.empty()) fail(offset, "'links' is given twice; expected it once");
      json_.array([this] { read_link(); });
    } else if (key == "routes") {
      if (!routes_.empty()) fail(offset, "'routes' is given twice; expected it once");
      json_.object([this](const std::string& key_of_route) { read_route(key_of_route); });
    } else if (key == "tasks") {
      if (std::exchange(tasks_seen_, true)) fail(offset, "'tasks' is given twice; expected it once");
      json_.array([this] { read_task(); });
    } else {
      json_.skip();
    }
  }

  /// Reads an integer from `least` to `most`.
  [[nodiscard]] std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most) {
    const std::uint64_t offset = json_.offset();
    const std::string_view digits = json_.number();
    const auto value = as_integer(digits);
    if (!value.has_value() || *value < least || *value > most) {
      fail(offset,
           fmt::format("'{}' is {}; expected a whole number from {} to {}", what, shown(digits, 40), least, most));
    }
    return *value;
  }

  void read_link() {
    const std::uint64_t offset = json_.offset();
    TaskGraph::Link link;
    json_.object([&](const std::string& key) {
      if (key == "bandwidth_Bps") {
        link.bandwidth = bandwidth();
      } else if (key == "latency_s") {
        link.latency = latency();
      } else {
        json_.skip();
      }
    });
    if (link.bandwidth <= 0) fail(offset, "a link has no 'bandwidth_Bps'; expected its bytes per second");
    graph_.links.push_back(link);
  }

  [[nodiscard]] double bandwidth() {
    const std::uint64_t offset = json_.offset();
    const std::string_view digits = json_.number();
    const double value = parse_number<double>(digits).value_or(0);
    if (!(value >= kSlowestLink && value <= kFastestLink)) {
      fail(offset, fmt::format("'bandwidth_Bps' is {}; expected bytes per second from 1 to 1e18", shown(digits, 40)));
    }
    return value;
  }

  [[nodiscard]] Duration latency() {
    const std::uint64_t offset = json_.offset();
    const std::string_view digits = json_.number();
    const auto value = scaled_decimal(digits, 9);
    if (!value.has_value() || *value < 0 || *value > kLongestTask) {
      fail(offset, fmt::format("'latency_s' is {}; expected seconds from 0 to 1e9", shown(digits, 40)));
    }
    return Duration{*value};
  }

  void read_route(const std::string& key) {
    const std::uint64_t offset = json_.offset();
    const auto ends = hosts_of(key);
    if (!ends.has_value()) fail(offset, fmt::format("route '{}'; expected two hosts such as \"0-1\"", shown(key, 40)));
    const auto [slot, added] = graph_.routes.try_emplace(*ends);
    if (!added) fail(offset, fmt::format("route '{}' is given twice; expected it once", shown(key, 40)));
    std::vector<std::uint32_t>& links = slot->second;
    json_.array([&] { links.push_back(static_cast<std::uint32_t>(integer("link", 0, kMostHosts))); });
    if (links.empty()) fail(offset, fmt::format("route '{}' crosses no link; expected at least one", shown(key, 40)));
    routes_.emplace_back(*ends, offset);
  }

  static std::optional<std::pair<std::uint32_t, std::uint32_t>> hosts_of(std::string_view key) noexcept {
    const std::size_t dash = key.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto from = parse_number<std::uint32_t>(key.substr(0, dash));
    const auto to = parse_number<std::uint32_t>(key.substr(dash + 1));
    return from && to ? std::optional{std::pair{*from, *to}} : std::nullopt;
  }

  void read_task() {
    ++sink_.events;
    Record record{.offset = json_.offset()};
    if (!read_usual_task(record)) {
      json_.go_back(record.offset);
      record = {.offset = record.offset};
      forget_after();
      json_.object([&](const std::string& key) { read_task_member(key, record); });
    }
    if (!record.id.has_value()) fail(record.offset, "a task has no 'id'; expected a whole number");
    record.task.id = *record.id;
    record.task.after_end = after_.size();
    complete(record);
    if (!graph_.tasks.empty() && record.task.id - graph_.tasks.back().id != 1) ids_in_a_row_ = false;
    graph_.tasks.push_back(record.task);
    offsets_.push_back(record.offset);
  }

  /// Reads a task whose members have the usual form: no escapes, and whole numbers of at most 18 digits. Returns false
  /// for other tasks, which may have an error, and leaves `record` and after_ in any state. Takes a third of the time
  /// of read_task_member().
  [[nodiscard]] bool read_usual_task(Record& record) {
    bool usual = true;
    const auto value_end = [&](json::Scanner& scanner, std::string_view key, const char* p) {
      const char* const end = usual ? usual_value_end(scanner, key, p, record) : nullptr;
      usual = end != nullptr;
      json::Value skipped;
      return usual ? end : scanner.value_at(p, skipped);
    };
    return json_.scan_object(value_end) && usual;
  }

  // The functions below read the value at `p`. They return the position after it, or null if it is not of the usual
  // form.

  const char* usual_value_end(json::Scanner& scanner, std::string_view key, const char* p, Record& record) {
    for (const NumberMember& member : kNumberMembers) {
      if (key == member.key) return usual_number_end(p, member.most, (record.*member.value).emplace());
    }
    if (key == "after") return usual_list_end(p);
    json::Value value;
    const char* const end = scanner.value_at(p, value);
    if (end == nullptr || !value.plain || key.find('\\') != std::string_view::npos) return nullptr;
    const bool is_text = value.type == json::Type::kString;
    if (key == "kind") {
      record.kind = value.raw;
      return is_text ? end : nullptr;
    }
    if (key == "name" && is_text) name_task(value.raw, record);
    return end;
  }

  const char* usual_list_end(const char* p) {
    const auto skip_blanks = [&p] {
      while (json::is_blank(*p)) ++p;
    };
    if (*p++ != '[') return nullptr;
    forget_after();
    skip_blanks();
    if (*p == ']') return p + 1;
    while (true) {
      p = usual_number_end(p, kMostId, after_.emplace_back());
      if (p == nullptr) return nullptr;
      skip_blanks();
      if (*p == ']') return p + 1;
      if (*p++ != ',') return nullptr;
      skip_blanks();
    }
  }

  static const char* usual_number_end(const char* p, std::int64_t most, std::int64_t& value) noexcept {
    constexpr std::ptrdiff_t kAlwaysFit = 18;
    const char* const begin = p;
    for (; is_digit(*p) && p - begin < kAlwaysFit; ++p) value = value * 10 + (*p - '0');
    const bool ends = *p == ',' || *p == '}' || *p == ']' || json::is_blank(*p);
    const bool is_number = p - begin == 1 || (p != begin && *begin != '0');
    return ends && is_number && value <= most ? p : nullptr;
  }

  /// If a task has several members "after", the last one counts.
  void forget_after() { after_.resize(graph_.tasks.empty() ? 0 : graph_.tasks.back().after_end); }

  void name_task(std::string_view name, Record& record) {
    if (!name.empty()) record.task.name = texts_.intern(name);
  }

  void read_task_member(std::string_view key, Record& record) {
    for (const NumberMember& member : kNumberMembers) {
      if (key == member.key) {
        record.*member.value = integer(member.key, 0, member.most);
        return;
      }
    }
    if (key == "kind") {
      record.kind = json_.text();
    } else if (key == "name" && json_.peek() == '"') {
      name_task(json_.text(), record);
    } else if (key == "after") {
      forget_after();
      json_.array([&] { after_.push_back(integer("after", 0, kMostId)); });
    } else {
      json_.skip();
    }
  }

  void complete(Record& record) const {
    TaskGraph::Task& task = record.task;
    const auto needed = [&](const std::optional<std::int64_t>& value, std::string_view name) {
      if (!value.has_value())
        fail(record.offset, fmt::format("{} task {} has no '{}'; expected one", record.kind, task.id, name));
      return *value;
    };
    if (record.kind == "compute") {
      task.host = static_cast<std::uint32_t>(needed(record.host, "host"));
      task.duration = Duration{needed(record.nanoseconds, "ns")};
    } else if (record.kind == "transfer") {
      task.transfer = true;
      task.host = static_cast<std::uint32_t>(needed(record.source, "src"));
      task.destination = static_cast<std::uint32_t>(needed(record.destination, "dst"));
      task.bytes = Bytes{needed(record.bytes, "bytes")};
    } else {
      fail(record.offset,
           fmt::format("task {} has kind '{}'; expected compute or transfer", task.id, shown(record.kind, 40)));
    }
  }

  void check_routes() const {
    for (const auto& [ends, offset] : routes_) {
      if (ends.first >= graph_.hosts || ends.second >= graph_.hosts) {
        fail(offset, fmt::format("route {}-{} names a host that does not exist; expected hosts 0 to {}", ends.first,
                                 ends.second, graph_.hosts - 1));
      }
      for (const std::uint32_t link : graph_.routes.at(ends)) {
        if (link >= graph_.links.size()) {
          fail(offset, fmt::format("route {}-{} crosses link {}; expected one of the {} links", ends.first, ends.second,
                                   link, graph_.links.size()));
        }
      }
    }
  }

  void check_tasks() {
    sort_ids();
    find_costs();
    graph_.after.reserve(after_.size());
    double sum = 0;
    std::optional<std::size_t> past_limit;
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) {
      sum += time_alone(graph_.tasks[i], offsets_[i]);
      find_predecessors(i);
      if (sum > kLongestRun && !past_limit) past_limit = i;
    }
    // Times stay within 64 bits even if a replay runs all tasks one after another.
    if (past_limit) {
      fail(offsets_[*past_limit],
           "the tasks up to this one take more than 100 years in a row; expected shorter durations");
    }
    if (waits_for_later_) check_order();
  }

  void sort_ids() {
    if (ids_in_a_row_) return;
    by_id_.reserve(graph_.tasks.size());
    for (std::uint32_t i = 0; i < graph_.tasks.size(); ++i) by_id_.emplace_back(graph_.tasks[i].id, i);
    std::sort(by_id_.begin(), by_id_.end());
    for (std::size_t i = 1; i < by_id_.size(); ++i) {
      if (by_id_[i].first == by_id_[i - 1].first) {
        fail(offsets_[by_id_[i].second],
             fmt::format("two tasks have the id {}; expected each id once", by_id_[i].first));
      }
    }
  }

  /// The cost of a route for a transfer.
  struct RouteCost {
    double latency = 0;  ///< in nanoseconds
    double narrowest = kFastestLink;
  };

  void find_costs() {
    for (const auto& [ends, route] : graph_.routes) {
      RouteCost& cost = costs_[ends];
      for (const std::uint32_t index : route) {
        cost.latency += static_cast<double>(graph_.links[index].latency.count());
        cost.narrowest = std::min(cost.narrowest, graph_.links[index].bandwidth);
      }
    }
  }

  /// Checks the hosts and the route of a task. Returns its nanoseconds if nothing else runs.
  [[nodiscard]] double time_alone(const TaskGraph::Task& task, std::uint64_t offset) const {
    for (const std::uint32_t host : {task.host, task.transfer ? task.destination : task.host}) {
      if (host >= graph_.hosts)
        fail(offset, fmt::format("task {} is on host {}; expected 0 to {}", task.id, host, graph_.hosts - 1));
    }
    if (!task.transfer) return static_cast<double>(task.duration.count());
    const auto route = costs_.find({task.host, task.destination});
    if (route == costs_.end()) {
      fail(offset, fmt::format("task {} needs the route \"{}-{}\"; expected it in 'routes'", task.id, task.host,
                               task.destination));
    }
    const RouteCost& cost = route->second;
    return cost.latency + static_cast<double>(task.bytes.count()) / cost.narrowest * 1e9;
  }

  void find_predecessors(std::size_t task) {
    while (graph_.after.size() < graph_.tasks[task].after_end) {
      const std::int64_t id = after_[graph_.after.size()];
      const std::optional<std::uint32_t> place = place_of(id);
      if (!place.has_value()) {
        fail(offsets_[task], fmt::format("task {} is after task {}, which does not exist; expected the id of a task",
                                         graph_.tasks[task].id, id));
      }
      waits_for_later_ = waits_for_later_ || *place >= task;
      graph_.after.push_back(*place);
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> place_of(std::int64_t id) const {
    if (ids_in_a_row_) {
      const std::int64_t place = id - graph_.tasks.front().id;
      const bool exists = place >= 0 && static_cast<std::size_t>(place) < graph_.tasks.size();
      return exists ? std::optional{static_cast<std::uint32_t>(place)} : std::nullopt;
    }
    const auto place = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair{id, 0U});
    return place != by_id_.end() && place->first == id ? std::optional{place->second} : std::nullopt;
  }

  /// Throws if tasks wait for each other in a cycle. Only a graph with waits_for_later_ can have one.
  void check_order() const {
    const std::optional<std::uint32_t> in_cycle =
        find_cycle(graph_.tasks.size(), [this](std::uint32_t task) { return graph_.after_of(task); });
    if (!in_cycle) return;
    fail(offsets_[*in_cycle],
         fmt::format("task {} waits for itself through 'after'; expected no cycle", graph_.tasks[*in_cycle].id));
  }

  JsonReader json_;
  PartSink& sink_;
  TaskGraph graph_;
  std::optional<std::int64_t> hosts_;
  bool tasks_seen_ = false;
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>> routes_;  // with offsets in the file
  std::vector<std::uint64_t> offsets_;  // offset of each task in the file
  bool ids_in_a_row_ = true;            // each task's id is one more than that of the task before it
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_id_;  // empty if ids_in_a_row_
  std::map<std::pair<std::uint32_t, std::uint32_t>, RouteCost> costs_;
  bool waits_for_later_ = false;     // some task waits for itself or one that is later in the file
  std::vector<std::int64_t> after_;  // like graph_.after, but with ids
  TextTable texts_;
};

int recognise_task_graph(std::string_view /*file_name*/, std::string_view head) {
  const std::size_t first = first_character(head);
  if (first == std::string_view::npos || head[first] != '{') return 0;
  if (head.find("\"traceEvents\"") != std::string_view::npos) return 0;
  int sure = 0;
  for (const std::string_view key : {"\"hosts\"", "\"links\"", "\"routes\"", "\"tasks\""}) {
    if (head.find(key) != std::string_view::npos) sure += 20;
  }
  // Each of the four keys adds 20. Three keys make the result nearly certain, even if the names of tasks look like
  // events of another format.
  return sure >= 60 ? 97 : sure;
}

void read_task_graph(Input& input, PartSink& sink) { sink.add(TaskGraphReader(input, sink).read()); }

}  // namespace

extern const Format task_graph_format{"task_graph",
                                      "Task graph: hosts, links, routes, and tasks with their dependencies",
                                      recognise_task_graph, read_task_graph};

}  // namespace stepsim::ingest
