#include "ingest/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>

#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/job/collective.h"

// The output of nccl-tests looks like this:
//
// # nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) ...
// #  Rank  0 Group  0 Pid  4242 on  node-a device  0 [0x07] NVIDIA A100-SXM4-80GB
// #                                          out-of-place                  in-place
// #   size   count   type  redop   root   time  algbw  busbw #wrong   time  algbw  busbw #wrong
//     1024     256  float    sum     -1  12.34   0.08   0.15      0  12.20   0.08   0.15      0

namespace stepsim::ingest {
namespace {

constexpr std::size_t kLargest = 16U << 20U;
constexpr double kLongestUs = 3.6e9;  // one hour

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

/// Positions of the columns in a line of the table, counted in words.
struct Columns {
  std::optional<std::size_t> redop;
  std::optional<std::size_t> root;
  std::vector<std::size_t> times;  ///< each is followed by algbw and busbw
};

struct Row {
  Bytes bytes{};
  double us = 0;
  double ratio = 0;  ///< busbw / algbw; 0 if both are too small for a reliable ratio
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

  std::vector<TimedCollective> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(without_tag(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
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

  /// Removes the "[1,0]<stdout>:" that mpirun puts before each line.
  static std::string_view without_tag(std::string_view line) {
    if (!line.starts_with('[')) return line;
    const std::size_t tag = line.find(">:");
    return tag == std::string_view::npos ? line : line.substr(tag + 2);
  }

  void take(std::string_view line) {
    Words words = words_of(line);
    if (words.empty()) return;
    const bool names_rank = words.front() == "Rank";  // its '#' can be lost where programs share a terminal
    if (words.front().starts_with('#') || names_rank) return take_comment(line, words);
    if (!columns_.times.empty()) take_row(words);
  }

  void take_comment(std::string_view line, Words words) {
    if (words.front() == "#") words.erase(words.begin());
    const auto has = [&words](std::string_view word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (line.find("_perf") != std::string_view::npos) {
      if (const auto op = op_named_in(line)) {
        close();
        op_ = op;
      }
    }
    if (has("nThread") && has("nGpus")) {
      close();
      ranks_.clear();
      hosts_.clear();
      given_hosts_.reset();
      device_.clear();
      devices_here_ =
          std::size_t{number_after(words, "nThread").value_or(0)} * number_after(words, "nGpus").value_or(0);
    } else if (has("Rank") && has("on") && has("device")) {
      take_rank(line, words);
    } else if (has("size") && has("count") && has("time")) {
      take_header(words);
    } else if (words.size() == 2 && words.front() == "hosts") {
      given_hosts_ = number_after(words, "hosts");
    }
  }

  void take_rank(std::string_view line, const Words& words) {
    const std::optional<std::uint32_t> rank = number_after(words, "Rank");
    const auto on = std::find(words.begin(), words.end(), "on");
    if (!rank || *rank >= kMostRanks || on + 1 == words.end()) return;
    ranks_.insert(*rank);
    hosts_.insert(std::string(*(on + 1)));
    const std::size_t bus = line.find(']', line.find(" device "));
    if (bus == std::string_view::npos) return;
    const std::size_t begin = line.find_first_not_of(' ', bus + 1);
    if (begin == std::string_view::npos) return;
    device_ = std::string(line.substr(begin, std::min<std::size_t>(100, line.find_last_not_of(" \r") + 1 - begin)));
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
    for (const Row& row : rows_) {
      const Duration time{std::max<std::int64_t>(1, std::llround(row.us * 1e3))};
      timings_.push_back({op, ranks, hosts, device_, row.bytes, time});
    }
    rows_.clear();
  }

  [[nodiscard]] CollectiveOp op_by_columns(double ratio) const {
    if (rows_.front().has_root) return rows_.front().reduces ? CollectiveOp::kReduce : CollectiveOp::kBroadcast;
    if (!rows_.front().reduces) return CollectiveOp::kAllGather;
    return ratio > 0 && ratio < 0.99 ? CollectiveOp::kReduceScatter : CollectiveOp::kAllReduce;
  }

  [[nodiscard]] std::uint32_t ranks_of(CollectiveOp op, double ratio) const {
    std::size_t ranks = ranks_.size();
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
    if (!hosts_.empty()) return static_cast<std::uint32_t>(std::min<std::size_t>(hosts_.size(), ranks));
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
  std::set<std::uint32_t> ranks_;
  std::set<std::string> hosts_;
  std::optional<std::uint32_t> given_hosts_;  ///< from a line that a user added
  std::string device_;
  std::size_t devices_here_ = 0;
  Columns columns_;
  std::vector<Row> rows_;
  std::optional<Row> broken_;  ///< the last row if its times are missing or wrong
  std::vector<TimedCollective> timings_;
};

}  // namespace

std::vector<TimedCollective> parse_nccl_tests(std::string_view text, const std::string& name,
                                              Diagnostics& diagnostics) {
  return Reader(name, diagnostics).read(text);
}

std::vector<TimedCollective> read_nccl_tests(const std::vector<std::string>& files, std::vector<InputFile>& inputs,
                                             Diagnostics& diagnostics) {
  std::vector<TimedCollective> timings;
  for (const std::string& path : files) {
    SmallFile file = read_small_file(path, kLargest);
    inputs.push_back(std::move(file.identity));
    if (file.text.size() > kLargest) {
      throw InputError({path, {}, {}},
                       fmt::format("larger than {} MiB; expected tables of nccl-tests", kLargest >> 20U));
    }
    const std::vector<TimedCollective> more = parse_nccl_tests(file.text, path, diagnostics);
    timings.insert(timings.end(), more.begin(), more.end());
  }
  return timings;
}

}  // namespace stepsim::ingest
