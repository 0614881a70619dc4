#include "ingest/stitch/host_device/data_waits.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stepsim::ingest {
namespace {

using StorageUse = HostDeviceTrace::StorageUse;

class DataWaits {
 public:
  explicit DataWaits(const RankEvents& events) : events_(events), owners_(events.trace->size()) {}

  std::vector<StreamWait> run() {
    for (const RankEvents::Thread& thread : events_.threads) {
      if (thread.launches) find_owners(thread);
    }
    std::vector<std::pair<Time, std::uint32_t>> launches;
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      const std::uint32_t call = events_.ops[i].call;
      if (call != kNoIndex && !owners_[call].empty()) launches.emplace_back(events_.begin_of(call), i);
    }
    std::sort(launches.begin(), launches.end());
    for (const auto& [called, op] : launches) take(op);
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool has_tensors(std::uint32_t event) const {
    const auto& uses = events_.trace->storage_uses;
    const auto first = first_use(event);
    return first != uses.end() && first->event == event;
  }

  [[nodiscard]] std::vector<StorageUse>::const_iterator first_use(std::uint32_t event) const {
    const auto& uses = events_.trace->storage_uses;
    return std::lower_bound(uses.begin(), uses.end(), event,
                            [](const StorageUse& use, std::uint32_t wanted) { return use.event < wanted; });
  }

  [[nodiscard]] bool communicates(std::uint32_t event) const {
    const std::string_view name = events_.name_of(event);
    return name.starts_with("nccl:") || name.starts_with("c10d::") || name == "record_param_comms";
  }

  /// The operators whose memory the work of each runtime call of a thread uses.
  void find_owners(const RankEvents::Thread& thread) {
    std::vector<std::uint32_t> open;
    for (const std::uint32_t event : thread.events) {
      while (!open.empty() && events_.end_of(open.back()) <= events_.begin_of(event)) open.pop_back();
      if (events_.trace->kind[event] != EventKind::kRuntimeCall) {
        open.push_back(event);
        continue;
      }
      for (auto around = open.rbegin(); around != open.rend(); ++around) {
        const bool communication = communicates(*around);
        if (!communication && !owners_[event].empty()) break;
        if (has_tensors(*around)) owners_[event].push_back(*around);
        if (!communication && !owners_[event].empty()) break;
      }
    }
  }

  void take(std::uint32_t op) {
    const std::vector<std::uint32_t>& owners = owners_[events_.ops[op].call];
    const bool in_place =
        std::none_of(owners.begin(), owners.end(), [this](std::uint32_t owner) { return writes(owner); });
    std::map<std::uint32_t, std::uint32_t> latest;  // by stream
    for (const std::uint32_t owner : owners) {
      for_each_use(owner, [&](const StorageUse& use) {
        const auto writer = writer_.find(use.storage);
        if (writer == writer_.end()) return;
        const std::uint32_t stream = events_.ops[writer->second].stream;
        const auto [slot, added] = latest.try_emplace(stream, writer->second);
        if (!added) slot->second = std::max(slot->second, writer->second);  // ops are by begin
      });
    }
    for (const auto& [stream, writer] : latest) add(writer, op);
    for (const std::uint32_t owner : owners) {
      for_each_use(owner, [&](const StorageUse& use) {
        if (use.written || in_place) writer_[use.storage] = op;
      });
    }
  }

  template <class Visit>
  void for_each_use(std::uint32_t event, const Visit& visit) const {
    const auto& uses = events_.trace->storage_uses;
    for (auto use = first_use(event); use != uses.end() && use->event == event; ++use) visit(*use);
  }

  [[nodiscard]] bool writes(std::uint32_t event) const {
    bool written = false;
    for_each_use(event, [&](const StorageUse& use) { written = written || use.written; });
    return written;
  }

  void add(std::uint32_t before, std::uint32_t after) {
    const DeviceOp& a = events_.ops[before];
    const DeviceOp& b = events_.ops[after];
    if (a.stream == b.stream || a.end > b.begin) return;
    const auto [known, added] = waited_.try_emplace({b.stream, a.stream}, before);
    if (!added && known->second >= before) return;
    known->second = before;
    found_.push_back({before, after, StreamWait::Why::kData});
  }

  const RankEvents& events_;
  std::vector<std::vector<std::uint32_t>> owners_;          // by event of a call
  std::unordered_map<std::int64_t, std::uint32_t> writer_;  // the last op that wrote a storage; never walked
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> waited_;  // (stream, other): the latest op
  std::vector<StreamWait> found_;
};

}  // namespace

std::vector<StreamWait> data_waits(const RankEvents& events) {
  return events.trace->storage_uses.empty() ? std::vector<StreamWait>{} : DataWaits(events).run();
}

}  // namespace stepsim::ingest
