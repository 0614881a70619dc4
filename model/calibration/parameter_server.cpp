#include "model/calibration/parameter_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/fit.h"
#include "model/base/median.h"
#include "model/base/text.h"
#include "model/cost/network/maxmin.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/topology.h"

namespace stepsim {
namespace {

/// Minimum number of pushes in a sample: with fewer, the first and last acknowledgements weigh too much.
constexpr std::size_t kEnoughPushes = 8;
/// If the measured rate exceeds job.yaml's by more than this factor, the difference is not a measurement error.
constexpr double kContradiction = 1.1;
/// With fewer contests (see SharingSeen) than this, the measured sharing may be chance, so it is listed as an
/// assumption. For example, three contests gave 0.44 for a job that shares fairly (1).
constexpr std::size_t kEnoughContests = 8;
/// Value of kSharing (maxmin.h) for TCP if the capture shows no contest. It is below 1 because a message that finds
/// another one under way begins with a small window. For the runs of docs/internals/test-data.md, anything from 0.25 to
/// 0.75 fits equally well (docs/internals/fidelity.md); fair sharing does not.
constexpr double kUsualSharing = 0.5;

using Pushes = std::vector<const PsStageRun*>;

/// Adds the rate, in bytes per second, of one period in which at least one push was always under way, unless the period
/// has too few pushes. Empties `busy`.
void add_rate(Pushes& busy, std::vector<double>& rates) {
  if (busy.size() >= kEnoughPushes) {
    std::stable_sort(busy.begin(), busy.end(),
                     [](const auto* a, const auto* b) { return a->run.finish < b->run.finish; });
    Bytes sum{};
    for (auto push = busy.begin() + 1; push != busy.end(); ++push) sum += (*push)->bytes;
    const Duration time = busy.back()->run.finish - busy.front()->run.finish;
    if (time > Duration{}) rates.push_back(1e9 * static_cast<double>(sum.count()) / static_cast<double>(time.count()));
  }
  busy.clear();
}

void add_rates(Pushes& pushes, std::vector<double>& rates) {
  std::stable_sort(pushes.begin(), pushes.end(),
                   [](const auto* a, const auto* b) { return a->run.start < b->run.start; });
  Pushes busy;
  Time until = Time::min();
  for (const PsStageRun* const push : pushes) {
    if (push->run.start > until) add_rate(busy, rates);
    busy.push_back(push);
    until = std::max(until, push->run.finish);
  }
  add_rate(busy, rates);
}

PushRate middle(const std::vector<double>& rates) {
  PushRate result{median(rates), rates.size(), 0};
  std::vector<double> errors;
  errors.reserve(rates.size());
  for (const double rate : rates) errors.push_back(std::abs(rate / result.bytes_per_second - 1));
  result.residual = median(std::move(errors));
  return result;
}

std::string rate_text(double bytes_per_second) { return to_text(Bandwidth::from_bytes_per_second(bytes_per_second)); }

Link link_of(const Job& job, const PushRate& seen, Calibration& result) {
  Link link{{}, job.bandwidth.value_or(Bandwidth{}), job.latency.value_or(kUsualLatency), kTcpEfficiency};
  const bool contradicted = seen.bytes_per_second > kContradiction * link.goodput().bytes_per_second();
  if (seen.samples > 0) {
    result.fits.push_back({"rate of pushes", rate_text(seen.bytes_per_second), seen.samples, seen.residual,
                           "pushes acknowledged while more were under way"});
  }
  if (!contradicted) {
    result.assumptions.push_back(
        {"job_file_bandwidth",
         fmt::format("Links have the bandwidth from job.yaml; {} of it is payload, as for TCP over Ethernet.",
                     kTcpEfficiency)});
    return link;
  }
  result.link_rate_error = rate_error(seen.residual, seen.samples);
  link.bandwidth = Bandwidth::from_bytes_per_second(seen.bytes_per_second);
  link.efficiency = 1;
  result.assumptions.push_back(
      {"push_bandwidth", job.bandwidth.has_value()
                             ? "Links have the sustained bandwidth of pushes, which is more than job.yaml's bandwidth."
                             : "Links have the sustained bandwidth of pushes; job.yaml gives no bandwidth."});
  return link;
}

/// Converts nanoseconds per byte to a rate in whole kilobytes per second, the resolution of the fit.
Bandwidth whole_rate(double slope) {
  return Bandwidth::from_bytes_per_second(std::max(1.0, std::round(1e6 / slope)) * 1e3);
}

void fit_copies(const PsWorkload& workload, Calibration& result) {
  const PsStageCosts costs = stage_costs(workload, true);
  const LineFit& up = costs[static_cast<std::size_t>(PsStage::kCopyToHost)].time;
  const LineFit& down = costs[static_cast<std::size_t>(PsStage::kCopyToDevice)].time;
  if (up.slope <= 0 || down.slope <= 0) return;
  HostRates& rates = result.cluster.rates;
  rates.copy_to_host = whole_rate(up.slope);
  rates.copy_to_device = whole_rate(down.slope);
  rates.copy_overhead = Duration{std::llround((up.intercept + down.intercept) / 2)};
  result.fits.push_back({"copies to the host", rate_text(1e9 / up.slope), up.samples, up.residual, "COPYD2H"});
  result.fits.push_back({"copies to the device", rate_text(1e9 / down.slope), down.samples, down.residual, "COPYH2D"});
  result.fits.push_back({"overhead of a copy", short_microseconds(rates.copy_overhead) + " us",
                         up.samples + down.samples, std::max(up.residual, down.residual),
                         "COPYD2H and COPYH2D, polling included"});
}

void fit_sharing(const PsWorkload& workload, const Link& link, Calibration& result) {
  const SharingSeen seen = sharing_of_pushes(workload, link.goodput());
  if (seen.samples == 0) {
    result.cluster.network.assume(kSharing, kUsualSharing);
    result.assumptions.push_back(
        {"link_sharing",
         fmt::format(
             "When two workers send over the same link, the later message gets {} of the bandwidth of the earlier "
             "one, as is typical for TCP; the capture does not show two workers pushing to only one server.",
             kUsualSharing)});
    return;
  }
  if (seen.samples < kEnoughContests) {
    result.cluster.network.assume(kSharing, seen.sharing);
    result.assumptions.push_back(
        {"link_sharing",
         fmt::format("When two workers send over the same link, the later message gets {:.2f} of the bandwidth of the "
                     "earlier one, as in {} of the capture, which is too few to be certain.",
                     seen.sharing, counted(seen.samples, "case"))});
  } else {
    result.cluster.network.set(kSharing, seen.sharing);
  }
  result.fits.push_back({"sharing of a link, 1 = fair", fmt::format("{:.2f}", seen.sharing), seen.samples,
                         seen.residual, "times in which two workers pushed to one server and to no other"});
}

}  // namespace

PushRate sustained_push_rate(const PsWorkload& workload) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pushes> of_worker;  // indexed by gpu and step
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pushes> of_server;  // indexed by server and step
  for (const PsStageRun& run : workload.stages) {
    if (run.stage != PsStage::kPush) continue;
    of_worker[{run.gpu, run.step}].push_back(&run);
    const auto server = server_of(run.key, workload.job);
    if (server.has_value()) of_server[{*server, run.step}].push_back(&run);
  }
  std::vector<double> out;
  std::vector<double> in;
  for (auto& [place, pushes] : of_worker) add_rates(pushes, out);
  for (auto& [place, pushes] : of_server) add_rates(pushes, in);
  return median(out) >= median(in) ? middle(out) : middle(in);
}

Calibration calibrate_parameter_server(const Capture& capture) {
  const PsWorkload& workload = *capture.parameter_server;
  const Job& job = workload.job;
  const PushRate seen = sustained_push_rate(workload);
  if (!job.bandwidth.has_value() && seen.samples == 0) return network_of_job_file(capture);
  Calibration result;
  const Link link = link_of(job, seen, result);
  (void)endpoint_count(capture);  // checks that the numbers in job.yaml are not absurd
  result.cluster = star(std::size_t{job.workers.value_or(1)} + job.servers.value_or(1), link);
  result.assumptions.push_back(
      {"one_switch", "Each worker and each server has one full-duplex link to a single switch."});
  if (!job.latency.has_value()) {
    result.assumptions.push_back({"link_latency", fmt::format("The latency of a link is {}; job.yaml does not give it.",
                                                              to_text(link.latency))});
  }
  result.assumptions.push_back(
      {"server_time", "Copying and summing on predicted servers takes no time, because no server was recorded."});
  fit_sharing(workload, link, result);
  fit_copies(workload, result);
  return result;
}

namespace {

/// The stages of one partition, step and GPU, indexed by stage.
using Chain = std::array<const PsStageRun*, kPsStages>;

std::uint32_t local_size(const PsWorkload& workload) { return std::max(1U, workload.job.local_size.value_or(1)); }

bool is_root(const PsWorkload& workload, std::uint32_t gpu) {
  const auto& gpus = workload.gpus;
  return gpu + 1 == gpus.size() || gpus[gpu + 1].worker != gpus[gpu].worker;
}

std::vector<Chain> chains_of(const PsWorkload& workload, bool on_roots) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, Chain> chains;
  for (const PsStageRun& run : workload.stages) {
    if (is_root(workload, run.gpu) == on_roots)
      chains[{run.gpu, run.step, run.key}][static_cast<std::size_t>(run.stage)] = &run;
  }
  std::vector<Chain> list;
  list.reserve(chains.size());
  for (const auto& [place, chain] : chains) list.push_back(chain);
  return list;
}

/// For each stage, the time when its thread finished the previous partition.
using ThreadFree = std::map<const PsStageRun*, Time>;

ThreadFree thread_free(const PsWorkload& workload) {
  std::map<std::pair<std::uint32_t, PsStage>, std::vector<const PsStageRun*>> rows;
  for (const PsStageRun& run : workload.stages) rows[{run.gpu, run.stage}].push_back(&run);
  ThreadFree free;
  for (auto& [row, runs] : rows) {
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto* a, const auto* b) { return a->run.start < b->run.start; });
    Time latest = Time::min();
    for (const PsStageRun* const run : runs) {
      free[run] = latest;
      latest = std::max(latest, run->run.finish);
    }
  }
  return free;
}

bool takes_turns(PsStage stage) noexcept { return stage == PsStage::kCopyToHost || stage == PsStage::kCopyToDevice; }

Duration median_duration(std::vector<double> values) { return Duration{std::llround(median(std::move(values)))}; }

}  // namespace

Duration PsStageCost::of(Bytes bytes) const noexcept {
  return Duration{std::llround(time.intercept + time.slope * static_cast<double>(bytes.count()))};
}

Bytes share_of(Bytes partition, std::uint32_t local_rank, std::uint32_t local_size) noexcept {
  constexpr std::int64_t kElement = 4;
  const std::int64_t share = partition.count() / kElement / local_size * kElement;
  return local_rank + 1 == local_size ? partition - Bytes{share * (std::int64_t{local_size} - 1)} : Bytes{share};
}

PsStageCosts stage_costs(const PsWorkload& workload, bool on_roots) {
  const ThreadFree free = thread_free(workload);
  std::array<std::vector<double>, kPsStages> sizes;
  std::array<std::vector<double>, kPsStages> times;
  std::array<std::vector<double>, kPsStages> waits;
  for (const Chain& chain : chains_of(workload, on_roots)) {
    const PsStageRun* before = nullptr;
    for (std::size_t stage = 0; stage < kPsStages; ++stage) {
      const PsStageRun* const run = chain[stage];
      if (run == nullptr) continue;
      const std::uint32_t rank = workload.gpus[run->gpu].local_rank;
      sizes[stage].push_back(static_cast<double>(share_of(run->bytes, rank, local_size(workload)).count()));
      times[stage].push_back(static_cast<double>((run->run.finish - run->run.start).count()));
      const bool kept =
          takes_turns(run->stage) && free.at(run) > (before == nullptr ? Time::min() : before->run.finish);
      if (before != nullptr && !kept)
        waits[stage].push_back(std::max(0.0, static_cast<double>((run->run.start - before->run.finish).count())));
      before = run;
    }
  }
  PsStageCosts costs;
  for (std::size_t stage = 0; stage < kPsStages; ++stage) {
    const bool network =
        stage == static_cast<std::size_t>(PsStage::kPush) || stage == static_cast<std::size_t>(PsStage::kPull);
    if (!network) costs[stage].time = fit_line(sizes[stage], times[stage]);
    costs[stage].hand_over = median_duration(std::move(waits[stage]));
  }
  return costs;
}

}  // namespace stepsim
