#include "sim/engine/collective_runs.h"

#include <algorithm>

#include "sim/engine/message_ids.h"

namespace stepsim::sim {
namespace {

/// Takes a number that is free again, or the next new one of `used`.
template <class Entry>
std::uint32_t take_place(std::vector<Entry>& used, std::vector<std::uint32_t>& free_places) {
  if (free_places.empty()) {
    used.emplace_back();
    return static_cast<std::uint32_t>(used.size() - 1);
  }
  const std::uint32_t place = free_places.back();
  free_places.pop_back();
  return place;
}

}  // namespace

bool CollectiveRuns::expands(RendezvousId rendezvous) const {
  const Collective& collective = dag_.collective(rendezvous);
  const std::size_t present = dag_.members(rendezvous).size();
  const bool alone =
      present == 1 && collective.members <= std::min<std::size_t>(kMostAbsentMembers, cluster_.endpoints.size());
  if (present < collective.members && !alone) return false;
  return model_for(shape_of(rendezvous), collective.algorithm) != nullptr;
}

/// Members by rank; of one rank, by task. Around a member that is alone, the others of as many
/// neighbouring endpoints as the group has members: they come when it comes.
std::vector<CollectiveRuns::Member> CollectiveRuns::group_of(RendezvousId rendezvous) const {
  const auto members = dag_.members(rendezvous);
  const std::size_t size = dag_.collective(rendezvous).members;
  std::vector<Member> group;
  if (members.size() < size) {
    const std::size_t own = endpoint_of(members.front()).index();
    const std::size_t first = std::min(own - own % size, cluster_.endpoints.size() - size);
    for (std::size_t i = first; i < first + size; ++i)
      group.push_back({i == own ? members.front() : TaskId{}, EndpointId{i}});
    return group;
  }
  for (const TaskId task : members) group.push_back({task, endpoint_of(task)});
  std::stable_sort(group.begin(), group.end(), [this](const Member& a, const Member& b) {
    return dag_.lane(a.task).rank < dag_.lane(b.task).rank;
  });
  return group;
}

CollectiveShape CollectiveRuns::shape_of(RendezvousId rendezvous) const {
  const Collective& collective = dag_.collective(rendezvous);
  const std::vector<Member> group = group_of(rendezvous);
  const auto host_of = [this](const Member& member) { return cluster_.endpoints[member.endpoint.index()].host; };
  CollectiveShape shape{
      collective.op,      static_cast<std::uint32_t>(group.size()), collective.bytes, collective.root, 1,
      collective.buffered};
  if (collective.op == CollectiveOp::kUnknown) return shape;
  const auto other = std::find_if(group.begin(), group.end(),
                                  [&](const Member& member) { return host_of(member) != host_of(group.front()); });
  const auto on_first = static_cast<std::uint32_t>(other - group.begin());
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (host_of(group[i]) != host_of(group[i - i % on_first])) return shape;
  }
  shape.members_per_host = on_first;
  return shape;
}

void CollectiveRuns::begin(RendezvousId rendezvous, Time now) {
  const std::uint32_t place = take_place(runs_, free_runs_);
  Run& run = runs_[place];
  run.shape = shape_of(rendezvous);
  run.model = model_for(run.shape, dag_.collective(rendezvous).algorithm);
  run.rounds = run.model->rounds(run.shape);
  run.members = group_of(rendezvous);
  run.running = run.shape.members;
  for (std::uint32_t member = 0; member < run.shape.members; ++member) enter_round(place, member, now);
  // Only now, when all are in: a round without messages must not end the run under the others.
  for (std::uint32_t member = 0, members = run.shape.members; member < members; ++member) go_on(place, member, now);
}

/// Sends what `member` sends in its round, and counts what it waits for.
void CollectiveRuns::enter_round(std::uint32_t run_place, std::uint32_t member_place, Time now) {
  const Run& run = runs_[run_place];
  if (run.members[member_place].round == run.rounds) return;
  const std::uint32_t round = run.members[member_place].round;
  std::vector<Send> sends;
  run.model->sends(run.shape, member_place, round, sends);
  Member& member = runs_[run_place].members[member_place];
  member.waiting = run.model->receives(run.shape, member_place, round);
  for (const Send& one : sends) member.waiting += one.left_behind ? 0 : 1;
  std::erase_if(member.early, [&member, round](const auto& entry) {
    if (entry.first != round) return false;
    member.waiting -= entry.second;
    return true;
  });
  for (const Send& one : sends) send({run_place, round, member_place, one.to, one.left_behind}, one.bytes, now);
}

/// Takes `member` through the rounds that it waits for nothing in.
void CollectiveRuns::go_on(std::uint32_t run_place, std::uint32_t member_place, Time now) {
  const auto member = [&]() -> Member& { return runs_[run_place].members[member_place]; };
  const std::uint32_t rounds = runs_[run_place].rounds;
  if (member().done) return;
  while (member().round < rounds && member().waiting == 0) {
    ++member().round;
    enter_round(run_place, member_place, now);
  }
  if (member().round < rounds) return;
  if (member().task.valid()) done_.push_back(member().task);
  member().done = true;
  if (--runs_[run_place].running == 0) free_runs_.push_back(run_place);
}

void CollectiveRuns::send(const Flight& flight, Bytes bytes, Time now) {
  const std::uint32_t place = take_place(flights_, free_flights_);
  flights_[place] = flight;
  const std::vector<Member>& members = runs_[flight.run].members;
  const MessageId message{kFirstOfCollectives + place};
  const ChannelId channel =
      network_.channel(members[flight.from].endpoint, members[flight.to].endpoint, Latency::kFirst);
  const Passage passage = network_.start(message, channel, bytes, now);
  if (passage.arrived) known_.emplace_back(message, *passage.arrived);
}

void CollectiveRuns::count_received(const Flight& flight) {
  Member& to = runs_[flight.run].members[flight.to];
  if (to.round == flight.round) {
    --to.waiting;
    return;
  }
  const auto entry = std::find_if(to.early.begin(), to.early.end(),
                                  [&flight](const auto& early) { return early.first == flight.round; });
  if (entry == to.early.end()) {
    to.early.emplace_back(flight.round, 1);
  } else {
    ++entry->second;
  }
}

void CollectiveRuns::arrived(MessageId message, Time now) {
  const std::uint32_t place = message.value() - kFirstOfCollectives;
  const Flight flight = flights_[place];
  free_flights_.push_back(place);
  if (!flight.left_behind) --runs_[flight.run].members[flight.from].waiting;
  count_received(flight);
  go_on(flight.run, flight.from, now);
  // The sender may have been the last: then its receiver was done before, which cannot be,
  // since it waited for this message. So the run is still there.
  go_on(flight.run, flight.to, now);
}

}  // namespace stepsim::sim
