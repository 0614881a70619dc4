#include "sim/stats/device_sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/stats/amounts.h"

namespace stepsim::sim {
namespace {

/// A table of the first `rows` of `all`, one row each; nothing if there are none.
template <class Item, class CellsOf>
Section section_of(std::string title, std::vector<Column> columns, const std::vector<Item>& all, std::size_t rows,
                   CellsOf cells_of) {
  if (all.empty()) return {};
  Table table(std::move(columns));
  for (std::size_t i = 0; i < std::min(rows, all.size()); ++i) table.add_row(cells_of(all[i]));
  Section section{.title = std::move(title), .table = std::move(table)};
  add_more_sentence(section, all.size(), rows, "--head");
  return section;
}

Section queues_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  Section section =
      section_of(titles("Queues", " (what streams wait for, and what waits for them)"),
                 {{"stream", Align::kLeft},
                  {"rank"},
                  {"device"},
                  {"launches", Align::kRight, Use::kDetail},
                  {"mean queue"},
                  {"longest"},
                  {"full", Align::kRight, Use::kHelp},
                  {"host wait"},
                  {"kernel wait"},
                  {"other wait"},
                  {"outside", Align::kRight, Use::kHelp}},
                 input.streams, rows, [](const StreamUse& use) {
                   return std::vector<Cell>{
                       use.stream,         use.rank, use.device,    use.launches,    decimal_cell(use.mean_queue),
                       use.longest.length, use.full, use.host_wait, use.kernel_wait, use.other_wait,
                       use.outside};
                 });
  if (section.empty()) return section;
  section.table->compare_times();
  section.sentences.emplace_back(
      fmt::format("in the queue: launched and not begun; full: {} or more. A stream's idle time is a host wait if the "
                  "next work was "
                  "launched after the last had ended, else a kernel wait below {}, else another wait; outside: before "
                  "its first work "
                  "and after its last",
                  StreamUse::kFullQueue, stepsim::to_text(StreamUse::kKernelWait)));
  return section;
}

Section launches_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  return section_of(titles("Launches", " (call: the launching call; delay: from its end to the start of the work)"),
                    {{"name", Align::kLeft},
                     {"count"},
                     {"mean call"},
                     {"longest call", Align::kRight, Use::kHelp},
                     {"median delay"},
                     {"longest delay", Align::kRight, Use::kHelp},
                     {"mean work"},
                     {"shorter than call", Align::kRight, Use::kHelp}},
                    input.launches, rows, [](const LaunchUse& use) {
                      return std::vector<Cell>{use.name,
                                               use.work.count,
                                               Duration{static_cast<std::int64_t>(use.call.mean_ns)},
                                               use.call.longest,
                                               use.delay.median,
                                               use.delay.longest,
                                               Duration{static_cast<std::int64_t>(use.work.mean_ns)},
                                               use.short_ones};
                    });
}

Section copies_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  return section_of(titles("Copies", " (--json has the bandwidth over time)"),
                    {{"copy", Align::kLeft},
                     {"rank"},
                     {"count"},
                     {"moved"},
                     {"smallest", Align::kRight, Use::kDetail},
                     {"median", Align::kRight, Use::kHelp},
                     {"largest", Align::kRight, Use::kHelp},
                     {"time"},
                     {"bandwidth"},
                     {"highest", Align::kRight, Use::kHelp}},
                    input.copies, rows, [](const CopyUse& use) {
                      return std::vector<Cell>{use.name,
                                               use.rank,
                                               use.count,
                                               bytes_cell(use.total),
                                               bytes_cell(use.smallest),
                                               bytes_cell(use.median),
                                               bytes_cell(use.largest),
                                               use.time,
                                               rate_cell(use.rate(), "B/s"),
                                               rate_cell(use.highest_rate, "B/s")};
                    });
}

/// "gemm > relu > gemm > 12 more".
std::string sequence_text(const std::vector<std::string>& kernels) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, kernels.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : " > ", kernels[i]);
  return kernels.size() > kMost ? fmt::format("{} > {} more", text, kernels.size() - kMost) : text;
}

Section sequences_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  return section_of(titles("Kernel sequences", fmt::format(" (of {} pieces or more that calls of an operator launch)",
                                                           KernelSequence::kFewest)),
                    {{"operator", Align::kLeft},
                     {"calls"},
                     {"pieces", Align::kRight, Use::kHelp},
                     {"device"},
                     {"host", Align::kRight, Use::kHelp},
                     {"sequence", Align::kLeft, Use::kMain, true}},
                    input.sequences, rows, [](const KernelSequence& sequence) {
                      return std::vector<Cell>{sequence.name,   sequence.calls, sequence.kernels.size(),
                                               sequence.device, sequence.host,  sequence_text(sequence.kernels)};
                    });
}

Section device_occupancy_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  return section_of(titles("Occupancy by device", " (estimated from launches)"),
                    {{"rank"}, {"device"}, {"name", Align::kLeft}, {"occupancy"}, {"efficiency"}, {"matrix units"}},
                    input.occupancy.devices, rows, [](const DeviceOccupancy& use) {
                      return std::vector<Cell>{use.rank,
                                               use.device,
                                               use.name,
                                               percent_cell(use.occupancy),
                                               percent_cell(use.efficiency),
                                               percent_cell(use.matrix_share)};
                    });
}

Section kernel_occupancy_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  return section_of(titles("Occupancy by kernel", " (blocks and warps over the device's multiprocessors)"),
                    {{"kernel", Align::kLeft}, {"count"}, {"time"}, {"blocks"}, {"warps"}, {"occupancy"}},
                    input.occupancy.kernels, rows, [](const KernelOccupancy& use) {
                      return std::vector<Cell>{use.name,
                                               use.count,
                                               use.time,
                                               decimal_cell(use.blocks),
                                               decimal_cell(use.warps),
                                               percent_cell(use.occupancy)};
                    });
}

}  // namespace

std::vector<Section> device_sections(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  return {queues_section(input, rows, titles),           launches_section(input, rows, titles),
          copies_section(input, rows, titles),           sequences_section(input, rows, titles),
          device_occupancy_section(input, rows, titles), kernel_occupancy_section(input, rows, titles)};
}

}  // namespace stepsim::sim
