#include "sim/stats/detail_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/analysis/intervals.h"
#include "sim/stats/amounts.h"

namespace stepsim::sim {
namespace {

Cell flops_cell(double flops) { return flops > 0 ? Cell(scaled(flops, "FLOP"), flops, Unit::kNone) : Cell("-"); }

Section flops_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  if (input.flops.empty()) return {};
  Table table(
      {{"operator", Align::kLeft}, {"on", Align::kLeft, Use::kHelp}, {"calls"}, {"work"}, {"time"}, {"reached"}});
  FlopsUse all;
  for (std::size_t i = 0; i < input.flops.size(); ++i) {
    const FlopsUse& use = input.flops[i];
    all.calls += use.calls;
    all.flops += use.flops;
    all.time = saturated_sum(all.time, use.time);
    if (i < rows)
      table.add_row({use.name, use.on_device ? "device" : "host", use.calls, flops_cell(use.flops), use.time,
                     rate_cell(use.per_second(), "FLOP/s")});
  }
  Section section{.title = titles("Flops", " (a multiplication and an addition are two)"), .table = std::move(table)};
  section.lead = fmt::format("{} in {}: {}", scaled(all.flops, "FLOP"), stepsim::to_text(all.time),
                             scaled(all.per_second(), "FLOP/s"));
  add_more_sentence(section, input.flops.size(), rows, "--head");
  return section;
}

Section memory_section(const Statistics& input, const StatsTitles& titles) {
  if (input.memory.empty()) return {};
  Table table({{"rank"},
               {"device", Align::kLeft},
               {"peak"},
               {"after"},
               {"reserved", Align::kRight, Use::kHelp},
               {"at first", Align::kRight, Use::kHelp},
               {"at last", Align::kRight, Use::kHelp},
               {"allocations", Align::kRight, Use::kHelp},
               {"releases", Align::kRight, Use::kDetail}});
  for (const MemoryUse& use : input.memory) {
    table.add_row({use.rank, use.device, bytes_cell(use.peak.allocated), use.peak.time - use.curve.front().time,
                   bytes_cell(use.most_reserved), bytes_cell(use.first), bytes_cell(use.last), use.allocations,
                   use.releases});
  }
  return {.title = titles("Memory", " (allocated; --json has the curve)"), .table = std::move(table)};
}

Section modules_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  if (input.modules.empty()) return {};
  Table table({{"module", Align::kLeft},
               {"calls"},
               {"host"},
               {"host self", Align::kRight, Use::kHelp},
               {"device"},
               {"work", Align::kRight, Use::kHelp}});
  for (std::size_t i = 0; i < std::min(rows, input.modules.size()); ++i) {
    const ModuleUse& use = input.modules[i];
    table.add_row({use.name, use.calls, use.host, use.host_self, use.device, flops_cell(use.flops)});
  }
  Section section{.title = titles("Modules", " (forward passes; those inside count in those around them)"),
                  .table = std::move(table)};
  add_more_sentence(section, input.modules.size(), rows, "--head");
  return section;
}

/// "a < b < c": the innermost function first, as far as kDeepest callers.
std::string stack_text(const std::vector<CallStack>& stacks, std::uint32_t node) {
  constexpr int kDeepest = 6;
  std::string text;
  for (int i = 0; i < kDeepest && node != CallStack::kNone; ++i, node = stacks[node].parent)
    text += fmt::format("{}{}", i == 0 ? "" : " < ", stacks[node].name);
  return node == CallStack::kNone ? text : text + " < ...";
}

Section stacks_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  const std::vector<CallStack>& stacks = input.stacks;
  if (stacks.empty()) return {};
  std::vector<std::uint32_t> order(stacks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&stacks](std::uint32_t a, std::uint32_t b) { return stacks[a].self > stacks[b].self; });
  Table table({{"module", Align::kLeft}, {"calls"}, {"self"}, {"total"}, {"stack", Align::kLeft, Use::kMain, true}});
  for (std::size_t i = 0; i < std::min(rows, order.size()); ++i) {
    const CallStack& stack = stacks[order[i]];
    const std::string module =
        stack.module == CallStack::kNone ? "-" : stacks[stack.module].name.substr(kModulePrefix.size());
    table.add_row({module, stack.calls, stack.self, stack.total, stack_text(stacks, order[i])});
  }
  Section section{.title = titles("Stacks", " (Python's calls with their operators, by time of their own)"),
                  .table = std::move(table)};
  add_more_sentence(section, stacks.size(), rows, "--head");
  return section;
}

/// How operations were done, and what the pieces that were sent and received for them waited for.
Section transports_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  if (input.transports.empty()) return {};
  Table table({{"rank"},
               {"group", Align::kLeft},
               {"operation", Align::kLeft},
               {"algorithm", Align::kLeft, Use::kHelp},
               {"count"},
               {"bytes"},
               {"channels", Align::kRight, Use::kHelp},
               {"in channels", Align::kRight, Use::kHelp},
               {"pieces", Align::kLeft},
               {"number"},
               {"transferred", Align::kRight, Use::kHelp},
               {"for the GPU"},
               {"for the peer"},
               {"network"}});
  const auto add = [&table](const RankTransport& one, std::string_view way, const TransportUse::Direction& pieces) {
    const TransportUse& use = one.use;
    const std::string how =
        use.algorithm.empty() ? std::string("-") : fmt::format("{} {}", use.algorithm, use.protocol);
    table.add_row({one.rank, use.group, use.operation, how, use.operations, bytes_cell(use.bytes), use.channels,
                   use.channel_time, std::string(way), pieces.pieces, bytes_cell(pieces.bytes), pieces.device,
                   pieces.peer, pieces.network});
  };
  for (std::size_t i = 0; i < std::min(rows, input.transports.size()); ++i) {
    const RankTransport& one = input.transports[i];
    const bool sent = one.use.sent.pieces > 0;
    const bool received = one.use.received.pieces > 0;
    if (sent) add(one, "sent", one.use.sent);
    if (received) add(one, "received", one.use.received);
    if (!sent && !received) add(one, "none", {});
  }
  Section section{.title = titles("Transfers", " (what pieces of NCCL's operations waited for; pieces overlap)"),
                  .table = std::move(table)};
  add_more_sentence(section, input.transports.size(), rows, "--head");
  return section;
}

/// What was measured is slower by some of this: kinds and threads overlap, and not all of it lies on the host's path.
Section overheads_section(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  if (input.overheads.empty()) return {};
  Table table(
      {{"rank"}, {"kind", Align::kLeft}, {"of", Align::kLeft}, {"count"}, {"total"}, {"by the clock"}, {"longest"}});
  for (std::size_t i = 0; i < std::min(rows, input.overheads.size()); ++i) {
    const auto& [rank, use] = input.overheads[i];
    table.add_row(
        {rank, use.kind, use.of_profiler ? "profiler" : "CUDA", use.count, use.total, use.by_clock, use.longest});
  }
  Section section{.title = titles("Overhead", " (what the profiler did for itself, and CUDA beside the calls)"),
                  .table = std::move(table)};
  add_more_sentence(section, input.overheads.size(), rows, "--head");
  return section;
}

}  // namespace

std::string StatsTitles::of_rows(StatsKey key) const {
  return name_.empty() ? fmt::format("By {}", to_text(key)) : fmt::format("{}: by {}", name_, to_text(key));
}

std::string StatsTitles::operator()(std::string_view title, std::string_view explanation) const {
  return fmt::format("{}{}{}", title, name_.empty() ? "" : fmt::format(" of {}", name_), explanation);
}

std::vector<Section> detail_sections(const Statistics& input, std::size_t rows, const StatsTitles& titles) {
  return {flops_section(input, rows, titles),      memory_section(input, titles),
          modules_section(input, rows, titles),    stacks_section(input, rows, titles),
          transports_section(input, rows, titles), overheads_section(input, rows, titles)};
}

}  // namespace stepsim::sim
