#include "cli/work/result.h"

#include "cli/program/output_rule.h"
#include "cli/program/terminal.h"
#include "cli/work/host.h"
#include "sim/output/json_writer.h"

namespace stepsim::cli {

void Result::set(sim::Document document, sim::Answer answer) {
  document.origin = origin_line(answer.provenance);
  answer.document = &keep(std::move(document));
  answer_.emplace(std::move(answer));
}

void report(Result result, const CommonOptions& options, const Session& session) {
  if (session.host != nullptr) return session.host->take(std::move(result), options);
  write_output(options, result.answer());
  if (!writes_to_standard_output(options)) print_document(result.document(), options, session);
}

void print_document(const sim::Document& document, const CommonOptions& options, const Session& session) {
  if (!options.json) {
    sim::TextStyle style = standard_output_style(options.color);
    style.brief = options.brief;
    session.out.write(sim::to_text(document, style));
    return;
  }
  sim::JsonWriter json{[&session](std::string_view text) { session.out.write(text); }};
  document.json(json);
  json.finish();
  session.out.write("\n");
}

}  // namespace stepsim::cli
