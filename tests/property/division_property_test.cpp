// Laws of divided jobs, in modelled steps of all families and in captures of one device (docs/internals/test-data.md).
// Sizes of modelled steps are those that shapes confuse: as many tokens as the model has features, heads or words, and
// one more or less. Expectations follow from the configuration of a model, and from its gradients for a capture.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/cost/device/accelerator.h"
#include "model/rewrite/parallel/divided_step.h"
#include "model/rewrite/parallel/step_memory.h"
#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/answer/memory_need.h"
#include "scenarios/search/plan_search.h"
#include "scenarios/search/plan_space.h"
#include "tests/nightly.h"
#include "tests/property/random_dag.h"
#include "tests/scenarios/divided_jobs.h"

namespace stepsim::division_property_test {
namespace {

using testing::Question;

// ---- jobs

struct Job {
  std::string name;
  Transformer model;
  TransformerRun run;

  [[nodiscard]] Capture capture(Duration host = Duration{5'000}) const {
    return testing::modelled_capture(model, run, host);
  }
  [[nodiscard]] std::uint32_t tokens() const { return run.samples * run.sequence; }
};

Transformer model_of(const TransformerFamily& family) {
  Transformer model = family.usual;
  model.layers = 4;
  model.hidden = 512;
  model.heads = 16;
  model.key_heads = model.gated ? 8 : model.heads;
  model.intermediate = model.gated ? 1408 : 4 * model.hidden;
  model.vocabulary = 2048;
  if (model.positions > 0) model.positions = 4096;
  return model;
}

/// Returns a job with so many tokens.
Job job_of(const TransformerFamily& family, std::uint32_t tokens, std::uint32_t samples = 1,
           Precision precision = Precision::kFloat16, bool flash = true) {
  const Transformer model = model_of(family);
  return {fmt::format("{} of {} x {} tokens in {} bits{}", family.name, samples, tokens / samples,
                      precision == Precision::kFloat16 ? 16 : 32, flash ? "" : ", attention without flash"),
          model,
          {.device = &accelerator_named("H100"),
           .sequence = tokens / samples,
           .samples = samples,
           .precision = precision,
           .flash = flash}};
}

/// Returns the numbers of tokens that equal another size of the model.
std::vector<std::uint32_t> equal_sizes(const Transformer& model) {
  return {model.heads, model.head_size(), model.hidden, model.intermediate, model.vocabulary};
}

std::vector<Job> jobs() {
  std::vector<Job> all;
  for (const TransformerFamily& family : transformer_families()) {
    for (const std::uint32_t size : equal_sizes(model_of(family))) {
      for (const std::uint32_t tokens : {size - 1, size, size + 1}) all.push_back(job_of(family, tokens));
    }
    const std::uint32_t hidden = model_of(family).hidden;
    for (const std::uint32_t tokens : {hidden, 2 * hidden}) {
      all.push_back(job_of(family, tokens, 2));
      all.push_back(job_of(family, tokens, 1, Precision::kFloat16, false));
      all.push_back(job_of(family, tokens, 1, Precision::kFloat32));
    }
  }
  return all;
}

/// Calls `check` with each modelled job.
template <class Check>
void for_each_job(Check check) {
  for (const Job& job : jobs()) {
    SCOPED_TRACE(job.name);
    check(job);
  }
}

/// A capture of a training step on one device.
struct Captured {
  std::string name;
  Capture capture;
};

const std::vector<Captured>& captures() {
  static const std::vector<Captured> all = [] {
    std::vector<Captured> found;
    for (const std::filesystem::path& path : testing::trace_files()) {
      try {
        Capture capture = ingest::load({path.string()}, {});
        if (capture.recording.ranks.size() == 1 && !capture.gradients.empty() && capture.dag.rendezvous_count() == 0)
          found.push_back({path.filename().string(), std::move(capture)});
      } catch (const std::exception&) {  // a trace that stands for no job
      }
    }
    if (!std::filesystem::exists(shared_folder() / "traces"))
      std::cout << "skipped: the captures of others are absent\n";
    return found;
  }();
  return all;
}

/// Calls `check` with each capture.
template <class Check>
void for_each_capture(Check check) {
  for (const Captured& one : captures()) {
    SCOPED_TRACE(one.name);
    check(one.capture);
  }
}

scenarios::Scenario scenario_of(const std::vector<std::string>& sets) {
  scenarios::Scenario scenario;
  for (const std::string& set : sets) scenarios::add_set(scenario, set);
  return scenario;
}

const std::vector<std::string> kHosts{"cluster.gpus_per_host=8", "cluster.inside=NVLink4", "cluster.nic=400Gb/s"};

/// Returns the changes, after those of the hosts.
scenarios::Scenario on_hosts(const std::vector<std::string>& sets) {
  std::vector<std::string> all = kHosts;
  all.insert(all.end(), sets.begin(), sets.end());
  return scenario_of(all);
}

std::optional<scenarios::Prediction> answer(const Question& asked, const scenarios::Scenario& scenario,
                                            std::string* problem = nullptr) {
  try {
    return asked.predicted(scenario);
  } catch (const std::exception& error) {
    if (problem != nullptr) *problem = error.what();
    return std::nullopt;
  }
}

// ---- memory

double as_double(Bytes bytes) { return static_cast<double>(bytes.count()); }

/// Returns the number of parameters of all experts.
double expert_parameters(const Transformer& model) {
  return double{1} * model.layers * model.experts * (model.gated ? 3 : 2) * model.hidden * model.intermediate;
}

/// Returns the number of parameters of which each tensor-parallel rank has all: norms, biases that are added after a
/// sum, positions, routers, experts (which only replicas divide), and the layer before that to the vocabulary.
double whole_parameters(const Transformer& model) {
  const double hidden = model.hidden;
  const double norm = (model.root_mean_square ? 1 : 2) * hidden;
  const double of_layer = 2 * norm + (model.biases ? 2 * hidden : 0) + hidden * model.experts;
  const double ends = norm + (model.positions + model.segments) * hidden;
  const double masked = model.masked ? hidden * hidden + norm + (model.biases ? hidden : 0) : 0;
  return model.layers * of_layer + ends + masked + expert_parameters(model);
}

/// Returns the bytes of Adam's states of a parameter: two in 32 bits, and a copy in 32 bits of one with 16.
double state_bytes(const Job& job) { return job.run.precision == Precision::kFloat16 ? 12 : 8; }

TEST(DivisionPropertyTest, TheOptimizerOfAModelledStepHasTwelveBytesForEachParameter) {
  for_each_job([](const Job& job) {
    const StepMemory memory(job.capture());
    const double parameters = job.model.parameters();
    const auto optimizer = [&](const Parallelism& parallelism) {
      return as_double(memory.of(parallelism, 1, MemorySide::kUsual).optimizer);
    };
    const auto expect = [&](const Parallelism& parallelism, double of_rank, const char* what) {
      EXPECT_NEAR(optimizer(parallelism) / (state_bytes(job) * of_rank), 1, 1e-6) << what;
    };
    expect({}, parameters, "one device");
    expect({.data = 8}, parameters, "replicas");
    for (const std::uint32_t zero : {1U, 2U, 3U}) expect({.data = 8, .zero = zero}, parameters / 8, "zero");
    const double whole = whole_parameters(job.model);
    expect({.tensor = 2}, whole + (parameters - whole) / 2, "tensor");
    expect({.tensor = 4, .sequence = true}, whole + (parameters - whole) / 4, "tensor and sequence");
    expect({.data = 8, .tensor = 2, .zero = 1}, (whole + (parameters - whole) / 2) / 8, "tensor and zero");
  });
}

TEST(DivisionPropertyTest, AStageHasTheOptimizerOfItsLayers) {
  for_each_job([](const Job& job) {
    const StepMemory memory(job.capture());
    const Transformer& model = job.model;
    Transformer none = model;
    none.layers = 0;
    const double of_layer = (model.parameters() - none.parameters()) / model.layers;
    const double words = double{1} * model.vocabulary * model.hidden;
    const double before = words + double{1} * (model.positions + model.segments) * model.hidden +
                          (model.masked ? 2 * model.hidden : 0);                 // BERT's norm follows the lookups
    const double after = none.parameters() - before + (model.tied ? words : 0);  // each end has the table
    const double optimizer = as_double(memory.of({.pipeline = 2, .split = {3, 1}}, 1, MemorySide::kUsual).optimizer);
    const double first = state_bytes(job) * (before + 3 * of_layer);
    const double last = state_bytes(job) * (after + of_layer);
    EXPECT_TRUE(std::abs(optimizer / first - 1) < 1e-6 || std::abs(optimizer / last - 1) < 1e-6)
        << optimizer << " is neither " << first << " nor " << last;
  });
}

TEST(DivisionPropertyTest, ReplicasOfACapturedStepDivideTheOptimizer) {
  std::size_t answers = 0;
  for_each_capture([&answers](const Capture& capture) {
    std::optional<StepMemory> memory;
    try {
      memory.emplace(capture);
    } catch (const CannotAnswer&) {
      return;
    }
    ++answers;
    double gradients = 0;
    for (const auto& [index, step] : gradients_of_steps(capture)) {
      double bytes = 0;
      for (const Gradient& gradient : step.gradients) bytes += as_double(gradient.bytes);
      gradients = std::max(gradients, bytes);
    }
    std::int64_t element = 4;  // bytes of an element of the parameters, if the capture shows it
    for (const auto& op : capture.operators.operators) {
      if (op.name.ends_with("AccumulateGrad") && !op.inputs.empty()) element = op.inputs.front().element_bytes;
    }
    const double states =
        (memory->optimizer().usual + (element < 4 ? 1 : 0)) * 4 * gradients / static_cast<double>(element);
    for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) {
      const Bytes optimizer = memory->of({.data = 8, .zero = zero}, 1, MemorySide::kUsual).optimizer;
      EXPECT_NEAR(as_double(optimizer) / (states / (zero > 0 ? 8 : 1)), 1, 0.02) << zero;
    }
  });
  EXPECT_GE(answers, 1U);
}

std::vector<Parallelism> divisions_of(const Transformer& model) {
  std::vector<Parallelism> all{{},
                               {.tensor = 2},
                               {.tensor = 2, .sequence = true},
                               {.tensor = 8, .sequence = true},
                               {.pipeline = 2},
                               {.data = 2, .tensor = 2, .pipeline = 2, .microbatches = 4},
                               {.pipeline = 2, .microbatches = 4, .interleave = 2},
                               {.microbatches = 4}};
  for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) all.push_back({.data = 64, .zero = zero});
  for (const Recompute recompute : {Recompute::kAttention, Recompute::kLayers, Recompute::kNeeded})
    all.push_back({.data = 2, .recompute = recompute});
  if (model.experts > 0) all.push_back({.data = 4, .expert = 4});
  return all;
}

TEST(DivisionPropertyTest, AnotherTokenChangesMemoryByLessThanAHundredth) {
  for (const TransformerFamily& family : transformer_families()) {
    for (const std::uint32_t size : equal_sizes(model_of(family))) {
      for (const bool flash : {true, false}) {
        std::vector<Capture> captures;
        for (const std::uint32_t tokens : {size - 1, size, size + 1})
          captures.push_back(job_of(family, tokens, 1, Precision::kFloat16, flash).capture());
        std::array steps{DividedStep(captures[0]), DividedStep(captures[1]), DividedStep(captures[2])};
        for (const Parallelism& parallelism : divisions_of(family.usual)) {
          const auto total = [&](std::size_t which) {
            return as_double(steps[which].memory(parallelism, 1, MemorySide::kUsual).total());
          };
          const std::string what =
              fmt::format("{} of {} tokens{}: data {}, tensor {}, pipeline {}, zero {}, recompute {}", family.name,
                          size, flash ? "" : " without flash", parallelism.data, parallelism.tensor,
                          parallelism.pipeline, parallelism.zero, static_cast<int>(parallelism.recompute));
          // Activations grow at most with the square of the tokens. Of fewer than 200 tokens, one more can be more than
          // a hundredth of them, and where replicas divide parameters there is little else.
          const MemoryParts parts = steps[1].memory(parallelism, 1, MemorySide::kUsual);
          const double passing = as_double(parts.activations + parts.working) / as_double(parts.total());
          const double most = size < 200 ? std::max(0.01, 2 * passing / size) : 0.01;
          EXPECT_NEAR(total(0) / total(1), 1, most) << what;
          EXPECT_NEAR(total(2) / total(1), 1, most) << what;
        }
      }
    }
  }
}

// ---- time

struct Division {
  std::uint32_t data = 1;
  std::uint32_t tensor = 1;
  std::uint32_t pipeline = 1;
  std::uint32_t microbatches = 1;
  std::uint32_t zero = 0;
  std::string_view recompute = "none";
  std::uint32_t expert = 1;

  /// Returns the changes, with as many samples at once as captured.
  [[nodiscard]] std::string yaml() const {
    return fmt::format(
        "changes: [cluster: {{gpus_per_host: 8, inside: NVLink5, nic: 3200Gb/s}}, parallel: {{data: {}, tensor: {}, "
        "pipeline: {}, microbatches: {}, zero: {}, recompute: {}, expert: {}}}, batch: {{scale: {}}}]",
        data, tensor, pipeline, microbatches, zero, recompute, expert, microbatches);
  }
};

std::vector<Division> time_divisions(const Transformer& model) {
  std::vector<Division> all{{.tensor = 2},
                            {.tensor = 8},
                            {.pipeline = 2},
                            {.pipeline = 4, .microbatches = 8},
                            {.data = 64, .zero = 3},
                            {.data = 4, .tensor = 2, .pipeline = 2, .microbatches = 4},
                            {.data = 2, .pipeline = 2, .microbatches = 2, .zero = 3},
                            {.data = 8, .zero = 3, .recompute = "all"},
                            {.data = 4, .microbatches = 4},
                            {.data = 8, .recompute = "selective"}};
  for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) all.push_back({.data = 2, .zero = zero});
  if (model.experts > 0) all.push_back({.data = 4, .expert = 4});
  return all;
}

/// Returns the jobs of which many plans are asked: those with as many tokens as features, and one more.
std::vector<Job> few_jobs() {
  std::vector<Job> all;
  for (const TransformerFamily& family : transformer_families()) {
    const std::uint32_t hidden = model_of(family).hidden;
    for (const std::uint32_t tokens : {hidden, hidden + 1}) all.push_back(job_of(family, tokens));
    all.push_back(job_of(family, 16 * hidden, 4));
    all.push_back(job_of(family, 2 * hidden, 2, Precision::kFloat32, false));
  }
  return all;
}

TEST(DivisionPropertyTest, DevicesDoNoMoreThanTheirNumberTimesOneWithoutItsOptimizer) {
  for (const Job& job : few_jobs()) {
    const Question asked = testing::question_of_one_device(job.capture());
    const testing::OneDevice one = testing::on_one_device(asked, {});
    for (const Division& division : time_divisions(job.model)) {
      SCOPED_TRACE(job.name + ": " + division.yaml());
      std::string problem;
      const auto job_of_all = answer(asked, scenarios::parse_scenario(division.yaml(), "all.yaml"), &problem);
      ASSERT_TRUE(job_of_all) << problem;
      const double devices = double{1} * division.data * division.tensor * division.pipeline;
      const double steps = double{1} * division.data * division.microbatches;  // of one device, for as many samples
      const double most = devices / static_cast<double>((one.step - one.optimizer).count());
      EXPECT_LE(steps / static_cast<double>(job_of_all->iteration.count()) / most, 1.001);
    }
  }
}

TEST(DivisionPropertyTest, ReplicasExchangeAtLeastTheirGradients) {
  for (const Job& job : few_jobs()) {
    const Question asked = testing::question_of_one_device(job.capture());
    const double gradients = job.model.parameters() * (job.run.precision == Precision::kFloat16 ? 2 : 4);
    for (const Division& division : time_divisions(job.model)) {
      if (division.data == 1) continue;
      SCOPED_TRACE(job.name + ": " + division.yaml());
      const auto job_of_all = answer(asked, scenarios::parse_scenario(division.yaml(), "all.yaml"));
      ASSERT_TRUE(job_of_all);
      const testing::Exchanged exchanged = testing::exchanged_by_replicas(job_of_all->graph->dag);
      // A replica whose experts no other one has, keeps their gradients.
      const double experts =
          division.expert == 1 ? 0 : gradients * expert_parameters(job.model) / job.model.parameters();
      const double least = (gradients - experts) / division.tensor;
      EXPECT_GE(exchanged.reduced, least * (1 - 1e-6));
      EXPECT_GE(exchanged.gathered, (division.zero == 0 ? 0 : division.zero == 3 ? 2 : 1) * least * (1 - 1e-6));
    }
  }
}

/// Checks that more replicas are not faster. If they divide the optimizer's work, more of them save their shares of it.
void expect_replicas_not_faster(const Question& asked, std::size_t& answers) {
  const testing::OneDevice one = testing::on_one_device(asked, {});
  for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) {
    double before = 0;
    double optimizer_before = 0;
    for (const std::uint32_t data : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
      const auto job =
          answer(asked, on_hosts({fmt::format("parallel.data={}", data), fmt::format("parallel.zero={}", zero)}));
      if (!job) continue;
      ++answers;
      const auto step = static_cast<double>(job->iteration.count());
      const double optimizer = static_cast<double>(one.optimizer.count()) / (zero > 0 ? data : 1);
      EXPECT_GE(step * 1.000001, before - (optimizer_before - optimizer)) << data << " replicas, zero " << zero;
      before = step;
      optimizer_before = optimizer;
    }
  }
}

TEST(DivisionPropertyTest, MoreReplicasAreNeverFaster) {
  std::size_t answers = 0;
  for (const Job& job : few_jobs()) {
    SCOPED_TRACE(job.name);
    expect_replicas_not_faster(testing::question_of_one_device(job.capture()), answers);
  }
  for_each_capture([&answers](const Capture& capture) {
    expect_replicas_not_faster(testing::question_of_one_device(capture), answers);
  });
  EXPECT_GE(answers, few_jobs().size() * 28);
}

/// What an answer says: the step and the memory. Which change a refusal points to may depend on the order.
struct Answer {
  Duration step{};
  Bytes peak{};
  bool is_refused = false;
  friend bool operator==(const Answer&, const Answer&) = default;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << answer.step.count() << " ns, " << answer.peak.count() << " bytes"
             << (answer.is_refused ? ", refused" : "");
}

Answer answer_of(const Question& asked, const scenarios::MemoryNeeds& memory, const std::vector<std::string>& sets) {
  try {
    const scenarios::Scenario scenario = scenario_of(sets);
    scenarios::Plan plan = asked.predictor().plan();
    scenarios::apply_all(scenario.changes, plan);
    const auto need = memory.of(plan).need;
    return {asked.predictor().predict(plan).iteration, need ? need->peak.mid : Bytes{}};
  } catch (const std::exception&) {
    return {.is_refused = true};
  }
}

void expect_undone(const Question& asked) {
  const scenarios::MemoryNeeds memory(asked.predictor().plan().divided_step);
  const auto same = [&](const std::vector<std::string>& sets, const std::vector<std::string>& others) {
    EXPECT_EQ(answer_of(asked, memory, sets), answer_of(asked, memory, others))
        << fmt::format("{}", fmt::join(sets, " "));
  };
  same({"parallel.tensor=2", "parallel.tensor=1"}, {});
  same({"parallel.tensor=2", "parallel.tensor=1"}, {"parallel.tensor=1"});
  same({"parallel.tensor=2", "parallel.data=2", "parallel.tensor=1"}, {"parallel.data=2"});
  same({"parallel.data=2", "parallel.tensor=2", "device.to=A100", "parallel.tensor=1"},
       {"parallel.data=2", "device.to=A100"});
  same({"parallel.tensor=2", "parallel.sequence=true", "parallel.tensor=1", "parallel.sequence=false"}, {});
  same({"parallel.pipeline=2", "parallel.microbatches=2", "parallel.pipeline=1", "parallel.microbatches=1"}, {});
  same({"parallel.data=4", "parallel.zero=3", "parallel.zero=0"}, {"parallel.data=4"});
  same({"parallel.data=4", "parallel.zero=1", "parallel.data=1", "parallel.zero=0"}, {});
  same({"parallel.data=4", "parallel.expert=2", "parallel.expert=1"}, {"parallel.data=4"});
  same({"parallel.recompute=all", "parallel.recompute=none"}, {});
}

TEST(DivisionPropertyTest, ADivisionThatIsTakenBackChangesNothing) {
  for (const Job& job : few_jobs()) {
    SCOPED_TRACE(job.name);
    expect_undone(testing::question_of_one_device(job.capture()));
  }
  for_each_capture([](const Capture& capture) { expect_undone(testing::question_of_one_device(capture)); });
}

/// Checks orders of changes: as given, in reverse, and at random.
void expect_order_of_no_effect(const Question& asked, std::vector<std::string> sets) {
  std::mt19937 generator(testing::test_seed());
  const scenarios::MemoryNeeds memory(asked.predictor().plan().divided_step);
  const Answer first = answer_of(asked, memory, sets);
  std::reverse(sets.begin(), sets.end());
  for (unsigned i = 0; i < testing::seeds(10, 100); ++i, std::shuffle(sets.begin(), sets.end(), generator))
    EXPECT_EQ(answer_of(asked, memory, sets), first) << fmt::format("{}", fmt::join(sets, " "));
}

const std::vector<std::vector<std::string>> kMixed{
    {"parallel.tensor=2", "batch.scale=3", "precision.to=fp32", "device.to=A100", "compute.scale=1.3"},
    {"parallel.data=4", "parallel.zero=1", "batch.scale=2", "device.to=V100", "host.scale=0.7"},
    {"precision.to=fp8", "device.to=H100", "compute.scale=1.3", "straggler.factor=1.5"},
    {"parallel.data=4", "parallel.expert=2", "precision.to=fp32", "compute.scale=0.5", "compute.add=1us"}};

TEST(DivisionPropertyTest, TheOrderOfChangesHasNoEffect) {
  for (const Job& job : few_jobs()) {
    SCOPED_TRACE(job.name);
    const Question asked = testing::question_of_one_device(job.capture());
    for (const std::vector<std::string>& sets : kMixed) expect_order_of_no_effect(asked, sets);
  }
  for_each_capture([](const Capture& capture) {
    const Question asked = testing::question_of_one_device(capture);
    for (const std::vector<std::string>& sets : kMixed) expect_order_of_no_effect(asked, sets);
  });
}

// ---- plan

/// Returns a random plan of the devices, or fewer settings if some do not apply. It need not be possible.
std::vector<std::string> random_plan(std::mt19937& generator, std::uint32_t devices, std::uint32_t samples,
                                     std::uint32_t experts) {
  const auto one_of = [&generator](const std::vector<std::string>& values) {
    return values[generator() % values.size()];
  };
  const auto divisor = [&generator](std::uint32_t number) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 1; i <= number; ++i) {
      if (number % i == 0) all.push_back(i);
    }
    return all[generator() % all.size()];
  };
  const std::uint32_t tensor = divisor(devices);
  const std::uint32_t pipeline = divisor(devices / tensor);
  const std::uint32_t data = devices / tensor / pipeline;
  const std::uint32_t microbatches = std::min(1U << generator() % 5, std::max(1U, samples / data));
  std::vector<std::string> sets{fmt::format("parallel.tensor={}", tensor),
                                fmt::format("parallel.pipeline={}", pipeline), fmt::format("parallel.data={}", data),
                                fmt::format("parallel.microbatches={}", microbatches),
                                "parallel.recompute=" + one_of({"none", "all"})};
  if (tensor > 1) sets.push_back("parallel.sequence=" + one_of({"true", "false"}));
  if (pipeline > 1) sets.push_back("parallel.interleave=" + one_of({"1", "2"}));
  if (data > 1) {
    sets.push_back("parallel.zero=" + one_of({"0", "1", "2", "3"}));
    if (tensor == 1 && experts > 0) sets.push_back(fmt::format("parallel.expert={}", divisor(std::gcd(data, experts))));
  }
  return sets;
}

/// Returns the number of devices that divide a replica.
std::uint32_t divided_among(const std::vector<std::string>& sets) {
  const auto number = [](const std::string& set) {
    return static_cast<std::uint32_t>(std::stoul(set.substr(set.find('=') + 1)));
  };
  return number(sets[0]) * number(sets[1]);  // tensor, pipeline
}

/// Returns the fit of a plan; plans whose memory is not known fit.
scenarios::Fit fit_of(const std::optional<scenarios::MemoryNeed>& need) {
  return need ? need->fits().value_or(scenarios::Fit::kYes) : scenarios::Fit::kYes;
}

TEST(DivisionPropertyTest, NoRandomPlanBeatsTheBestOfTheSearch) {
  constexpr std::uint32_t kDevices = 8;
  constexpr std::uint32_t kSamples = 16;
  constexpr int kPlans = 200;
  std::mt19937 generator(testing::test_seed());
  for (const std::string_view family : {"llama", "mixtral"}) {
    for (const std::string nic : {"400Gb/s", "25Gb/s"}) {
      Job job = job_of(*find_transformer_family(family), 2048);
      const Question asked = testing::question_of_one_device(job.capture());
      asked.settings().interference = scenarios::usual_interference();
      const std::vector<std::string> hosts{"cluster.gpus_per_host=4", "cluster.inside=NVLink4", "cluster.nic=" + nic,
                                           "comm.bucket_bytes=25MiB"};
      scenarios::Scenario space = scenario_of(hosts);
      scenarios::add_set(space, "parallel.recompute=none,all");
      scenarios::add_set(space, "parallel.interleave=1,2");
      space = scenarios::with_plans(std::move(space), {.devices = {kDevices}, .gpus_per_host = 4, .batches = kSamples},
                                    scenarios::plan_limits(*asked.predictor().plan().divided_step));
      const scenarios::PlanFindings found = scenarios::PlanSearch(asked.predictor(), space, {}).run({}, {});
      const scenarios::Outcome& best = found.best.front().outcome;
      const scenarios::MemoryNeeds memory(asked.predictor().plan().divided_step);
      int answers = 0;
      for (int i = 0; i < 20 * kPlans && answers < kPlans; ++i) {
        const std::vector<std::string> sets = random_plan(generator, kDevices, kSamples, job.model.experts);
        SCOPED_TRACE(fmt::format("{} over {}, seed {}: {}", family, nic, testing::test_seed(), fmt::join(sets, " ")));
        try {
          const std::uint32_t data = kDevices / divided_among(sets);
          scenarios::Scenario scenario = scenario_of(hosts);
          scenarios::add_set(scenario, "batch.scale=" + fmt::format("{}", double{kSamples} / data));
          for (const std::string& set : sets) scenarios::add_set(scenario, set);
          scenarios::Plan plan = asked.predictor().plan();
          scenarios::apply_all(scenario.changes, plan);
          if (fit_of(memory.of(plan).need) > fit_of(best.memory)) continue;
          const auto step = static_cast<double>(asked.predictor().predict(plan).iteration.count());
          ++answers;
          EXPECT_GE(step * 1.001, static_cast<double>(best.iteration->mid.count()));
        } catch (const std::exception&) {  // a plan that is not possible
        }
      }
      EXPECT_EQ(answers, kPlans);
    }
  }
}

/// Devices that differ in their units, memories and caches. Nightly tests take all.
constexpr auto kFewDevices = std::to_array<std::string_view>(
    {"A100 SXM 40GB", "H100 SXM", "B200", "V100 SXM2", "L4", "RTX 5000 Ada", "RTX 4500 Ada", "MI300X", "MI355X"});

TEST(DivisionPropertyTest, AStepModelledForADeviceIsThatOfAnotherMovedToIt) {
  for (const TransformerFamily& family : transformer_families()) {
    for (const Precision precision : {Precision::kFloat16, Precision::kFloat32}) {
      std::vector<const Accelerator*> devices;
      std::vector<Question> questions;
      for (const Accelerator& device : accelerators()) {
        if (!testing::nightly() && std::find(kFewDevices.begin(), kFewDevices.end(), device.name) == kFewDevices.end())
          continue;
        Job job = job_of(family, 8192, 4, precision);
        job.model.hidden = 2048;
        job.model.intermediate = 4 * 2048;
        job.run.device = &device;
        // A product that leaves matrix units is not timed as one that never ran on them (roofline.cpp).
        if (!device.has_matrix_units(precision) && precision == Precision::kFloat16) continue;
        devices.push_back(&device);
        questions.push_back(testing::question_of_one_device(job.capture(Duration{1'000})));
      }
      for (std::size_t from = 0; from < devices.size(); ++from) {
        for (std::size_t to = 0; to < devices.size(); ++to) {
          const auto moved = answer(questions[from], scenario_of({fmt::format("device.to={}", devices[to]->name)}));
          ASSERT_TRUE(moved) << devices[to]->name;
          const double modelled = static_cast<double>(questions[to].iteration().count());
          EXPECT_NEAR(static_cast<double>(moved->iteration.count()) / modelled, 1, 0.03)
              << family.name << (precision == Precision::kFloat16 ? " in 16 bits" : " in 32 bits") << " from "
              << devices[from]->name << " to " << devices[to]->name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace stepsim::division_property_test
