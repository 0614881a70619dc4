#include "model/job/range_profile.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace stepsim {
namespace {

/// Counts how often each name has occurred so far.
class Occurrences {
 public:
  std::vector<std::uint32_t> of(const std::vector<ScheduledRange>& ranges) {
    std::vector<std::uint32_t> found;
    found.reserve(ranges.size());
    for (const ScheduledRange& range : ranges) {
      const std::uint32_t next = met_[range.name]++;
      found.push_back(range.occurrence.value_or(next));
    }
    return found;
  }

 private:
  std::map<std::string, std::uint32_t> met_;
};

}  // namespace

std::vector<RangePlace> places_of(const RangeSchedule& schedule) {
  const std::size_t count = schedule.layers.size();
  std::vector<std::vector<std::uint32_t>> forward(count);
  std::vector<std::vector<std::uint32_t>> backward(count);
  Occurrences occurrences;
  for (std::size_t i = 0; i < count; ++i) forward[i] = occurrences.of(schedule.layers[i].forward);
  for (std::size_t i = count; i > 0; --i) backward[i - 1] = occurrences.of(schedule.layers[i - 1].backward);

  std::vector<RangePlace> places;
  for (std::size_t i = 0; i < count; ++i) {
    const ScheduledLayer& layer = schedule.layers[i];
    for (std::size_t k = 0; k < layer.forward.size(); ++k)
      places.push_back({layer.forward[k].name, layer.name, forward[i][k]});
    for (std::size_t k = 0; k < layer.backward.size(); ++k)
      places.push_back({layer.backward[k].name, layer.name, backward[i][k]});
  }
  return places;
}

std::string to_text(const RangeSchedule& schedule) {
  std::string text = fmt::format("{}", schedule.warmup);
  std::uint64_t iteration = schedule.warmup;
  for (const RangePlace& place : places_of(schedule)) {
    for (std::uint32_t i = 0; i < schedule.repeat; ++i)
      text += fmt::format("\n{} {} {} {}", place.name, ++iteration, place.layer, place.occurrence);
  }
  return text;
}

std::string to_events(const RangeSchedule& schedule) {
  std::string text;
  std::set<std::string> known;
  for (const RangePlace& place : places_of(schedule)) {
    if (known.insert(place.name).second) text += fmt::format("{}{}", text.empty() ? "" : "\n", place.name);
  }
  return text;
}

}  // namespace stepsim
