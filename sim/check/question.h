#ifndef STEPSIM_SIM_CHECK_QUESTION_H
#define STEPSIM_SIM_CHECK_QUESTION_H

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace stepsim::sim {

/// A kind of question about a capture. Each kind needs different things to be recorded.
enum class Question : std::uint8_t {
  kReplay,   ///< questions about the captured run: replay, critical-path, stats
  kHost,     ///< what-ifs of threads, launches, the framework
  kDevice,   ///< what-ifs of kernels, devices, batch, precision
  kNetwork,  ///< what-ifs of links, collectives, partitions
  kRanks,    ///< what-ifs of the number of ranks, of one rank, of stragglers
};
inline constexpr std::size_t kQuestionCount = 5;
inline constexpr std::array kQuestions{Question::kReplay, Question::kHost, Question::kDevice, Question::kNetwork,
                                       Question::kRanks};
/// Returns "replay", "host", "device", "network", "ranks".
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
/// Lists the questions: "replay, host"; "all" for all questions, "-" for none.
[[nodiscard]] std::string to_text(Questions questions);

}  // namespace stepsim::sim

#endif
