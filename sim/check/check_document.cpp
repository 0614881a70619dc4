#include "sim/check/check_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/base/text.h"
#include "sim/check/check_fields.h"
#include "sim/check/recorded.h"
#include "sim/check/written_documents.h"
#include "sim/report/headline.h"

namespace stepsim::sim {
namespace {

/// Describes the job: "2 ranks on Tesla V100-SXM2-32GB".
std::string who(const Examined& examined) {
  const std::size_t ranks = ranks_in(examined);
  std::set<std::string> devices;
  for (const SourceContents& source : examined.contents.sources) {
    for (const HostDeviceContents& process : source.processes) {
      if (!process.device_name.empty() && process.kernels > 0) devices.insert(process.device_name);
    }
  }
  std::string text = ranks == 0 ? counted(examined.contents.sources.size(), "file") : counted(ranks, "rank");
  if (!devices.empty()) text += " on " + enumerated(std::vector<std::string>(devices.begin(), devices.end()), "and");
  return text;
}

std::string what(const Examined& examined) {
  if (examined.capture == nullptr) return who(examined);
  const std::size_t steps = step_count(examined.capture->recording);
  std::string text = fmt::format("{}, {}", who(examined), steps == 0 ? "no marked step" : counted(steps, "whole step"));
  if (examined.replay != nullptr && examined.replay->summary.measured) {
    text += fmt::format("; step time {}, replay error {}", to_text(examined.replay->summary.iteration.measured),
                        signed_percent(examined.replay->summary.iteration.error));
  }
  return text;
}

std::vector<std::string> questions_at(const Checkup& checkup, Cost cost) {
  std::vector<std::string> words;
  for (const Question question : kQuestions) {
    if (checkup.applicable.has(question) && question != Question::kReplay && checkup.cost_of(question) == cost)
      words.emplace_back(to_text(question));
  }
  return words;
}

std::string answers(const Checkup& checkup) {
  const std::vector<std::string> no = questions_at(checkup, Cost::kPrevents);
  const std::vector<std::string> weak = questions_at(checkup, Cost::kWeakens);
  std::vector<std::string> parts;
  if (!no.empty()) parts.push_back(fmt::format("it cannot predict {} changes", enumerated(no, "and")));
  if (!weak.empty()) parts.push_back(fmt::format("predictions of {} changes are unreliable", enumerated(weak, "and")));
  return parts.empty() ? "" : "; " + enumerated(parts, "and");
}

std::string_view answer_text(Cost cost) {
  switch (cost) {
    case Cost::kPrevents: return "no";
    case Cost::kExposes: break;
    case Cost::kWeakens: return "unreliable";
    case Cost::kBlurs: return "yes, less certain";
    case Cost::kNothing: return "yes";
  }
  return "";
}

std::string_view meaning_of(Question question) {
  switch (question) {
    case Question::kReplay: return "the captured run: replay, critical-path, stats";
    case Question::kHost: return "what-ifs about the CPU: launches, threads, the framework";
    case Question::kDevice: return "what-ifs about the GPU: kernels, another device, batch size, precision";
    case Question::kNetwork: return "what-ifs about communication: links, collectives, partitions";
    case Question::kRanks: return "what-ifs about ranks: more ranks, a slow rank";
  }
  return "";
}

Section answers_section(const Checkup& checkup) {
  Table table({{"question", Align::kLeft},
               {"about", Align::kLeft, Use::kDetail, true},
               {"answered", Align::kLeft},
               {"because of", Align::kLeft, Use::kMain, true}});
  for (const Question question : kQuestions) {
    if (!checkup.applicable.has(question)) continue;
    const Cost cost = checkup.cost_of(question);
    std::vector<std::string> causes;
    for (const Finding& finding : checkup.findings) {
      const bool named = std::find(causes.begin(), causes.end(), finding.name) != causes.end();
      if (finding.cost == cost && finding.weakens.has(question) && !named) causes.push_back(finding.name);
    }
    table.add_row({std::string(to_text(question)), std::string(meaning_of(question)), std::string(answer_text(cost)),
                   cost == Cost::kNothing ? "" : enumerated(causes, "and")});
  }
  return {.title = "What you can ask", .table = std::move(table)};
}

Section findings_section(const Checkup& checkup) {
  Section section = section_of("Problems, worst first", kFinding, checkup.findings);
  for (const Finding& finding : checkup.findings) {
    section.sentences.emplace_back(fmt::format("{}: {}. {}", finding.name, finding.sentence, finding.effect),
                                   finding.remedy.empty() ? "" : fmt::format("to fix it: {}", finding.remedy));
  }
  return section;
}

Section processes_section(const CaptureContents& contents) {
  std::vector<ProcessLine> processes;
  for (const SourceContents& source : contents.sources) {
    for (const HostDeviceContents& process : source.processes) processes.push_back({&source, &process});
  }
  return section_of("Contents by process", kProcessLine, processes);
}

Section files_section(const CaptureContents& contents, std::size_t rows) {
  std::vector<const SourceContents*> files;
  for (const SourceContents& source : contents.sources) files.push_back(&source);
  std::stable_partition(files.begin(), files.end(),
                        [](const SourceContents* file) { return file->skipped > 0 || !file->problem.empty(); });
  return section_of("Files", kSourceContents, files, {.most = files.size() <= kFewRankRows ? files.size() : rows});
}

/// Lists recorded data that only some commands and what-ifs need, with its use.
Section extras_section(const Examined& examined) {
  const Recorded recorded = recorded_of(examined.contents);
  if (recorded.processes == 0) return {};
  Table table({{"data", Align::kLeft}, {"count"}, {"needed for", Align::kLeft, Use::kHelp, true}});
  const auto add = [&table](std::string what, std::uint64_t count, std::string use) {
    table.add_row({std::move(what), count, std::move(use)});
  };
  const HostDeviceContents& sum = recorded.sum;
  add("operators with shapes", sum.shaped_operators, "other batch sizes or devices, selection by operator");
  add("waits (cuda_sync)", sum.syncs, "dependencies between calls and streams");
  const CollectiveSizes sizes = collective_sizes(examined);
  add("collectives with their size", sizes.all - sizes.unknown, "bandwidths, algorithms, more ranks");
  add("collectives with a sequence number", sum.sequenced_collectives, "exact matches across ranks");
  add("calls of modules", sum.module_calls, "stats and selection by module");
  add("calls of Python functions", sum.python_calls, "call stacks in stats");
  add("allocations", sum.memory_events, "peak memory in stats");
  add("operators with flops", sum.flops_events, "FLOPs in stats (otherwise from shapes)");
  return {.title = "Other recorded data", .table = std::move(table)};
}

Section assumptions_section(const Examined& examined) {
  if (examined.capture == nullptr) return {};
  return {.title = "Assumptions", .sentences = as_list(sentences_of(examined.capture->assumptions))};
}

std::string secrets_caution(const CaptureContents& contents) {
  std::vector<std::string> secrets;
  for (const PrivateContent& content : contents.private_parts) {
    if (content.secret)
      secrets.push_back(fmt::format("{} ({}, first at {})", content.kind, content.count, content.first));
  }
  if (secrets.empty()) return {};
  return fmt::format(
      "The files contain what looks like a secret: {}. Do not share them, and revoke what you already shared; {}.",
      enumerated(secrets, "and"), how_to_share(contents));
}

/// Returns one row per applicable question, then one per finding.
Table rows_of(const Checkup& checkup) {
  Table table({{"what", Align::kLeft},
               {"name", Align::kLeft},
               {"cost", Align::kLeft},
               {"questions", Align::kLeft},
               {"count"},
               {"share"},
               {"sentence", Align::kLeft},
               {"effect", Align::kLeft},
               {"remedy", Align::kLeft}});
  for (const Question question : kQuestions) {
    if (!checkup.applicable.has(question)) continue;
    const std::string name(to_text(question));
    table.add_row({"question", name, std::string(to_text(checkup.cost_of(question))), name, "", "",
                   std::string(meaning_of(question)), "", ""});
  }
  for (const Finding& finding : checkup.findings) {
    table.add_row({"finding", finding.name, std::string(to_text(finding.cost)), to_text(finding.weakens), finding.count,
                   finding.share ? number_cell(*finding.share) : Cell(""), finding.sentence, finding.effect,
                   finding.remedy});
  }
  return table;
}

}  // namespace

std::string holds(const SourceContents& source) {
  std::vector<std::string> nouns;
  const auto add = [&nouns](std::uint64_t count, std::string_view noun) {
    if (count > 0) nouns.push_back(counted(count, noun));
  };
  add(source.processes.size(), "trace");
  add(source.stages, "stage");
  add(source.partitions, "partition key");
  add(source.operator_events, "operator");
  add(source.graph_nodes, "graph node");
  add(source.tensors, "tensor");
  add(source.graph_tasks, "task");
  add(source.ranges, "range");
  add(source.samples, "measurement");
  return nouns.empty() ? "nothing that can be used" : enumerated(nouns, "and");
}

std::string verdict_sentence(const Checkup& checkup, const Examined& examined) {
  switch (checkup.verdict) {
    case Verdict::kUnusable: {
      const bool why = !checkup.findings.empty();
      return fmt::format("Not usable: {}{}.", what(examined), why ? "; " + checkup.findings.front().sentence : "");
    }
    case Verdict::kDoubtful: return fmt::format("Usable with doubts: {}{}.", what(examined), answers(checkup));
    case Verdict::kGood: break;
  }
  return fmt::format("Good: {}{}.", what(examined), answers(checkup));
}

Document check_document(const Checkup& checkup, const Examined& examined, const Provenance& provenance,
                        std::size_t rows) {
  Document document{.headline = verdict_sentence(checkup, examined), .caution = secrets_caution(examined.contents)};
  if (examined.replay != nullptr && examined.capture != nullptr) {
    document.trust = trust_line(*examined.capture, examined.replay->summary, examined.replay->path.path,
                                examined.replay->perturbation);
  }
  document.sections.push_back(answers_section(checkup));
  document.sections.push_back(findings_section(checkup));
  document.sections.push_back(processes_section(examined.contents));
  document.sections.push_back(extras_section(examined));
  document.sections.push_back(files_section(examined.contents, rows));
  document.sections.push_back(assumptions_section(examined));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&checkup] { return rows_of(checkup); };
  document.json = [&checkup, &examined, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.check/1", check_fields(), CheckAnswer{&checkup, &examined}, provenance);
  };
  return document;
}

BarChart chart_of(const Examined& examined) {
  constexpr std::size_t kMost = 12;
  BarChart chart{.title = "Steps, measured and replayed", .kinds = {"measured", "replayed"}};
  if (examined.replay == nullptr) return chart;
  const auto add = [&](const std::string& name, Duration measured, Duration replayed, double error) {
    const auto row = [&](std::string_view side, Duration time, std::uint32_t kind) {
      const std::string text = fmt::format("{}  {}", side, to_text(time));
      const std::string group =
          examined.replay->summary.measured ? fmt::format("{} ({})", name, signed_percent(error)) : name;
      chart.rows.push_back({.group = group, .name = text, .bars = {{.length = time, .kind = kind, .hint = text}}});
    };
    if (examined.replay->summary.measured) row("measured", measured, 0);
    row("replayed", replayed, 1);
  };
  const std::vector<StepReport>& steps = examined.replay->summary.steps;
  for (std::size_t i = 0; i < std::min(kMost, steps.size()); ++i) {
    const StepReport& step = steps[i];
    add(fmt::format("rank {}, step {}", step.rank, step.step), step.measured, step.replayed, step.error);
  }
  const IterationReport& iteration = examined.replay->summary.iteration;
  if (steps.empty()) add("iteration", iteration.measured, iteration.replayed, iteration.error);
  return chart;
}

namespace {

/// Returns for each kind of question how severe the worst problem for it is ("weakens"), or nothing for questions that
/// do not apply to the capture.
std::vector<std::pair<std::string_view, std::optional<std::string_view>>> costs_of(const CheckAnswer& answer) {
  std::vector<std::pair<std::string_view, std::optional<std::string_view>>> costs;
  for (const Question question : kQuestions) {
    const bool applies = answer.checkup->applicable.has(question);
    costs.emplace_back(to_text(question),
                       applies ? std::optional{to_text(answer.checkup->cost_of(question))} : std::nullopt);
  }
  return costs;
}

constexpr auto kPath = std::to_array<Field<CriticalPath>>({
    {"length_ns", at<&CriticalPath::length>},
    {"unexplained_ns", at<&CriticalPath::unexplained>},
    {"silent_ns", at<&CriticalPath::silent>},
    {"paused_ns", at<&CriticalPath::paused>},
    {"hand_overs", at<&CriticalPath::hand_overs>},
    {"inferred", at<&CriticalPath::inferred>},
});

template <class Value>
std::optional<Value> if_measured(const ReplayCheck& replay, Value value) {
  return replay.summary.measured ? std::optional{value} : std::nullopt;
}

constexpr auto kReplayCheck = std::to_array<Field<ReplayCheck>>({
    {"measured_ns", [](const ReplayCheck& replay) { return if_measured(replay, replay.summary.iteration.measured); }},
    {"replayed_ns", at<&ReplayCheck::summary, &Summary::iteration, &IterationReport::replayed>},
    {"error", [](const ReplayCheck& replay) { return if_measured(replay, replay.summary.iteration.error); }},
    {"test_error",
     [](const ReplayCheck& replay) {
       return replay.perturbation ? std::optional{replay.perturbation->error} : std::nullopt;
     }},
    {"path", at<&ReplayCheck::path, &IterationPath::path>, kPath},
});

const auto& sources_of(const CheckAnswer& answer) { return answer.examined->contents.sources; }
const auto& private_parts_of(const CheckAnswer& answer) { return answer.examined->contents.private_parts; }

}  // namespace

std::string_view severity_of(Cost cost) noexcept {
  switch (cost) {
    case Cost::kPrevents: return "critical";
    case Cost::kExposes: return "secret";
    case Cost::kWeakens: return "major";
    case Cost::kBlurs: return "minor";
    case Cost::kNothing: break;
  }
  return "info";
}

std::vector<std::string_view> words_of(Questions questions) {
  std::vector<std::string_view> words;
  for (const Question question : kQuestions) {
    if (questions.has(question)) words.push_back(to_text(question));
  }
  return words;
}

Fields<CheckAnswer> check_fields() {
  static constexpr auto kFields = std::to_array<Field<CheckAnswer>>({
      {"verdict", at<&CheckAnswer::checkup, &Checkup::verdict>},
      {"usable", [](const CheckAnswer& answer) { return answer.checkup->verdict != Verdict::kUnusable; }},
      {"sentence",
       [](const CheckAnswer& answer) { return verdict_sentence(*answer.checkup, *answer.examined); },
       {},
       kLineAfter},
      {"ranks", [](const CheckAnswer& answer) { return ranks_in(*answer.examined); }},
      {"whole_steps",
       [](const CheckAnswer& answer) {
         const Capture* const capture = answer.examined->capture;
         return capture == nullptr ? std::size_t{0} : step_count(capture->recording);
       },
       {},
       kLineAfter},
      {"questions", at<costs_of>, {}, kLineAfter},
      {"findings", at<&CheckAnswer::checkup, &Checkup::findings>, kFinding, kRowLines},
      {"files", at<sources_of>, kSourceContents, kRowLines},
      {"private", at<private_parts_of>, kPrivateContent, kRowLines},
      {"replay", at<&CheckAnswer::examined, &Examined::replay>, kReplayCheck, kLineAfter | kIfAny},
      {"assumptions",
       [](const CheckAnswer& answer) {
         const Capture* const capture = answer.examined->capture;
         return capture == nullptr ? std::nullopt : std::optional{sentences_of(capture->assumptions)};
       },
       {},
       kLineAfter | kIfAny},
  });
  return kFields;
}

AnswerSchema check_schema() { return schema_of("stepsim.check/1", check_fields()); }

}  // namespace stepsim::sim
