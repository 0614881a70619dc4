#include "sim/export/exporter.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::sim {
namespace {

bool ends_in(std::string_view path, std::string_view extension) {
  return path.size() > extension.size() && path.substr(path.size() - extension.size()) == extension &&
         path[path.size() - extension.size() - 1] == '.';
}

std::string all_extensions() {
  std::vector<std::string> words;
  for (const Exporter* exporter : exporters()) words.push_back(fmt::format(".{}", exporter->extension));
  return one_of(words);
}

}  // namespace

const Exporter& exporter_for(std::string_view path) {
  const Exporter* best = nullptr;
  for (const Exporter* exporter : exporters()) {
    if (!ends_in(path, exporter->extension)) continue;
    if (best == nullptr || exporter->extension.size() > best->extension.size()) best = exporter;
  }
  if (best == nullptr) {
    throw UsageError(
        fmt::format("{}: the extension does not say what to write; expected {}", shown(path), all_extensions()));
  }
  return *best;
}

void export_to_file(const std::string& path, const ExportInput& input) {
  const Exporter& exporter = exporter_for(path);
  OutputFile file{path};
  exporter.write(input, file);
  file.commit();
}

}  // namespace stepsim::sim
