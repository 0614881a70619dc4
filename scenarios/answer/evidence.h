#ifndef STEPSIM_SCENARIOS_ANSWER_EVIDENCE_H
#define STEPSIM_SCENARIOS_ANSWER_EVIDENCE_H

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/change/answer_kind.h"
#include "scenarios/change/plan.h"

namespace stepsim::scenarios {

/// How far measured answers of a kind were off: a row of the ledger (docs/results/evidence.csv). The regime is what the
/// names say, and any where they are empty.
struct Evidence {
  std::string_view question;  ///< AnswerKindName::question; empty in the last row, which is of all questions
  std::string_view devices;   ///< "GPU", "CPU"
  std::string_view base;      ///< "captured", "modelled", "calibrated", "scaled": what the change was asked about
  std::string_view hosts;     ///< "one", "several"
  std::string_view mode;      ///< "training", "inference"
  bool seen = false;          ///< true if some constant was fitted to the sources
  std::uint32_t rows = 0;
  std::uint32_t sources = 0;
  double error = 0;   ///< mean of |predicted / measured - 1|
  double median = 0;  ///< median of the same
  /// How many times as wide, in logarithms, as its sources alone give the range of an answer must be, for nine tenths
  /// of the measured values of other sources to be in it (docs/internals/answers.md, "Ranges").
  double factor = 1;
  std::optional<double> in_range{};  ///< share of measured values in the predicted range; absent without ranges
};

/// Returns all rows; figures of a regime with sources of both sorts are those of unseen ones. bench/score_evidence.py
/// writes evidence_table.cpp.
[[nodiscard]] std::span<const Evidence> evidence();

/// What an answer is about, and the row of the ledger for it. Members are as those of Evidence.
struct AnswerEvidence {
  AnswerKind kind = AnswerKind::kReplay;
  std::string_view devices;
  std::string_view base;
  std::string_view hosts;
  std::string_view mode;
  /// The row of this regime, or of the finest one that it belongs to: without the mode, then the hosts, the base, the
  /// devices, and last the question.
  const Evidence* row = nullptr;
  double factor = 1;  ///< the largest Evidence::factor of the plan's kinds; 1 if it changes nothing

  /// True if such answers were compared with measured runs, about steps of the same base on the same devices.
  [[nodiscard]] bool is_measured() const noexcept { return !row->base.empty(); }
  /// True if more than half of the answers in the row were off by more than a fifth.
  [[nodiscard]] bool is_unreliable() const noexcept;
  /// Returns "Answers of this kind (another GPU, captured step, one host, training) were 6.0 % off on average ..."; if
  /// nothing of this kind was measured, says so, and how far other answers of the row were off.
  [[nodiscard]] std::string sentence() const;
};

/// Returns the evidence of an answer about a plan: of several kinds of changes, that with the largest error, or one of
/// which nothing was measured. How the job is divided counts as a kind. O(endpoints + operators).
[[nodiscard]] AnswerEvidence evidence_for(const Plan& plan);

/// Returns the factor of the ranges of peaks of memory predicted from a capture. O(operators).
[[nodiscard]] double memory_factor(const Capture& capture);

/// Returns the findings of `check` with which measured answers about captures were further off than without.
[[nodiscard]] std::span<const std::string_view> worse_findings();

/// True if answers of `a` were further off than those of `b`. A total order of regimes.
[[nodiscard]] bool is_worse(const AnswerEvidence& a, const AnswerEvidence& b);

}  // namespace stepsim::scenarios

#endif
