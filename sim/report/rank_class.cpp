#include "sim/report/rank_class.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include <fmt/format.h>

#include "model/base/text.h"
#include "model/job/group.h"

namespace stepsim::sim {
namespace {

/// Answers with more classes have no table of them, but only their number.
constexpr std::size_t kMostClassesShown = 16;

std::size_t ranks_in(const std::vector<RankClass>& classes) {
  std::size_t ranks = 0;
  for (const RankClass& one : classes) ranks += one.ranks;
  return ranks;
}

std::string ranks_text(const std::vector<RankClass>& classes) {
  return fmt::format("{} ranks ({})", grouped(ranks_in(classes)), counted(classes.size(), "class"));
}

}  // namespace

std::vector<RankClass> rank_classes_of(const Dag& dag, const Summary& summary) {
  std::vector<RankClass> classes;
  if (!has_copies(dag)) return classes;
  const std::map<Rank, std::uint32_t> ranks = rank_classes(dag);
  for (const RankBreakdown& rank : summary.ranks) {
    const auto count = ranks.find(rank.rank);
    if (count != ranks.end()) classes.push_back({count->second, rank});
  }
  return classes;
}

std::string ranks_text(const Dag& dag, const Summary& summary) {
  const std::vector<RankClass> classes = rank_classes_of(dag, summary);
  return classes.empty() ? counted(summary.ranks.size(), "rank") : ranks_text(classes);
}

void add_classes(const std::vector<RankClass>& classes, Section& section) {
  if (classes.size() <= kMostClassesShown) section.table = table_of(kRankClass, classes);
  section.sentences.emplace_back(fmt::format(
      "{}: ranks of a class do the same at the same time, so that one of them is simulated", ranks_text(classes)));
}

}  // namespace stepsim::sim
