#include "cli/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "model/base/units.h"
#include "sim/export/cluster_yaml.h"
#include "sim/report/table.h"

namespace stepsim::cli {
namespace {

using sim::Align;
using sim::Table;

constexpr std::size_t kNameWidth = 60;
constexpr std::size_t kReplayPathRows = 10;
constexpr std::size_t kTextLimit = 400;
constexpr std::size_t kDetailLimit = 800;

std::string section(std::string_view title, const std::string& body) {
  return body.empty() ? std::string() : fmt::format("\n{}\n{}", title, body);
}

std::string bullets(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += fmt::format("- {}\n", shown(sentence, kTextLimit));
  }
  return text;
}

std::string clock_text(const Recording& recording) {
  if (recording.clocks.size() < 2) {
    return {};
  }
  Table table({{"host", Align::kLeft, kNameWidth}, {"ahead by"}, {"may be off by"}});
  for (const HostClock& clock : recording.clocks) {
    table.add_row({clock.host, to_text(clock.offset), to_text(clock.residual)});
  }
  return table.to_text();
}

/// What a reader must know before the figures: that they are not of the whole input.
std::string loss_text(const Diagnostics& diagnostics) {
  std::string names;
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    if (entry.severity == Severity::kDataLoss) {
      names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", shown(entry.name), entry.count);
    }
  }
  return names.empty() ? names : fmt::format("Not all of the input could be used: {}; see Input below.\n", names);
}

std::string ingest_text(const Capture& capture) {
  std::string text = fmt::format("{} records read, {} skipped, {} tasks and {} dependencies made\n", capture.events,
                                 capture.skipped, capture.dag.task_count(), capture.dag.edge_count());
  for (const Diagnostics::Entry& entry : capture.diagnostics.entries()) {
    text += fmt::format("- {} ({}): {}", shown(entry.name), entry.count, shown(entry.remedy, kTextLimit));
    const bool lost = entry.severity == Severity::kDataLoss && !entry.first.file.empty();
    text += lost ? fmt::format(" [first at {}]\n", entry.first.to_text()) : std::string("\n");
    if (!entry.detail.empty()) text += fmt::format("  {}\n", shown(entry.detail, kDetailLimit));
  }
  return text;
}

std::string set_aside_text(const sim::Summary& summary) {
  std::string text;
  for (const auto& [rank, step] : summary.set_aside) {
    text += fmt::format("{}rank {} step {}", text.empty() ? "" : ", ", rank, step);
  }
  return text.empty() ? text : fmt::format("Set aside, cut by the capture: {}\n", text);
}

std::string unexplained_text(const sim::Summary& summary) {
  std::string text;
  for (const sim::UnexplainedKind& kind : summary.unexplained) {
    text += fmt::format("- {}: {} in {} over the whole capture\n", kind.kind, to_text(kind.wait),
                        kind.count == 1 ? std::string("one wait") : fmt::format("{} waits", kind.count));
  }
  return text;
}

std::string fits_text(const Calibration& calibration) {
  return calibration.fits.empty() ? std::string() : sim::fit_table(calibration).to_text();
}

/// How transfers were timed, if not as recorded, and how well that is known.
std::string network_text(const Replayed& replayed) {
  const NetworkModel& model = *replayed.network;
  if (model.make == nullptr) {
    return {};
  }
  std::string text = fmt::format("{}: {}; it ignores {}.\n", model.name, model.summary, model.ignores);
  if (!replayed.hardware.calibration) {
    return text;
  }
  return text + fits_text(*replayed.hardware.calibration);
}

/// What was found, and how far it is to be trusted.
std::string calibration_sentence(const Calibration& calibration) {
  const std::vector<Link>& links = calibration.cluster.links;
  const auto slowest = std::min_element(links.begin(), links.end(),
                                        [](const Link& a, const Link& b) { return a.goodput() < b.goodput(); });
  const std::string cluster =
      slowest == links.end()
          ? fmt::format("{} without a network", calibration.cluster.hosts.size() == 1
                                                    ? "a host"
                                                    : fmt::format("{} hosts", calibration.cluster.hosts.size()))
          : fmt::format("a cluster of {} hosts whose slowest link carries {} of payload",
                        calibration.cluster.hosts.size(), to_text(slowest->goodput()));
  if (calibration.fits.empty()) {
    return fmt::format("No speed could be fitted: {} is taken as the assumptions say.\n", cluster);
  }
  const auto worst = std::max_element(calibration.fits.begin(), calibration.fits.end(),
                                      [](const Fit& a, const Fit& b) { return a.residual < b.residual; });
  return fmt::format("Calibrated {}; the fit that is worst, {}, is off by {} at the median of its {} samples.\n",
                     cluster, shown(worst->what), sim::percent(worst->residual), worst->samples);
}

/// Nothing where there is one rank or none to tell apart.
std::string if_several(const Table& table) { return table.rows().size() > 1 ? table.to_text() : std::string(); }

std::string path_text(const Capture& capture, const sim::CriticalPath& path, std::size_t rows) {
  const std::string tasks = rows < path.tasks.size()
                                ? fmt::format("Its {} longest tasks of {}, in order of time", rows, path.tasks.size())
                                : fmt::format("Its {} tasks, in order of time", path.tasks.size());
  return sim::class_table(path).to_text() + section("By rank", if_several(sim::rank_table(capture.dag, path))) +
         section(tasks, sim::path_table(capture.dag, path, rows).to_text());
}

}  // namespace

std::string replay_text(const Replayed& replayed, const sim::Summary& summary, const NamedPath& path) {
  const Capture& capture = replayed.capture;
  const std::vector<sim::Straggler> stragglers = sim::stragglers(capture.dag, replayed.timeline);
  const Table steps = sim::step_table(summary);
  return sim::headline(capture, summary) + '\n' + loss_text(capture.diagnostics) +
         section("Steps", (steps.rows().empty() ? std::string() : steps.to_text()) + set_aside_text(summary)) +
         section("Network", network_text(replayed)) +
         section("Where an iteration goes (replayed; the columns overlap)", sim::breakdown_table(summary).to_text()) +
         section("Waits that nothing explains", unexplained_text(summary)) +
         section(fmt::format("Critical path of {}: {}", path.of, to_text(path.path.length)),
                 path_text(capture, path.path, kReplayPathRows)) +
         section("Who held the others up in collectives", if_several(sim::straggler_table(stragglers))) +
         section("Clocks against the first host", clock_text(capture.recording)) +
         section("Input", ingest_text(capture)) + section("Assumptions", bullets(sentences_of(capture.assumptions))) +
         section("Where to look next", bullets(sim::where_to_look(capture, summary, path.path, stragglers)));
}

std::string critical_path_text(const Replayed& replayed, const NamedPath& path, std::size_t rows) {
  const Dag& dag = replayed.capture.dag;
  return fmt::format("The critical path of {} takes {} over {} tasks; {} of it is waiting that nothing explains.\n",
                     path.of, to_text(path.path.length), path.path.tasks.size(), to_text(path.path.unexplained)) +
         loss_text(replayed.capture.diagnostics) + '\n' + path_text(replayed.capture, path.path, rows) +
         section("Who held the others up in collectives",
                 if_several(sim::straggler_table(sim::stragglers(dag, replayed.timeline)))) +
         section("Input", ingest_text(replayed.capture)) +
         section("Assumptions", bullets(sentences_of(replayed.capture.assumptions)));
}

std::string calibration_text(const Capture& capture, const Calibration& calibration) {
  const Cluster& cluster = calibration.cluster;
  return calibration_sentence(calibration) + loss_text(capture.diagnostics) +
         section("Fitted", fits_text(calibration)) + section("cluster.yaml", sim::cluster_yaml(cluster)) +
         section("Input", ingest_text(capture)) +
         section("Assumptions", bullets(sentences_of(calibration.assumptions))) +
         section("Assumptions about the capture", bullets(sentences_of(capture.assumptions)));
}

}  // namespace stepsim::cli
