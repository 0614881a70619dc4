#include "sim/export/exporter.h"

#include <algorithm>
#include <array>

#include "model/base/error.h"

namespace stepsim::sim {
namespace {

constexpr std::string_view kGzip = ".gz";

bool ends_in(std::string_view path, std::string_view extension) noexcept {
  return !extension.empty() && path.size() > extension.size() && path.ends_with(extension) &&
         path[path.size() - extension.size() - 1] == '.';
}

}  // namespace

bool has(const Answer& answer, Content content) noexcept {
  switch (content) {
    case Content::kDocument: return answer.document != nullptr;
    case Content::kTimeline:
    case Content::kTaskGraph: return !answer.replays.empty();
    case Content::kCluster: return answer.cluster != nullptr;
    case Content::kScenario: return !answer.scenario.empty();
    case Content::kGraph: return answer.graph != nullptr;
    case Content::kPicture:
      return answer.layout != nullptr || (answer.bars != nullptr && !answer.bars->rows.empty()) ||
             !answer.replays.empty() || (answer.document != nullptr && answer.document->plot);
  }
  return false;
}

std::string_view to_text(Content content) noexcept {
  static constexpr std::array<std::string_view, 7> kWords{"document", "timeline", "task graph", "cluster",
                                                          "scenario", "picture",  "graph"};
  return kWords[static_cast<std::size_t>(content)];
}

bool is_standard_output(std::string_view path) noexcept {
  return path == kStandardOutput || (path.starts_with("-.") && path.find('/') == std::string_view::npos);
}

bool is_gzipped(std::string_view path) noexcept { return path.ends_with(kGzip); }

const Exporter* find_exporter(std::string_view path, std::span<const Content> contents) noexcept {
  const bool gzipped = is_gzipped(path);
  if (gzipped) path.remove_suffix(kGzip.size());
  if (path == kStandardOutput) path = "-.json";
  const auto rank = [contents](const Exporter& exporter) {
    const bool is_wanted = std::find(contents.begin(), contents.end(), exporter.accepts) != contents.end();
    return std::pair{exporter.extension.size(), is_wanted};
  };
  const Exporter* best = nullptr;
  for (const Exporter* const exporter : exporters()) {
    if (gzipped && !exporter->gzip) continue;
    if (!ends_in(path, exporter->extension) && !ends_in(path, exporter->alias)) continue;
    if (best == nullptr || rank(*exporter) > rank(*best)) best = exporter;
  }
  return best;
}

OutputFile open_output(const std::string& path) {
  return OutputFile{is_standard_output(path) ? std::string(kStandardOutput) : path,
                    is_gzipped(path) ? Compression::kGzip : Compression::kNone};
}

void export_to_file(const std::string& path, const Exporter& exporter, const Answer& answer) {
  STEPSIM_ASSERT(has(answer, exporter.accepts), "an exporter is only given what it accepts");
  OutputFile file = open_output(path);
  exporter.write(answer, file);
  file.commit();
}

}  // namespace stepsim::sim
