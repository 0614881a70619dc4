#include "sim/engine/collective_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "model/base/error.h"
#include "model/base/units.h"
#include "model/cost/collective/nccl_times.h"
#include "model/job/group.h"
#include "sim/engine/replay_state.h"

namespace stepsim::sim {
namespace {

constexpr std::uint64_t kMostMessages = 250'000'000;  // a replay takes about five minutes to send this many

/// Returns the index of a free entry of `used`, or appends an entry.
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

constinit const NetworkParameterOf<bool> kCopiesEndTogether{{.default_value = false}};

bool CollectiveRuns::expands(RendezvousId rendezvous) {
  std::optional<Run> run = resolved(rendezvous);
  if (!run) return false;
  resolved_.insert_or_assign(rendezvous.value(), *std::move(run));
  return true;
}

/// Returns a run of the collective, or nothing if it does not run as messages. Members that were not captured and are
/// no copies are assumed to arrive with the last captured one.
std::optional<CollectiveRuns::Run> CollectiveRuns::resolved(RendezvousId rendezvous) {
  const Collective& collective = dag_.collective(rendezvous);
  if (collective.op == CollectiveOp::kUnknown || collective.bytes <= Bytes{}) return std::nullopt;
  if (!can_simulate_members(dag_, rendezvous)) return std::nullopt;
  const bool across_hosts = collective.op == CollectiveOp::kAllToAll && is_timed_as_whole(collective);
  Run run;
  const auto set_order = [&run](const Order& order) {
    run.group = order.group;
    if (order.places.empty()) return;
    for (WithTask& one : run.tasks) one.member = order.places[one.member];
    std::sort(run.tasks.begin(), run.tasks.end(),
              [](const WithTask& a, const WithTask& b) { return a.member < b.member; });
  };
  if (lists_members(dag_, rendezvous)) {
    const std::vector<Rank>& ranks = dag_.group(collective.group).ranks;
    for (const TaskId task : members_by_rank(dag_, rendezvous)) {
      const auto place = std::lower_bound(ranks.begin(), ranks.end(), dag_.lane(task).rank) - ranks.begin();
      run.tasks.push_back({static_cast<std::uint32_t>(place), task});
    }
    const Order& order = order_of_group(rendezvous, across_hosts);
    if (!order.copy_of.empty()) run.copy_of = &order.copy_of;
    set_order(order);
  } else {
    const std::vector<Member> members = members_of(dag_, rendezvous, cluster_);
    run.tasks.reserve(members.size());
    for (std::uint32_t member = 0; member < members.size(); ++member) {
      if (members[member].task.valid()) run.tasks.push_back({member, members[member].task});
    }
    set_order(order_of(members, across_hosts));
  }
  run.shape = shape_of(collective, run.group->members(), run.group->members_per_host());
  run.model = model_for(run.shape, collective.algorithm);
  if (run.model == nullptr) return std::nullopt;
  run.rounds = run.model->whole == nullptr ? run.model->rounds(run.shape) : run.shape.members > 1 ? 1 : 0;
  return run;
}

/// Returns the order of members that are given in order of rank: the same, or for `across_hosts` an order in which the
/// next one is on another host, if there is one.
CollectiveRuns::Order CollectiveRuns::order_of(const std::vector<Member>& members, bool across_hosts) {
  std::vector<EndpointId> endpoints;
  endpoints.reserve(members.size());
  for (const Member& member : members) endpoints.push_back(member.endpoint);
  Order order;
  if (across_hosts) order.places = places_across_hosts(endpoints);
  if (!order.places.empty()) {
    std::vector<EndpointId> turned(endpoints.size());
    for (std::size_t i = 0; i < endpoints.size(); ++i) turned[order.places[i]] = endpoints[i];
    endpoints = std::move(turned);
  }
  order.group = &groups_.of(endpoints);
  return order;
}

const CollectiveRuns::Order& CollectiveRuns::order_of_group(RendezvousId rendezvous, bool across_hosts) {
  const GroupId group = dag_.collective(rendezvous).group;
  const auto [slot, is_new] = orders_.try_emplace({group, across_hosts});
  if (!is_new) return slot->second;
  Order order = order_of(members_of(dag_, rendezvous, cluster_), across_hosts);
  order.copy_of = dag_.group(group).copy_of;
  if (!order.places.empty()) {
    for (std::size_t i = 0; i < order.copy_of.size(); ++i)
      order.copy_of[order.places[i]] = order.places[dag_.group(group).copy_of[i]];
  }
  slot->second = std::move(order);
  return slot->second;
}

/// Returns the places of members in an order in which the first member of each host comes first, then the second ones;
/// empty if all are on one host.
std::vector<std::uint32_t> CollectiveRuns::places_across_hosts(const std::vector<EndpointId>& endpoints) const {
  std::map<HostId, std::size_t> seen;
  std::vector<std::pair<std::size_t, std::size_t>> order;  // place on its host, and among the members
  for (std::size_t member = 0; member < endpoints.size(); ++member)
    order.emplace_back(seen[cluster_.endpoints[endpoints[member].index()].host]++, member);
  if (seen.size() < 2) return {};
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> places(order.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) places[order[place].second] = place;
  return places;
}

void CollectiveRuns::begin(RendezvousId rendezvous, Time now) {
  send_foreseen_messages(now);
  const std::uint32_t place = take_place(runs_, free_runs_);
  const auto resolved = resolved_.find(rendezvous.value());
  runs_[place] = std::move(resolved->second);
  resolved_.erase(resolved);
  if (!foresee(place, now)) begin_rounds(place, now);
}

// ---- collectives whose ends are computed in advance

/// Tries to compute in advance when each member of the run ends. Returns false if other messages may delay the run, or
/// if no formula gives the ends.
bool CollectiveRuns::foresee(std::uint32_t place, Time now) {
  Run& run = runs_[place];
  if (run.shape.members < 2) return false;
  const bool runs_alone = runs_.size() - free_runs_.size() == 1 && network_.is_idle(now);
  if (!independent_ && !(runs_alone && run.group->neighbours_share_nothing())) return false;
  if (!find_ends(run, now)) return false;
  run.foreseen.flight = take_place(flights_, free_flights_);
  flights_[run.foreseen.flight] = {.run = place, .kind = Flight::Kind::kForeseenEnd};
  known_.emplace_back(MessageId{kFirstOfCollectives + run.foreseen.flight}, run.foreseen.ends.front().time);
  if (!independent_) foreseen_run_ = place;
  return true;
}

/// Sets run.foreseen to the ends that members have if no other messages delay the run. Returns false if no formula
/// gives them.
bool CollectiveRuns::find_ends(Run& run, Time now) const {
  const Duration longest = (kEndOfTime - now) / (std::int64_t{run.rounds} + run.shape.members);
  Foreseen foreseen{.begun = now};
  if (run.model->whole != nullptr) {
    const Duration whole = time_whole(run);
    if (!run.group->time_to_neighbour(run.to_next) || whole >= longest) return false;
    for (std::uint32_t i = 0; i < run.tasks.size(); ++i) foreseen.ends.push_back({now + whole, i});
    run.foreseen = std::move(foreseen);
    return true;
  }
  if (run.model->ends == nullptr) return false;
  bool is_known = true;
  const std::vector<Duration> ends = run.model->ends(run.shape, [&](Bytes bytes) {
    const std::optional<Duration> time = run.group->time_to_neighbour(bytes);
    is_known = is_known && time && *time < longest;
    return is_known ? *time : Duration{};
  });
  if (!is_known) return false;
  const Duration last = *std::max_element(ends.begin(), ends.end());
  const bool together = end_together(run);
  const auto end_of = [&](std::uint32_t member) { return now + (together ? last : ends[member]); };
  if (run.copy_of != nullptr) check_copies(run, end_of);
  for (std::uint32_t i = 0; i < run.tasks.size(); ++i) foreseen.ends.push_back({end_of(run.tasks[i].member), i});
  foreseen.ends.push_back({now + last});
  std::stable_sort(foreseen.ends.begin(), foreseen.ends.end(),
                   [](const Foreseen::End& a, const Foreseen::End& b) { return a.time < b.time; });
  run.foreseen = std::move(foreseen);
  return true;
}

/// Reports all members that end by `now`, and announces when the next ones will end.
void CollectiveRuns::tell_ends(std::uint32_t flight, Time now) {
  Run& run = runs_[flights_[flight].run];
  Foreseen& foreseen = run.foreseen;
  for (; foreseen.told < foreseen.ends.size() && foreseen.ends[foreseen.told].time <= now; ++foreseen.told) {
    const std::uint32_t with_task = foreseen.ends[foreseen.told].with_task;
    if (with_task != Foreseen::kNoTask) done_.push_back(std::exchange(run.tasks[with_task].task, TaskId{}));
  }
  if (foreseen.told < foreseen.ends.size()) {
    known_.emplace_back(MessageId{kFirstOfCollectives + flight}, foreseen.ends[foreseen.told].time);
    return;
  }
  free_flights_.push_back(flight);
  if (!independent_) foreseen_run_.reset();
  free_runs_.push_back(flights_[flight].run);
}

void CollectiveRuns::send_foreseen_messages(Time now) {
  if (!foreseen_run_) return;
  const std::uint32_t place = *std::exchange(foreseen_run_, std::nullopt);
  const Foreseen foreseen = std::exchange(runs_[place].foreseen, {});
  flights_[foreseen.flight].kind = Flight::Kind::kVoid;
  begin_rounds(place, foreseen.begun);
  catch_up(now);
}

/// Processes all events of the network before `now`, in the order in which the engine would have done so. Arrivals that
/// are still pending are added to known().
void CollectiveRuns::catch_up(Time now) {
  using Arrival = std::pair<Time, MessageId>;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
  std::vector<Network::Notification> notifications;
  const auto take_known = [&] {
    for (const auto& [message, time] : std::exchange(known_, {})) arrivals.emplace(time, message);
  };
  Time before = Time::min();
  const auto advance = [&](Time time) {
    notifications.clear();
    network_.advance(time, notifications);
    guard_.advanced(std::exchange(before, time), time, notifications.size());
    for (const Network::Notification& one : notifications) {
      if (one.passage.arrived) arrivals.emplace(*one.passage.arrived, one.message);
    }
  };
  while (true) {
    take_known();
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw Interrupted();
    const Time from_network = network_.next();
    const Time time = std::min(from_network, arrivals.empty() ? Time::max() : arrivals.top().first);
    // At one instant, messages arrive first, then new messages start, then members continue. Therefore the network is
    // advanced up to and including `now`, but members continue here only at times before `now`.
    if (from_network == time && time <= now) advance(time);
    if (time >= now) break;
    while (!arrivals.empty() && arrivals.top().first <= time) {
      const MessageId message = arrivals.top().second;
      arrivals.pop();
      arrived(message, time);
      take_known();
    }
  }
  for (; !arrivals.empty(); arrivals.pop()) known_.emplace_back(arrivals.top().second, arrivals.top().first);
}

// ---- collectives timed as a whole

/// Returns how long a run takes if its library's cost model times it as a whole. Sets run.to_next to the bytes that
/// every member sends to the next one: the ring's traffic, or for an all-to-all over several hosts what leaves the
/// host, or as much of it as fits into that time. The rest of the time passes before the first byte and uses no link.
Duration CollectiveRuns::time_whole(Run& run) {
  CollectiveGroup& group = *run.group;
  const Duration whole = std::max(run.model->whole(run.shape, group.place()), group.longest_to_neighbour({}));
  double traffic = ring_traffic(run.shape.op, run.shape.members);
  if (run.shape.op == CollectiveOp::kAllToAll && group.place().hosts > 1) traffic = 1 - 1.0 / group.place().hosts;
  run.to_next = Bytes{std::llround(traffic * static_cast<double>(run.shape.bytes.count()))};
  const Duration over = group.longest_to_neighbour(run.to_next) - whole;
  const std::optional<Bandwidth> rate = group.least_to_neighbour();
  if (over > Duration{} && rate) {
    // Round down and subtract the bytes of one nanosecond: the message must not take longer than the whole collective.
    const double excess = (static_cast<double>(over.count()) + 1) / 1e9 * rate->bytes_per_second();
    run.to_next = Bytes{std::max<std::int64_t>(0, run.to_next.count() - std::llround(std::ceil(excess)))};
  }
  return std::max(whole, group.longest_to_neighbour(run.to_next));
}

// ---- collectives sent round by round

void CollectiveRuns::begin_rounds(std::uint32_t place, Time now) {
  Run& run = runs_[place];
  if (run.model->whole == nullptr || run.shape.members < 2) return begin_first_round(place, now);
  const Duration whole = time_whole(run);  // sets run.to_next
  const Duration before = whole - run.group->longest_to_neighbour(run.to_next);
  const std::uint32_t flight = take_place(flights_, free_flights_);
  flights_[flight] = {.run = place, .kind = Flight::Kind::kFirstRound};
  known_.emplace_back(MessageId{kFirstOfCollectives + flight}, later(now, before));
}

void CollectiveRuns::begin_first_round(std::uint32_t place, Time now) {
  Run& run = runs_[place];
  if (run.copy_of != nullptr && !fair_ && !copies_end_together_)
    throw CopiesDiffer("the network serves messages one after another, and copies send theirs at the same time");
  const std::uint32_t members = run.running = run.group->senders();
  run.members.assign(members, {});
  if (members < run.shape.members) {
    std::stable_sort(run.tasks.begin(), run.tasks.end(), [members](const WithTask& a, const WithTask& b) {
      return a.member % members < b.member % members;
    });
  }
  for (std::size_t i = run.tasks.size(); i > 0; --i) run.members[run.tasks[i - 1].member % members].first_task = i - 1;
  count_messages(run);
  for (std::uint32_t member = 0; member < members; ++member) enter_round(place, member, now);
  // Continue only after all members have entered: a round without messages would otherwise end the run too early.
  for (std::uint32_t member = 0; member < members; ++member) go_on(place, member, now);
}

/// True if all members end together, also if the messages of some take less time: those of a collective that is timed
/// as a whole, and copies of which the cluster says so.
bool CollectiveRuns::end_together(const Run& run) const {
  if (run.copy_of != nullptr && copies_end_together_) return true;
  return run.model->whole != nullptr && run.shape.op != CollectiveOp::kSendRecv;
}

/// Throws CopiesDiffer if a copy ends at another time than its original. Precondition: the run has copies.
void CollectiveRuns::check_copies(const Run& run, const std::function<Time(std::uint32_t member)>& end_of) {
  for (std::uint32_t member = 0; member < run.shape.members; ++member) {
    if (end_of(member) != end_of((*run.copy_of)[member]))
      throw CopiesDiffer("copies of a rank end a collective at another time than the rank itself");
  }
}

/// Counts the messages of a run. Throws UsageError if the replay sends too many: their number grows with the square of
/// the ranks, so a few bytes of settings could request any number.
void CollectiveRuns::count_messages(const Run& run) {
  messages_ += std::uint64_t{run.rounds} * run.group->senders();
  if (messages_ <= kMostMessages) return;
  throw UsageError(fmt::format(
      "a collective of {} ranks that does not have the network to itself brings the messages of a replay to {}; "
      "expected at most {}: fewer ranks",
      run.shape.members, messages_, kMostMessages));
}

/// Sends the messages of the member's current round and counts the messages that it waits for.
void CollectiveRuns::enter_round(std::uint32_t run_place, std::uint32_t member_place, Time now) {
  Run& run = runs_[run_place];
  MemberRun& member = run.members[member_place];
  if (member.round == run.rounds) return;
  const std::uint32_t round = member.round;
  sends_.clear();
  if (run.model->whole == nullptr) {
    run.model->sends(run.shape, member_place, round, sends_);
    member.waiting = run.model->receives(run.shape, member_place, round);
  } else {
    const bool one_way = run.shape.op == CollectiveOp::kSendRecv;
    if (!one_way || member_place == run.shape.root)
      sends_.push_back({(member_place + 1) % run.shape.members, run.to_next, {}});
    member.waiting = one_way && member_place == run.shape.root ? 0 : 1;
  }
  for (const Send& one : sends_) member.waiting += one.left_behind ? 0 : 1;
  std::erase_if(member.early, [&member, round](const auto& entry) {
    if (entry.first != round) return false;
    member.waiting -= entry.second;
    return true;
  });
  for (const Send& one : sends_) send({.run = run_place, .round = round, .from = member_place}, one, now);
}

/// Advances `member` through all rounds whose messages have arrived.
void CollectiveRuns::go_on(std::uint32_t run_place, std::uint32_t member_place, Time now) {
  Run& run = runs_[run_place];
  MemberRun& member = run.members[member_place];
  if (member.done) return;
  while (member.round < run.rounds && member.waiting == 0) {
    ++member.round;
    enter_round(run_place, member_place, now);
  }
  if (member.round < run.rounds) return;
  member.done = true;
  member.end = now;
  --run.running;
  const bool together = end_together(run);
  const std::uint32_t senders = run.group->senders();
  if (!together || run.running == 0) {
    for (std::size_t i = together ? 0 : member.first_task; i < run.tasks.size(); ++i) {
      if (!together && run.tasks[i].member % senders != member_place) break;
      if (run.tasks[i].task.valid()) done_.push_back(run.tasks[i].task);
    }
  }
  if (run.running > 0) return;
  if (together) {
    for (MemberRun& other : run.members) other.end = now;
  }
  if (run.copy_of != nullptr) check_copies(run, [&](std::uint32_t i) { return run.members[i % senders].end; });
  free_runs_.push_back(run_place);
}

/// Sends a message of the flight's member.
void CollectiveRuns::send(Flight flight, const Send& one, Time now) {
  CollectiveGroup& group = *runs_[flight.run].group;
  flight.to = one.to % group.senders();
  flight.left_behind = one.left_behind;
  const std::uint32_t place = take_place(flights_, free_flights_);
  flights_[place] = flight;
  const MessageId message{kFirstOfCollectives + place};
  const Bytes bytes = group.carried(flight.from, one.to, one.bytes);
  const Passage passage = network_.start(message, group.channel(flight.from, one.to), bytes, now);
  if (passage.arrived) known_.emplace_back(message, *passage.arrived);
}

void CollectiveRuns::count_received(const Flight& flight) {
  MemberRun& to = runs_[flight.run].members[flight.to];
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
  if (flight.kind == Flight::Kind::kForeseenEnd) return tell_ends(place, now);
  free_flights_.push_back(place);
  if (flight.kind == Flight::Kind::kVoid) return;
  if (flight.kind == Flight::Kind::kFirstRound) return begin_first_round(flight.run, now);
  if (!flight.left_behind) --runs_[flight.run].members[flight.from].waiting;
  count_received(flight);
  go_on(flight.run, flight.from, now);
  // The run still exists, because its receiver was not done: it waited for this message.
  go_on(flight.run, flight.to, now);
}

}  // namespace stepsim::sim
