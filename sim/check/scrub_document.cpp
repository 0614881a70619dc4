#include "sim/check/scrub_document.h"

#include <fmt/format.h>

#include "model/base/text.h"
#include "sim/check/check_json.h"
#include "sim/output/json_writer.h"
#include "sim/report/cautions.h"
#include "sim/report/members.h"

namespace stepsim::sim {
namespace {

Table table_of(const std::vector<PrivateContent>& replaced) {
  Table table({{"what", Align::kLeft}, {"secret", Align::kLeft}, {"places"}, {"first", Align::kLeft}});
  for (const PrivateContent& content : replaced)
    table.add_row({content.kind, content.secret ? "yes" : "", content.count, content.first});
  return table;
}

std::string headline_of(const Scrubbed& scrubbed) {
  std::uint64_t places = 0;
  for (const PrivateContent& content : scrubbed.replaced) places += content.count;
  return fmt::format(
      "Wrote {} without what is private: {} written to {}; all times and names of work are as they were.",
      counted(scrubbed.files, "file"),
      places == 0 ? "nothing was found to replace," : fmt::format("{} replaced,", counted(places, "place")),
      shown(scrubbed.output));
}

}  // namespace

Document scrub_document(const Scrubbed& scrubbed, const Provenance& provenance) {
  Document document{.headline = headline_of(scrubbed)};
  if (!scrubbed.replaced.empty()) {
    document.sections.push_back(
        {.title = "What was replaced",
         .table = table_of(scrubbed.replaced),
         .sentences = {"names of functions, modules, operators, kernels and annotations stay: look "
                       "at them before you give the files away"}});
  }
  add_input_defects(document, scrubbed.diagnostics);
  document.rows = [&scrubbed] { return table_of(scrubbed.replaced); };
  document.json = [&scrubbed, &provenance](JsonWriter& json) {
    json.begin_object().key("schema").value("stepsim.scrub/1").new_line();
    json.key("output").value(scrubbed.output).key("files").value(scrubbed.files).new_line();
    write_members(json, "replaced", scrubbed.replaced);
    if (!scrubbed.diagnostics.entries().empty()) write_diagnostics(json, scrubbed.diagnostics);
    write_provenance(json, provenance);
    json.end_object();
  };
  return document;
}

}  // namespace stepsim::sim
