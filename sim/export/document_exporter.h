#ifndef STEPSIM_SIM_EXPORT_DOCUMENT_EXPORTER_H
#define STEPSIM_SIM_EXPORT_DOCUMENT_EXPORTER_H

#include <span>
#include <string>
#include <string_view>

#include "sim/output/write_file.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// One way to write a Document: one file in sim/export/documents/ and one line in its
/// CMakeLists.txt.
struct DocumentExporter {
  std::string_view name;       ///< "markdown"
  std::string_view extension;  ///< "md": after a dot at the end of the file name
  std::string_view summary;    ///< one line for --help
  void (*write)(const Document& document, OutputFile& out);
};

[[nodiscard]] std::span<const DocumentExporter* const> document_exporters();

/// The exporter for `path` by its extension. Throws UsageError that lists the extensions.
[[nodiscard]] const DocumentExporter& document_exporter_for(std::string_view path);

/// Writes `document` to `path` as OutputFile does.
void export_document(const std::string& path, const Document& document);

}  // namespace stepsim::sim

#endif
