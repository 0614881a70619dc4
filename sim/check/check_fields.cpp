#include "sim/check/check_fields.h"

#include "sim/check/check_document.h"
#include "sim/check/recorded.h"
#include "sim/check/written_documents.h"

namespace stepsim::sim {
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

AnswerSchema check_schema() {
  const Fields<CheckAnswer> fields = check_fields();
  return schema_of("stepsim.check/1", std::vector<Field<CheckAnswer>>(fields.begin(), fields.end()));
}

}  // namespace stepsim::sim
