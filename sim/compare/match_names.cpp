#include "sim/compare/match_names.h"

#include <functional>
#include <map>
#include <utility>

#include "sim/analysis/intervals.h"
#include "sim/compare/normal_name.h"

namespace stepsim::sim {
namespace {

using Key = std::pair<std::string, std::string>;  // kind, name
using Groups = std::vector<const WorkGroup*>;

void add_a(Row& row, const WorkGroup& group) {
  ++row.names_a;
  row.count_a += group.count;
  row.time_a = saturated_sum(row.time_a, group.time);
}

void add_b(Row& row, const WorkGroup& group) {
  ++row.names_b;
  row.count_b += group.count;
  row.time_b = saturated_sum(row.time_b, group.time);
}

Row row_of(const Key& key, const WorkGroup& first, Match match) {
  return {.name = key.second, .kind = key.first, .kernel_class = first.kernel_class, .match = match};
}

Groups pointers_to(const std::vector<WorkGroup>& groups) {
  Groups pointers;
  for (const WorkGroup& group : groups) pointers.push_back(&group);
  return pointers;
}

/// What is not matched yet, and the rows of what is.
class Matching {
 public:
  Matching(const std::vector<WorkGroup>& a, const std::vector<WorkGroup>& b) : a_(pointers_to(a)), b_(pointers_to(b)) {}

  /// Matches what `form` makes equal.
  void match(Match how, const std::function<std::string(std::string_view)>& form) {
    std::map<Key, std::pair<Groups, Groups>> by_form;
    for (const WorkGroup* const group : a_) by_form[{group->kind, form(group->name)}].first.push_back(group);
    for (const WorkGroup* const group : b_) by_form[{group->kind, form(group->name)}].second.push_back(group);
    a_.clear();
    b_.clear();
    for (const auto& [key, found] : by_form) {
      const auto& [of_a, of_b] = found;
      if (of_a.empty() || of_b.empty()) {
        a_.insert(a_.end(), of_a.begin(), of_a.end());
        b_.insert(b_.end(), of_b.begin(), of_b.end());
        continue;
      }
      Row& row = rows_.emplace_back(row_of(key, *of_a.front(), how));
      for (const WorkGroup* const group : of_a) add_a(row, *group);
      for (const WorkGroup* const group : of_b) add_b(row, *group);
    }
  }

  [[nodiscard]] std::vector<Row> finish() && {
    for (const WorkGroup* const group : a_)
      add_a(rows_.emplace_back(row_of({group->kind, group->name}, *group, Match::kOnlyA)), *group);
    for (const WorkGroup* const group : b_)
      add_b(rows_.emplace_back(row_of({group->kind, group->name}, *group, Match::kOnlyB)), *group);
    return std::move(rows_);
  }

 private:
  Groups a_;
  Groups b_;
  std::vector<Row> rows_;
};

}  // namespace

std::string_view to_text(Match match) noexcept {
  switch (match) {
    case Match::kExact: return "exact";
    case Match::kNumbers: return "numbers";
    case Match::kArguments: return "arguments";
    case Match::kOnlyA: return "only A";
    case Match::kOnlyB: break;
  }
  return "only B";
}

std::vector<Row> match_names(const std::vector<WorkGroup>& a, const std::vector<WorkGroup>& b) {
  Matching matching(a, b);
  matching.match(Match::kExact, [](std::string_view name) { return std::string(name); });
  matching.match(Match::kNumbers, without_numbers);
  matching.match(Match::kArguments, without_arguments);
  return std::move(matching).finish();
}

}  // namespace stepsim::sim
