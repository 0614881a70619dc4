#include "ingest/stitch/trial/rounds.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

RoundPart part_of(std::string_view name) noexcept {
  constexpr std::array<std::pair<std::string_view, RoundPart>, 7> kBeginnings{{{"Sync", RoundPart::kAgreement},
                                                                               {"NEGOTIATE_", RoundPart::kAgreement},
                                                                               {"QUEUE", RoundPart::kQueue},
                                                                               {"INIT_", RoundPart::kQueue},
                                                                               {"WAIT_FOR_DATA", RoundPart::kQueue},
                                                                               {"WAIT_FOR_OTHER", RoundPart::kOthers},
                                                                               {"MEMCPY_IN", RoundPart::kCopyIn}}};
  for (const auto& [beginning, part] : kBeginnings) {
    if (name.starts_with(beginning)) return part;
  }
  return name.starts_with("MEMCPY_OUT") ? RoundPart::kCopyOut : RoundPart::kTransfer;
}

/// Returns the names of the tensors in a recorded name: "1" and "2" for "1+2". A name with other characters than digits
/// and '+' stands for one tensor.
std::vector<std::string> members_of(const std::string& name) {
  if (name.find_first_not_of("0123456789+") != std::string::npos) return {name};
  std::vector<std::string> members;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('+', begin), name.size());
    if (end > begin) members.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return members.empty() ? std::vector{name} : members;
}

/// One reduction or broadcast of the tensors that a recorded name such as "1+2" lists. Units of fused tensors are
/// joined into one Round later.
struct Unit {
  std::set<std::uint32_t> tensors;
  std::vector<Round::Phase> phases;  // by start
  std::vector<ChunkEvent> chunks;
  Time begin = Time::max();

  void add(Round::Phase phase) {
    begin = std::min(begin, phase.start);
    phases.push_back(std::move(phase));
  }
};

/// Divides the recording of one GPU into rounds. First finds units: a new one begins where the phases of a tensor begin
/// again in Horovod's timeline, or, for tensors that it lacks, where a chunk of NCCL occurs again. Then joins the units
/// of fused tensors, which have a chunk or the begin of their "Sync" phase in common.
class Division {
 public:
  Division(const GpuParts& parts, Diagnostics& diagnostics) : parts_(parts), diagnostics_(diagnostics) {}

  [[nodiscard]] GpuRounds run() && {
    if (parts_.horovod) add_phases(*parts_.horovod);
    index_units();
    if (parts_.chunks) add_chunks(*parts_.chunks);
    join_by_sync();
    collect_rounds();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint32_t tensor_id(const std::string& name) {
    const auto [slot, added] = tensors_.try_emplace(name, static_cast<std::uint32_t>(out_.stages.tensors.size()));
    if (added) {
      out_.stages.tensors.push_back(name);
      out_.bytes.emplace_back();
    }
    return slot->second;
  }

  [[nodiscard]] std::set<std::uint32_t> ids_of(const std::string& name) {
    std::set<std::uint32_t> ids;
    for (const std::string& member : members_of(name)) ids.insert(tensor_id(member));
    return ids;
  }

  void add_phases(const HorovodTrace& trace) {
    const auto sync = std::find(trace.names.begin(), trace.names.end(), "Sync");
    const bool has_sync = sync != trace.names.end();
    std::vector<std::vector<const HorovodTrace::Phase*>> by_tensor(trace.tensors.size());
    for (const HorovodTrace::Phase& phase : trace.phases) {
      if (has_sync && trace.names[phase.name].starts_with("NEGOTIATE_")) {
        diagnostics_.count(diagnostic("negotiation_recorded_twice"), {parts_.folder, {}, {}});
      } else {
        by_tensor[phase.tensor].push_back(&phase);
      }
    }
    for (std::size_t i = 0; i < by_tensor.size(); ++i) {
      const std::set<std::uint32_t> ids = ids_of(trace.tensors[i].name);
      if (ids.size() == 1) out_.bytes[*ids.begin()] = trace.tensors[i].bytes;
      add_units(ids, std::move(by_tensor[i]), trace);
    }
  }

  void add_units(const std::set<std::uint32_t>& ids, std::vector<const HorovodTrace::Phase*> phases,
                 const HorovodTrace& trace) {
    const auto order = [&](const HorovodTrace::Phase* phase) {
      return std::tuple{phase->start, part_of(trace.names[phase->name]), phase->duration};
    };
    std::stable_sort(phases.begin(), phases.end(), [&](auto* a, auto* b) { return order(a) < order(b); });
    std::set<std::string_view> seen;  // names of phases in this round
    RoundPart last = RoundPart::kCopyOut;
    for (const HorovodTrace::Phase* phase : phases) {
      const std::string& name = trace.names[phase->name];
      const RoundPart part = part_of(name);
      if (seen.empty() || part < last || seen.contains(name)) {
        units_.push_back({ids, {}, {}, Time::max()});
        seen.clear();
      }
      seen.insert(name);
      last = part;
      units_.back().add({name, part, phase->start, phase->start + phase->duration});
    }
  }

  void index_units() {
    units_of_.resize(out_.stages.tensors.size());
    for (std::size_t i = 0; i < units_.size(); ++i) {
      for (const std::uint32_t tensor : units_[i].tensors) units_of_[tensor].push_back(i);
    }
    for (auto& units : units_of_)
      std::sort(units.begin(), units.end(), [&](auto a, auto b) { return units_[a].begin < units_[b].begin; });
    joined_.resize(units_.size());
    std::iota(joined_.begin(), joined_.end(), std::size_t{0});
  }

  void add_chunks(const ChunkTrace& trace) {
    std::vector<std::vector<const ChunkEvent*>> by_name(trace.tensors.size());
    for (const ChunkEvent& chunk : trace.events) by_name[chunk.tensor].push_back(&chunk);
    for (std::size_t i = 0; i < by_name.size(); ++i) {
      std::stable_sort(by_name[i].begin(), by_name[i].end(), [](auto* a, auto* b) { return a->start < b->start; });
      const std::set<std::uint32_t> ids = ids_of(trace.tensors[i]);
      units_of_.resize(out_.stages.tensors.size());
      const bool known = std::any_of(ids.begin(), ids.end(), [&](auto id) { return !units_of_[id].empty(); });
      known ? add_to_rounds(ids, by_name[i]) : make_rounds(ids, by_name[i]);
    }
  }

  void add_to_rounds(const std::set<std::uint32_t>& ids, const std::vector<const ChunkEvent*>& chunks) {
    for (const ChunkEvent* chunk : chunks) {
      std::optional<std::size_t> home;
      for (const std::uint32_t id : ids) {
        const auto& units = units_of_[id];
        const auto next = std::upper_bound(units.begin(), units.end(), chunk->start,
                                           [&](Time time, std::size_t unit) { return time < units_[unit].begin; });
        if (next == units.begin()) continue;
        if (home.has_value()) join(*home, *(next - 1));
        if (!home.has_value()) home = *(next - 1);
      }
      if (home.has_value()) {
        units_[*home].chunks.push_back(*chunk);
      } else {
        diagnostics_.count(diagnostic("chunk_outside_rounds"), {parts_.folder, {}, {}});
      }
    }
  }

  /// Finds rounds without Horovod's timeline: a new round begins when a chunk occurs again.
  void make_rounds(const std::set<std::uint32_t>& ids, const std::vector<const ChunkEvent*>& chunks) {
    std::set<std::tuple<bool, int, int, int, int>> seen;
    for (const ChunkEvent* chunk : chunks) {
      const bool added = seen.emplace(chunk->send, chunk->loop, chunk->channel, chunk->chunk, chunk->slice).second;
      if (!added || seen.size() == 1) {
        if (!added) seen = {{chunk->send, chunk->loop, chunk->channel, chunk->chunk, chunk->slice}};
        joined_.push_back(units_.size());
        units_.push_back({ids, {}, {}, chunk->start});
      }
      units_.back().chunks.push_back(*chunk);
    }
  }

  void join_by_sync() {
    std::map<Time, std::size_t> at;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      for (const Round::Phase& phase : units_[i].phases) {
        if (phase.name != "Sync") continue;
        const auto [slot, added] = at.try_emplace(phase.start, i);
        if (!added) join(slot->second, i);
      }
    }
  }

  [[nodiscard]] std::size_t root(std::size_t unit) {
    while (joined_[unit] != unit) unit = joined_[unit] = joined_[joined_[unit]];
    return unit;
  }

  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    joined_[std::max(a, b)] = std::min(a, b);
  }

  /// Makes one Round of each set of joined units, and enters it as Stage::kTotal of its tensors.
  void collect_rounds() {
    std::map<std::size_t, Unit> whole;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      Unit& unit = whole[root(i)];
      unit.tensors.insert(units_[i].tensors.begin(), units_[i].tensors.end());
      unit.begin = std::min(unit.begin, units_[i].begin);
      for (Round::Phase& phase : units_[i].phases) unit.phases.push_back(std::move(phase));
      unit.chunks.insert(unit.chunks.end(), units_[i].chunks.begin(), units_[i].chunks.end());
    }
    for (auto& [first, unit] : whole) out_.rounds.push_back(round_of(std::move(unit)));
    std::stable_sort(out_.rounds.begin(), out_.rounds.end(), [](const Round& a, const Round& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    for (const Round& round : out_.rounds) {
      for (const std::uint32_t tensor : round.tensors)
        out_.stages.events.push_back({tensor, Stage::kTotal, -1, 0, round.begin, round.end - round.begin});
    }
    out_.stages.processes = {""};
  }

  [[nodiscard]] Round round_of(Unit unit) const {
    Round round;
    round.tensors.assign(unit.tensors.begin(), unit.tensors.end());
    const auto& names = out_.stages.tensors;
    std::sort(round.tensors.begin(), round.tensors.end(),
              [&](auto a, auto b) { return natural_less(names[a], names[b]); });
    for (const std::uint32_t tensor : round.tensors) {
      if (!round.group.empty()) round.group += '+';
      round.group += names[tensor];
    }
    round.begin = round.end = unit.begin;
    round.phases = merge_phases_by_name(std::move(unit.phases));
    round.chunks = std::move(unit.chunks);
    std::stable_sort(round.chunks.begin(), round.chunks.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
    for (const Round::Phase& phase : round.phases) round.end = std::max(round.end, phase.finish);
    for (const ChunkEvent& chunk : round.chunks) round.end = std::max(round.end, chunk.start + chunk.duration);
    return round;
  }

  /// Merges phases of the same name. Horovod records a phase once for each fused tensor, but it happened once, from the
  /// first begin to the last end.
  static std::vector<Round::Phase> merge_phases_by_name(std::vector<Round::Phase> recorded) {
    std::vector<Round::Phase> phases;
    std::map<std::string, std::size_t> places;
    for (Round::Phase& phase : recorded) {
      const auto [place, added] = places.try_emplace(phase.name, phases.size());
      if (added) {
        phases.push_back(std::move(phase));
        continue;
      }
      Round::Phase& known = phases[place->second];
      known.start = std::min(known.start, phase.start);
      known.finish = std::max(known.finish, phase.finish);
    }
    std::stable_sort(phases.begin(), phases.end(), [](const Round::Phase& a, const Round::Phase& b) {
      return std::tie(a.part, a.start) < std::tie(b.part, b.start);
    });
    return phases;
  }

  const GpuParts& parts_;
  Diagnostics& diagnostics_;
  GpuRounds out_;
  std::map<std::string, std::uint32_t> tensors_;
  std::vector<Unit> units_;
  std::vector<std::vector<std::size_t>> units_of_;  // units of each tensor, by begin
  std::vector<std::size_t> joined_;                 // union-find parents, by unit
};

}  // namespace

const Round::Phase* Round::find(RoundPart part) const noexcept {
  const auto found =
      std::find_if(phases.begin(), phases.end(), [part](const Phase& phase) { return phase.part == part; });
  return found == phases.end() ? nullptr : &*found;
}

GpuRounds rounds_of(const GpuParts& parts, Diagnostics& diagnostics) { return Division(parts, diagnostics).run(); }

void find_steps(GpuRounds& rounds, const RecordedGpu& gpu) {
  std::map<std::pair<std::uint32_t, Time>, std::size_t> chain_at;
  for (std::size_t i = 0; i < gpu.chains.size(); ++i)
    chain_at.try_emplace({gpu.chains[i].tensor, gpu.chains[i].stages.front().start}, i);
  for (Round& round : rounds.rounds) {
    for (const std::uint32_t tensor : round.tensors) {
      const auto chain = chain_at.find({tensor, round.begin});
      if (chain == chain_at.end()) continue;
      const std::int64_t step = gpu.chains[chain->second].step;
      if (round.step == kNoStep) round.step = step;
      if (round.step == step) round.chains.push_back(chain->second);
    }
  }
  std::erase_if(rounds.rounds, [](const Round& round) { return round.step == kNoStep; });
}

}  // namespace stepsim::ingest
