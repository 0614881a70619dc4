#include "ingest/formats/capture/nccl.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ingest/parts/element_types.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/job/collective.h"

namespace stepsim::ingest {
namespace {

std::string_view take_part(std::string_view& text) noexcept {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view part = text.substr(0, slash);
  text.remove_prefix(std::min(slash + 1, text.size()));
  return part;
}

}  // namespace

NcclOperation nccl_operation(std::string_view text) noexcept {
  NcclOperation made;
  made.function = take_part(text);
  made.element_type = take_part(text);
  made.algorithm = take_part(text);
  made.protocol = take_part(text);
  return made;
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) noexcept {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

NcclSize& NcclSize::operator+=(const NcclSize& other) noexcept {
  elements = saturating_sum(elements, other.elements);
  bytes = Bytes{saturating_sum(bytes.count(), other.bytes.count())};
  return *this;
}

NcclSize larger_side(const NcclOperation& operation, std::uint64_t count, std::int32_t ranks) {
  const bool of_parts = nccl_counts_one_part(operation.function);
  if (!is_size(count) || (ranks != 0 && !is_rank_count(ranks)) || (of_parts && ranks == 0)) return {};
  const std::uint64_t parts = of_parts ? static_cast<std::uint64_t>(ranks) : 1;
  if (count > static_cast<std::uint64_t>(kMostRecordedBytes) / parts) return {};
  const auto elements = static_cast<std::int64_t>(count * parts);
  return {elements, Bytes{elements * element_size(operation.element_type)}};
}

namespace {

using wire::Kind;
using wire::Record;

std::uint32_t communicator_of(const Record& operation) noexcept { return static_cast<std::uint32_t>(operation.b); }
std::uint32_t group_of(const Record& operation) noexcept { return static_cast<std::uint32_t>(operation.b >> 32U); }

Duration duration_of(std::uint64_t nanoseconds) noexcept {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return Duration{static_cast<std::int64_t>(std::min(nanoseconds, kMost))};
}

template <class Quantity>
void add_to(Quantity& sum, Quantity more) noexcept {
  sum = Quantity{saturating_sum(sum.count(), more.count())};
}

/// The operations that NCCL enqueued as one kernel.
using Enqueued = std::vector<const Record*>;

/// The kernels of a capture, by the calls that launched them.
class Launches {
 public:
  explicit Launches(std::vector<LaunchedKernel> launches) : launches_(std::move(launches)) {
    std::sort(launches_.begin(), launches_.end(), [](const LaunchedKernel& a, const LaunchedKernel& b) {
      return std::tuple(a.thread, a.called, a.event) < std::tuple(b.thread, b.called, b.event);
    });
  }

  /// Returns the kernel of the last call on this thread that began in [since, until]; null if there is none.
  [[nodiscard]] const LaunchedKernel* last(std::uint32_t thread, std::uint64_t since, std::uint64_t until) const {
    const auto behind = std::upper_bound(
        launches_.begin(), launches_.end(), std::pair(thread, until),
        [](const auto& at, const LaunchedKernel& launch) { return at < std::pair(launch.thread, launch.called); });
    if (behind == launches_.begin()) return nullptr;
    const LaunchedKernel& found = *std::prev(behind);
    return found.thread == thread && found.called >= since ? &found : nullptr;
  }

 private:
  std::vector<LaunchedKernel> launches_;  // by thread and time
};

class Joiner {
 public:
  Joiner(const CaptureRecords& records, const std::function<bool(std::uint64_t)>& is_wanted, HostDeviceBuilder& builder)
      : records_(records), is_wanted_(is_wanted), builder_(builder) {
    for (const Record& record : records.nccl) {
      if (record.kind == Kind::kNcclCollective || record.kind == Kind::kNcclMessage) operations_.push_back(&record);
      if (record.kind == Kind::kNcclCalls) calls_.emplace(record.which, &record);
      if (record.kind == Kind::kNcclLaunch) launches_of_[{record.which, record.a}].push_back(&record);
    }
  }

  /// Joins operations to kernels. Operations that were enqueued together form a group; returns the number of groups
  /// without a kernel.
  std::uint64_t join(std::vector<LaunchedKernel> kernels) {
    const Launches launches(std::move(kernels));
    const std::vector<Enqueued> all = enqueued_together();
    const std::vector<Launched> launched = launched_for(all);
    std::set<std::uint32_t> taken;  // kernel events that already have operations
    std::uint64_t alone = 0;
    for (const bool reported : {true, false}) {  // launches that NCCL reported leave the rest to those it did not
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Record& first = *all[i].front();
        if (launched[i].is_reported != reported || !is_wanted_(first.start)) continue;
        const Record* const by = launched[i].launch;
        const LaunchedKernel* kernel = nullptr;
        if (by != nullptr) kernel = launches.last(by->stream, by->start, by->start + by->duration);
        if (!reported) kernel = launches.last(first.stream, 0, first.start);
        if (kernel != nullptr && taken.insert(kernel->event).second) {
          describe(kernel->event, all[i]);
        } else {
          ++alone;
        }
      }
    }
    return alone;
  }

 private:
  /// How the kernel of some operations was launched.
  struct Launched {
    bool is_reported = false;        ///< NCCL reports launches, so `launch` is the one
    const Record* launch = nullptr;  ///< null if none of this process: the operations are a replay of a CUDA graph
  };
  using Calls = std::pair<std::uint32_t, std::uint64_t>;  ///< number of the calls, and communicator

  /// Returns how each of `all` was launched. Calls may be enqueued as several kernels of each communicator. NCCL
  /// launches them in the order in which it reports their operations, though perhaps on another thread: the k-th launch
  /// belongs to the k-th group of operations.
  [[nodiscard]] std::vector<Launched> launched_for(const std::vector<Enqueued>& all) const {
    std::vector<Launched> launched(all.size());
    std::map<Calls, std::vector<std::size_t>> enqueued_by;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Record& first = *all[i].front();
      const auto calls = calls_.find(first.correlation);
      if (calls == calls_.end()) continue;
      launched[i].is_reported = calls->second->detail == 1;
      if (!launched[i].is_reported) enqueued_by[{calls->second->correlation, communicator_of(first)}].push_back(i);
    }
    for (const auto& [calls, groups] : enqueued_by) {
      const auto launches = launches_of_.find(calls);
      if (launches == launches_of_.end()) continue;
      const bool complete = launches->second.size() == groups.size();
      for (std::size_t k = 0; k < groups.size(); ++k)
        launched[groups[k]] = {true, complete ? launches->second[k] : nullptr};
    }
    return launched;
  }

  /// Returns groups of operations that were enqueued as one kernel, in order of time. Operations within a group are in
  /// the order in which they were enqueued.
  [[nodiscard]] std::vector<Enqueued> enqueued_together() const {
    std::vector<Enqueued> all;
    std::map<std::uint32_t, std::size_t> of_group;
    for (const Record* const operation : operations_) {
      const std::uint32_t group = group_of(*operation);
      const auto [known, is_new] = of_group.try_emplace(group, all.size());
      if (group != 0 && !is_new) {
        all[known->second].push_back(operation);
      } else {
        if (group == 0) of_group.erase(known);
        all.push_back({operation});
      }
    }
    for (Enqueued& enqueued : all) {
      std::sort(enqueued.begin(), enqueued.end(),
                [](const Record* a, const Record* b) { return a->correlation < b->correlation; });
    }
    return all;
  }

  [[nodiscard]] const NcclCommunicator& communicator(std::uint32_t number) const {
    static const NcclCommunicator unknown;
    const auto found = records_.communicators.find(number);
    return found == records_.communicators.end() ? unknown : found->second;
  }

  /// Returns the group of all ranks of a communicator, or of this rank and `with`. Invalid if NCCL's id of the
  /// communicator is unknown.
  ProcessGroupId ranks_of(const NcclCommunicator& known, std::optional<std::int32_t> with = {}) {
    if (known.id == 0) return {};
    std::string name = fmt::format("nccl {:#x}", known.id);
    if (with) name += fmt::format(" {}-{}", std::min(known.rank, *with), std::max(known.rank, *with));
    ProcessGroup group{.name = builder_.text(name)};
    if (known.rank >= 0) {
      group.size = with ? 2 : static_cast<std::uint32_t>(std::max(known.size, 0));
      group.own = !with ? known.rank : known.rank < *with ? 0 : 1;
      group.nodes = with ? 0 : known.nodes;
    }
    return builder_.group(group);
  }

  void describe(std::uint32_t event, const Enqueued& enqueued) {
    const bool messages = std::all_of(enqueued.begin(), enqueued.end(),
                                      [](const Record* record) { return record->kind == Kind::kNcclMessage; });
    messages ? describe_messages(event, enqueued) : describe_collectives(event, enqueued);
  }

  void describe_collectives(std::uint32_t event, const Enqueued& enqueued) {
    const Record& first = *enqueued.front();
    const NcclCommunicator& known = communicator(communicator_of(first));
    const NcclOperation operation = nccl_operation(records_.text(first.which));
    NcclSize size;
    bool alike = true;
    for (const Record* const record : enqueued) {
      const NcclOperation other = nccl_operation(records_.text(record->which));
      alike = alike && record->kind == first.kind && other.function == operation.function &&
              other.element_type == operation.element_type;
      size += larger_side(other, record->duration, known.size);
    }
    const ProcessGroupId group = ranks_of(known);
    EventDetail& detail = builder_.detail(event);
    detail.collective = builder_.text(operation.function);
    detail.group = group;
    detail.dtype = builder_.text(operation.element_type);
    if (group.valid() && first.a <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      detail.sequence = static_cast<std::int64_t>(first.a);
    if (!alike) return;
    detail.elements = size.elements;
    detail.bytes = size.bytes;
  }

  void describe_messages(std::uint32_t event, const Enqueued& enqueued) {
    const Record& first = *enqueued.front();
    const NcclCommunicator& known = communicator(communicator_of(first));
    const NcclOperation operation = nccl_operation(records_.text(first.which));
    std::array<NcclSize, 2> sizes;  // of the data received, of the data sent
    std::array<std::set<std::int32_t>, 2> peers;
    std::set<std::int32_t> others;
    for (const Record* const record : enqueued) {
      const NcclOperation message = nccl_operation(records_.text(record->which));
      const auto peer = static_cast<std::int32_t>(std::min<std::uint64_t>(record->a, 0x7FFFFFFF));
      const std::size_t direction = message.function == "Send" ? 1 : 0;
      sizes[direction] += larger_side(message, record->duration, known.size);
      if (peer == known.rank) continue;
      peers[direction].insert(peer);
      others.insert(peer);
    }
    const bool both = !peers[0].empty() && !peers[1].empty();
    const bool pair = both && others.size() == 1;
    const bool with_all =
        both && peers[0] == peers[1] && known.size > 2 && others.size() + 1 == static_cast<std::size_t>(known.size);
    const ProcessGroupId group = pair && known.rank >= 0 ? ranks_of(known, *others.begin()) : ranks_of(known);
    const NcclSize larger =
        std::max(sizes[0], sizes[1], [](const NcclSize& a, const NcclSize& b) { return a.bytes < b.bytes; });
    EventDetail& detail = builder_.detail(event);
    const std::string_view lone = operation.function == "Send" ? "send" : "recv";
    detail.collective = builder_.text(with_all ? "all_to_all" : enqueued.size() > 1 ? "sendrecv" : lone);
    detail.group = group;
    detail.dtype = builder_.text(operation.element_type);
    if (enqueued.size() == 1 && !others.empty()) detail.peer = *others.begin();
    detail.elements = larger.elements;
    detail.bytes = larger.bytes;
  }

  const CaptureRecords& records_;
  const std::function<bool(std::uint64_t)>& is_wanted_;
  HostDeviceBuilder& builder_;
  std::vector<const Record*> operations_;                    // in order of time
  std::unordered_map<std::uint32_t, const Record*> calls_;   // the kNcclCalls record of each operation
  std::map<Calls, std::vector<const Record*>> launches_of_;  // the kNcclLaunch records, in order of time
};

/// Sums the work of channels and proxy threads per communicator and operation.
class Transports {
 public:
  Transports(const CaptureRecords& records, const std::function<bool(std::uint64_t)>& is_wanted) : records_(records) {
    for (const Record& record : records.nccl) {
      if (record.kind == Kind::kNcclCollective || record.kind == Kind::kNcclMessage) {
        add_operation(record, is_wanted(record.start));
      } else if (record.kind == Kind::kNcclProxyOp) {
        proxy_ops_.emplace(record.correlation, &record);
      }
    }
    for (const Record& record : records.nccl) {
      if (record.kind == Kind::kNcclChannel) add_channel(record);
      if (record.kind == Kind::kNcclProxyStep) add_step(record);
      if (record.kind == Kind::kNcclProxyOp) add_proxy_op(record);
    }
  }

  [[nodiscard]] std::vector<TransportUse> take() && {
    std::vector<TransportUse> made;
    for (auto& [key, use] : uses_) made.push_back(std::move(use));
    return made;
  }

 private:
  /// Stands for the unknown communicator of operations that another process enqueued (PXN), or that began before the
  /// capture.
  static constexpr std::uint32_t kNoCommunicator = 0xFFFFFFFF;

  TransportUse& use_of(std::uint32_t number, std::string_view text) {
    const auto [known, is_new] = uses_.try_emplace({number, std::string(text)});
    TransportUse& use = known->second;
    if (!is_new) return use;
    const NcclOperation operation = nccl_operation(text);
    use.operation = operation.function;
    use.algorithm = operation.algorithm;
    use.protocol = operation.protocol;
    const auto found = records_.communicators.find(number);
    use.group = found == records_.communicators.end() ? std::string("unknown") : describe(found->second);
    return use;
  }

  static std::string describe(const NcclCommunicator& known) {
    std::string text = known.name.empty() ? fmt::format("{:#x}", known.id) : known.name;
    if (known.rank >= 0 && known.size > 0) text += fmt::format(", rank {} of {}", known.rank, known.size);
    return text;
  }

  void add_operation(const Record& record, bool wanted) {
    if (!wanted) {
      of_operation_.emplace(record.correlation, nullptr);
      return;
    }
    const std::string_view text = records_.text(record.which);
    TransportUse& use = use_of(communicator_of(record), text);
    of_operation_.emplace(record.correlation, &use);
    const auto known = records_.communicators.find(communicator_of(record));
    const std::int32_t size = known == records_.communicators.end() ? 0 : known->second.size;
    ++use.operations;
    add_to(use.bytes, larger_side(nccl_operation(text), record.duration, size).bytes);
  }

  /// Returns the sums to which the work of an operation is added; null if the work is not counted, because the
  /// operation is not wanted.
  TransportUse* use_of_operation(std::uint32_t operation) {
    const auto found = of_operation_.find(operation);
    return found == of_operation_.end() ? &use_of(kNoCommunicator, "unknown") : found->second;
  }

  void add_channel(const Record& record) {
    TransportUse* const use = use_of_operation(record.which);
    if (use == nullptr) return;
    const bool timed = record.a > 0 && record.b >= record.a;
    ++use->channels;
    add_to(use->channel_time, duration_of(timed ? record.b - record.a : record.duration));
  }

  static TransportUse::Direction& direction(TransportUse& use, const Record& record) {
    return record.detail == 1 ? use.sent : use.received;
  }

  void add_step(const Record& record) {
    const auto op = proxy_ops_.find(record.which);
    TransportUse* const use = use_of_operation(op == proxy_ops_.end() ? 0 : op->second->which);
    if (use == nullptr) return;
    TransportUse::Direction& sum = direction(*use, record);
    const std::uint64_t waited = record.a + std::min(record.b, record.duration - std::min(record.duration, record.a));
    ++sum.pieces;
    add_to(sum.bytes, Bytes{static_cast<std::int64_t>(record.correlation)});
    add_to(sum.device, duration_of(std::min(record.a, record.duration)));
    add_to(sum.peer, duration_of(waited - record.a));
    add_to(sum.network, duration_of(record.duration - std::min(record.duration, waited)));
  }

  /// Adds the bytes of a proxy operation. Before version 4, NCCL's profiler interface reports bytes only per proxy
  /// operation.
  void add_proxy_op(const Record& record) {
    TransportUse* const use = use_of_operation(record.which);
    if (use == nullptr || record.a > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return;
    add_to(direction(*use, record).bytes, Bytes{static_cast<std::int64_t>(record.a)});
  }

  const CaptureRecords& records_;
  std::map<std::pair<std::uint32_t, std::string>, TransportUse> uses_;  // by communicator and operation text
  std::map<std::uint32_t, TransportUse*> of_operation_;
  std::map<std::uint32_t, const Record*> proxy_ops_;
};

}  // namespace

NcclUses describe_by_nccl(const CaptureRecords& records, std::vector<LaunchedKernel> launches,
                          const std::function<bool(std::uint64_t time)>& is_wanted, HostDeviceBuilder& builder,
                          const std::string& file, PartSink& sink) {
  NcclUses uses;
  if (records.nccl.empty()) return uses;
  Joiner joiner(records, is_wanted, builder);
  const std::uint64_t alone = joiner.join(std::move(launches));
  if (alone > 0) sink.diagnostics.count(diagnostic("nccl_without_kernel"), {file, {}, {}}, {}, alone);
  if (sink.details) uses.transports = Transports(records, is_wanted).take();
  return uses;
}

}  // namespace stepsim::ingest
