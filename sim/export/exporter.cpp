#include "sim/export/exporter.h"

#include <array>

#include "model/base/error.h"

namespace stepsim::sim {
namespace {

bool ends_in(std::string_view path, std::string_view extension) noexcept {
  return !extension.empty() && path.size() > extension.size() && path.ends_with(extension) &&
         path[path.size() - extension.size() - 1] == '.';
}

bool has(const Answer& answer, Content content) noexcept {
  switch (content) {
    case Content::kDocument: return answer.document != nullptr;
    case Content::kTimeline:
    case Content::kTaskGraph: return !answer.replays.empty();
    case Content::kCluster: return answer.cluster != nullptr;
  }
  return false;
}

}  // namespace

std::string_view to_text(Content content) noexcept {
  static constexpr std::array<std::string_view, 4> kWords{"document", "timeline", "task graph", "cluster"};
  return kWords[static_cast<std::size_t>(content)];
}

const Exporter* find_exporter(std::string_view path) noexcept {
  const Exporter* best = nullptr;
  for (const Exporter* const exporter : exporters()) {
    if (!ends_in(path, exporter->extension) && !ends_in(path, exporter->alias)) continue;
    if (best == nullptr || exporter->extension.size() > best->extension.size()) best = exporter;
  }
  return best;
}

void export_to_file(const std::string& path, const Exporter& exporter, const Answer& answer) {
  STEPSIM_ASSERT(has(answer, exporter.accepts), "an exporter is only given what it accepts");
  OutputFile file{path};
  exporter.write(answer, file);
  file.commit();
}

}  // namespace stepsim::sim
