#include "ingest/formats/cupti_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Kineto's names of memory, by the number that copy_name() takes.
constexpr std::array<std::string_view, 7> kMemories{"Pageable", "Pinned",        "Device",        "Array",
                                                    "Managed",  "Device Static", "Managed Static"};

bool is_memory(std::int64_t kind) noexcept { return kind >= 0 && kind < static_cast<std::int64_t>(kMemories.size()); }

std::string_view memory_name(std::int64_t kind) {
  return is_memory(kind) ? kMemories[static_cast<std::size_t>(kind)] : "Unknown";
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

MemoryKind memory_of(std::int64_t kind) noexcept {
  if (!is_memory(kind)) return MemoryKind::kUnknown;
  return kind == 0 ? MemoryKind::kPageable : MemoryKind::kOther;
}

std::pair<MemoryKind, MemoryKind> memory_kinds(std::string_view copy) noexcept {
  const std::size_t arrow = copy.find(" -> ");
  if (arrow == std::string_view::npos) return {};
  const auto kind_in = [](std::string_view text) {
    return text.find("Pageable") == std::string_view::npos ? MemoryKind::kOther : MemoryKind::kPageable;
  };
  return {kind_in(copy.substr(0, arrow)), kind_in(copy.substr(arrow))};
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

namespace {

/// Kineto's names of waits, by SyncKind.
constexpr std::array<std::string_view, 5> kSyncNames{"", "Event Sync", "Stream Wait Event", "Stream Sync",
                                                     "Context Sync"};

}  // namespace

SyncKind sync_kind(std::int64_t type) noexcept {
  static_assert(static_cast<std::int64_t>(SyncKind::kDevice) == 4, "the numbers are CUPTI's");
  return type < 0 || type > 4 ? SyncKind::kNone : static_cast<SyncKind>(type);
}

SyncKind sync_kind(std::string_view name) noexcept {
  for (const SyncKind kind : {SyncKind::kEvent, SyncKind::kStreamWait, SyncKind::kStream}) {
    if (name == sync_name(kind)) return kind;
  }
  return SyncKind::kDevice;
}

SyncKind sync_kind_of_call(std::string_view call) noexcept {
  using Word = std::pair<std::string_view, SyncKind>;
  static constexpr auto kWords = std::to_array<Word>({{"EventSynchronize", SyncKind::kEvent},
                                                      {"EventQuery", SyncKind::kEvent},
                                                      {"StreamWaitEvent", SyncKind::kStreamWait},
                                                      {"StreamSynchronize", SyncKind::kStream},
                                                      {"StreamQuery", SyncKind::kStream},
                                                      {"DeviceSynchronize", SyncKind::kDevice},
                                                      {"CtxSynchronize", SyncKind::kDevice},
                                                      {"ThreadSynchronize", SyncKind::kDevice}});
  const auto* const found = std::find_if(kWords.begin(), kWords.end(), [call](const Word& word) {
    return call.find(word.first) != std::string_view::npos;
  });
  return found == kWords.end() ? SyncKind::kNone : found->second;
}

std::string_view sync_name(SyncKind kind) noexcept { return kSyncNames[static_cast<std::size_t>(kind)]; }

bool is_full_queue(std::string_view overhead) { return lower_case(overhead) == "command buffer full"; }

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
  if (number) builder.set_operator(event, *number);
  return true;
}

}  // namespace stepsim::ingest
