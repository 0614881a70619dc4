#include "sim/stats/collectives_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/base/text.h"
#include "sim/report/table.h"
#include "sim/stats/input_texts.h"
#include "sim/stats/stats_fields.h"

namespace stepsim::sim {
namespace {

constexpr auto kCollectiveRow = std::to_array<Field<CollectiveRow>>({
    {"group", at<&CollectiveRow::group>, {"group"}},
    {"group_name", at<&CollectiveRow::group_name>, {}, kIfAny},
    {"ranks", at<&CollectiveRow::ranks>, {"ranks", Use::kHelp}},
    {"hosts",
     [](const CollectiveRow& row) { return row.is_whole() && row.hosts > 0 ? std::optional{row.hosts} : std::nullopt; },
     {"hosts", Use::kHelp}},
    {"all_captured", at<&CollectiveRow::is_whole>},
    {"operation", at<&CollectiveRow::operation>, {"operation"}},
    {"bytes", at<&CollectiveRow::bytes>, {"size"}},
    {"count", [](const CollectiveRow& row) { return row.time.count; }, {"count"}},
    {"time_ns", at<&CollectiveRow::transfer_time>, {"time"}},
    {"median_time_ns", at<&CollectiveRow::time, &Distribution::median>},
    {"min_time_ns", at<&CollectiveRow::time, &Distribution::shortest>, {"min", Use::kDetail}},
    {"max_time_ns", at<&CollectiveRow::time, &Distribution::longest>, {"max", Use::kDetail}},
    {"total_time_ns", at<&CollectiveRow::time, &Distribution::total>},
    {"algbw_bytes_per_second", at<&CollectiveRow::algbw>, {"algbw", Use::kMain, Form::kBytesPerSecond}},
    {"busbw_bytes_per_second", at<&CollectiveRow::busbw>, {"busbw", Use::kMain, Form::kBytesPerSecond}},
    {"overlapped", at<&CollectiveRow::overlapped>, {"overlapped", Use::kHelp}},
    {"expected_ns", at<&CollectiveRow::expected>, {"expected", Use::kHelp}},
    {"longest_expected_ns", at<&CollectiveRow::longest_expected>, {"at most", Use::kDetail}},
    {"of_expected", at<&CollectiveRow::of_expected>, {"of expected", Use::kMain, Form::kShare}},
    {"not_expected", at<&CollectiveRow::unexpected>, {}, kIfAny},
    {"skew_ns",
     [](const CollectiveRow& row) { return row.skew ? std::optional{row.skew->median} : std::nullopt; },
     {"skew"}},
    {"max_skew_ns",
     [](const CollectiveRow& row) { return row.skew ? std::optional{row.skew->longest} : std::nullopt; },
     {"max skew", Use::kHelp}},
    {"last_rank", at<&CollectiveRow::last>, {"last rank", Use::kHelp, Form::kId}},
    {"last_in", at<&CollectiveRow::last_in>, {"last in", Use::kDetail}},
});

constexpr auto kSlowGroup = std::to_array<Field<SlowGroup>>({
    {"group", at<&SlowGroup::group>, {"group"}},
    {"factor", at<&SlowGroup::factor>, {"slower", Use::kMain, Form::kFactor}},
    {"slow", at<&SlowGroup::slow>, {"slow"}},
    {"transfers", at<&SlowGroup::transfers>, {"of transfers"}},
    {"siblings", at<&SlowGroup::siblings>, {"siblings"}},
});
constexpr auto kSlowGroups = std::to_array<Field<SlowGroups>>({
    {"rank", at<&SlowGroups::rank>},
    {"host", at<&SlowGroups::host>},
    {"groups", at<&SlowGroups::groups>, kSlowGroup, kItemLines},
});

constexpr auto kCollectiveStatistics = std::to_array<Field<CollectiveStatistics>>({
    {"name", at<&CollectiveStatistics::name>},
    {"expected_from", at<&CollectiveStatistics::expected_from>},
    {"of_expected", at<&CollectiveStatistics::of_expected>, {}, kLineAfter},
    {"warning", at<&CollectiveStatistics::warning>, {}, kLineAfter},
    {"rows", at<&CollectiveStatistics::rows>, kCollectiveRow, kRowLines},
    {"compared_groups", at<&CollectiveStatistics::siblings, &SiblingComparison::groups>},
    {"slow", at<&CollectiveStatistics::siblings, &SiblingComparison::slow>, kSlowGroups, kRowLines},
});
constexpr auto kInputsWithCollectives =
    std::to_array<Field<std::vector<CollectiveStatistics>>>({{"inputs", at<>, kCollectiveStatistics, kRowLines}});

/// A row for spreadsheets.
struct CollectiveLine {
  const CollectiveStatistics* input;
  const CollectiveRow* row;
};
constexpr auto kCollectiveLine = std::to_array<Field<CollectiveLine>>({
    {"input", at<&CollectiveLine::input, &CollectiveStatistics::name>},
    {"", at<&CollectiveLine::row>, kCollectiveRow},
});

std::string headline_of(const CollectiveStatistics& input) {
  std::size_t count = 0;
  std::size_t overlapped = 0;
  for (const CollectiveRow& row : input.rows) {
    count += row.time.count;
    overlapped += row.overlapped;
  }
  std::string what = fmt::format("{} in {}", counted(count, "collective"), counted(input.rows.size(), "row"));
  if (overlapped > 0) what += fmt::format("; {} overlap with others of their ranks", grouped(overlapped));
  const std::optional<double> share = input.of_expected();
  const bool waits =
      std::none_of(input.rows.begin(), input.rows.end(), [](const CollectiveRow& row) { return row.is_whole(); });
  return share   ? fmt::format("Collectives reach {} of the expected bandwidth ({}).", percent(*share), what)
         : waits ? fmt::format("{}; their times include waits for ranks that were not captured.", what)
                 : fmt::format("{}; the expected times are not known.", what);
}

/// Returns what the slow groups have in common: "rank 5".
std::string cause_of(const SlowGroups& slow) {
  if (slow.rank) return fmt::format("rank {}", *slow.rank);
  if (!slow.host.empty()) return fmt::format("host {}", slow.host);
  const SlowGroup& first = slow.groups.front();
  if (slow.groups.size() > 1) return fmt::format("the links of {} groups", slow.groups.size());
  const std::string_view what = first.ranks.size() == 2 ? "the link between the ranks" : "a link";
  return fmt::format("{} of group {}", what, first.group);
}

std::string slow_text(const SlowGroups& slow) {
  const SlowGroup& first = slow.groups.front();
  return fmt::format("Slow: {}. Group {} takes {:.2f}x as long as its {} siblings, in {} of {} transfers.",
                     cause_of(slow), first.group, first.factor, first.siblings, first.slow, first.transfers);
}

Section slow_section(const CollectiveStatistics& input, const std::string& of, const TableRows& rows) {
  Section section{.title = "Slower than their siblings" + of, .brief = true};
  std::vector<SlowGroup> groups;
  for (const SlowGroups& slow : input.siblings.slow) {
    section.sentences.emplace_back(slow_text(slow));
    groups.insert(groups.end(), slow.groups.begin(), slow.groups.end());
  }
  if (groups.empty()) return {};
  section.table = table_of(kSlowGroup, groups, rows);
  section.sentences.emplace_back(
      fmt::format("siblings: groups of as many ranks on as many hosts with collectives of the same operation and size; "
                  "slow: transfers of {}x their typical time or more",
                  kSlowFactor));
  return section;
}

/// Returns one sentence for each reason why rows have no expected time.
std::vector<std::string> reasons(const std::vector<CollectiveRow>& rows) {
  std::map<std::string_view, std::size_t> count;
  for (const CollectiveRow& row : rows) {
    if (!row.expected && !row.unexpected.empty()) ++count[row.unexpected];
  }
  std::vector<std::string> texts;
  texts.reserve(count.size());
  for (const auto& [reason, number] : count)
    texts.push_back(fmt::format("nothing is expected of {}: {}", counted(number, "row"), reason));
  return texts;
}

/// Returns a sentence with the rows that take longer than the model's error explains; empty if there are none.
std::string slow_rows(const std::vector<CollectiveRow>& rows) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t slow = 0;
  for (const CollectiveRow& row : rows) {
    if (!row.is_slow() || ++slow > kMost) continue;
    add_item(text, fmt::format("{} of {} in group {} ({})", row.operation, stepsim::to_text(*row.bytes), row.group,
                               percent(*row.of_expected())));
  }
  if (slow > kMost) add_item(text, fmt::format("{} more", slow - kMost));
  return slow == 0 ? text : "longer than the error of the model explains (column 'at most'): " + text;
}

Section rows_section(const CollectiveStatistics& input, const std::string& of, TableRows rows) {
  const auto any = [&input](const auto& has) { return std::any_of(input.rows.begin(), input.rows.end(), has); };
  const bool has_skew = any([](const CollectiveRow& row) { return row.skew.has_value(); });
  if (!has_skew) rows.without = {"skew", "max skew", "last rank", "last in"};
  if (!any([](const CollectiveRow& row) { return row.expected.has_value(); }))
    rows.without.insert(rows.without.end(), {"expected", "at most", "of expected"});
  Section section = section_of("Collectives by group" + of, kCollectiveRow, input.rows, rows);
  std::string columns = "size, time, algbw and busbw as in nccl-tests; time: median, from the last arrival to the end";
  if (has_skew) columns += "; skew: median, from the first to the last arrival";
  section.sentences.emplace_back(std::move(columns));
  if (any([](const CollectiveRow& row) { return !row.is_whole(); })) {
    section.sentences.emplace_back(
        "not all ranks of some groups were captured: their times include waits for the others, so the shortest one "
        "counts as time");
  }
  section.sentences.emplace_back(input.expected_from.empty()
                                     ? "nothing is expected: give the links with --cluster FILE"
                                     : "expected: alone on the links, by " + input.expected_from);
  if (std::string slow = slow_rows(input.rows); !slow.empty()) section.sentences.emplace_back(std::move(slow));
  for (std::string& reason : reasons(input.rows)) section.sentences.emplace_back(std::move(reason));
  if (input.siblings.groups > 0 && input.siblings.slow.empty()) {
    section.sentences.emplace_back(
        fmt::format("none of {} is slower than its siblings", counted(input.siblings.groups, "compared group")));
  }
  return section;
}

}  // namespace

std::optional<double> CollectiveStatistics::of_expected() const {
  double expected = 0;
  double measured = 0;
  for (const CollectiveRow& row : rows) {
    if (!row.is_whole() || !row.of_expected()) continue;
    const auto count = static_cast<double>(row.time.count);
    expected += count * static_cast<double>(row.expected->count());
    measured += count * static_cast<double>(row.transfer_time().count());
  }
  return measured > 0 ? std::optional{expected / measured} : std::nullopt;
}

Document collectives_document(const std::vector<CollectiveStatistics>& inputs, std::size_t rows,
                              const Provenance& provenance) {
  const bool several = inputs.size() > 1;
  Document document{
      .warning = joined(inputs, &CollectiveStatistics::warning),
      .headline = several ? fmt::format("Collectives of {}, each on its own.", counted(inputs.size(), "input"))
                          : headline_of(inputs.front()),
      .caution = joined(inputs, &CollectiveStatistics::caution)};
  const std::vector<std::string> names = names_in_titles(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string of = several ? " of " + names[i] : "";
    const TableRows limit{.most = rows, .option = "--head"};
    if (Section slow = slow_section(inputs[i], of, limit); !slow.empty()) document.sections.push_back(std::move(slow));
    Section section = rows_section(inputs[i], of, limit);
    if (several) section.lead = headline_of(inputs[i]);
    document.sections.push_back(std::move(section));
  }
  document.rows = [&inputs] {
    std::vector<CollectiveLine> lines;
    for (const CollectiveStatistics& input : inputs) {
      for (const CollectiveRow& row : input.rows) lines.push_back({&input, &row});
    }
    return rows_table(kCollectiveLine, lines);
  };
  document.json = [&inputs, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.collectives/1", kInputsWithCollectives, inputs, provenance);
  };
  return document;
}

AnswerSchema collectives_schema() { return schema_of("stepsim.collectives/1", kInputsWithCollectives); }

}  // namespace stepsim::sim
