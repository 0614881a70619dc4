#include "ingest/formats/nsys/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::array<std::string_view, 4> kStepWords{"step", "iteration", "iter", "batch"};

bool is_letter(char c) noexcept { return c >= 'a' && c <= 'z'; }

std::string_view memory_name(std::int64_t kind) {
  constexpr std::array<std::string_view, 7> kNames{"Pageable", "Pinned",        "Device",        "Array",
                                                   "Managed",  "Device Static", "Managed Static"};
  return kind < 0 || kind >= static_cast<std::int64_t>(kNames.size()) ? "Unknown"
                                                                      : kNames[static_cast<std::size_t>(kind)];
}

/// Returns the position of the number after the word at `at`, skipping separators; npos if there is no number.
std::size_t number_after(std::string_view text, std::size_t at, std::string_view word) {
  std::size_t begin = at + word.size();
  while (begin < text.size() && std::string_view{" #:_=-([/"}.find(text[begin]) != std::string_view::npos) ++begin;
  return begin < text.size() && is_digit(text[begin]) ? begin : std::string_view::npos;
}

/// True for a name that consists only of step words, such as "train_step" or "train step".
bool is_bare_step(std::string_view lower) {
  std::string letters;
  for (const char c : lower) {
    if (is_letter(c)) {
      letters += c;
    } else if (c != '_' && c != ' ' && c != '-') {
      return false;
    }
  }
  std::string_view rest = letters;
  for (const std::string_view before : {"training", "train"}) {
    if (rest.starts_with(before)) {
      rest.remove_prefix(before.size());
      break;
    }
  }
  return std::find(kStepWords.begin(), kStepWords.end(), rest) != kStepWords.end();
}

}  // namespace

std::string_view call_name(std::string_view name) noexcept {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last != std::string_view::npos && last > 0 && last + 1 < name.size() && name.substr(last - 1, 2) == "_v")
    name = name.substr(0, last - 1);
  for (const std::string_view mark : {"_ptsz", "_ptds"}) {
    if (name.ends_with(mark)) name.remove_suffix(mark.size());
  }
  return name;
}

std::string copy_name(std::int64_t kind, std::int64_t from, std::int64_t to) {
  // The last three are migrations of managed memory.
  constexpr std::array<std::string_view, 14> kWays{"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                                   "DtoA",    "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};
  const bool known = kind > 0 && kind < static_cast<std::int64_t>(kWays.size());
  return fmt::format("Memcpy {} ({} -> {})", kWays[known ? static_cast<std::size_t>(kind) : 0], memory_name(from),
                     memory_name(to));
}

std::string memset_name(std::int64_t memory) { return fmt::format("Memset ({})", memory_name(memory)); }

std::string_view sync_name(std::int64_t type) noexcept {
  constexpr std::array<std::string_view, 5> kNames{"", "Event Sync", "Stream Wait Event", "Stream Sync",
                                                   "Context Sync"};
  return type < 0 || type >= static_cast<std::int64_t>(kNames.size()) ? "" : kNames[static_cast<std::size_t>(type)];
}

std::string_view sync_name_of_call(std::string_view call) noexcept {
  using Word = std::pair<std::string_view, std::int64_t>;
  static constexpr auto kWords = std::to_array<Word>({{"EventSynchronize", 1},
                                                      {"EventQuery", 1},
                                                      {"StreamWaitEvent", 2},
                                                      {"StreamSynchronize", 3},
                                                      {"StreamQuery", 3},
                                                      {"DeviceSynchronize", 4},
                                                      {"CtxSynchronize", 4},
                                                      {"ThreadSynchronize", 4}});
  const auto* const found = std::find_if(kWords.begin(), kWords.end(), [call](const Word& word) {
    return call.find(word.first) != std::string_view::npos;
  });
  return found == kWords.end() ? std::string_view{} : sync_name(found->second);
}

std::optional<std::string_view> operator_name(std::string_view range) noexcept {
  std::size_t end = std::string_view::npos;
  for (const std::string_view mark : {", seq = ", ", op_id = ", ", sizes = "}) end = std::min(end, range.find(mark));
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return range.substr(0, end);
}

std::string_view operator_shapes(std::string_view range) noexcept {
  constexpr std::string_view kMark = ", sizes = ";
  const std::size_t at = range.find(kMark);
  if (at == std::string_view::npos) return {};
  range.remove_prefix(at + kMark.size());
  return range.substr(0, range.find(", input_op_ids = "));
}

bool NvtxOperators::add(std::string_view range, TrackId track, RecordedTime time, HostDeviceBuilder& builder) {
  const auto name = operator_name(range);
  if (!name) return false;
  const std::uint32_t event = builder.add(EventKind::kOp, *name, track, time);
  const std::string_view shapes = operator_shapes(range);
  if (shapes.empty()) return true;
  const auto number = operators_.number_of(*name, builder.trace().name[event], shapes, {}, {});
  if (number) operator_of_.emplace_back(event, *number);
  return true;
}

void NvtxOperators::move_to(HostDeviceTrace& trace) && {
  trace.operators = std::move(operators_).take();
  trace.operator_of = std::move(operator_of_);
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
