#include "sim/export/document_exporter.h"
#include "sim/output/json_writer.h"

// The object that --json prints, as a file.

namespace stepsim::sim {
namespace {

void write(const Document& document, OutputFile& out) {
  JsonWriter json;
  document.json(json);
  out.write(json.take());
  out.write("\n");
}

}  // namespace

extern const DocumentExporter json_document_exporter;
const DocumentExporter json_document_exporter{
    .name = "json",
    .extension = "json",
    .summary = "the object that --json prints",
    .write = write,
};

}  // namespace stepsim::sim
