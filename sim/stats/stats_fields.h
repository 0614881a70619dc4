#ifndef STEPSIM_SIM_STATS_STATS_FIELDS_H
#define STEPSIM_SIM_STATS_STATS_FIELDS_H

#include "sim/analysis/intervals.h"
#include "sim/report/common_fields.h"
#include "sim/report/field.h"
#include "sim/stats/statistics.h"

/// The fields of statistics, in the order of their JSON objects. Times are nanoseconds, sizes are bytes.
namespace stepsim::sim {

inline constexpr auto kDistribution = std::to_array<Field<Distribution>>({
    {"count", at<&Distribution::count>, {"count"}},
    {"total_ns", at<&Distribution::total>, {"total"}},
    {"min_ns", at<&Distribution::shortest>, {.title = "min", .use = Use::kHelp, .place = 4}},
    {"max_ns", at<&Distribution::longest>, {.title = "max", .use = Use::kHelp, .place = 5}},
    {"mean_ns", at<&Distribution::mean_ns>, {.title = "mean", .form = Form::kRounded, .place = 2}},
    {"median_ns", at<&Distribution::median>, {.title = "median", .use = Use::kHelp, .place = 3}},
    {"deviation_ns",
     at<&Distribution::deviation_ns>,
     {.title = "deviation", .use = Use::kDetail, .form = Form::kRounded, .place = 6}},
});

/// Returns the name of a part in the text report: "CPU", "waiting for data".
[[nodiscard]] std::string_view label_of(WorkPart part) noexcept;
/// Returns the share of a row: "61.0 % of compute".
[[nodiscard]] Cell share_cell(const StatsRow& row);

inline constexpr auto kStatsRow = std::to_array<Field<StatsRow>>({
    {"name", at<&StatsRow::name>, {"name"}},
    {"kind", at<&StatsRow::kind>, {"kind", Use::kHelp}, kIfAny},
    {"part", at<&StatsRow::part>, {}, kIfAny},
    {"", at<&StatsRow::times>, kDistribution},
    {"self_ns", at<&StatsRow::self>, {.title = "self", .place = 1}},
    {"share", at<&StatsRow::share>, {.title = "share", .place = 1, .cell = share_cell}},
    {"per_step_ns", at<&StatsRow::per_step>, {.title = "per step", .use = Use::kDetail, .place = 7}},
});

/// A row for spreadsheets.
struct StatsLine {
  const Statistics* input;
  const StatsRow* row;
};
inline constexpr auto kStatsLine = std::to_array<Field<StatsLine>>({
    {"input", at<&StatsLine::input, &Statistics::name>},
    {"", at<&StatsLine::row>, kStatsRow},
});

inline constexpr auto kMostExpensive = std::to_array<Field<StatsRow>>({
    {"", [](const StatsRow& row) { return row.part ? label_of(*row.part) : std::string_view("-"); }, {"part"}},
    {"", at<&StatsRow::name>, {"name"}},
    {"", at<&StatsRow::self>, {"self"}},
    {"", at<&StatsRow::share>, {"share", Use::kMain, Form::kShare}},
    {"", at<&StatsRow::times, &Distribution::mean_ns>, {"mean", Use::kMain, Form::kRounded}},
});

inline constexpr auto kTimeUse = std::to_array<Field<TimeUse>>({
    {"compute_ns", at<&TimeUse::compute>, {"compute"}},
    {"exposed_communication_ns", at<&TimeUse::exposed_communication>, {"exposed comm."}},
    {"hidden_communication_ns", at<&TimeUse::hidden_communication>, {"hidden comm."}},
    {"exposed_copies_ns", at<&TimeUse::exposed_copies>, {"exposed copies", Use::kHelp}},
    {"hidden_copies_ns", at<&TimeUse::hidden_copies>, {"hidden copies", Use::kDetail}},
    {"idle_ns", at<&TimeUse::idle>, {"idle"}},
    {"", [](const TimeUse& use) { return ratio(use.idle, use.span); }, {"idle share", Use::kHelp, Form::kShare}},
});

inline constexpr auto kDeviceStream = std::to_array<Field<DeviceUse::Stream>>({
    {"name", at<&DeviceUse::Stream::name>, {.title = "stream", .place = -1}},
    {"pieces", at<&DeviceUse::Stream::pieces>, {"events", Use::kHelp}},
    {"", at<&DeviceUse::Stream::use>, kTimeUse},
});

/// Returns the device's number, or "host".
[[nodiscard]] Cell device_cell(const DeviceUse& device);

inline constexpr auto kDeviceUse = std::to_array<Field<DeviceUse>>({
    {"rank", at<&DeviceUse::rank>, {"rank", Use::kMain, Form::kId}},
    {"device",
     [](const DeviceUse& use) { return use.device < 0 ? std::nullopt : std::optional{use.device}; },
     {.title = "device", .cell = device_cell}},
    {"pieces", at<&DeviceUse::pieces>},
    {"begin_ns", at<&DeviceUse::begin>},
    {"span_ns", at<&DeviceUse::use, &TimeUse::span>, {"span"}},
    {"", at<&DeviceUse::use>, kTimeUse},
    {"streams", at<&DeviceUse::streams>, kDeviceStream, kItemLines},
});

/// A stream in the table of all streams.
struct StreamLine {
  const DeviceUse* device;
  const DeviceUse::Stream* stream;
};
inline constexpr auto kStreamLine = std::to_array<Field<StreamLine>>({
    {"", at<&StreamLine::device, &DeviceUse::rank>, {"rank", Use::kMain, Form::kId}},
    {{.title = "device", .cell = [](const StreamLine& line) { return device_cell(*line.device); }}},
    {"", at<&StreamLine::stream>, kDeviceStream},
});

inline constexpr auto kStageUse = std::to_array<Field<StageUse>>({
    {"stage", at<&StageUse::stage>, {"stage"}},
    {"", at<&StageUse::worked, &Distribution::count>, {"partitions"}},
    {"", at<&StageUse::queued, &Distribution::total>, {"queued"}},
    {"", at<&StageUse::queued, &Distribution::mean_ns>, {"mean", Use::kMain, Form::kRounded}},
    {"", at<&StageUse::queued, &Distribution::longest>, {"longest", Use::kHelp}},
    {"", at<&StageUse::worked, &Distribution::total>, {"worked"}},
    {"", at<&StageUse::worked, &Distribution::mean_ns>, {"mean", Use::kMain, Form::kRounded}},
    {"", at<&StageUse::worked, &Distribution::longest>, {"longest", Use::kHelp}},
    {"", at<&StageUse::in_line, &Distribution::total>, {"in line", Use::kHelp}},
    {"",
     [](const StageUse& use) { return use.waiting.count > 0 ? std::optional{use.waiting.total} : std::nullopt; },
     {"waiting for workers", Use::kHelp}},
    {"queued", at<&StageUse::queued>, kDistribution},
    {"worked", at<&StageUse::worked>, kDistribution},
    {"in_line", at<&StageUse::in_line>, kDistribution},
    {"waiting", [](const StageUse& use) { return use.waiting.count > 0 ? &use.waiting : nullptr; }, kDistribution,
     kIfAny},
});

inline constexpr auto kQueuePoint = std::to_array<Field<StreamUse::QueuePoint>>({
    {"time_ns", at<&StreamUse::QueuePoint::time>},
    {"queue", at<&StreamUse::QueuePoint::length>},
});

inline constexpr auto kStreamUse = std::to_array<Field<StreamUse>>({
    {"rank", at<&StreamUse::rank>, {"rank", Use::kMain, Form::kId}},
    {"device", at<&StreamUse::device>, {"device", Use::kMain, Form::kId}},
    {"stream", at<&StreamUse::stream>, {.title = "stream", .form = Form::kId, .place = -1}},
    {"launches", at<&StreamUse::launches>, {"launches", Use::kDetail}},
    {"mean_queue", at<&StreamUse::mean_queue>, {"mean queue", Use::kMain, Form::kDecimal}},
    {"longest_queue", at<&StreamUse::longest, &StreamUse::QueuePoint::length>, {"longest"}},
    {"longest_ns", at<&StreamUse::longest, &StreamUse::QueuePoint::time>},
    {"full_ns", at<&StreamUse::full>, {"full", Use::kHelp}},
    {"host_wait_ns", at<&StreamUse::host_wait>, {"host wait"}},
    {"kernel_wait_ns", at<&StreamUse::kernel_wait>, {"kernel wait"}},
    {"other_wait_ns", at<&StreamUse::other_wait>, {"other wait"}},
    {"outside_ns", at<&StreamUse::outside>, {"outside", Use::kHelp}},
    {"curve", at<&StreamUse::curve>, kQueuePoint, kRowLines},
});

/// Returns the mean, truncated to whole nanoseconds.
inline Cell whole_mean(const Distribution& times) { return Duration{static_cast<std::int64_t>(times.mean_ns)}; }

inline constexpr auto kLaunchUse = std::to_array<Field<LaunchUse>>({
    {"name", at<&LaunchUse::name>, {"name"}},
    {"", at<&LaunchUse::work, &Distribution::count>, {"count"}},
    {{.title = "mean call", .cell = [](const LaunchUse& use) { return whole_mean(use.call); }}},
    {"", at<&LaunchUse::call, &Distribution::longest>, {"longest call", Use::kHelp}},
    {"", at<&LaunchUse::delay, &Distribution::median>, {"median delay"}},
    {"", at<&LaunchUse::delay, &Distribution::longest>, {"longest delay", Use::kHelp}},
    {{.title = "mean work", .cell = [](const LaunchUse& use) { return whole_mean(use.work); }}},
    {"short", at<&LaunchUse::short_ones>, {"shorter than call", Use::kHelp}},
    {"call", at<&LaunchUse::call>, kDistribution},
    {"delay", at<&LaunchUse::delay>, kDistribution},
    {"work", at<&LaunchUse::work>, kDistribution},
});

inline constexpr auto kRatePoint = std::to_array<Field<CopyUse::RatePoint>>({
    {"time_ns", at<&CopyUse::RatePoint::time>},
    {"bytes_per_second", at<&CopyUse::RatePoint::bytes_per_second>},
});

inline constexpr auto kCopyUse = std::to_array<Field<CopyUse>>({
    {"rank", at<&CopyUse::rank>, {"rank", Use::kMain, Form::kId}},
    {"name", at<&CopyUse::name>, {.title = "copy", .place = -1}},
    {"count", at<&CopyUse::count>, {"count"}},
    {"total_bytes", at<&CopyUse::total>, {"moved"}},
    {"min_bytes", at<&CopyUse::smallest>, {"smallest", Use::kDetail}},
    {"median_bytes", at<&CopyUse::median>, {"median", Use::kHelp}},
    {"max_bytes", at<&CopyUse::largest>, {"largest", Use::kHelp}},
    {"time_ns", at<&CopyUse::time>, {"time"}},
    {"bytes_per_second", at<&CopyUse::rate>, {"bandwidth", Use::kMain, Form::kBytesPerSecond}},
    {"highest_bytes_per_second", at<&CopyUse::highest_rate>, {"highest", Use::kHelp, Form::kBytesPerSecond}},
    {"curve", at<&CopyUse::curve>, kRatePoint, kRowLines},
});

/// Returns "gemm > relu > gemm > 12 more".
[[nodiscard]] Cell sequence_cell(const KernelSequence& sequence);

inline constexpr auto kKernelSequence = std::to_array<Field<KernelSequence>>({
    {"name", at<&KernelSequence::name>, {"operator"}},
    {"calls", at<&KernelSequence::calls>, {"calls"}},
    {"", [](const KernelSequence& use) { return use.kernels.size(); }, {"kernels", Use::kHelp}},
    {"device_ns", at<&KernelSequence::device>, {"device"}},
    {"host_ns", at<&KernelSequence::host>, {"CPU", Use::kHelp}},
    {"kernels",
     at<&KernelSequence::kernels>,
     {.title = "sequence", .sentences = true, .align = Align::kLeft, .cell = sequence_cell}},
});

inline constexpr auto kDeviceOccupancy = std::to_array<Field<DeviceOccupancy>>({
    {"rank", at<&DeviceOccupancy::rank>, {"rank", Use::kMain, Form::kId}},
    {"device", at<&DeviceOccupancy::device>, {"device", Use::kMain, Form::kId}},
    {"name", at<&DeviceOccupancy::name>, {"name"}},
    {"time_ns", at<&DeviceOccupancy::time>},
    {"occupancy", at<&DeviceOccupancy::occupancy>, {"occupancy", Use::kMain, Form::kShare}},
    {"efficiency", at<&DeviceOccupancy::efficiency>, {"efficiency", Use::kMain, Form::kShare}},
    {"matrix_share", at<&DeviceOccupancy::matrix_share>, {"matrix units", Use::kMain, Form::kShare}},
});

inline constexpr auto kKernelOccupancy = std::to_array<Field<KernelOccupancy>>({
    {"name", at<&KernelOccupancy::name>, {"kernel"}},
    {"count", at<&KernelOccupancy::count>, {"count"}},
    {"time_ns", at<&KernelOccupancy::time>, {"time"}},
    {"blocks", at<&KernelOccupancy::blocks>, {"blocks", Use::kMain, Form::kDecimal}},
    {"warps", at<&KernelOccupancy::warps>, {"warps", Use::kMain, Form::kDecimal}},
    {"occupancy", at<&KernelOccupancy::occupancy>, {"occupancy", Use::kMain, Form::kShare}},
});

inline constexpr auto kFlopsUse = std::to_array<Field<FlopsUse>>({
    {"name", at<&FlopsUse::name>, {"operator"}},
    {"on",
     [](const FlopsUse& use) -> std::string_view { return use.on_device ? "device" : "host"; },
     {.title = "on",
      .use = Use::kHelp,
      .cell = [](const FlopsUse& use) -> Cell { return use.on_device ? "device" : "CPU"; }}},
    {"calls", at<&FlopsUse::calls>, {"calls"}},
    {"flops", at<&FlopsUse::flops>, {"work", Use::kMain, Form::kFlops}},
    {"time_ns", at<&FlopsUse::time>, {"time"}},
    {"flops_per_second", at<&FlopsUse::per_second>, {"reached", Use::kMain, Form::kFlopsPerSecond}},
    {"of_peak", at<&FlopsUse::of_peak>, {"of peak", Use::kMain, Form::kShare}},
});

inline constexpr auto kMemoryPoint = std::to_array<Field<AllocationTable::Event>>({
    {"time_ns", at<&AllocationTable::Event::time>},
    {"allocated_bytes", at<&AllocationTable::Event::allocated>},
    {"reserved_bytes", at<&AllocationTable::Event::reserved>},
});

inline constexpr auto kMemoryUse = std::to_array<Field<MemoryUse>>({
    {"rank", at<&MemoryUse::rank>, {"rank", Use::kMain, Form::kId}},
    {"device", at<&MemoryUse::device>, {"device", Use::kMain, Form::kId}},
    {"allocations", at<&MemoryUse::allocations>, {.title = "allocations", .use = Use::kHelp, .place = 1}},
    {"releases", at<&MemoryUse::releases>, {.title = "releases", .use = Use::kDetail, .place = 1}},
    {"allocated_bytes", at<&MemoryUse::allocated_in_all>},
    {"peak_bytes", at<&MemoryUse::peak, &AllocationTable::Event::allocated>, {"peak"}},
    {"peak_ns", at<&MemoryUse::peak, &AllocationTable::Event::time>},
    {"", [](const MemoryUse& use) { return use.peak.time - use.curve.front().time; }, {"after"}},
    {"most_reserved_bytes", at<&MemoryUse::most_reserved>, {"reserved", Use::kHelp}},
    {"first_bytes", at<&MemoryUse::first>, {"at first", Use::kHelp}},
    {"last_bytes", at<&MemoryUse::last>, {"at last", Use::kHelp}},
    {"curve", at<&MemoryUse::curve>, kMemoryPoint, kItemLines},
});

inline constexpr auto kModuleUse = std::to_array<Field<ModuleUse>>({
    {"name", at<&ModuleUse::name>, {"module"}},
    {"calls", at<&ModuleUse::calls>, {"calls"}},
    {"host_ns", at<&ModuleUse::host>, {"CPU"}},
    {"host_self_ns", at<&ModuleUse::host_self>, {"CPU self", Use::kHelp}},
    {"device_ns", at<&ModuleUse::device>, {"device"}},
    {"flops", at<&ModuleUse::flops>, {"work", Use::kHelp, Form::kFlops}},
});

/// Returns the index of a stack in the list of stacks; nothing for kNone.
constexpr std::optional<std::uint32_t> place_of_stack(std::uint32_t node) {
  return node == CallStack::kNone ? std::nullopt : std::optional{node};
}

inline constexpr auto kCallStack = std::to_array<Field<CallStack>>({
    {"name", at<&CallStack::name>},
    {"rank", at<&CallStack::rank>},
    {"parent", [](const CallStack& stack) { return place_of_stack(stack.parent); }},
    {"module", [](const CallStack& stack) { return place_of_stack(stack.module); }},
    {"calls", at<&CallStack::calls>, {"calls"}},
    {"total_ns", at<&CallStack::total>, {.title = "total", .place = 1}},
    {"self_ns", at<&CallStack::self>, {"self"}},
});

/// A row of the table of stacks.
struct StackLine {
  const std::vector<CallStack>* stacks;
  const CallStack* stack;
};
[[nodiscard]] Cell module_cell(const StackLine& line);
/// Returns "a < b < c", the innermost function first.
[[nodiscard]] Cell stack_cell(const StackLine& line);
inline constexpr auto kStackLine = std::to_array<Field<StackLine>>({
    {{.title = "module", .align = Align::kLeft, .cell = module_cell}},
    {"", at<&StackLine::stack>, kCallStack},
    {{.title = "stack", .place = 1, .sentences = true, .align = Align::kLeft, .cell = stack_cell}},
});

inline constexpr auto kTransferred = std::to_array<Field<TransportUse::Direction>>({
    {"pieces", at<&TransportUse::Direction::pieces>, {"number"}},
    {"bytes", at<&TransportUse::Direction::bytes>, {"transferred", Use::kHelp}},
    {"device_wait_ns", at<&TransportUse::Direction::device>, {"for the GPU"}},
    {"peer_wait_ns", at<&TransportUse::Direction::peer>, {"for the peer"}},
    {"network_ns", at<&TransportUse::Direction::network>, {"network"}},
});

inline constexpr auto kTransportUse = std::to_array<Field<TransportUse>>({
    {"group", at<&TransportUse::group>, {"group"}},
    {"operation", at<&TransportUse::operation>, {"operation"}},
    {"algorithm", at<&TransportUse::algorithm>},
    {"protocol", at<&TransportUse::protocol>},
    {"",
     [](const TransportUse& use) { return use.algorithm.empty() ? "-" : use.algorithm + " " + use.protocol; },
     {"algorithm", Use::kHelp}},
    {"count", at<&TransportUse::operations>, {"count"}},
    {"bytes", at<&TransportUse::bytes>, {"bytes"}},
    {"channels", at<&TransportUse::channels>, {"channels", Use::kHelp}},
    {"channel_ns", at<&TransportUse::channel_time>, {"in channels", Use::kHelp}},
    {"sent", at<&TransportUse::sent>, kTransferred},
    {"received", at<&TransportUse::received>, kTransferred},
});
inline constexpr auto kRankTransport = std::to_array<Field<RankTransport>>({
    {"rank", at<&RankTransport::rank>, {"rank", Use::kMain, Form::kId}},
    {"", at<&RankTransport::use>, kTransportUse},
});

/// What a rank sent or received with a communication library, as a row of the table.
struct TransportLine {
  const RankTransport* of;
  std::string_view way;
  TransportUse::Direction pieces{};
};
inline constexpr auto kTransportLine = std::to_array<Field<TransportLine>>({
    {"", at<&TransportLine::of>, kRankTransport},
    {"", at<&TransportLine::way>, {"pieces"}},
    {"", at<&TransportLine::pieces>, kTransferred},
});

using RankOverhead = std::pair<Rank, OverheadUse>;
inline constexpr auto kRankOverhead = std::to_array<Field<RankOverhead>>({
    {"rank", at<&RankOverhead::first>, {"rank", Use::kMain, Form::kId}},
    {"", at<&RankOverhead::second>, kOverheadUse},
});

template <WorkPart part>
struct TotalOf {
  Duration operator()(const WorkTotals& totals) const { return totals.of_part[static_cast<std::size_t>(part)]; }
};
inline constexpr auto kWorkTotals = std::to_array<Field<WorkTotals>>({
    {"compute_ns", TotalOf<WorkPart::kCompute>{}},
    {"communication_ns", TotalOf<WorkPart::kCommunication>{}},
    {"copy_ns", TotalOf<WorkPart::kCopy>{}},
    {"host_ns", TotalOf<WorkPart::kHost>{}},
    {"loader_ns", if_any<TotalOf<WorkPart::kLoader>{}>, {}, kIfAny},
});

inline constexpr auto kStatistics = std::to_array<Field<Statistics>>({
    {"name", at<&Statistics::name>},
    {"by", at<&Statistics::key>},
    {"selection", at<&Statistics::selection>, {}, kIfAny},
    {"pieces", at<&Statistics::pieces>},
    {"ranks", at<&Statistics::ranks>},
    {"measured", at<&Statistics::measured>},
    {"whole_steps", at<&Statistics::steps>},
    {"steps", at<&Statistics::step_numbers>},
    {"only_steps", at<&Statistics::chosen_steps>, {}, kLineAfter},
    {"totals", at<&Statistics::totals>, kWorkTotals},
    {"warning", at<&Statistics::warning>, {}, kLineAfter},
    {"rows", at<&Statistics::rows>, kStatsRow, kRowLines},
    {"devices", at<&Statistics::devices>, kDeviceUse, kRowLines},
    {"stages", at<&Statistics::stages>, kStageUse, kRowLines},
    {"streams", at<&Statistics::streams>, kStreamUse, kRowLines},
    {"launches", at<&Statistics::launches>, kLaunchUse, kRowLines},
    {"copies", at<&Statistics::copies>, kCopyUse, kRowLines},
    {"sequences", at<&Statistics::sequences>, kKernelSequence, kRowLines},
    {"device_occupancy", at<&Statistics::occupancy, &OccupancyUse::devices>, kDeviceOccupancy, kRowLines},
    {"kernel_occupancy", at<&Statistics::occupancy, &OccupancyUse::kernels>, kKernelOccupancy, kRowLines},
    {"flops", at<&Statistics::flops>, kFlopsUse, kRowLines},
    {"mfu", at<&Statistics::utilisation>, {}, kIfAny | kLineAfter},
    {"memory", at<&Statistics::memory>, kMemoryUse, kRowLines},
    {"modules", at<&Statistics::modules>, kModuleUse, kRowLines},
    {"stacks", at<&Statistics::stacks>, kCallStack, kRowLines},
    {"transfers", at<&Statistics::transports>, kRankTransport, kRowLines},
    {"overhead", at<&Statistics::overheads>, kRankOverhead, kRowLines},
});

}  // namespace stepsim::sim

#endif
