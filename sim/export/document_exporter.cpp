#include "sim/export/document_exporter.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::sim {

const DocumentExporter& document_exporter_for(std::string_view path) {
  std::vector<std::string> words;
  for (const DocumentExporter* const exporter : document_exporters()) {
    words.push_back(fmt::format(".{}", exporter->extension));
    if (path.size() > words.back().size() && path.ends_with(words.back())) return *exporter;
  }
  throw UsageError(
      fmt::format("{}: the extension does not say what to write; expected {}", shown(path), one_of(words)));
}

void export_document(const std::string& path, const Document& document) {
  const DocumentExporter& exporter = document_exporter_for(path);
  OutputFile file{path};
  exporter.write(document, file);
  file.commit();
}

}  // namespace stepsim::sim
