#ifndef STEPSIM_SIM_CHECK_FINDINGS_H
#define STEPSIM_SIM_CHECK_FINDINGS_H

#include <array>
#include <bitset>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/diagnostics.h"
#include "model/job/capture_contents.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/perturbation.h"
#include "sim/analysis/summary.h"

namespace stepsim::sim {

/// What can be asked of a capture, as far as different things must have been recorded for it.
enum class Question : std::uint8_t {
  kReplay,   ///< replay, critical-path, stats: what was captured
  kHost,     ///< what-ifs of threads, launches, the framework
  kDevice,   ///< what-ifs of kernels, devices, batch, precision
  kNetwork,  ///< what-ifs of links, collectives, partitions
  kRanks,    ///< what-ifs of the number of ranks, of one rank, of stragglers
};
inline constexpr std::size_t kQuestionCount = 5;
inline constexpr std::array kQuestions{Question::kReplay, Question::kHost, Question::kDevice, Question::kNetwork,
                                       Question::kRanks};
/// "replay", "host", "device", "network", "ranks".
[[nodiscard]] std::string_view to_text(Question question) noexcept;

/// A set of questions.
class Questions {
 public:
  constexpr Questions() = default;
  constexpr Questions(std::initializer_list<Question> questions) {
    for (const Question question : questions) bits_ = static_cast<std::uint8_t>(bits_ | bit(question));
  }
  [[nodiscard]] static constexpr Questions all() {
    return {Question::kReplay, Question::kHost, Question::kDevice, Question::kNetwork, Question::kRanks};
  }
  [[nodiscard]] constexpr bool has(Question question) const noexcept { return (bits_ & bit(question)) != 0; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr Questions operator&(Questions other) const noexcept {
    return Questions(static_cast<std::uint8_t>(bits_ & other.bits_));
  }
  [[nodiscard]] constexpr Questions operator|(Questions other) const noexcept {
    return Questions(static_cast<std::uint8_t>(bits_ | other.bits_));
  }
  [[nodiscard]] int count() const noexcept { return static_cast<int>(std::bitset<kQuestionCount>(bits_).count()); }

 private:
  constexpr explicit Questions(std::uint8_t bits) : bits_(bits) {}
  static constexpr std::uint8_t bit(Question question) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(question));
  }
  std::uint8_t bits_ = 0;
};
/// "replay, host"; "all" if it is all of them, "-" if none.
[[nodiscard]] std::string to_text(Questions questions);

/// What a finding costs the answers to its questions, the dearest first.
enum class Cost : std::uint8_t {
  kPrevents,  ///< there is no answer that could be trusted
  kExposes,   ///< no answer suffers, but whoever gets the file can act in its owner's name
  kWeakens,   ///< an answer may be wrong by more than the effect asked for
  kBlurs,     ///< an answer is a little less sure
  kNothing,   ///< good to know
};
/// "prevents", "exposes", "weakens", "blurs", "note".
[[nodiscard]] std::string_view to_text(Cost cost) noexcept;

/// Something that a capture lacks, or that is wrong with it.
struct Finding {
  std::string name;  ///< the kind, stable: "no_shapes", or a diagnostic's name
  Cost cost = Cost::kNothing;
  Questions weakens;            ///< of which questions; empty for kNothing
  std::uint64_t count = 0;      ///< of events, files or ranks; 0: not a matter of number
  std::optional<double> share;  ///< how much of what `sentence` names
  std::string sentence;         ///< what was found, without a full stop
  std::string effect;           ///< how it changes the answers, in sentences
  std::string remedy;           ///< what records or mends it, an instruction without a full stop; may be empty
};

/// How the replay of a capture came out.
struct ReplayCheck {
  Summary summary;
  IterationPath path;
  std::optional<Perturbation> perturbation;
  /// What steps take that are repeated until they are steady, where that contradicts the captured ones
  /// (contradicts_captured_steps()).
  std::optional<Duration> contradicted_repetition;
};

/// What is known of a capture that is to be judged. Refers to what it was made from.
struct Examined {
  const CaptureContents& contents;
  const Diagnostics& diagnostics;
  const Capture* capture = nullptr;     ///< null: the files make no job
  std::string problem;                  ///< then why not
  const ReplayCheck* replay = nullptr;  ///< null where there is no capture
};

// Where findings come from, in the order in which check() asks.

/// What is wrong with files and jobs as such, and what BytePS jobs and task graphs lack.
[[nodiscard]] std::vector<Finding> other_job_findings(const Examined& examined);

/// What reading and joining the files had to report, each diagnostic with its cost. Those that say that nothing is lost
/// are left out, and so are those that a finding of another source sums up.
[[nodiscard]] std::vector<Finding> diagnostic_findings(const Examined& examined);

/// What host and device events would have shown, had they been recorded: steps, shapes, waits, sizes, ranks.
[[nodiscard]] std::vector<Finding> recording_findings(const Examined& examined);

/// What the replay shows: how far it is off, and how much of it rests on no known dependency.
[[nodiscard]] std::vector<Finding> replay_findings(const Examined& examined);

/// What in the files says who made them, or lets others act in their name.
[[nodiscard]] std::vector<Finding> privacy_findings(const Examined& examined);

}  // namespace stepsim::sim

#endif
