#include "cli/report/whatif_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/report/device_shares.h"
#include "model/base/text.h"
#include "sim/report/table.h"

namespace stepsim::cli {
namespace {

using sim::Align;
using sim::Document;
using sim::PathClass;
using sim::RankBreakdown;
using sim::Table;

constexpr std::size_t kMostLinks = 6;
constexpr std::string_view kPartOf = "- ";  // of the row above

std::string signed_time(Duration difference) { return (difference > Duration{} ? "+" : "") + to_text(difference); }

std::string headline(const WhatIfAnswer& answer, const PredictionView& baseline) {
  const std::string times =
      fmt::format("With {}, an iteration takes {}, from {} to {}, instead of {} ({:+.1f} %)",
                  answer.name.empty() ? "these changes" : shown(answer.name), to_text(answer.scenario.iteration),
                  to_text(answer.interval.low), to_text(answer.interval.high), to_text(baseline.iteration),
                  relative(answer.scenario.iteration, baseline.iteration) * 100);
  if (!baseline.summary.measured) return times + "; nothing was measured to hold the prediction against.";
  return fmt::format("{}; the captured iteration of {} is predicted with an error of {:+.2f} %.", times,
                     to_text(baseline.summary.iteration.measured), baseline.summary.iteration.error * 100);
}

Document::Section range_section(const scenarios::AnswerInterval& interval) {
  if (interval.sources.empty())
    return {"Why it is not a range", {}, {"the capture shows nothing by which the answer may be off"}};
  Table table({{"source", Align::kLeft}, {"from"}, {"to"}, {"reason", Align::kLeft}});
  for (const scenarios::IntervalSource& source : interval.sources)
    table.add_row({std::string(source.name), to_text(source.low), to_text(source.high), source.reason});
  return {"Why it is a range", table, {}};
}

struct Row {
  std::string_view what;
  Duration before{};
  Duration after{};
};

Duration hidden(const RankBreakdown& rank) { return rank.communication - rank.exposed_communication; }

std::vector<Row> difference_rows(const RankBreakdown& before, const RankBreakdown& after) {
  std::vector<Row> rows;
  const auto add = [&](std::string_view what, Duration RankBreakdown::*part) {
    rows.push_back({what, before.*part, after.*part});
  };
  add("iteration", &RankBreakdown::iteration);
  add("compute", &RankBreakdown::compute);
  add("communication", &RankBreakdown::communication);
  add("- exposed", &RankBreakdown::exposed_communication);
  rows.push_back({"- hidden behind compute", hidden(before), hidden(after)});
  add("waiting in collectives", &RankBreakdown::collective_wait);
  add("host", &RankBreakdown::host);
  add("idle", &RankBreakdown::idle);
  return rows;
}

std::vector<Row> path_rows(const PredictionView& before, const PredictionView& after) {
  std::vector<Row> rows{{"length", before.path.path.length, after.path.path.length}};
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    const auto c = static_cast<PathClass>(i);
    rows.push_back({sim::to_text(c), before.path.path[c], after.path.path[c]});
  }
  return rows;
}

Table table_of(std::string title, const std::vector<Row>& rows) {
  Table table({{std::move(title), Align::kLeft}, {"baseline"}, {"scenario"}, {"difference"}});
  for (const Row& row : rows) {
    if (row.before == Duration{} && row.after == Duration{}) continue;
    table.add_row(
        {std::string(row.what), to_text(row.before), to_text(row.after), signed_time(row.after - row.before)});
  }
  return table;
}

Document::Section path_section(const PredictionView& before, const PredictionView& after) {
  return {"Critical paths, by class",
          table_of("on the path", path_rows(before, after)),
          {fmt::format("baseline: {}; scenario: {}", before.path.of, after.path.of)}};
}

Duration each_iteration(Duration sum, const PredictionView& view) {
  return scenarios::scaled(sum, 1 / view.iterations);
}

Document::Section links_section(const std::vector<LinkPair>& links, const PredictionView& before,
                                const PredictionView& after) {
  Table table({{"link", Align::kLeft}, {"busy"}, {"queueing"}, {"scenario: busy"}, {"queueing"}});
  for (std::size_t i = 0; i < std::min(kMostLinks, links.size()); ++i) {
    const LinkPair& link = links[i];
    table.add_row({link.name, sim::percent(link.baseline.busy), to_text(each_iteration(link.baseline.queueing, before)),
                   sim::percent(link.scenario.busy), to_text(each_iteration(link.scenario.queueing, after))});
  }
  return {
      "The busiest links", table, {"queueing: what the messages of an iteration take beyond their time alone, summed"}};
}

/// Everything in whole nanoseconds, one row a quantity. No figure is negative: the ratio stands in
/// for the difference.
Table rows_of(const WhatIfAnswer& answer, const PredictionView& before, const PredictionView& after) {
  Table table({{"part", Align::kLeft}, {"what", Align::kLeft}, {"baseline_ns"}, {"scenario_ns"}, {"ratio"}});
  const auto add = [&table](std::string_view part, const Row& row) {
    const std::string_view what = row.what.starts_with(kPartOf) ? row.what.substr(kPartOf.size()) : row.what;
    const std::string ratio = row.before == Duration{} ? "" : fmt::format("{}", 1 + relative(row.after, row.before));
    table.add_row({std::string(part), std::string(what), fmt::to_string(row.before.count()),
                   fmt::to_string(row.after.count()), ratio});
  };
  const Duration base = before.iteration;
  add("answer", {"iteration", base, after.iteration});
  add("answer", {"low", base, answer.interval.low});
  add("answer", {"high", base, answer.interval.high});
  for (const Row& row : difference_rows(before.slowest, after.slowest)) add("slowest rank", row);
  for (const Row& row : path_rows(before, after)) add("critical path", row);
  for (const scenarios::DeviceShare& found : answer.scenario.shares) {
    for (std::size_t i = 0; i < kScaledByCount; ++i) {
      const ScaledShare::Part& part = found.share.by[i];
      const Row row{to_text(static_cast<ScaledBy>(i)), part.before, part.after};
      if (part.pieces > 0) add("device work under " + found.change, row);
    }
  }
  return table;
}

}  // namespace

double relative(Duration value, Duration base) {
  return base == Duration{} ? 0.0 : static_cast<double>((value - base).count()) / static_cast<double>(base.count());
}

PredictionView::PredictionView(const scenarios::Prediction& prediction, const Cluster& cluster)
    : iteration(prediction.iteration),
      summary(sim::summarize(*prediction.graph, prediction.timeline)),
      slowest(sim::slowest_rank(summary)),
      path(path_of_iteration(*prediction.graph, prediction.timeline, summary)),
      links(sim::link_use(*prediction.graph, prediction.timeline, cluster)) {
  Time end{};
  for (const Time finish : prediction.timeline.finish) end = std::max(end, finish);
  if (iteration > Duration{})
    iterations = std::max(1.0, static_cast<double>((end - Time{}).count()) / static_cast<double>(iteration.count()));
}

std::vector<LinkPair> busiest_links(const WhatIfAnswer& answer, const Cluster& before, const PredictionView& baseline,
                                    const PredictionView& scenario) {
  std::map<std::string, LinkPair> by_name;
  const auto name_of = [](const Cluster& cluster, LinkId link) {
    const std::string& name = cluster.links[link.index()].name;
    return name.empty() ? fmt::format("link {}", link.value()) : name;
  };
  for (const sim::LinkUse& use : baseline.links) by_name[name_of(before, use.link)].baseline = use;
  for (const sim::LinkUse& use : scenario.links) by_name[name_of(answer.cluster, use.link)].scenario = use;
  std::vector<LinkPair> links;
  for (auto& [name, link] : by_name) {
    link.name = name;
    if (link.baseline.busy > 0 || link.scenario.busy > 0) links.push_back(std::move(link));
  }
  std::stable_sort(links.begin(), links.end(), [](const LinkPair& a, const LinkPair& b) {
    return std::max(a.baseline.busy, a.scenario.busy) > std::max(b.baseline.busy, b.scenario.busy);
  });
  return links;
}

Document whatif_document(const Asked& asked, const WhatIfAnswer& answer, const Provenance& provenance) {
  const Cluster cluster = asked.predictor->plan().cluster;
  const auto before = std::make_shared<const PredictionView>(answer.baseline, cluster);
  const auto after = std::make_shared<const PredictionView>(answer.scenario, answer.cluster);
  Document document;
  document.headline = headline(answer, *before);
  document.sections.push_back({"Changes", {}, answer.changes});
  document.sections.push_back(range_section(answer.interval));
  document.sections.push_back(
      {"Where the difference comes from",
       table_of("of an iteration of the slowest rank", difference_rows(before->slowest, after->slowest)),
       {}});
  document.sections.push_back(path_section(*before, *after));
  const std::vector<LinkPair> links = busiest_links(answer, cluster, *before, *after);
  if (!links.empty()) document.sections.push_back(links_section(links, *before, *after));
  for (Document::Section& section : share_sections(answer.scenario.shares))
    document.sections.push_back(std::move(section));
  document.sections.push_back({"Assumptions", {}, sentences_of(answer.assumptions)});
  std::erase_if(document.sections, [](const auto& section) { return !section.table && section.sentences.empty(); });
  document.rows = rows_of(answer, *before, *after);
  document.json = [&asked, &answer, &provenance, before, after](JsonWriter& json) {
    write_whatif(json, asked, answer, *before, *after, provenance);
  };
  document.origin = fmt::format("stepsim {} ({}): {}", provenance.version, provenance.commit, provenance.command);
  return document;
}

}  // namespace stepsim::cli
