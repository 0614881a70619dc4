#include "model/rewrite/parameter_server/job_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/parameter_server/server_rules.h"
#include "model/job/parameter_server/workload.h"

namespace stepsim {
namespace {

constexpr std::int64_t kMostPartitions = 65'536;  // the index of a partition is the lower 16 bits of its key
constexpr std::uint32_t kMostHosts = 100'000;
constexpr std::size_t kMostPushes = 1'000'000;  // each push needs about forty tasks, so this is about 3 GB in all

Duration compute_time(const PsGpu& gpu) {
  Duration sum{};
  for (const PsOperator& op : gpu.operators) sum += op.runs.front().finish - op.runs.front().start;
  return sum;
}

class Shaper {
 public:
  Shaper(const PsWorkload& workload, const PsOptions& options, const InputLocation& where)
      : workload_(workload), options_(options), job_(options.job), where_(where) {}

  [[nodiscard]] PsShape run() {
    if (!workload_.cannot_build.empty()) throw CannotAnswer(where_, workload_.cannot_build);
    shape_.workers = job_.workers.value_or(workload_.workers());
    shape_.servers = job_.servers.value_or(0);
    shape_.server_threads = std::max(1U, job_.server_threads.value_or(1));
    check_counts();
    check_gpus();
    choose_sources();
    cut();
    check_size();
    spread_over_threads();
    return std::move(shape_);
  }

 private:
  void check_counts() const {
    const bool too_many = shape_.workers > kMostHosts || shape_.servers > kMostHosts;
    if (shape_.workers == 0 || shape_.servers == 0 || too_many) {
      throw InputError(where_, fmt::format("the job has {} workers and {} servers; expected 1 to {} of each",
                                           shape_.workers, shape_.servers, kMostHosts));
    }
  }

  /// Checks that every worker has the same number of GPUs and that all GPUs have the same tensors.
  void check_gpus() {
    const auto& gpus = workload_.gpus;
    while (shape_.local_size < gpus.size() && gpus[shape_.local_size].worker == 0) ++shape_.local_size;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (gpus[i].opaque && job_.barrier == Barrier::kCross) {
        throw CannotAnswer(where_,
                           "without operators it is unknown which layer waits for which tensor; expected "
                           "bps_trace_final.json next to comm.json, or barrier: global");
      }
      if (shape_.local_size == 0 || gpus[i].worker != i / shape_.local_size || gpus.size() % shape_.local_size != 0)
        throw CannotAnswer(where_, "the job cannot be rebuilt: the capture lacks GPUs of some workers");
      const auto same = [](const PsTensor& a, const PsTensor& b) {
        return a.declared_key == b.declared_key && a.bytes == b.bytes;
      };
      if (!std::equal(gpus[i].tensors.begin(), gpus[i].tensors.end(), gpus[0].tensors.begin(), gpus[0].tensors.end(),
                      same))
        throw CannotAnswer(where_, "the job cannot be rebuilt: its GPUs did not push the same tensors");
    }
  }

  /// Workers that were not captured are copies of the worker with the median compute time.
  void choose_sources() {
    std::vector<std::uint32_t> order(workload_.workers());
    std::iota(order.begin(), order.end(), 0U);
    shape_.source = order;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return compute_time(workload_.gpus[std::size_t{a} * shape_.local_size]) <
             compute_time(workload_.gpus[std::size_t{b} * shape_.local_size]);
    });
    shape_.source.resize(shape_.workers, order[(order.size() - 1) / 2]);
  }

  void cut() {
    const std::vector<PsTensor>& tensors = workload_.gpus.front().tensors;
    const Bytes bound = partition_bound(job_);
    std::int32_t place = 0;
    for (std::uint32_t i = 0; i < tensors.size(); ++i) {
      const std::int64_t count = partition_count(tensors[i].bytes, bound);
      if (count > kMostPartitions) {
        throw InputError(where_, fmt::format("partitions of {} bytes divide {} into {} partitions; expected at most {}",
                                             bound.count(), tensors[i].name, count, kMostPartitions));
      }
      PsCut& cut = shape_.tensors.emplace_back(PsCut{i, {}});
      for (std::uint32_t part = 0; part < count; ++part) {
        const std::int64_t key = partition_key(tensors[i].declared_key, part);
        cut.partitions.push_back({part, key, *partition_size(tensors[i].bytes, bound, part), server(key), 0, place++});
      }
    }
    shape_.partitions = static_cast<std::uint32_t>(place);
    std::stable_sort(shape_.tensors.begin(), shape_.tensors.end(), [&](const PsCut& a, const PsCut& b) {
      return tensors[a.tensor].made_by.back() < tensors[b.tensor].made_by.back();
    });
  }

  /// Limits the size of the graph, because a few settings can ask for a graph of any size.
  void check_size() const {
    std::size_t partitions = 0;
    for (const PsCut& cut : shape_.tensors) partitions += cut.partitions.size();
    const std::size_t steps = workload_.steps.size() + options_.warm_up;
    const std::size_t pushes = partitions * shape_.workers * steps;
    if (pushes <= kMostPushes) return;
    throw InputError(where_, fmt::format("{} workers that push {} partitions in each of {} steps make {} pushes; "
                                         "expected at most {}: fewer workers, larger partitions or fewer --steps",
                                         shape_.workers, partitions, steps, pushes, kMostPushes));
  }

  [[nodiscard]] std::uint32_t server(std::int64_t key) const {
    const std::optional<std::uint32_t> server = server_of(key, job_);
    if (!server.has_value()) {
      throw InputError(where_, fmt::format("the rule '{}' does not determine the servers of keys for {} workers and {} "
                                           "servers; expected {} (mixed: with more servers than workers)",
                                           job_.key_hash.value_or(std::string(server_rules().front().name)),
                                           shape_.workers, shape_.servers, one_of(server_rule_names(true))));
    }
    return *server;
  }

  /// Assigns each partition to a thread of its server. A server assigns partitions in the order in which it first sees
  /// their keys. Here that is the order of the tensors, because a tensor is first pushed when it is first computed.
  void spread_over_threads() {
    std::vector<std::vector<PsPartition*>> of_server(shape_.servers);
    for (PsCut& cut : shape_.tensors) {
      for (PsPartition& partition : cut.partitions) of_server[partition.server].push_back(&partition);
    }
    for (const std::vector<PsPartition*>& keys : of_server) {
      std::vector<Bytes> sizes;
      sizes.reserve(keys.size());
      for (const PsPartition* const key : keys) sizes.push_back(key->bytes);
      const std::vector<std::uint32_t> threads = engine_threads(sizes, shape_.server_threads);
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i]->thread = threads[i];
    }
  }

  const PsWorkload& workload_;
  const PsOptions& options_;
  const Job& job_;
  const InputLocation& where_;
  PsShape shape_;
};

}  // namespace

PsShape shape_of(const PsWorkload& workload, const PsOptions& options, const InputLocation& where) {
  return Shaper(workload, options, where).run();
}

}  // namespace stepsim
