// A table of the operations of a pipeline- and data-parallel job, as csv with a header, times in seconds:
//
//   dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc
//   0,0,0,16,backward-compute,2.6883304119110107,0.8543476462364197,0,0,0,0
//
// Columns may be in any order, and others are ignored. The format is that of the traces published with "Understanding
// Stragglers in Large Model Training Using What-if Analysis" (OSDI 2025).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/text_input.h"
#include "ingest/formats/format.h"
#include "ingest/parts/text_table.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr double kLongestSeconds = 1e6;  // 12 days: the sum of all steps must fit in 64 bits

/// What stepsim reads of a row.
enum class Use : std::uint8_t { kDataRank, kStage, kStep, kOperation, kStart, kDuration, kSequence };
constexpr std::size_t kUses = 7;

/// A column's names, the preferred one first.
struct Wanted {
  std::array<std::string_view, 3> names;
  bool needed = true;
};
constexpr std::array<Wanted, kUses> kWanted{{{{"dp_rank", "data_rank", "rank"}},
                                             {{"stage", "pp_rank", "pp_stage"}},
                                             {{"step", "iteration", "step"}},
                                             {{"optype", "operation", "op"}},
                                             {{"start_ts", "start", "start_s"}},
                                             {{"duration", "dur", "duration_s"}},
                                             {{"seq_id", "mb_id", "micro_batch"}, false}}};

using Columns = std::vector<std::string_view>;

/// Splits a line at its commas. Blanks and quotes around a value are dropped.
Columns columns_of(std::string_view line) {
  constexpr std::string_view kAround = " \t\r\"";
  Columns columns = parts_of(line, ',');
  for (std::string_view& value : columns) {
    value.remove_prefix(std::min(value.find_first_not_of(kAround), value.size()));
    value = value.substr(0, value.find_last_not_of(kAround) + 1);
  }
  return columns;
}

/// The index of each column that is used; absent if the table does not have it.
using Places = std::array<std::optional<std::size_t>, kUses>;

Places places_of(const Columns& header) {
  Places places;
  for (std::size_t use = 0; use < kUses; ++use) {
    for (const std::string_view name : kWanted[use].names) {
      const auto found = std::find(header.begin(), header.end(), name);
      if (found == header.end()) continue;
      places[use] = static_cast<std::size_t>(found - header.begin());
      break;
    }
  }
  return places;
}

/// Returns the first name of a column that is needed and absent; nothing if there is none.
std::optional<std::string_view> missing(const Places& places) {
  for (std::size_t use = 0; use < kUses; ++use) {
    if (kWanted[use].needed && !places[use]) return kWanted[use].names.front();
  }
  return std::nullopt;
}

int recognise_operation_table(std::string_view /*file_name*/, std::string_view head) {
  const Columns header = columns_of(head.substr(0, head.find('\n')));
  return header.size() >= kUses - 1 && !missing(places_of(header)) ? 95 : 0;
}

class OperationTableReader {
 public:
  OperationTableReader(Input& input, PartSink& sink) : input_(input.stream()), sink_(sink) {}

  [[nodiscard]] OperationTable read() {
    constexpr std::string_view kExpected = "a table of operations";
    const std::string header = input_.next_line(kExpected);
    columns_ = columns_of(header);
    places_ = places_of(columns_);
    width_ = columns_.size();
    if (const auto name = missing(places_)) {
      throw InputError(input_.at_line(1), fmt::format("no column '{}'; expected dp_rank, stage, step, optype, start_ts "
                                                      "and duration",
                                                      *name));
    }
    while (input_.peek() != TextInput::kEnd) {
      const InputLocation where = input_.at_line(input_.line());
      const std::string line = input_.next_line(kExpected);
      if (line.empty() || line == "\r") continue;
      ++sink_.events;
      columns_ = columns_of(line);
      if (columns_.size() != width_) {
        sink_.skip(diagnostic("unreadable_operation"), where,
                   fmt::format("{} values instead of {}", columns_.size(), width_));
      } else {
        add(where);
      }
    }
    if (input_.source().truncated()) {
      sink_.skip(diagnostic("truncated_file"), {input_.source().name(), input_.offset(), {}},
                 "the gzip stream is cut short");
    }
    if (table_.operations.empty()) throw InputError(input_.at_line(1), "no operation in the table; expected rows");
    table_.texts = std::move(texts_).take();
    return std::move(table_);
  }

 private:
  [[nodiscard]] std::string_view value(Use use) const {
    const auto place = places_[static_cast<std::size_t>(use)];
    return place ? columns_[*place] : std::string_view{};
  }
  /// Returns a time in seconds as nanoseconds; nothing if it is unreadable, negative or too long.
  [[nodiscard]] std::optional<Duration> seconds(Use use) const {
    const auto number = parse_number<double>(value(use));
    if (!number || !(*number >= 0 && *number <= kLongestSeconds)) return std::nullopt;
    return Duration{std::llround(1e9 * *number)};
  }

  void add(const InputLocation& where) {
    const auto data_rank = parse_number<std::uint32_t>(value(Use::kDataRank));
    const auto stage = parse_number<std::uint32_t>(value(Use::kStage));
    const auto step = parse_number<std::int64_t>(value(Use::kStep));
    const auto start = seconds(Use::kStart);
    const auto duration = seconds(Use::kDuration);
    const std::string_view name = value(Use::kOperation);
    if (!data_rank || *data_rank >= kMostRanks || !stage || *stage >= kMostRanks || !step || !start || !duration ||
        name.empty()) {
      sink_.skip(diagnostic("unreadable_operation"), where, shown(name, 40));
      return;
    }
    table_.operations.push_back({*step,
                                 {*data_rank, *stage},
                                 texts_.intern(name),
                                 Time{*start},
                                 *duration,
                                 parse_number<std::int64_t>(value(Use::kSequence)).value_or(-1)});
  }

  TextInput input_;
  PartSink& sink_;
  Columns columns_;  // of the current line
  Places places_;
  std::size_t width_ = 0;  // number of columns
  TextTable texts_;
  OperationTable table_;
};

void read_operation_table(Input& input, PartSink& sink) { sink.add(OperationTableReader(input, sink).read()); }

}  // namespace

extern const Format operation_table_format{"operation_table",
                                           "csv of a pipeline-parallel job's operations by rank, stage and step",
                                           recognise_operation_table, read_operation_table};

}  // namespace stepsim::ingest
