#include "model/collective/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "model/calibration/fit.h"
#include "model/collective/algorithm.h"

namespace stepsim {
namespace {

/// What goes over a rank's link, each way.
struct Load {
  double sent = 0;
  double received = 0;
  double messages = 0;  ///< one after the other

  Load& operator+=(const Load& other) {
    sent += other.sent;
    received += other.received;
    messages += other.messages;
    return *this;
  }
  [[nodiscard]] double bytes() const { return std::max(sent, received); }
};

/// A rank's part in one collective: when its link is busy with it, and what that carries.
struct Use {
  Time begin;
  Time end;
  Load load;
};

/// By member of the group.
std::vector<Load> loads_of(const CollectiveModel& model, const CollectiveShape& shape) {
  std::vector<Load> loads(shape.members);
  std::vector<Send> sends;
  for (std::uint32_t round = 0; round < model.rounds(shape); ++round) {
    for (std::uint32_t member = 0; member < shape.members; ++member) {
      sends.clear();
      model.sends(shape, member, round, sends);
      for (const Send& send : sends) {
        loads[member] += {static_cast<double>(send.bytes.count()), 0, 1};
        loads[send.to] += {0, static_cast<double>(send.bytes.count()), 0};
      }
    }
  }
  return loads;
}

std::vector<TaskId> by_rank(const Dag& dag, RendezvousId rendezvous) {
  std::vector<TaskId> group(dag.members(rendezvous).begin(), dag.members(rendezvous).end());
  std::stable_sort(group.begin(), group.end(), [&](TaskId a, TaskId b) { return dag.lane(a).rank < dag.lane(b).rank; });
  return group;
}

std::map<Rank, std::vector<Use>> uses_of(const Capture& capture) {
  const Dag& dag = capture.dag;
  std::map<Rank, std::vector<Use>> uses;
  for (std::size_t i = 0; i < dag.rendezvous_count(); ++i) {
    const Collective& collective = dag.collective(RendezvousId{i});
    const std::vector<TaskId> group = by_rank(dag, RendezvousId{i});
    const CollectiveShape shape{
        collective.op,      static_cast<std::uint32_t>(group.size()), collective.bytes, collective.root, 1,
        collective.buffered};
    const CollectiveModel* const model = model_for(shape, collective.algorithm);
    if (model == nullptr) continue;
    Time begin = Time::min();
    Time end = Time::min();
    for (const TaskId member : group) {
      begin = std::max(begin, capture.recording.start[member.index()]);
      end = std::max(end, capture.recording.finish[member.index()]);
    }
    const std::vector<Load> loads = loads_of(*model, shape);
    for (std::size_t member = 0; member < group.size(); ++member) {
      if (begin < end) uses[dag.lane(group[member]).rank].push_back({begin, end, loads[member]});
    }
  }
  return uses;
}

/// Uses that overlap, as one.
std::vector<Use> busy_periods(std::vector<Use> uses) {
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.begin < b.begin; });
  std::vector<Use> periods;
  for (const Use& use : uses) {
    if (periods.empty() || use.begin > periods.back().end) {
      periods.push_back(use);
      continue;
    }
    periods.back().end = std::max(periods.back().end, use.end);
    periods.back().load += use.load;
  }
  return periods;
}

struct Samples {
  std::vector<double> rows;  ///< bytes, messages
  std::vector<double> times;
};

Samples samples_of(const Capture& capture) {
  Samples samples;
  for (const auto& [rank, uses] : uses_of(capture)) {
    for (const Use& period : busy_periods(uses)) {
      if (period.load.bytes() <= 0) continue;
      const double weight = 1 / std::sqrt(period.load.bytes());
      samples.rows.insert(samples.rows.end(), {weight * period.load.bytes(), weight * period.load.messages});
      samples.times.push_back(weight * static_cast<double>((period.end - period.begin).count()));
    }
  }
  return samples;
}

/// Where the ranks are, and what of their links is known before anything is measured.
Calibration prior(const Capture& capture) {
  if (capture.job.bandwidth.has_value()) return network_of_job_file(capture);
  Calibration result;
  result.cluster = star(endpoint_count(capture),
                        {.name = {}, .bandwidth = {}, .latency = capture.job.latency.value_or(kUsualLatency)});
  result.assumptions = {"Every rank has one full-duplex link of its own to one switch."};
  return result;
}

void set_links(Cluster& cluster, Bandwidth goodput, Duration alpha) {
  for (Link& link : cluster.links) {
    if (link.bandwidth < goodput) link.bandwidth = goodput;
    link.efficiency = goodput.bytes_per_second() / link.bandwidth.bytes_per_second();
    if (alpha > Duration{}) link.latency = std::min(link.latency, alpha / 2);
  }
  if (cluster.links.empty()) return;
  cluster.network.message_overhead = std::max(Duration{}, alpha - 2 * cluster.links.front().latency);
}

}  // namespace

std::optional<Calibration> calibrate_collectives(const Capture& capture) {
  if (capture.recording.start.empty()) return std::nullopt;
  const Samples samples = samples_of(capture);
  if (samples.times.empty()) return std::nullopt;
  const SumFit fit = fit_sum(samples.rows, 2, samples.times);
  if (fit.coefficients[0] <= 0) return std::nullopt;
  const Bandwidth goodput = Bandwidth::from_bytes_per_second(std::round(1e9 / fit.coefficients[0]));
  const Duration alpha{std::llround(fit.coefficients[1])};

  Calibration result = prior(capture);
  std::erase_if(result.assumptions, [](const std::string& text) { return text.starts_with("A link carries"); });
  set_links(result.cluster, goodput, alpha);
  const std::string from = "what a rank's link carried while collectives were under way, and for how long";
  result.fits.push_back({"link goodput", to_text(goodput), fit.samples, fit.residual, from});
  if (alpha > Duration{})
    result.fits.push_back({"time of a message besides its bytes", to_text(alpha), fit.samples, fit.residual, from});
  return result;
}

}  // namespace stepsim
