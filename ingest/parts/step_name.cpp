#include "ingest/parts/step_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "model/base/number.h"
#include "model/base/text.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

constexpr std::array<std::string_view, 4> kStepWords{"step", "iteration", "iter", "batch"};

bool is_letter(char c) noexcept { return c >= 'a' && c <= 'z'; }

/// Returns the position of the number after the word at `at`, skipping separators; npos if there is no number.
std::size_t number_after(std::string_view text, std::size_t at, std::string_view word) {
  std::size_t begin = at + word.size();
  while (begin < text.size() && std::string_view{" #:_=-([/"}.find(text[begin]) != std::string_view::npos) ++begin;
  return begin < text.size() && is_digit(text[begin]) ? begin : std::string_view::npos;
}

/// Words that may precede the step word in a name without a number: "train_one_step", "Trainer.step".
constexpr std::array<std::string_view, 7> kBefore{"training", "trainer", "train", "loop", "run", "one", "do"};

/// True for a name that consists only of these words and a step word, such as "train/batch".
bool is_bare_step(std::string_view lower) {
  std::string letters;
  for (const char c : lower) {
    if (is_letter(c)) {
      letters += c;
    } else if (std::string_view{"_ -/.:"}.find(c) == std::string_view::npos) {
      return false;
    }
  }
  std::string_view rest = letters;
  const auto first_word = [&rest] {
    return std::find_if(kBefore.begin(), kBefore.end(), [&](std::string_view word) { return rest.starts_with(word); });
  };
  for (const auto* word = first_word(); word != kBefore.end(); word = first_word()) rest.remove_prefix(word->size());
  return std::find(kStepWords.begin(), kStepWords.end(), rest) != kStepWords.end();
}

}  // namespace

std::optional<std::int64_t> step_number(std::string_view name) noexcept {
  return name.starts_with(kStepMark) ? parse_number<std::int64_t>(name.substr(kStepMark.size())) : std::nullopt;
}

std::optional<StepName> step_name(std::string_view range) {
  constexpr std::size_t kLongest = 200;
  if (range.size() > kLongest) return std::nullopt;
  const std::string lower = lower_case(range);
  if (is_bare_step(lower)) return StepName{lower, std::nullopt};
  for (const std::string_view word : kStepWords) {
    // A word must not follow a letter, except in Kineto's own mark "ProfilerStep".
    for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      const bool alone = at == 0 || !is_letter(lower[at - 1]) || lower.substr(0, at) == "profiler";
      const std::size_t begin = alone ? number_after(lower, at, word) : std::string::npos;
      if (begin == std::string::npos) continue;
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(lower.data() + begin, lower.data() + lower.size(), number);
      if (error != std::errc{} || std::any_of(end, lower.data() + lower.size(), is_letter)) continue;
      return StepName{lower.substr(0, begin), number};
    }
  }
  return std::nullopt;
}

}  // namespace stepsim::ingest
