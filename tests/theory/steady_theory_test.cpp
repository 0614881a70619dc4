#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sim/analysis/steady.h"
#include "sim/engine/engine.h"
#include "tests/sim/stepped_job.h"

namespace stepsim::sim::steady_theory_test {
namespace {

using stepsim::testing::SteppedJob;

constexpr std::int64_t kCalls = 10;  // calls per step

Duration steady(const Capture& capture, const Machine& machine) {
  return steady_iteration(capture, replay(capture.dag, machine)).value().length;
}
Duration steady(const Capture& capture) { return steady(capture, Machine(capture.dag)); }

/// Returns steps of ten calls of `host` ns, each of which launches a kernel of `device` ns. If `queue` is not 0, the
/// launch queue has that many places: a call waits for the end of the kernel that was launched `queue` calls before.
Capture launching(int steps, std::int64_t host, std::int64_t device, std::size_t queue = 0) {
  SteppedJob job;
  std::vector<TaskId> kernels;
  for (int step = 0; step < steps; ++step) {
    for (std::int64_t i = 0; i < kCalls; ++i) {
      const TaskId call = job.call(step, host);
      if (queue > 0 && kernels.size() >= queue)
        job.builder().add_edge(kernels[kernels.size() - queue], call, EdgeKind::kSync);
      kernels.push_back(job.kernel(step, device, {call}));
    }
  }
  return job.capture();
}

TEST(SteadyTheoryTest, HostThatRunsAheadOfItsDeviceTakesTheSlowerOfTheTwo) {
  for (const int steps : {1, 2, 3}) {
    for (const std::int64_t host : {1, 20, 30}) {
      for (const std::int64_t device : {1, 20, 30})
        EXPECT_EQ(steady(launching(steps, host, device)), Duration{kCalls * std::max(host, device)}) << steps;
    }
  }
}

TEST(SteadyTheoryTest, HostThatRunsAheadOfItsDeviceTakesTheSlowerOfTheTwoAfterAnyChange) {
  for (const int steps : {1, 2, 3}) {
    const Capture capture = launching(steps, 30, 20);
    for (const std::int64_t host : {0, 3, 15, 60}) {
      for (const std::int64_t device : {0, 5, 20, 45}) {
        Machine machine(capture.dag);
        std::vector<Duration> durations;
        for (std::size_t i = 0; i < capture.dag.task_count(); ++i)
          durations.emplace_back(capture.dag.kind(TaskId{i}) == TaskKind::kKernel ? device : host);
        machine.set_durations(durations);
        EXPECT_EQ(steady(capture, machine), Duration{kCalls * std::max(host, device)}) << steps;
      }
    }
  }
}

TEST(SteadyTheoryTest, LaunchQueueThatFillsHoldsTheHostToThePaceOfItsDevice) {
  // Each call waits for the kernel that was launched `queue` calls before. This makes a cycle, which takes host +
  // device ns for every `queue` calls. With two or more places, this is less than `queue` times the slower of host and
  // device, so the slower one determines the pace.
  for (const int steps : {1, 2, 3, 5}) {
    for (const std::size_t queue : {2U, 4U, 15U}) {
      EXPECT_EQ(steady(launching(steps, 3, 20, queue)), Duration{kCalls * 20});
      EXPECT_EQ(steady(launching(steps, 20, 3, queue)), Duration{kCalls * 20});
    }
  }
  // With one place, each call waits for the previous kernel. A capture of a single step does not show that its first
  // call waits too.
  for (const int steps : {2, 3}) EXPECT_EQ(steady(launching(steps, 3, 20, 1)), Duration{kCalls * (3 + 20)});
}

TEST(SteadyTheoryTest, HostThatWaitsForEachStepTakesBoth) {
  // A step consists of calls of 4 ns that launch ten kernels of 20 ns, and a call of 7 ns that waits for the last
  // kernel.
  for (const int steps : {1, 2, 3}) {
    SteppedJob job;
    for (int step = 0; step < steps; ++step) {
      TaskId last;
      for (std::int64_t i = 0; i < kCalls; ++i) last = job.kernel(step, 20, {job.call(step, 4)});
      job.call(step, 7, {last});
    }
    EXPECT_EQ(steady(job.capture()), Duration{4 + kCalls * 20 + 7});
  }
}

TEST(SteadyTheoryTest, PipelineThatIsFullTakesItsSlowestStage) {
  // Five microbatches pass through stages of 30, 50 and 40 ns. The first step takes 5 * 50 + 30 + 40 ns to its end, and
  // each other step 5 * 50 ns more.
  constexpr int kMicrobatches = 5;
  for (const int steps : {1, 2, 3}) {
    SteppedJob job;
    for (int step = 0; step < steps; ++step) {
      for (int batch = 0; batch < kMicrobatches; ++batch) {
        const TaskId first = job.kernel(step, 30, {job.call(step, 1, {}, 0)}, 0);
        const TaskId second = job.kernel(step, 50, {job.call(step, 1, {}, 1), first}, 1);
        job.kernel(step, 40, {job.call(step, 1, {}, 2), second}, 2);
      }
    }
    const Capture capture = job.capture();
    EXPECT_EQ(steady(capture), Duration{kMicrobatches * 50});
  }
}

TEST(SteadyTheoryTest, RanksThatMeetTakeTheSlowestOne) {
  // In every step the ranks compute for 30 and 50 ns on their streams, and then take part in a collective of 8 ns on
  // the same streams.
  for (const int steps : {1, 2, 3}) {
    SteppedJob job;
    for (int step = 0; step < steps; ++step) {
      std::vector<TaskId> members;
      for (const Rank rank : {0, 1}) {
        job.kernel(step, 30 + 20 * rank, {job.call(step, 1, {}, rank)}, rank);
        members.push_back(job.kernel(step, 8, {job.call(step, 1, {}, rank)}, rank));
      }
      job.join({members[0], members[1]});
    }
    EXPECT_EQ(steady(job.capture()), Duration{50 + 8});
  }
}

/// Returns steps of 20 ns in which two ranks meet. They are late in turn: one has 17 ns of work, the other one 8 ns. A
/// collective of 3 ns follows.
Capture late_in_turn(int steps) {
  SteppedJob job;
  for (int step = 0; step < steps; ++step) {
    std::vector<TaskId> members;
    for (const Rank rank : {0, 1}) {
      job.kernel(step, step % 2 == rank ? 17 : 8, {job.call(step, 1, {}, rank)}, rank);
      members.push_back(job.kernel(step, 3, {job.call(step, 1, {}, rank)}, rank));
    }
    job.join({members[0], members[1]});
  }
  return job.capture();
}

TEST(SteadyTheoryTest, StepsOfEqualLengthCountAsOftenAsTheyOccur) {
  // Where a rank was late, it now has 8 ns of work like the other one: such steps take 11 ns. The others take 20 ns.
  for (const int steps : {2, 3, 4, 7, 8}) {
    const Capture capture = late_in_turn(steps);
    EXPECT_EQ(steady(capture), Duration{20});
    for (const Rank helped : {0, 1}) {
      Machine machine(capture.dag);
      std::vector<Duration> durations;
      for (const TaskId task : capture.dag.tasks()) {
        const Duration time = capture.dag.duration(task);
        durations.push_back(time == Duration{17} && capture.dag.lane(task).rank == helped ? Duration{8} : time);
      }
      machine.set_durations(durations);
      const int shorter = (steps + (helped == 0 ? 1 : 0)) / 2;
      EXPECT_EQ(steady(capture, machine), Duration{(11 * shorter + 20 * (steps - shorter)) / steps}) << steps;
    }
  }
}

/// Returns steps of two ranks with random times and a collective. Calls of the same step and of the next one wait for
/// kernels.
Capture random_job(std::mt19937& random) {
  const auto up_to = [&random](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>{0, most}(random);
  };
  SteppedJob job;
  std::vector<std::vector<TaskId>> kernels(2);
  for (int step = 0; step < 4; ++step) {
    std::vector<TaskId> members;
    for (const Rank rank : {0, 1}) {
      std::vector<TaskId>& mine = kernels[static_cast<std::size_t>(rank)];
      for (int i = 0; i < 6; ++i) {
        const TaskId call = job.call(step, up_to(40), {}, rank);
        if (!mine.empty() && up_to(3) == 0) {
          const std::int64_t back = up_to(std::min<std::int64_t>(5, static_cast<std::int64_t>(mine.size()) - 1));
          job.builder().add_edge(mine[mine.size() - 1 - static_cast<std::size_t>(back)], call, EdgeKind::kSync,
                                 Duration{up_to(5)});
        }
        mine.push_back(job.kernel(step, up_to(40), {call}, rank));
      }
      members.push_back(job.kernel(step, up_to(20), {job.call(step, up_to(5), {}, rank)}, rank));
      mine.push_back(members.back());
    }
    job.join({members[0], members[1]});
  }
  return job.capture();
}

TEST(SteadyTheoryTest, LessWorkNeverTakesLonger) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    const Capture capture = random_job(random);
    const TaskKind kind = trial % 2 == 0 ? TaskKind::kRuntime : TaskKind::kKernel;
    Duration before = steady(capture);
    for (const std::int64_t percent : {80, 40, 10, 0}) {
      std::vector<Duration> durations;
      for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
        const Duration recorded = capture.dag.duration(TaskId{i});
        durations.push_back(capture.dag.kind(TaskId{i}) == kind ? recorded * percent / 100 : recorded);
      }
      Machine machine(capture.dag);
      machine.set_durations(durations);
      const Duration after = steady(capture, machine);
      EXPECT_LE(after, before) << "trial " << trial << " at " << percent << " %";
      before = after;
    }
  }
}

}  // namespace
}  // namespace stepsim::sim::steady_theory_test
