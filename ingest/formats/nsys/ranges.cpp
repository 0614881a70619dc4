#include "ingest/formats/nsys/ranges.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "ingest/formats/nsys/names.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kKinetoStep = "profilerstep#";

/// Values of eventType: pushed and popped on a thread, or started and ended anywhere; the latter two came in with text
/// of their own.
bool is_range(std::int64_t type) noexcept { return type == 59 || type == 60 || type == 70 || type == 71; }

/// NCCL names its ranges after its functions: "ncclAllReduce".
bool is_of_nccl(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "nccl";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() && name[kPrefix.size()] >= 'A' &&
         name[kPrefix.size()] <= 'Z';
}

}  // namespace

void NsysRanges::read() {
  enum Column : std::size_t { kFrom, kType, kThread, kTo, kText, kTextId, kPayload };
  static constexpr std::array<std::string_view, 7> kColumns{"start", "eventType", "globalTid", "end",
                                                            "text",  "textId",    "binaryData"};
  const NsysTable table{"NVTX_EVENTS", kColumns, kTo, &diagnostic("missing table: NVTX_EVENTS")};
  events_.tables().for_each(table, [&](const Database::Rows& row) {
    if (!is_range(*row.integer(kType)))
      return sink_.diagnostics.count_about(diagnostic("not used:"), "NVTX marks", {file_, {}, {}}, {}, 1);
    const auto end = row.integer(kTo);
    if (!end) return sink_.diagnostics.count(diagnostic("open_range"), {file_, {}, {}});
    const auto when = events_.time(table.name, row.number(), *row.integer(kFrom), *end);
    if (!when) return;
    const std::string_view text = row.text(kText);
    add(*row.integer(kThread), text.empty() ? events_.text(row.integer(kTextId)) : text, *when, row.bytes(kPayload));
  });
  for (auto& [id, families] : steps_) mark_steps(events_.processes().at(id), families);
}

void NsysRanges::add(std::int64_t thread, std::string_view name, RecordedTime when, std::string_view payload) {
  NsysProcess& process = events_.process(thread);
  const TrackId track = process.thread(thread);
  if (is_of_nccl(name)) {
    nccl_[process_of_nsys_id(thread)].push_back({track, when, std::string{name}, std::string{payload}});
  }
  if (const auto op = operator_name(name)) {
    process.add(EventKind::kOp, *op, track, when);
    return;
  }
  process.add(EventKind::kAnnotation, name.empty() ? "range without a name" : name, track, when);
  if (auto step = step_name(name)) {
    steps_[process_of_nsys_id(thread)][{track, std::move(step->family)}].push_back({when, step->number});
  }
}

/// Adds a mark of Kineto's name around each step. Steps are counted where their names do not number them, or not in
/// order.
void NsysRanges::mark_steps(NsysProcess& process, Families& families) {
  const auto covers = [](const auto& family) {
    double sum = 0;  // of nanoseconds: ranges of strangers may add up to more than 64 bits hold
    for (const Step& step : family.second) sum += static_cast<double>(step.time.length.count());
    return sum;
  };
  const bool marked =
      std::any_of(families.begin(), families.end(), [](const auto& f) { return f.first.second == kKinetoStep; });
  if (marked) return;
  const auto best = std::max_element(families.begin(), families.end(),
                                     [&](const auto& a, const auto& b) { return covers(a) < covers(b); });
  auto& [row, steps] = *best;
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.time.start < b.time.start; });
  const bool out_of_order = std::adjacent_find(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
                              return !a.number || !b.number || *a.number >= *b.number;
                            }) != steps.end();
  const bool numbered = !out_of_order && steps.front().number;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t number = numbered ? *steps[i].number : static_cast<std::int64_t>(i);
    process.add(EventKind::kAnnotation, fmt::format("ProfilerStep#{}", number), row.first, steps[i].time);
  }
  sink_.diagnostics.count(diagnostic("steps_from_ranges"), {file_, {}, {}},
                          fmt::format("'{}{}'", row.second, numbered ? "N" : ""), steps.size());
}

}  // namespace stepsim::ingest
