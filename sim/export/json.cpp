// The object that --json prints, as a file.

#include "sim/export/exporter.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {
namespace {

void write(const Answer& answer, OutputFile& out) {
  JsonWriter json{[&out](std::string_view text) { out.write(text); }};
  answer.document->json(json);
  json.finish();
  out.write("\n");
}

}  // namespace

extern const Exporter json_exporter;
const Exporter json_exporter{
    .name = "json",
    .extension = "json",
    .summary = "the object that --json prints",
    .accepts = Content::kDocument,
    .write = write,
};

}  // namespace stepsim::sim
