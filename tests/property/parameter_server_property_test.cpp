// Tests properties that every parameter-server job must have.

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "model/cost/network/network.h"
#include "sim/analysis/summary.h"
#include "sim/engine/engine.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"

namespace stepsim::testing {
namespace {

constexpr double kRate = 1e9;

struct Setting {
  Control control = Control::kInline;
  Barrier barrier = Barrier::kGlobal;
  Schedule schedule = Schedule::kFifo;
  std::int64_t credit = 0;
};

class PsJob : public ::testing::TestWithParam<Setting> {
 protected:
  static WorkloadMaker random_job(unsigned seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    WorkloadMaker maker;
    maker.workers = static_cast<std::uint32_t>(pick(1, 3));
    maker.servers = static_cast<std::uint32_t>(pick(1, 3));
    maker.local_size = static_cast<std::uint32_t>(pick(1, 2));
    maker.steps = 3;
    maker.copy = Duration{pick(1, 50'000)};
    maker.tensors.clear();
    for (std::int64_t i = pick(1, 6); i > 0; --i) maker.tensors.emplace_back(pick(0, 5'000'000));
    return maker;
  }

  static PsOptions options_of(const Capture& capture) {
    PsOptions options = as_captured(*capture.parameter_server);
    options.job.control = GetParam().control;
    options.job.barrier = GetParam().barrier;
    options.job.schedule = GetParam().schedule;
    options.job.credit_bytes = Bytes{GetParam().credit};
    return options;
  }

  static sim::Timeline replayed(const Capture& built) {
    sim::Machine machine = sim::Machine::as_recorded(built);
    machine.set_network(*find_network_model("maxmin"), *built.cluster);
    return sim::replay(built.dag, machine);
  }

  static Capture build(const Capture& capture, const PsOptions& options, double rate = kRate, Duration latency = {}) {
    const std::uint32_t endpoints = *options.job.workers + *options.job.servers;
    return build_parameter_server(capture, options, switch_of(endpoints, rate, latency));
  }

  static Duration iteration(const Capture& built) { return sim::summarize(built, replayed(built)).iteration.replayed; }
};

/// An iteration takes at least as long as its operators one after another, and at least as long as a link needs for the
/// bytes of all tensors. It takes at most as long as all operators, transfers and copies one after another.
TEST_P(PsJob, TakesAsLongAsItsWorkAndItsTransfers) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const WorkloadMaker maker = random_job(seed);
    const Capture capture = maker.capture();
    const Duration found = iteration(build(capture, options_of(capture)));
    const auto layers = static_cast<std::int64_t>(maker.tensors.size());
    const Duration work = layers * (kForward + kBackward) + kUpdate;
    Duration one_way{};
    std::int64_t partitions = 0;
    for (const Bytes tensor : maker.tensors) {
      one_way += Duration{tensor.count()};  // at kRate, a byte takes a nanosecond
      partitions += std::max<std::int64_t>(1, (tensor.count() + 999'999) / 1'000'000);
    }
    EXPECT_GE(found, std::max(work, one_way)) << "seed " << seed;
    const Duration transfers = 2 * static_cast<std::int64_t>(maker.workers) * one_way;
    const Duration copies = 2 * partitions * static_cast<std::int64_t>(maker.local_size) * maker.copy;
    EXPECT_LE(found, work + transfers + copies) << "seed " << seed;
  }
}

TEST_P(PsJob, DoesNotDependOnTheNamesOfItsWorkers) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Capture capture = random_job(seed).capture();
    const Capture job = build(capture, options_of(capture));
    PsWorkload renamed = *capture.parameter_server;
    for (PsGpu& gpu : renamed.gpus) gpu.host = "z" + std::to_string(100 - gpu.worker);
    capture.parameter_server = std::make_shared<const PsWorkload>(renamed);
    EXPECT_EQ(replayed(build(capture, options_of(capture))).finish, replayed(job).finish) << "seed " << seed;
  }
}

TEST_P(PsJob, IsTheSameUnderSettingsThatChangeNothing) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Capture capture = random_job(seed).capture();
    const PsOptions plain = options_of(capture);
    PsOptions neutral = plain;
    neutral.compute_scale.assign(*plain.job.workers, 1.0);
    neutral.job.server_threads = 1;
    neutral.job.key_hash = "djb2";
    EXPECT_EQ(replayed(build(capture, neutral)).finish, replayed(build(capture, plain)).finish) << "seed " << seed;
  }
}

TEST_P(PsJob, TakesTwiceAsLongWhereAllDurationsDoubleAndAllRatesHalve) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    WorkloadMaker maker = random_job(seed);
    const Capture capture = maker.capture();
    const Duration once = iteration(build(capture, options_of(capture), kRate, Duration{1'000}));
    maker.scale.assign(maker.workers, 2);
    maker.copy *= 2;
    const Capture slow = maker.capture();
    const Duration twice = iteration(build(slow, options_of(slow), kRate / 2, Duration{2'000}));
    EXPECT_NEAR(static_cast<double>(twice.count()), 2.0 * static_cast<double>(once.count()),
                1e-3 * static_cast<double>(once.count()))
        << "seed " << seed;
  }
}

TEST_P(PsJob, IsNotFasterWithMoreWorkersOnTheSameServers) {
  // With credit, more waiting may lead to a better order of messages, and so to a shorter step (Graham 1969).
  if (GetParam().credit > 0) GTEST_SKIP() << "does not hold where credit decides the order";
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Capture capture = random_job(seed).capture();
    PsOptions options = options_of(capture);
    Duration before{};
    for (const std::uint32_t workers : {1U, 2U, 4U, 8U}) {
      options.job.workers = workers;
      const Duration now = iteration(build(capture, options));
      EXPECT_GE(static_cast<double>(now.count()), 0.999 * static_cast<double>(before.count()))
          << "seed " << seed << ", " << workers << " workers";
      before = now;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, PsJob,
    ::testing::Values(Setting{}, Setting{Control::kFirst}, Setting{Control::kInline, Barrier::kCross},
                      Setting{Control::kFirst, Barrier::kCross, Schedule::kPriority, 1'000'000},
                      Setting{Control::kInline, Barrier::kGlobal, Schedule::kPriority, 2'000'000}));

}  // namespace
}  // namespace stepsim::testing
