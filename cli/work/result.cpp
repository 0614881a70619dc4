#include "cli/work/result.h"

#include "cli/program/output_rule.h"
#include "cli/program/stages.h"
#include "cli/program/terminal.h"
#include "sim/output/json_writer.h"

namespace stepsim::cli {

void Result::set(sim::Document document, sim::Answer answer) {
  document.origin = origin_line(answer.provenance);
  answer.document = &keep(std::move(document));
  answer_.emplace(std::move(answer));
}

void report(Result result, const CommonOptions& options, const Session& session) {
  if (session.host != nullptr) return session.host->take(std::move(result), options);
  begin_stage(session, "writing");
  write_output(options, result.answer());
  if (!writes_to_standard_output(options)) print_document(result.document(), options, session);
}

void print_document(const sim::Document& document, const CommonOptions& options, const Session& session) {
  begin_stage(session, "writing");
  if (!options.json) {
    sim::TextStyle style = standard_output_style(options.color);
    style.brief = options.brief;
    style.full = options.full;
    style.rank_rows = options.rank_rows;
    session.out.write(sim::to_text(document, style));
    return;
  }
  sim::JsonWriter json{[&session](std::string_view text) { session.out.write(text); }};
  document.json(json);
  json.finish();
  session.out.write("\n");
}

CaptureStore::Selected CaptureStore::selected(const CommonOptions& options) {
  return {options.traces, options.job_file, options.steps, options.ranks, options.untimed, options.anonymous};
}

std::shared_ptr<const Capture> CaptureStore::capture(const CommonOptions& options, const Read& read) {
  const std::lock_guard lock(mutex_);
  if (Selected wanted = selected(options); selected_ != wanted) {
    selected_.reset();
    what_ifs_.clear();
    capture_ = std::make_shared<const Capture>(read());
    selected_ = std::move(wanted);
  }
  return capture_;
}

std::shared_ptr<WhatIfSession> CaptureStore::what_ifs(const CommonOptions& options, bool interference,
                                                      const Prepare& prepare) {
  const std::string network = options.network_given ? std::string(options.network->name) : std::string{};
  const std::pair key{network, interference};
  {
    const std::lock_guard lock(mutex_);
    const auto found = what_ifs_.find(key);
    if (found != what_ifs_.end() && selected_ == selected(options) && !options.cluster_file) return found->second;
  }
  std::shared_ptr<WhatIfSession> prepared = prepare();  // reads the capture, which takes the lock
  const std::lock_guard lock(mutex_);
  if (selected_ == selected(options) && !options.cluster_file) what_ifs_[key] = prepared;
  return prepared;
}

}  // namespace stepsim::cli
