#include "sim/stats/device_use.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

bool begins_before(const Interval& a, const Interval& b) noexcept { return a.begin < b.begin; }

/// The intervals of compute, communication and copies. They do not include host work of ranks with a device.
using Parts = std::array<std::vector<Interval>, 3>;
using PartSets = std::array<IntervalSet, 3>;
constexpr auto kCompute = static_cast<std::size_t>(WorkPart::kCompute);
constexpr auto kCommunication = static_cast<std::size_t>(WorkPart::kCommunication);
constexpr auto kCopy = static_cast<std::size_t>(WorkPart::kCopy);

PartSets sets_of(Parts&& parts) {
  PartSets sets;
  for (std::size_t i = 0; i < parts.size(); ++i) sets[i] = IntervalSet{std::move(parts[i])};
  return sets;
}

/// Divides the time of `own`, the work of a stream or a device. `all` is the work of the whole device, because work of
/// other streams can hide that of a stream.
TimeUse use_of(const PartSets& own, const PartSets& all, const IntervalSet& all_but_copies, Duration span) {
  const IntervalSet communication_or_compute = united(own[kCompute], own[kCommunication]);
  TimeUse use{.span = span, .compute = own[kCompute].length()};
  use.hidden_communication = common_length(own[kCommunication], all[kCompute]);
  use.exposed_communication = own[kCommunication].length() - use.hidden_communication;
  use.hidden_copies = common_length(own[kCopy], all_but_copies);
  use.exposed_copies = own[kCopy].length() - use.hidden_copies;
  use.idle = span - united(communication_or_compute, own[kCopy]).length();
  return use;
}

struct PlaceKey {
  Rank rank;
  std::int32_t device;
  auto operator<=>(const PlaceKey&) const = default;
};

/// The work of one stream.
struct Row {
  std::size_t pieces = 0;
  Parts parts;
};

/// The work of one device.
struct Place {
  std::map<std::string, Row, decltype(&natural_less)> rows{natural_less};
  bool has_operators = false;
};

/// Returns the device of each lane. A rank whose operators have a lane of their own (BytePS) is one device, together
/// with its copy engines and links.
std::vector<PlaceKey> places_of(const Dag& dag) {
  std::set<Rank> with_operators;
  std::set<Rank> with_devices;
  std::map<Rank, std::int32_t> first_device;
  for (const Lane& lane : dag.lanes()) {
    if (lane.kind == LaneKind::kOperators) with_operators.insert(lane.rank);
    if (lane.device < 0) continue;
    with_devices.insert(lane.rank);
    const auto [known, is_new] = first_device.try_emplace(lane.rank, lane.device);
    if (!is_new) known->second = std::min(known->second, lane.device);
  }
  std::vector<PlaceKey> places;
  for (const Lane& lane : dag.lanes()) {
    const bool one = with_operators.contains(lane.rank);
    const auto device = first_device.find(lane.rank);
    places.push_back({lane.rank, one && device != first_device.end() ? device->second : lane.device});
  }
  return places;
}

class Devices {
 public:
  explicit Devices(const MeasuredWork& work)
      : work_(work),
        dag_(work.capture.dag),
        place_of_(places_of(dag_)),
        rows_(dag_.lanes().size() + work.details.threads.size()) {
    for (const PlaceKey& place : place_of_) {
      if (place.device >= 0) with_devices_.insert(place.rank);
    }
  }

  std::vector<DeviceUse> run() {
    for (const Piece& piece : work_.pieces) add(piece);
    std::vector<DeviceUse> made;
    for (auto& [key, place] : places_) made.push_back(finished(key, std::move(place)));
    return made;
  }

 private:
  void add(const Piece& piece) {
    const Rank rank = work_.rank(piece);
    const bool host_counts = !with_devices_.contains(rank);
    if (piece.part == WorkPart::kLoader || (piece.part == WorkPart::kHost && !host_counts)) return;
    if (piece.is_call && work_.details.calls[piece.index].kind == CallKind::kAnnotation) return;
    if (!piece.is_call && !host_counts && place_of_[dag_.lane_id(TaskId{piece.index}).index()].device < 0)
      return;  // this is a collective of the host
    const std::size_t part = piece.part == WorkPart::kHost ? kCompute : static_cast<std::size_t>(piece.part);
    Row& row = row_of(piece);
    ++row.pieces;
    row.parts[part].push_back({piece.start, piece.start + piece.length});
  }

  /// Returns the row of a piece; it is looked up once per lane.
  Row& row_of(const Piece& piece) {
    const std::size_t row = piece.is_call ? dag_.lanes().size() + work_.details.calls[piece.index].thread
                                          : dag_.lane_id(TaskId{piece.index}).index();
    if (rows_[row] == nullptr) {
      const PlaceKey key = piece.is_call ? PlaceKey{work_.rank(piece), -1} : place_of_[row];
      Place& place = places_[key];
      if (!piece.is_call && dag_.lanes()[row].kind == LaneKind::kOperators) place.has_operators = true;
      rows_[row] = &place.rows[std::string(work_.lane(piece))];
    }
    return *rows_[row];
  }

  static DeviceUse finished(const PlaceKey& key, Place&& place) {
    DeviceUse device{.rank = key.rank, .device = key.device, .has_operators = place.has_operators};
    std::vector<PartSets> own;
    Parts of_all;
    for (auto& [name, row] : place.rows) {
      device.pieces += row.pieces;
      device.streams.push_back({.name = name, .pieces = row.pieces, .use = {}});
      own.push_back(sets_of(std::move(row.parts)));
      for (std::size_t part = 0; part < of_all.size(); ++part) {
        const std::vector<Interval>& of_row = own.back()[part].intervals();
        of_all[part].insert(of_all[part].end(), of_row.begin(), of_row.end());
      }
    }
    const PartSets all = sets_of(std::move(of_all));
    const IntervalSet all_but_copies = united(all[kCompute], all[kCommunication]);
    const IntervalSet any = united(all_but_copies, all[kCopy]);
    if (any.empty()) return device;
    device.begin = any.intervals().front().begin;
    const Duration span = any.intervals().back().end - device.begin;
    device.use = use_of(all, all, all_but_copies, span);
    for (std::size_t i = 0; i < own.size(); ++i) device.streams[i].use = use_of(own[i], all, all_but_copies, span);
    return device;
  }

  const MeasuredWork& work_;
  const Dag& dag_;
  std::vector<PlaceKey> place_of_;  ///< indexed by lane
  std::set<Rank> with_devices_;
  std::map<PlaceKey, Place> places_;
  std::vector<Row*> rows_;  ///< indexed by lane, then by thread of calls; null if no work was found yet
};

}  // namespace

IntervalSet::IntervalSet(std::vector<Interval> intervals) : intervals_(std::move(intervals)) {
  if (!std::is_sorted(intervals_.begin(), intervals_.end(), begins_before))
    std::sort(intervals_.begin(), intervals_.end(), begins_before);
  std::size_t kept = 0;
  for (const Interval& next : intervals_) {
    if (next.end <= next.begin) continue;
    if (kept > 0 && next.begin <= intervals_[kept - 1].end) {
      intervals_[kept - 1].end = std::max(intervals_[kept - 1].end, next.end);
    } else {
      intervals_[kept++] = next;
    }
  }
  intervals_.resize(kept);
}

Duration IntervalSet::length() const noexcept {
  Duration length{};
  for (const Interval& each : intervals_) length += each.end - each.begin;
  return length;
}

IntervalSet united(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> both;
  both.reserve(a.intervals().size() + b.intervals().size());
  std::merge(a.intervals().begin(), a.intervals().end(), b.intervals().begin(), b.intervals().end(),
             std::back_inserter(both), begins_before);
  return IntervalSet{std::move(both)};
}

Duration common_length(const IntervalSet& a, const IntervalSet& b) noexcept {
  Duration length{};
  auto of_b = b.intervals().begin();
  for (const Interval& of_a : a.intervals()) {
    of_b = std::lower_bound(of_b, b.intervals().end(), of_a.begin,
                            [](const Interval& one, Time begin) { return one.end <= begin; });
    for (; of_b != b.intervals().end() && of_b->begin < of_a.end; ++of_b) {
      length += std::min(of_a.end, of_b->end) - std::max(of_a.begin, of_b->begin);
      if (of_b->end > of_a.end) break;  // it may touch the next one, too
    }
  }
  return length;
}

std::vector<DeviceUse> device_use(const MeasuredWork& work) {
  return work.measured ? Devices(work).run() : std::vector<DeviceUse>{};
}

}  // namespace stepsim::sim
