#include "sim/check/finding.h"

namespace stepsim::sim {

std::string_view to_text(Question question) noexcept {
  switch (question) {
    case Question::kReplay: return "replay";
    case Question::kHost: return "host";
    case Question::kDevice: return "device";
    case Question::kNetwork: return "network";
    case Question::kRanks: return "ranks";
  }
  return "";
}

std::string to_text(Questions questions) {
  if (questions.empty()) return "-";
  if (questions.count() == static_cast<int>(kQuestionCount)) return "all";
  std::string text;
  for (const Question question : kQuestions) {
    if (!questions.has(question)) continue;
    text += text.empty() ? "" : ", ";
    text += to_text(question);
  }
  return text;
}

std::string_view to_text(Cost cost) noexcept {
  switch (cost) {
    case Cost::kPrevents: return "prevents";
    case Cost::kExposes: return "exposes";
    case Cost::kWeakens: return "weakens";
    case Cost::kBlurs: return "blurs";
    case Cost::kNothing: return "note";
  }
  return "";
}

}  // namespace stepsim::sim
