#include "ingest/stitch/host_device/like_ranks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ingest/parts/process_groups.h"
#include "ingest/stitch/host_device/collectives.h"
#include "model/job/collective.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Finds the difference between any two hosts' clocks from differences of pairs.
class ClockDifferences {
 public:
  /// The clocks of hosts that are connected to `reference` are compared with its clock.
  explicit ClockDifferences(std::string reference) : reference_(std::move(reference)) {}

  /// Notes that the clock of `host` is ahead of that of `other`. Returns false if that contradicts an earlier note.
  bool note(const std::string& host, const std::string& other, Duration ahead) {
    const LikeRanks::Clock a = clock_of(host);
    const LikeRanks::Clock b = clock_of(other);
    if (a.of == b.of) return a.ahead - b.ahead == ahead;
    if (a.of == reference_) {
      clocks_[b.of] = {a.of, a.ahead - ahead - b.ahead};
    } else {
      clocks_[a.of] = {b.of, b.ahead + ahead - a.ahead};
    }
    return true;
  }

  /// Returns a host that is the same for all hosts that are connected, and how far the clock of `host` is ahead of its.
  LikeRanks::Clock clock_of(const std::string& host) {
    LikeRanks::Clock clock{host, {}};
    for (auto next = clocks_.find(host); next != clocks_.end(); next = clocks_.find(clock.of))
      clock = {next->second.of, clock.ahead + next->second.ahead};
    if (clock.of != host) clocks_[host] = clock;
    return clock;
  }

 private:
  std::string reference_;
  std::map<std::string, LikeRanks::Clock> clocks_;
};

/// True if the text names a send or a receive: "send", "gloo:recv".
bool is_message(std::string_view text) {
  const NamedOperation* const operation = find_operation(text.substr(text.find(':') + 1));
  return operation != nullptr && operation->op == CollectiveOp::kSendRecv && operation->word != "sendrecv";
}

/// True if a trace has collectives and no messages, and its kernels say which of both they are.
bool has_only_collectives(const HostDeviceTrace& trace) {
  bool any = false;
  for (const EventDetail& detail : trace.details) {
    if (detail.peer >= 0 || (detail.collective.valid() && is_message(trace.text(detail.collective)))) return false;
    any = any || detail.collective.valid();
  }
  for (const std::string& text : trace.texts) {
    if (!is_host_collective(text)) continue;
    if (is_message(text)) return false;
    any = true;
  }
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.kind[i] != EventKind::kKernel || !communication_kernel(trace.text(trace.name[i]))) continue;
    if (!names_collective(trace, i)) return false;
  }
  return any;
}

/// True if a group has all of `ranks`. Traces of all ranks that name a group without some of them do not number the
/// ranks as the job does.
bool has_all(const Group& group, const std::vector<Rank>& ranks, bool named_by_all) {
  if (group.size == 0 || group.ranks == ranks) return true;
  return named_by_all && !group.ranks.empty() && !std::ranges::includes(group.ranks, ranks);
}

/// Returns the number of the accelerator of a rank; -1 if it is not known.
std::int32_t device_of(const HostDeviceTrace& trace) {
  const auto device = std::ranges::find_if(trace.tracks, &Track::on_device);
  return device == trace.tracks.end() ? -1 : device->device;
}

/// Finds the classes of a job's ranks.
class Classes {
 public:
  explicit Classes(const std::vector<RankTrace>& ranks) : ranks_(ranks), clocks_(ranks.front().host()) {
    for (const RankTrace& rank : ranks) found_.ranks.push_back(rank.rank);
  }

  /// Returns the copies and their originals; nothing if the ranks are not known to do the same at the same time.
  std::optional<LikeRanks> find() && {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (!add(i)) return std::nullopt;
    }
    if (found_.copies.empty()) return std::nullopt;
    std::map<Group, std::size_t> groups;  // the number of classes that name it
    for (const std::size_t first : originals_) {
      const HostDeviceTrace& trace = *ranks_[first].events.trace;
      if (!has_only_collectives(trace)) return std::nullopt;
      for (std::size_t i = 0; i < trace.groups.size(); ++i) ++groups[group_in(trace, ProcessGroupId{i})];
    }
    for (const auto& [group, classes] : groups) {
      if (!has_all(group, found_.ranks, classes == originals_.size())) return std::nullopt;
    }
    for (const RankTrace& rank : ranks_) found_.clocks[rank.host()] = clocks_.clock_of(rank.host());
    return std::move(found_);
  }

 private:
  bool add(std::size_t i) {
    const RankTrace& rank = ranks_[i];
    const bool larger = rank.trace.world_size && std::cmp_greater(*rank.trace.world_size, ranks_.size());
    if (rank.events.trace == nullptr || rank.trace.host_name.empty() || larger) return false;
    const auto [known, is_first] = class_of_.try_emplace(rank.events.trace.get(), originals_.size());
    if (is_first) originals_.push_back(i);
    const std::size_t original = originals_[known->second];
    found_.copy_of.push_back(static_cast<std::uint32_t>(original));
    if (is_first) return true;
    found_.copies.push_back({rank.rank, known->second, rank.host(), rank.trace.device_name, rank.trace.device_memory,
                             device_of(rank.trace)});
    return clocks_.note(rank.host(), ranks_[original].host(), rank.events.later - ranks_[original].events.later);
  }

  const std::vector<RankTrace>& ranks_;
  LikeRanks found_;
  ClockDifferences clocks_;
  std::vector<std::size_t> originals_;                      ///< places in ranks_ of the first of each class
  std::map<const HostDeviceTrace*, std::size_t> class_of_;  ///< place in originals_
};

}  // namespace

LikeRanks leave_one_of_each(std::vector<RankTrace>& ranks) {
  std::optional<LikeRanks> found;
  if (ranks.size() > kMostRanksApart) found = Classes(ranks).find();
  if (found) {
    std::size_t at = 0;
    std::erase_if(ranks, [&](const RankTrace&) {
      const std::size_t i = at++;
      return found->copy_of[i] != i;
    });
  }
  for (RankTrace& rank : ranks) take_back(rank.events, rank.trace);
  return found ? *std::move(found) : LikeRanks{};
}

}  // namespace stepsim::ingest
