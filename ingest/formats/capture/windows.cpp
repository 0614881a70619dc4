#include "ingest/formats/capture/windows.h"

#include <algorithm>
#include <iterator>

namespace stepsim::ingest {

CaptureWindows::CaptureWindows(const std::vector<wire::Record>& events) {
  const wire::Record* last = nullptr;
  const auto end_last = [&](std::uint64_t end) {
    if (last == nullptr || last->detail != static_cast<std::uint8_t>(wire::Phase::kActive)) return;
    steps_.push_back({.number = last->a, .begin = last->start, .end = end, .thread = last->stream});
  };
  for (const wire::Record& record : events) {
    if (record.kind != wire::Kind::kStep) continue;
    end_last(record.start);
    last = &record;
  }
  end_last(kOpen);
}

bool CaptureWindows::contains(std::uint64_t time) const noexcept {
  if (steps_.empty()) return true;
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), time,
                                      [](std::uint64_t at, const Step& step) { return at < step.begin; });
  return after != steps_.begin() && time < std::prev(after)->end;
}

}  // namespace stepsim::ingest
