#include "sim/stats/stats_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include "model/base/text.h"
#include "sim/report/table.h"
#include "sim/stats/stats_fields.h"

namespace stepsim::sim {

Cell share_cell(const StatsRow& row) {
  return fmt::format("{} of {}", percent(row.share), row.part ? to_text(*row.part) : "all");
}

Cell device_cell(const DeviceUse& device) { return device.device < 0 ? Cell("host") : Cell(device.device); }

Cell sequence_cell(const KernelSequence& sequence) {
  constexpr std::size_t kMost = 4;
  const std::vector<std::string>& kernels = sequence.kernels;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, kernels.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : " > ", kernels[i]);
  return kernels.size() > kMost ? fmt::format("{} > {} more", text, kernels.size() - kMost) : text;
}

Cell module_cell(const StackLine& line) {
  const std::uint32_t module = line.stack->module;
  return module == CallStack::kNone ? "-" : (*line.stacks)[module].name.substr(kModulePrefix.size());
}

Cell stack_cell(const StackLine& line) {
  constexpr int kDeepest = 6;
  const std::vector<CallStack>& stacks = *line.stacks;
  std::string text = line.stack->name;
  std::uint32_t node = line.stack->parent;
  for (int i = 1; i < kDeepest && node != CallStack::kNone; ++i, node = stacks[node].parent)
    text += " < " + stacks[node].name;
  return node == CallStack::kNone ? text : text + " < ...";
}

namespace {

constexpr std::array kParts{WorkPart::kCompute, WorkPart::kCommunication, WorkPart::kCopy, WorkPart::kHost,
                            WorkPart::kLoader};

constexpr auto kInputs = std::to_array<Field<std::vector<Statistics>>>({{"inputs", at<>, kStatistics, kRowLines}});

/// The sections of one input. Where there are several inputs, each title says which one it is of. Sheets and tables of
/// files are named by what is before a colon.
class StatsSections {
 public:
  StatsSections(const Statistics& input, std::size_t rows, std::string name)
      : input_(input), rows_{.most = rows, .option = "--head"}, name_(std::move(name)) {}

  [[nodiscard]] Section rows(std::string lead) const {
    TableRows rows = rows_;
    rows.name = to_text(input_.key);
    if (input_.key != StatsKey::kName) rows.without.emplace_back("kind");
    if (!input_.has_calls) rows.without.emplace_back("self");
    if (input_.steps == 0) rows.without.emplace_back("a step");
    const std::string title =
        name_.empty() ? fmt::format("By {}", rows.name) : fmt::format("{}: by {}", name_, rows.name);
    Section section{.title = title, .table = table_of(kStatsRow, input_.rows, rows), .lead = std::move(lead)};
    add_more_sentence(section, input_.rows.size(), rows_.most, rows_.option);
    return section;
  }

  /// What takes longest of each part.
  [[nodiscard]] Section most_expensive() const {
    std::vector<const StatsRow*> dearest;
    for (const WorkPart part : kParts) {
      const StatsRow* most = nullptr;
      for (const StatsRow& row : input_.rows) {
        if (row.part == part && row.self > Duration{} && (most == nullptr || row.self > most->self)) most = &row;
      }
      if (most != nullptr) dearest.push_back(most);
    }
    return section_of(title("The most expensive"), kMostExpensive, dearest, {.name = to_text(input_.key)});
  }

  [[nodiscard]] Section devices() const {
    Section section = section_of(title("Overlap by device", " (by the clock, from its first to its last work)"),
                                 kDeviceUse, input_.devices, {.compared = true});
    if (section.empty()) return section;
    section.sentences.emplace_back(
        "span = compute + exposed communication + exposed copies + idle; what is hidden runs beside compute, a hidden "
        "copy also beside communication; memsets count as copies");
    if (std::any_of(input_.devices.begin(), input_.devices.end(),
                    [](const DeviceUse& device) { return device.device < 0 && !device.has_operators; }))
      section.sentences.emplace_back("host: no work of a device was recorded; its threads are the compute");
    return section;
  }

  [[nodiscard]] Section streams() const {
    std::vector<StreamLine> streams;
    for (const DeviceUse& device : input_.devices) {
      for (const DeviceUse::Stream& stream : device.streams) streams.push_back({&device, &stream});
    }
    if (streams.empty() || rows_.most == 0) return {};
    Section section{.title = title("Streams", " (hidden behind what any stream of the device does)"),
                    .table = table_of(kStreamLine, streams, {.most = rows_.most, .compared = true})};
    if (rows_.most < streams.size())
      section.sentences.emplace_back(fmt::format("{} more: --head all", streams.size() - rows_.most));
    return section;
  }

  [[nodiscard]] Section stages() const {
    Section section = section_of(title("Stages of partitions"), kStageUse, input_.stages);
    if (section.empty()) return section;
    section.sentences.emplace_back(
        "queued: from the end of the stage before, of the first one from the tensor's last operator, until the stage "
        "takes the partition; worked: in the stage, as recorded; of this, in line: behind other messages of its link, "
        "and waiting for workers: of a pull, until the last worker has pushed");
    return section;
  }

  [[nodiscard]] Section queues() const {
    Section section = of("Queues", " (what streams wait for, and what waits for them)", kStreamUse, input_.streams);
    if (section.empty()) return section;
    section.table->compare_times();
    section.sentences.emplace_back(
        fmt::format("in the queue: launched and not begun; full: {} or more. A stream's idle time is a host wait if "
                    "the next work was launched after the last had ended, else a kernel wait below {}, else another "
                    "wait; outside: before its first work and after its last",
                    StreamUse::kFullQueue, stepsim::to_text(StreamUse::kKernelWait)));
    return section;
  }

  [[nodiscard]] Section flops() const {
    FlopsUse all;
    for (const FlopsUse& use : input_.flops) {
      all.flops += use.flops;
      all.time = saturated_sum(all.time, use.time);
    }
    Section section = of("Flops", " (a multiplication and an addition are two)", kFlopsUse, input_.flops);
    if (section.empty()) return section;
    section.lead = fmt::format("{} in {}: {}", scaled(all.flops, "FLOP"), stepsim::to_text(all.time),
                               scaled(all.per_second(), "FLOP/s"));
    return section;
  }

  [[nodiscard]] Section stacks() const {
    std::vector<StackLine> stacks;
    for (const CallStack& stack : input_.stacks) stacks.push_back({&input_.stacks, &stack});
    std::stable_sort(stacks.begin(), stacks.end(),
                     [](const StackLine& a, const StackLine& b) { return a.stack->self > b.stack->self; });
    return of("Stacks", " (Python's calls with their operators, by time of their own)", kStackLine, stacks);
  }

  /// How operations were done, and what the pieces that were sent and received for them waited for.
  [[nodiscard]] Section transfers() const {
    std::vector<TransportLine> lines;
    for (std::size_t i = 0; i < std::min(rows_.most, input_.transports.size()); ++i) {
      const RankTransport& one = input_.transports[i];
      if (one.use.sent.pieces > 0) lines.push_back({&one, "sent", one.use.sent});
      if (one.use.received.pieces > 0) lines.push_back({&one, "received", one.use.received});
      if (one.use.sent.pieces == 0 && one.use.received.pieces == 0) lines.push_back({&one, "none"});
    }
    if (input_.transports.empty()) return {};
    Section section{.title = title("Transfers", " (what pieces of NCCL's operations waited for; pieces overlap)"),
                    .table = table_of(kTransportLine, lines)};
    add_more_sentence(section, input_.transports.size(), rows_.most, rows_.option);
    return section;
  }

  void add(std::vector<Section>& sections, std::string lead) const {
    const std::string sequences =
        fmt::format(" (of {} pieces or more that calls of an operator launch)", KernelSequence::kFewest);
    for (Section& section : std::to_array<Section>(
             {rows(std::move(lead)), most_expensive(), devices(), streams(), stages(), queues(),
              of("Launches", " (call: the launching call; delay: from its end to the start of the work)", kLaunchUse,
                 input_.launches),
              of("Copies", " (--json has the bandwidth over time)", kCopyUse, input_.copies),
              of("Kernel sequences", sequences, kKernelSequence, input_.sequences),
              of("Occupancy by device", " (estimated from launches)", kDeviceOccupancy, input_.occupancy.devices),
              of("Occupancy by kernel", " (blocks and warps over the device's multiprocessors)", kKernelOccupancy,
                 input_.occupancy.kernels),
              flops(), section_of(title("Memory", " (allocated; --json has the curve)"), kMemoryUse, input_.memory),
              of("Modules", " (forward passes; those inside count in those around them)", kModuleUse, input_.modules),
              stacks(), transfers(),
              // What was measured is slower by some of this: kinds and threads overlap, and not all of it lies on the
              // host's path.
              of("Overhead", " (what the profiler did for itself, and CUDA beside the calls)", kRankOverhead,
                 input_.overheads)}))
      sections.push_back(std::move(section));
  }

 private:
  /// "Streams (explained)", "Streams of x.json (explained)".
  [[nodiscard]] std::string title(std::string_view what, std::string_view explanation = {}) const {
    return fmt::format("{}{}{}", what, name_.empty() ? "" : fmt::format(" of {}", name_), explanation);
  }
  template <class List, class Items>
  [[nodiscard]] Section of(std::string_view what, std::string_view explanation, const List& fields,
                           const Items& items) const {
    return section_of(title(what, explanation), fields, items, rows_);
  }

  const Statistics& input_;
  TableRows rows_;
  std::string name_;  ///< empty for the only input
};

std::string times_text(const Statistics& input) {
  std::string text;
  for (const WorkPart part : kParts) {
    const Duration sum = input.totals.of_part[static_cast<std::size_t>(part)];
    const std::string_view what = part == WorkPart::kLoader ? "waiting for data" : to_text(part);
    if (sum > Duration{}) text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", stepsim::to_text(sum), what);
  }
  return text;
}

bool is_one(const std::string& numbers) { return numbers.find_first_of("-,") == std::string::npos; }

/// "steps 2-6", "step 7".
std::string steps_text(const std::string& numbers) {
  return fmt::format("{} {}", is_one(numbers) ? "step" : "steps", numbers);
}

std::string headline_of(const Statistics& input) {
  if (!input.headline.empty()) return input.headline;
  const std::string what = fmt::format("{} on {}", counted(input.pieces, "event"), counted(input.ranks, "rank"));
  const std::string times = times_text(input);
  if (!input.measured && times.empty()) return fmt::format("{}, without any duration.", what);
  if (!input.measured) return fmt::format("{} ({} of a graph without recorded times).", times, what);
  const std::string extent =
      input.chosen_steps ? fmt::format("in {}", steps_text(input.step_numbers))
      : input.steps > 0  ? fmt::format("over the whole capture, of which {} {} whole", steps_text(input.step_numbers),
                                      is_one(input.step_numbers) ? "is" : "are")
                         : std::string("over the whole capture, which marks no whole steps");
  return fmt::format("Measured {} ({}), {}.", times, what, extent);
}

/// What titles call each input: nothing if there is one, else its file's name, or all of it where names are equal.
std::vector<std::string> names_in_titles(const std::vector<Statistics>& inputs) {
  std::vector<std::string> names(inputs.size());
  if (inputs.size() == 1) return names;
  const auto file_name = [](const Statistics& input) {
    const std::filesystem::path path(input.name);
    return (path.has_filename() ? path : path.parent_path()).filename().string();
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = file_name(inputs[i]);
    const auto same =
        std::count_if(inputs.begin(), inputs.end(), [&](const Statistics& other) { return file_name(other) == name; });
    names[i] = same > 1 || name.empty() ? inputs[i].name : name;
  }
  return names;
}

std::string joined(const std::vector<Statistics>& inputs, std::string Statistics::*text) {
  std::string all;
  for (const Statistics& input : inputs) {
    if ((input.*text).empty()) continue;
    all += fmt::format("{}{}{}", all.empty() ? "" : " ", inputs.size() > 1 ? input.name + ": " : "", input.*text);
  }
  return all;
}

}  // namespace

Document stats_document(const std::vector<Statistics>& inputs, std::size_t rows, const Provenance& provenance) {
  const bool several = inputs.size() > 1;
  Document document{.warning = joined(inputs, &Statistics::warning),
                    .headline = several
                                    ? fmt::format("Statistics of {}, each by itself.", counted(inputs.size(), "input"))
                                    : headline_of(inputs.front()),
                    .caution = joined(inputs, &Statistics::caution)};
  const std::vector<std::string> names = names_in_titles(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    StatsSections(inputs[i], rows, names[i]).add(document.sections, several ? headline_of(inputs[i]) : std::string());
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&inputs] {
    std::vector<StatsLine> lines;
    for (const Statistics& input : inputs) {
      for (const StatsRow& row : input.rows) lines.push_back({&input, &row});
    }
    return rows_table(kStatsLine, lines);
  };
  document.json = [&inputs, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.stats/1", kInputs, inputs, provenance);
  };
  return document;
}

AnswerSchema stats_schema() { return schema_of("stepsim.stats/1", kInputs); }

}  // namespace stepsim::sim
