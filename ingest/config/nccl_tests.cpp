#include "ingest/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/config/json_file.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/base/yaml.h"
#include "model/job/collective.h"

// The output of nccl-tests looks like this:
//
// # nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) ...
// #  Rank  0 Group  0 Pid  4242 on  node-a device  0 [0x07] NVIDIA A100-SXM4-80GB
// #                                          out-of-place                  in-place
// #   size   count   type  redop   root   time  algbw  busbw #wrong   time  algbw  busbw #wrong
//     1024     256  float    sum     -1  12.34   0.08   0.15      0  12.20   0.08   0.15      0
//
// `srun -l` puts "0: " before each line, mpirun --tag-output "[1,0]<stdout>:" and mpiexec -l "[0] ". With
// --output_file, the programs write the same as JSON:
//
// {"args": ["all_reduce_perf"],
//  "config": {"devices": [{"rank": 0, "group": 0, "hostname": "node-a", "device": 0, "device_info": "NVIDIA A100"}]},
//  "results": [{"size": 1024, "count": 256, "type": "float", "redop": "sum", "root": "-1",
//               "out_of_place": {"time": 12.34, "alg_bw": 0.08, "bus_bw": 0.15}, "in_place": {...}}]}
//
// An older form of it, which is printed instead of the table, has one object of sizes for each repetition and no hosts:
//
// {"benchmark": [{"1024": {"count": 256, "type": "float", "redop": "sum", "root": "-1",
//                          "oop_time": 12.34, "oop_algbw": 0.08, "oop_busbw": 0.15, "ip_time": ...}}]}

namespace stepsim::ingest {
namespace {

constexpr std::size_t kLargest = 16U << 20U;
constexpr double kLongestUs = 3.6e9;  // one hour
constexpr std::uint32_t kMostDevicesOfAHost = 64;

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  Words words;
  for (std::size_t begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlank, end);
  }
  return words;
}

/// Returns the whole number after `word` in the line.
std::optional<std::uint32_t> number_after(const Words& words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() || found + 1 == words.end() ? std::nullopt : parse_number<std::uint32_t>(*(found + 1));
}

/// Finds the operation by the name of an nccl-tests program in `text`.
std::optional<CollectiveOp> op_named_in(std::string_view text) {
  const auto is_named = [text](CollectiveOp op) {
    const std::string name{named_operation(op).name};
    return contains(text, op == CollectiveOp::kReduce ? name + "_perf" : name);
  };
  const auto* const op = std::find_if(std::begin(kMeasuredOps), std::end(kMeasuredOps), is_named);
  if (op != std::end(kMeasuredOps)) return *op;
  return is_named(CollectiveOp::kSendRecv) ? std::optional{CollectiveOp::kSendRecv} : std::nullopt;
}

bool has_word(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// True for the line above the rows of a table.
bool is_header(const Words& words) {
  return has_word(words, "size") && has_word(words, "count") && has_word(words, "time");
}

/// A line of output, and the number of the task that printed it if a launcher put one before the line.
struct Line {
  std::optional<std::uint32_t> task;
  std::string_view text;
};

/// Separates the text of a line from what srun, mpirun or mpiexec put before it.
Line line_of(std::string_view line) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const bool is_tag = line.substr(begin).starts_with('[');
  const std::size_t end = is_tag ? line.find(']') : line.find_first_not_of(kDigits, begin);
  if (end == std::string_view::npos || end == begin) return {{}, line};
  // The number of a task is the last of a tag: "1,0" is task 0 of job 1.
  const std::size_t before = line.find_last_not_of(kDigits, end - 1);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  const auto task = parse_number<std::uint32_t>(line.substr(first, end - first));
  if (!task) return {{}, line};
  std::string_view text = line.substr(end);
  if (!is_tag)
    return text.starts_with(": ") || text == ":" || text == ":\r" ? Line{task, text.substr(1)} : Line{{}, line};
  if (text.starts_with("]<")) {
    const std::size_t tag = text.find(">:");
    return tag == std::string_view::npos ? Line{{}, line} : Line{task, text.substr(tag + 2)};
  }
  return first == begin + 1 && text.starts_with("] ") ? Line{task, text.substr(1)} : Line{{}, line};
}

/// Returns the value of a key of a JSON object, or null if it has none or is no object.
const YamlValue* member_of(const YamlValue* map, std::string_view key) {
  if (map == nullptr || map->kind != YamlValue::Kind::kMap) return nullptr;
  for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) {
    if (map->items[i].text == key) return &map->items[i + 1];
  }
  return nullptr;
}

/// Returns the text of a scalar without blanks around it, or "N/A".
std::string_view word_of(const YamlValue* map, std::string_view key) {
  const YamlValue* const value = member_of(map, key);
  const Words words = value == nullptr ? Words{} : words_of(value->text);
  return words.empty() ? "N/A" : words.front();
}

/// A line that names a rank's place.
struct RankLine {
  std::uint32_t group = 0;  ///< NCCL_TESTS_SPLIT makes several, which measure at the same time
  std::string host;
  std::uint32_t device = 0;
  bool from_owner = true;  ///< printed by the task that printed the table
};

/// Positions of the columns in a line of the table, counted in words.
struct Columns {
  std::optional<std::size_t> redop;
  std::optional<std::size_t> root;
  std::vector<std::size_t> times;  ///< each is followed by algbw and busbw
};

struct Row {
  Bytes bytes{};
  double us = 0;        ///< mean of the times
  double least_us = 0;  ///< shortest of them
  double ratio = 0;     ///< busbw / algbw; 0 if both are too small for a reliable ratio
  bool reduces = false;
  bool has_root = false;
};

/// True if a bandwidth in GB/s is that of `bytes` in this time. Both are printed with two decimal places or four
/// digits.
bool belong_together(double bytes, double us, double bandwidth) {
  const double expected = bytes / us / 1e3;
  return std::abs(bandwidth - expected) <= 0.006 + 0.01 * expected;
}

class Reader {
 public:
  Reader(const std::string& name, Diagnostics& diagnostics)
      : name_(name), diagnostics_(diagnostics), op_of_file_(op_named_in(file_name_of(name))) {}

  std::vector<NcclTestsRow> read(std::string_view text) {
    if (begins_like_json(text)) {
      take_json(parse_json(text, name_));
    } else {
      for_each_line(text, [this](const Line& line) {
        if (line.task && is_header(words_of(line.text))) owner_ = std::min(owner_.value_or(*line.task), *line.task);
      });
      for_each_line(text, [this](const Line& line) { take(line.text, !line.task || line.task == owner_); });
    }
    close();
    if (timings_.empty()) {
      fail(
          "no table of nccl-tests; expected the output of all_reduce_perf or a similar program, with lines of size, "
          "count, type, redop, root and time");
    }
    return std::move(timings_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const { throw InputError({name_, {}, {}}, std::string(problem)); }

  template <class Take>
  static void for_each_line(std::string_view text, const Take& take) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(line_of(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  /// Takes a line. Of tasks that did not print the table, only the lines that name ranks count.
  void take(std::string_view line, bool from_owner) {
    Words words = words_of(line);
    if (words.empty()) return;
    if (words.front() == "#") words.erase(words.begin());
    // The '#' of a rank can be lost where programs share a terminal.
    if (!words.empty() && words.front() == "Rank" && has_word(words, "on") && has_word(words, "device"))
      return take_rank(line, words, from_owner);
    if (!from_owner) return;
    if (line.find_first_not_of(" \t") == line.find('#')) return take_comment(line, words);
    if (!columns_.times.empty()) take_row(words);
  }

  void take_comment(std::string_view line, const Words& words) {
    if (line.find("_perf") != std::string_view::npos) {
      if (const auto op = op_named_in(line)) {
        close();
        op_ = op;
      }
    }
    if (has_word(words, "nThread") && has_word(words, "nGpus")) {
      close();
      std::erase_if(ranks_, [](const auto& rank) { return rank.second.from_owner; });
      given_hosts_.reset();
      device_.clear();
      devices_here_ =
          std::size_t{number_after(words, "nThread").value_or(0)} * number_after(words, "nGpus").value_or(0);
    } else if (is_header(words)) {
      take_header(words);
    } else if (words.size() == 2 && words.front() == "hosts") {
      given_hosts_ = number_after(words, "hosts");
    }
  }

  void take_rank(std::string_view line, const Words& words, bool from_owner) {
    const std::optional<std::uint32_t> rank = number_after(words, "Rank");
    const auto on = std::find(words.begin(), words.end(), "on");
    if (!rank || on + 1 == words.end()) return;
    add_rank(*rank, {number_after(words, "Group").value_or(0), std::string(*(on + 1)),
                     number_after(words, "device").value_or(0), from_owner});
    const std::size_t bus = line.find(']', line.find(" device "));
    if (bus == std::string_view::npos) return;
    const std::size_t begin = line.find_first_not_of(' ', bus + 1);
    if (begin == std::string_view::npos) return;
    set_device(line.substr(begin, line.find_last_not_of(" \r") + 1 - begin));
  }

  void set_device(std::string_view name) { device_ = std::string(name.substr(0, 100)); }

  /// Adds the place of a rank. The table's own task knows its ranks best: each task of a program without MPI has a rank
  /// 0.
  void add_rank(std::uint32_t rank, RankLine line) {
    if (rank >= kMostRanks) return;
    const auto [known, is_new] = ranks_.try_emplace(rank, line);
    if (!is_new && (line.from_owner || !known->second.from_owner)) known->second = std::move(line);
  }

  /// Takes a file of JSON, each row as the words that the table of text would have.
  void take_json(const YamlValue& file) {
    const auto items_of = [](const YamlValue* list) {
      return list == nullptr || list->kind != YamlValue::Kind::kList ? std::vector<YamlValue>{} : list->items;
    };
    for (const YamlValue& argument : items_of(member_of(&file, "args"))) {
      if (!op_ && contains(argument.text, "_perf")) op_ = op_named_in(file_name_of(argument.text));
    }
    for (const YamlValue& device : items_of(member_of(member_of(&file, "config"), "devices"))) {
      const auto number = [&device](std::string_view key) {
        return parse_number<std::uint32_t>(word_of(&device, key)).value_or(0);
      };
      add_rank(number("rank"), {number("group"), std::string(word_of(&device, "hostname")), number("device"), true});
      if (const YamlValue* const info = member_of(&device, "device_info")) set_device(info->text);
    }
    columns_ = {.redop = 3, .root = 4, .times = {5, 8}};
    const auto take_result = [this](std::string_view size, const YamlValue& row,
                                    const std::array<std::string_view, 6>& times) {
      const YamlValue* const out = member_of(&row, "out_of_place");
      const YamlValue* const in = member_of(&row, "in_place");
      Words words{size, word_of(&row, "count"), word_of(&row, "type"), word_of(&row, "redop"), word_of(&row, "root")};
      for (std::size_t i = 0; i < times.size(); ++i)
        words.push_back(word_of(out == nullptr && in == nullptr ? &row : i < 3 ? out : in, times[i]));
      take_row(words);
    };
    for (const YamlValue& row : items_of(member_of(&file, "results")))
      take_result(word_of(&row, "size"), row, {"time", "alg_bw", "bus_bw", "time", "alg_bw", "bus_bw"});
    for (const YamlValue& sizes : items_of(member_of(&file, "benchmark"))) {
      for (std::size_t i = 0; sizes.kind == YamlValue::Kind::kMap && i + 1 < sizes.items.size(); i += 2) {
        take_result(sizes.items[i].text, sizes.items[i + 1],
                    {"oop_time", "oop_algbw", "oop_busbw", "ip_time", "ip_algbw", "ip_busbw"});
      }
    }
  }

  void take_header(const Words& words) {
    close();
    columns_ = {};
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "redop") columns_.redop = i;
      if (words[i] == "root") columns_.root = i;
      if (words[i] == "time") columns_.times.push_back(i);
    }
  }

  void take_row(const Words& words) {
    const std::optional<std::int64_t> bytes = parse_number<std::int64_t>(words.front());
    if (!bytes || *bytes <= 0) return complete_row(words);
    count_broken_row();
    const auto word = [&](const std::optional<std::size_t>& column) {
      return column && *column < words.size() ? words[*column] : std::string_view{};
    };
    Row row{.bytes = Bytes{*bytes}};
    row.reduces = !word(columns_.redop).empty() && word(columns_.redop) != "none";
    row.has_root = parse_number<std::int64_t>(word(columns_.root)).value_or(-1) >= 0;
    const Row without_times = row;
    std::size_t times = 0;
    for (const std::size_t column : columns_.times) {
      if (column >= words.size() || !is_time(words[column])) continue;
      if (!add_time(row, words, column)) {
        broken_ = without_times;
        return;
      }
      ++times;
    }
    if (times == 0) return;
    row.us /= static_cast<double>(times);
    rows_.push_back(row);
  }

  static bool is_time(std::string_view word) {
    const std::optional<double> us = parse_number<double>(word);
    return us && *us > 0 && *us <= kLongestUs;
  }

  /// Adds the time at `column` to the row. Returns false if the bandwidth after it is not that of this time.
  static bool add_time(Row& row, const Words& words, std::size_t column) {
    const auto number = [&](std::size_t place) {
      return place < words.size() ? parse_number<double>(words[place]) : std::nullopt;
    };
    const double us = number(column).value_or(0);
    const std::optional<double> algorithm = number(column + 1);
    const double bus = number(column + 2).value_or(0);
    if (!algorithm || !belong_together(static_cast<double>(row.bytes.count()), us, *algorithm)) return false;
    row.least_us = row.us > 0 ? std::min(row.least_us, us) : us;
    row.us += us;
    // The two bandwidths are printed with two decimal places, so small values give no reliable ratio.
    if (*algorithm >= 1 && bus > 0) row.ratio = bus / *algorithm;
    return true;
  }

  /// Takes the times of a broken row from a later line that begins with them: the text of NCCL_DEBUG got between the
  /// halves of the row.
  void complete_row(const Words& words) {
    if (!broken_ || !is_time(words.front())) return;
    Row row = *broken_;
    if (!add_time(row, words, 0)) return;
    broken_.reset();
    rows_.push_back(row);
  }

  void count_broken_row() {
    if (!broken_) return;
    diagnostics_.count(diagnostic("broken_table_row"), {name_, {}, {}},
                       fmt::format("the row of {} bytes", broken_->bytes.count()));
    broken_.reset();
  }

  /// Finishes the current table and adds its times.
  void close() {
    count_broken_row();
    if (rows_.empty()) return;
    const double ratio = std::max_element(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
                           return a.ratio < b.ratio;
                         })->ratio;
    const CollectiveOp op = op_.value_or(op_of_file_.value_or(op_by_columns(ratio)));
    const std::uint32_t ranks = ranks_of(op, ratio);
    const std::uint32_t hosts = hosts_of(ranks);
    const std::uint32_t devices = devices_of_a_host();
    const auto time = [](double us) { return Duration{std::max<std::int64_t>(1, std::llround(us * 1e3))}; };
    for (const Row& row : rows_) {
      timings_.push_back({{op, ranks, hosts, device_, row.bytes, time(row.us)}, time(row.least_us), devices});
    }
    rows_.clear();
  }

  [[nodiscard]] CollectiveOp op_by_columns(double ratio) const {
    if (rows_.front().has_root) return rows_.front().reduces ? CollectiveOp::kReduce : CollectiveOp::kBroadcast;
    if (!rows_.front().reduces) return CollectiveOp::kAllGather;
    return ratio > 0 && ratio < 0.99 ? CollectiveOp::kReduceScatter : CollectiveOp::kAllReduce;
  }

  /// Returns how many ranks are in the group of the table, which is that of the first rank; 0 if none is named.
  [[nodiscard]] std::size_t ranks_of_table() const {
    return static_cast<std::size_t>(std::count_if(ranks_.begin(), ranks_.end(), [this](const auto& rank) {
      return rank.second.group == ranks_.begin()->second.group;
    }));
  }

  /// Returns how many devices each host has at least, by the ranks that are named on one and the numbers of their
  /// devices; 0 if none is named.
  [[nodiscard]] std::uint32_t devices_of_a_host() const {
    std::map<std::string_view, std::uint32_t> on_host;
    std::uint32_t devices = 0;
    for (const auto& [rank, line] : ranks_)
      devices = std::max({devices, ++on_host[line.host], line.device < kMostDevicesOfAHost ? line.device + 1 : 0});
    return devices;
  }

  [[nodiscard]] std::uint32_t ranks_of(CollectiveOp op, double ratio) const {
    std::size_t ranks = ranks_of_table();
    if (ranks == 0 && devices_here_ > 1) ranks = devices_here_;
    // With n ranks, busbw / algbw is 2 (n - 1) / n for an all-reduce, and (n - 1) / n for an all-gather, reduce-scatter
    // or all-to-all.
    const double whole = op == CollectiveOp::kAllReduce ? 2 : 1;
    if (ranks == 0 && ratio > 0 && ratio < 0.999 * whole)
      ranks = static_cast<std::size_t>(std::min(std::round(whole / (whole - ratio)), 1e6));
    if (ranks < 2 || ranks > kMostRanks) {
      fail(fmt::format("a table of {} ranks; expected lines such as '#  Rank  0 ... on node-a device  0', for 2 to {}",
                       ranks == 0 ? "an unknown number of" : std::to_string(ranks), kMostRanks));
    }
    return static_cast<std::uint32_t>(ranks);
  }

  /// Returns the number of hosts. Without lines that name them, few ranks are assumed to share one.
  [[nodiscard]] std::uint32_t hosts_of(std::uint32_t ranks) const {
    constexpr std::size_t kUsualDevices = 8;
    if (given_hosts_ && *given_hosts_ >= 1 && *given_hosts_ <= ranks) return *given_hosts_;
    if (!ranks_.empty()) {
      std::set<std::string_view> hosts;
      for (const auto& [rank, line] : ranks_) {
        if (line.group == ranks_.begin()->second.group) hosts.insert(line.host);
      }
      return static_cast<std::uint32_t>(hosts.size());
    }
    if (ranks > std::max(kUsualDevices, devices_here_)) {
      fail(
          fmt::format("a table of {} ranks that does not name their hosts; expected lines such as '#  Rank  0 ... on "
                      "node-a device  0', or a line '# hosts 2' above the table",
                      ranks));
    }
    if (ranks > devices_here_) diagnostics_.count(diagnostic("table_without_hosts"), {name_, {}, {}});
    return 1;
  }

  std::string name_;
  Diagnostics& diagnostics_;
  std::optional<CollectiveOp> op_of_file_;
  std::optional<CollectiveOp> op_;
  std::optional<std::uint32_t> owner_;  ///< the task that prints the tables: that of rank 0, if lines have labels
  std::map<std::uint32_t, RankLine> ranks_;
  std::optional<std::uint32_t> given_hosts_;  ///< from a line that a user added
  std::string device_;
  std::size_t devices_here_ = 0;
  Columns columns_;
  std::vector<Row> rows_;
  std::optional<Row> broken_;  ///< the last row if its times are missing or wrong
  std::vector<NcclTestsRow> timings_;
};

}  // namespace

std::vector<NcclTestsRow> parse_nccl_tests(std::string_view text, const std::string& name, Diagnostics& diagnostics) {
  return Reader(name, diagnostics).read(text);
}

std::vector<NcclTestsRow> read_nccl_tests(const std::vector<std::string>& files, std::vector<InputFile>& inputs,
                                          Diagnostics& diagnostics) {
  std::vector<NcclTestsRow> timings;
  for (const std::string& path : files) {
    SmallFile file = read_small_file(path, kLargest);
    inputs.push_back(std::move(file.identity));
    if (file.text.size() > kLargest) {
      throw InputError({path, {}, {}},
                       fmt::format("larger than {} MiB; expected tables of nccl-tests", kLargest >> 20U));
    }
    const std::vector<NcclTestsRow> more = parse_nccl_tests(file.text, path, diagnostics);
    timings.insert(timings.end(), more.begin(), more.end());
  }
  return timings;
}

}  // namespace stepsim::ingest
