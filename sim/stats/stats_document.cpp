#include "sim/stats/stats_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "model/base/text.h"
#include "model/job/kernel_name.h"
#include "sim/report/class_style.h"
#include "sim/report/table.h"
#include "sim/stats/input_texts.h"
#include "sim/stats/stats_fields.h"

namespace stepsim::sim {

namespace {

PathClass class_of(WorkPart part) noexcept {
  static constexpr std::array<PathClass, kWorkParts> kClasses{PathClass::kCompute, PathClass::kCommunication,
                                                              PathClass::kCopy, PathClass::kHost, PathClass::kLoader};
  return kClasses[static_cast<std::size_t>(part)];
}

}  // namespace

std::string_view label_of(WorkPart part) noexcept { return style_of(class_of(part)).label; }

Cell share_cell(const StatsRow& row) {
  return fmt::format("{} of {}", percent(row.share), row.part ? work_label(class_of(*row.part)) : "all");
}

Cell device_cell(const DeviceUse& device) { return device.device < 0 ? Cell("CPU") : Cell(device.device); }

Cell sequence_cell(const KernelSequence& sequence) {
  constexpr std::size_t kMost = 4;
  const std::vector<std::string>& kernels = sequence.kernels;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, kernels.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : " > ", short_kernel_name(kernels[i]));
  return kernels.size() > kMost ? fmt::format("{} > {} more", text, grouped(kernels.size() - kMost)) : text;
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

/// Makes the sections of one input. If there are several inputs, each title names its input. Sheets and files of tables
/// are named by the part of the title before a colon.
class StatsSections {
 public:
  StatsSections(const Statistics& input, std::size_t rows, std::string name)
      : input_(input), rows_{.most = rows, .option = "--head"}, name_(std::move(name)) {}

  [[nodiscard]] Section rows(std::string lead) const {
    TableRows rows = rows_;
    rows.name = to_text(input_.key);
    if (input_.key != StatsKey::kName) rows.without.emplace_back("kind");
    if (!input_.has_calls) rows.without.emplace_back("self");
    if (input_.steps == 0) rows.without.emplace_back("per step");
    const std::string title =
        name_.empty() ? fmt::format("By {}", rows.name) : fmt::format("{}: by {}", name_, rows.name);
    Section section{.title = title, .table = table_of(kStatsRow, input_.rows, rows), .lead = std::move(lead)};
    add_more_sentence(section, input_.rows.size(), rows_.most, rows_.option);
    return section;
  }

  /// Returns a section with the most expensive work of each part, such as compute or communication.
  [[nodiscard]] Section most_expensive() const {
    std::vector<const StatsRow*> dearest;
    for (const WorkPart part : kParts) {
      const StatsRow* most = nullptr;
      for (const StatsRow& row : input_.rows) {
        if (row.part == part && row.self > Duration{} && (most == nullptr || row.self > most->self)) most = &row;
      }
      if (most != nullptr) dearest.push_back(most);
    }
    return section_of(title("Most expensive of each part"), kMostExpensive, dearest, {.name = to_text(input_.key)});
  }

  [[nodiscard]] Section devices() const {
    Section section = section_of(title("Overlap by device", " (from its first to its last work)"), kDeviceUse,
                                 input_.devices, {.compared = true});
    if (section.empty()) return section;
    section.sentences.emplace_back(
        "span = compute + exposed communication + exposed copies + idle; hidden communication runs at the same time as "
        "compute, hidden copies at the same time as compute or communication; memsets count as copies");
    if (std::any_of(input_.devices.begin(), input_.devices.end(),
                    [](const DeviceUse& device) { return device.device < 0 && !device.has_operators; }))
      section.sentences.emplace_back("CPU: no device work was recorded, so the work of the threads counts as compute");
    return section;
  }

  [[nodiscard]] Section streams() const {
    std::vector<StreamLine> streams;
    for (const DeviceUse& device : input_.devices) {
      for (const DeviceUse::Stream& stream : device.streams) streams.push_back({&device, &stream});
    }
    if (streams.empty() || rows_.most == 0) return {};
    Section section{.title = title("Streams", " (hidden: at the same time as work of any stream of the device)"),
                    .table = table_of(kStreamLine, streams, {.most = rows_.most, .compared = true})};
    add_more_sentence(section, streams.size(), rows_.most, rows_.option);
    return section;
  }

  [[nodiscard]] Section stages() const {
    Section section = section_of(title("Stages of partitions"), kStageUse, input_.stages);
    if (section.empty()) return section;
    section.sentences.emplace_back(
        "queued: from the end of the previous stage (for the first stage: of the tensor's last operator) until the "
        "stage takes the partition; worked: in the stage, as recorded; in line: the part of worked in which other "
        "messages use the link; waiting for workers: the part of a pull before the last worker has pushed");
    return section;
  }

  [[nodiscard]] Section queues() const {
    Section section =
        of("Launch queues", " (what streams wait for, and what waits for them)", kStreamUse, input_.streams);
    if (section.empty()) return section;
    section.table->compare_times();
    section.sentences.emplace_back(fmt::format(
        "queue: work that is launched and has not started; full: {} or more. Idle time of a stream is a host "
        "wait if its next work was launched after the last one ended; otherwise a kernel wait if it is "
        "shorter than {}, else an other wait. outside: before its first and after its last work",
        grouped(StreamUse::kFullQueue), stepsim::to_text(StreamUse::kKernelWait)));
    return section;
  }

  [[nodiscard]] Section flops() const {
    FlopsUse all;
    for (const FlopsUse& use : input_.flops) {
      all.flops += use.flops;
      all.time = saturated_sum(all.time, use.time);
    }
    Section section = of("FLOPs", " (a multiplication and an addition count as two)", kFlopsUse, input_.flops);
    if (section.empty()) return section;
    section.lead = fmt::format("{} in {}: {}", scaled(all.flops, "FLOP"), stepsim::to_text(all.time),
                               scaled(all.per_second(), "FLOP/s"));
    if (input_.utilisation) {
      section.lead += fmt::format("; MFU {}: the time of these operations at the peak rate, of the time of the GPUs",
                                  percent(*input_.utilisation));
    }
    return section;
  }

  [[nodiscard]] Section stacks() const {
    std::vector<StackLine> stacks;
    for (const CallStack& stack : input_.stacks) stacks.push_back({&input_.stacks, &stack});
    std::stable_sort(stacks.begin(), stacks.end(),
                     [](const StackLine& a, const StackLine& b) { return a.stack->self > b.stack->self; });
    return of("Stacks", " (Python calls and their operators, by self time)", kStackLine, stacks);
  }

  /// Shows how operations were performed, and what their sent and received pieces waited for.
  [[nodiscard]] Section transfers() const {
    std::vector<TransportLine> lines;
    for (std::size_t i = 0; i < std::min(rows_.most, input_.transports.size()); ++i) {
      const RankTransport& one = input_.transports[i];
      if (one.use.sent.pieces > 0) lines.push_back({&one, "sent", one.use.sent});
      if (one.use.received.pieces > 0) lines.push_back({&one, "received", one.use.received});
      if (one.use.sent.pieces == 0 && one.use.received.pieces == 0) lines.push_back({&one, "none"});
    }
    if (input_.transports.empty()) return {};
    Section section{.title = title("Transfers", " (what the pieces of NCCL operations waited for; pieces overlap)"),
                    .table = table_of(kTransportLine, lines)};
    add_more_sentence(section, input_.transports.size(), rows_.most, rows_.option);
    return section;
  }

  [[nodiscard]] Section sequences() const {
    Section section =
        of("Kernel sequences",
           fmt::format(" ({} or more kernels launched by one call of an operator)", KernelSequence::kFewest),
           kKernelSequence, input_.sequences);
    section.only_in_files = !input_.prints_sequences;
    return section;
  }

  void add(std::vector<Section>& sections, std::string lead) const {
    for (Section& section : std::to_array<Section>(
             {rows(std::move(lead)), most_expensive(), devices(), streams(), stages(), queues(),
              of("Launches", " (call: the launching call; delay: from its end to the start of the work)", kLaunchUse,
                 input_.launches),
              of("Copies", " (--json has the bandwidth over time)", kCopyUse, input_.copies), sequences(),
              of("Occupancy by device", " (estimated from launches)", kDeviceOccupancy, input_.occupancy.devices),
              of("Occupancy by kernel", " (blocks and warps per multiprocessor)", kKernelOccupancy,
                 input_.occupancy.kernels),
              flops(), section_of(title("Memory", " (allocated; --json has the curve)"), kMemoryUse, input_.memory),
              of("Modules", " (forward passes; modules include those inside them)", kModuleUse, input_.modules),
              stacks(), transfers(),
              // The section shows an upper bound of the slowdown by the profiler: kinds and threads overlap, and not
              // all of the overhead is on the host's critical path.
              of("Overhead", " (of the profiler itself, and of CUDA outside the program's calls)", kRankOverhead,
                 input_.overheads)}))
      sections.push_back(std::move(section));
  }

 private:
  /// Returns a section's title: "Streams (explained)", or "Streams of x.json (explained)" with several inputs.
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
  std::string name_;  ///< name of the input in titles; empty if there is only one input
};

/// Returns the total time of each kind of work that takes any: "115.7 ms compute, 46.88 ms communication".
std::string times_text(const Statistics& input) {
  std::string text;
  for (const WorkPart part : kParts) {
    const Duration sum = input.totals.of_part[static_cast<std::size_t>(part)];
    if (sum > Duration{}) add_item(text, fmt::format("{} {}", stepsim::to_text(sum), work_label(class_of(part))));
  }
  return text;
}

/// Returns "GPU busy 24.0 % of the capture: ", the share of the spans of all GPUs in which they work; empty if no GPU
/// was recorded.
std::string busy_text(const Statistics& input) {
  double span = 0;
  double busy = 0;
  for (const DeviceUse& device : input.devices) {
    if (device.device < 0 || device.has_operators) continue;
    span += static_cast<double>(device.use.span.count());
    busy += static_cast<double>((device.use.span - device.use.idle).count());
  }
  if (span == 0) return "";
  return fmt::format("GPU busy {} of the {}: ", percent(busy / span), input.chosen_steps ? "steps" : "capture");
}

bool is_one(const std::string& numbers) { return numbers.find_first_of("-,") == std::string::npos; }

/// Returns "steps 2-6" or "step 7".
std::string steps_text(const std::string& numbers) {
  return fmt::format("{} {}", is_one(numbers) ? "step" : "steps", numbers);
}

std::string headline_of(const Statistics& input) {
  if (!input.headline.empty()) return input.headline;
  const std::string of = input.selection.empty() ? "" : fmt::format(" of {}", input.selection);
  const std::string what = fmt::format("{}{} on {}", counted(input.pieces, "event"), of, counted(input.ranks, "rank"));
  const std::string times = times_text(input);
  if (!input.measured && times.empty()) return fmt::format("{}, without any duration.", what);
  if (!input.measured) return fmt::format("{} ({} of a graph without recorded times).", times, what);
  const std::string steps = steps_text(input.step_numbers);
  const std::string extent = input.chosen_steps ? "in " + steps
                             : input.steps > 0  ? fmt::format("in the whole capture; {} {} whole", steps,
                                                             is_one(input.step_numbers) ? "is" : "are")
                                                : std::string("in the whole capture; no step is marked");
  return fmt::format("{}{} ({} {}).", busy_text(input), times, what, extent);
}

}  // namespace

Document stats_document(const std::vector<Statistics>& inputs, std::size_t rows, const Provenance& provenance) {
  const bool several = inputs.size() > 1;
  Document document{.warning = joined(inputs, &Statistics::warning),
                    .headline = several
                                    ? fmt::format("Statistics of {}, each on its own.", counted(inputs.size(), "input"))
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

BarChart chart_of(const std::vector<Statistics>& inputs) {
  constexpr std::size_t kMost = 12;
  BarChart chart{.title = "Time by " + std::string(to_text(inputs.front().key)), .kinds = {"several kinds"}};
  for (const WorkPart part : kParts) chart.kinds.emplace_back(label_of(part));
  const std::vector<std::string> names = names_in_titles(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<std::string> whole_names(inputs[i].rows.size());
    std::ranges::transform(inputs[i].rows, whole_names.begin(), &StatsRow::name);
    const std::vector<std::string> short_names = short_kernel_names(whole_names);
    for (std::size_t j = 0; j < std::min(kMost, inputs[i].rows.size()); ++j) {
      const StatsRow& row = inputs[i].rows[j];
      const std::string of = names[i].empty() ? "" : fmt::format(" of {}", names[i]);
      chart.rows.push_back({.group = fmt::format("{}{} ({})", short_names[j], of, share_cell(row).text()),
                            .name = stepsim::to_text(row.self),
                            .bars = {{.length = row.self,
                                      .kind = row.part ? static_cast<std::uint32_t>(*row.part) + 1 : 0,
                                      .hint = fmt::format("{}: {}", row.name, stepsim::to_text(row.self))}}});
    }
  }
  return chart;
}

AnswerSchema stats_schema() { return schema_of("stepsim.stats/1", kInputs); }

}  // namespace stepsim::sim
