// Compares a step's calls with what its configuration says: the work of their shapes with closed forms, the gradients
// with the parameters, and the times with what must hold on every device.
#include "model/transformer/transformer_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace stepsim::transformer_step_test {
namespace {

constexpr std::uint32_t kTokens = 64;

Transformer model_of(std::string_view family, std::uint32_t layers = 3) {
  Transformer model = find_transformer_family(family)->usual;
  model.layers = layers;
  model.hidden = 128;
  model.heads = 8;
  model.key_heads = model.gated ? 4 : 8;
  model.intermediate = model.gated ? 352 : 512;
  model.vocabulary = 1000;
  return model;
}

TransformerRun run_of(std::uint32_t samples = 1, std::uint32_t sequence = kTokens) {
  return {.device = &accelerator_named("A100"), .sequence = sequence, .samples = samples};
}

TransformerRun with_math(TransformerRun run) {
  run.flash = false;
  return run;
}

constexpr auto kFamilies = std::to_array<std::string_view>({"gpt", "mpt", "llama", "mixtral", "bert"});

Work work_of_call(const TransformerCall& call) { return work_of({call.name, call.inputs, {}, {}, {}}); }

double product_flops(const std::vector<TransformerCall>& calls, Pass pass) {
  double sum = 0;
  for (const TransformerCall& call : calls) {
    if (call.pass == pass) sum += work_of_call(call).flops;
  }
  return sum;
}

double elements(const TensorShape& tensor) { return tensor.bytes() / static_cast<double>(tensor.element_bytes); }

/// Returns the elements of all gradients that the backward pass accumulates.
double gradient_elements(const std::vector<TransformerCall>& calls) {
  double sum = 0;
  for (const TransformerCall& call : calls) {
    if (call.node == kAccumulation) sum += elements(call.inputs.front());
  }
  return sum;
}

double total_time(const std::vector<TransformerCall>& calls) {
  double sum = 0;
  for (const TransformerCall& call : calls) sum += call.nanoseconds;
  return sum;
}

std::ptrdiff_t calls_named(const std::vector<TransformerCall>& calls, std::string_view name) {
  return std::count_if(calls.begin(), calls.end(), [name](const TransformerCall& call) { return call.name == name; });
}

// ---- work

TEST(TransformerStepTest, ForwardProductsDoTheOperationsOfTheModel) {
  for (const std::string_view family : kFamilies) {
    const Transformer model = model_of(family);
    EXPECT_DOUBLE_EQ(product_flops(transformer_calls(model, run_of()), Pass::kForward), model.forward_flops(kTokens))
        << family << ", attention in one kernel";
    EXPECT_DOUBLE_EQ(product_flops(transformer_calls(model, with_math(run_of())), Pass::kForward),
                     model.forward_flops(kTokens))
        << family << ", attention by products";
    EXPECT_DOUBLE_EQ(product_flops(transformer_calls(model, run_of(4)), Pass::kForward),
                     4 * model.forward_flops(kTokens))
        << family << ", four samples";
  }
}

TEST(TransformerStepTest, BackwardProductsDoTwiceTheOperationsOfForwardOnes) {
  // Each product has two gradients of its size. Attention in one kernel computes the scores again: 5 products for 2.
  for (const std::string_view family : kFamilies) {
    const Transformer model = model_of(family);
    EXPECT_DOUBLE_EQ(product_flops(transformer_calls(model, with_math(run_of())), Pass::kBackward),
                     2 * model.forward_flops(kTokens))
        << family;
    const double product_of_attention = 2.0 * kTokens * kTokens * model.hidden;
    EXPECT_DOUBLE_EQ(product_flops(transformer_calls(model, run_of()), Pass::kBackward),
                     2 * model.forward_flops(kTokens) + model.layers * product_of_attention)
        << family;
  }
}

TEST(TransformerStepTest, ATokenPassesTwoOfMixtralsExperts) {
  // 64 tokens, 2 experts each, 8 experts: 16 rows for each. The batched products of a layer are
  // 8 x (16 x h) (h x 2 i) and 8 x (16 x i) (i x h), which is 2 h 3 i for each token and each of its experts.
  const Transformer model = model_of("mixtral", 1);
  double batched = 0;
  for (const TransformerCall& call : transformer_calls(model, run_of())) {
    if (call.pass == Pass::kForward && call.name == "aten::bmm") batched += work_of_call(call).flops;
  }
  EXPECT_DOUBLE_EQ(batched, kTokens * 2 * (2.0 * 128 * 3 * 352));
}

TEST(TransformerStepTest, ExpertsHaveAsManyRowsEach) {
  // 5 tokens pass 10 experts, so each of 8 experts gets at most 2.
  for (const TransformerCall& call : transformer_calls(model_of("mixtral", 1), run_of(1, 5))) {
    if (call.pass != Pass::kForward || call.name != "aten::bmm") continue;
    ASSERT_EQ(call.inputs[0].sizes.size(), 3U);
    EXPECT_EQ(call.inputs[0].sizes[0], 8);
    EXPECT_EQ(call.inputs[0].sizes[1], 2);
  }
}

// ---- parameters

TEST(TransformerStepTest, GradientsHaveTheElementsOfTheParameters) {
  for (const std::string_view family : kFamilies) {
    Transformer model = model_of(family);
    for (const bool tied : {true, false}) {
      model.tied = tied;
      EXPECT_DOUBLE_EQ(gradient_elements(transformer_calls(model, run_of())), model.parameters())
          << family << (tied ? ", tied" : ", not tied");
    }
  }
  Transformer experts = model_of("gpt");
  experts.experts = 4;
  experts.experts_of_token = 1;
  EXPECT_DOUBLE_EQ(gradient_elements(transformer_calls(experts, run_of())), experts.parameters()) << "gpt with experts";
}

TEST(TransformerStepTest, GradientsDoNotDependOnTheSamples) {
  const Transformer model = model_of("llama");
  EXPECT_DOUBLE_EQ(gradient_elements(transformer_calls(model, with_math(run_of(7, 33)))), model.parameters());
}

TEST(TransformerStepTest, TheUpdateReadsEachParameterOnce) {
  for (const std::string_view family : kFamilies) {
    const Transformer model = model_of(family);
    double updated = 0;
    for (const TransformerCall& call : transformer_calls(model, run_of())) {
      if (call.pass == Pass::kUpdate) updated += elements(call.inputs.front());
    }
    EXPECT_DOUBLE_EQ(updated, model.parameters()) << family;
  }
}

// Adam alone moves 28 bytes of a parameter, and the passes around it 34.
TEST(TransformerStepTest, AScaledLossAddsPassesToTheUpdateAlone) {
  TransformerRun scaled = run_of();
  scaled.scaled_loss = true;
  const std::vector<TransformerCall> before = transformer_calls(model_of("llama"), run_of());
  const std::vector<TransformerCall> after = transformer_calls(model_of("llama"), scaled);
  std::array<double, 2> update{};
  for (const TransformerCall& call : before) update[0] += call.pass == Pass::kUpdate ? call.nanoseconds : 0;
  for (const TransformerCall& call : after) update[1] += call.pass == Pass::kUpdate ? call.nanoseconds : 0;
  EXPECT_GT(update[1], update[0]);
  EXPECT_LE(update[1], update[0] * (28 + 34) / 28 * 1.01);
  for (std::size_t i = 0; before[i].pass != Pass::kUpdate; ++i)
    EXPECT_EQ(before[i].nanoseconds, after[i].nanoseconds) << before[i].name;
}

TEST(TransformerStepTest, ATensorParallelRankHasItsPartOfTheWeights) {
  // Megatron-LM divides the columns of the first layer of attention and of the feed-forward part, with their biases,
  // and the rows of the second, whose biases every rank has, as it has the norms and the positions. The vocabulary is
  // divided too.
  const Transformer model = model_of("gpt");
  const double h = model.hidden;
  for (const std::uint32_t ranks : {1U, 2U, 4U, 8U}) {
    TransformerRun run = run_of();
    run.tensor = ranks;
    const double t = ranks;
    const double layer = h * 3 * h / t + 3 * h / t + h / t * h + h + h * 4 * h / t + 4 * h / t + 4 * h / t * h + h;
    const double norms = 2 * 2 * h;
    EXPECT_DOUBLE_EQ(gradient_elements(transformer_calls(model, run)),
                     3 * (layer + norms) + 1000 / t * h + 2048 * h + 2 * h)
        << ranks;
  }
}

TEST(TransformerStepTest, TensorParallelRanksDivideTheProducts) {
  for (const std::string_view family : {"gpt", "llama"}) {
    const Transformer model = model_of(family);
    for (const std::uint32_t ranks : {2U, 4U}) {
      for (const bool flash : {true, false}) {
        TransformerRun run = run_of();
        run.tensor = ranks;
        run.flash = flash;
        EXPECT_DOUBLE_EQ(ranks * product_flops(transformer_calls(model, run), Pass::kForward),
                         model.forward_flops(kTokens))
            << family << " on " << ranks;
      }
    }
  }
}

TEST(TransformerStepTest, ATensorParallelRankKeepsAtLeastOneHeadOfTheKeys) {
  const Transformer model = model_of("llama");  // 4 heads of keys
  TransformerRun run = run_of();
  run.tensor = 8;
  const auto calls = transformer_calls(model, run);
  const auto attention = std::find_if(calls.begin(), calls.end(), [](const TransformerCall& call) {
    return call.name == "aten::_scaled_dot_product_flash_attention";
  });
  ASSERT_NE(attention, calls.end());
  EXPECT_EQ(attention->inputs[0].sizes, (std::vector<std::int64_t>{1, 1, kTokens, 16}));
  EXPECT_EQ(attention->inputs[1].sizes, (std::vector<std::int64_t>{1, 1, kTokens, 16}));
}

// ---- calls

TEST(TransformerStepTest, CallsAreInTheOrderOfAStep) {
  for (const std::string_view family : kFamilies) {
    const Transformer model = model_of(family);
    const auto calls = transformer_calls(model, run_of());
    EXPECT_TRUE(std::is_sorted(calls.begin(), calls.end(), [](const TransformerCall& a, const TransformerCall& b) {
      if (a.pass != b.pass) return a.pass < b.pass;
      return a.pass == Pass::kBackward ? a.part > b.part : a.part < b.part;
    })) << family;
    EXPECT_EQ(calls.front().part, 0U);
    for (const Pass pass : {Pass::kForward, Pass::kBackward}) {
      for (std::uint32_t part = 0; part <= model.layers + 1; ++part) {
        EXPECT_TRUE(std::any_of(calls.begin(), calls.end(),
                                [&](const TransformerCall& call) { return call.pass == pass && call.part == part; }))
            << family << ", part " << part;
      }
    }
    for (const TransformerCall& call : calls) EXPECT_EQ(call.node.empty(), call.pass != Pass::kBackward) << call.name;
  }
}

TEST(TransformerStepTest, LayersAreAlike) {
  const auto calls = transformer_calls(model_of("gpt"), run_of());
  std::array<std::vector<const TransformerCall*>, 2> layers;
  for (const TransformerCall& call : calls) {
    if (call.part == 1 || call.part == 3) layers[call.part == 3 ? 1 : 0].push_back(&call);
  }
  ASSERT_EQ(layers[0].size(), layers[1].size());
  for (std::size_t i = 0; i < layers[0].size(); ++i) {
    EXPECT_EQ(layers[0][i]->name, layers[1][i]->name);
    EXPECT_EQ(layers[0][i]->nanoseconds, layers[1][i]->nanoseconds);
  }
}

TEST(TransformerStepTest, EachKernelHasTheLimitOfItsWork) {
  for (const std::string_view family : kFamilies) {
    for (const bool flash : {true, false}) {
      for (const bool dropout : {true, false}) {
        Transformer model = model_of(family);
        model.dropout = dropout;
        TransformerRun run = run_of();
        run.flash = flash;
        for (const TransformerCall& call : transformer_calls(model, run)) {
          const Work work = work_of_call(call);
          const KernelClass kind = classify_kernel(call.kernel);
          EXPECT_NE(kind, KernelClass::kUnknown) << call.kernel;
          EXPECT_EQ(limit_of(kind), work.flops > 0 ? Limit::kFlops : Limit::kMemory)
              << call.name << ", " << call.kernel;
          EXPECT_EQ(kind == KernelClass::kOptimizer, call.pass == Pass::kUpdate) << call.name;
          EXPECT_GT(work.bytes, 0) << call.name << ": its shapes say nothing";
          EXPECT_GT(call.nanoseconds, 0) << call.name;
        }
      }
    }
  }
}

TEST(TransformerStepTest, DropoutIsAPassOverWhatLayersAddAndOverWeightsOfAttention) {
  Transformer model = model_of("gpt");
  model.dropout = false;
  const auto without = transformer_calls(model, with_math(run_of()));
  model.dropout = true;
  const auto with = transformer_calls(model, with_math(run_of()));
  EXPECT_EQ(calls_named(without, "aten::native_dropout"), 0);
  EXPECT_EQ(calls_named(with, "aten::native_dropout"), 3 * 3);
  EXPECT_EQ(calls_named(with, "aten::native_dropout_backward"), 3 * 3);
  EXPECT_EQ(with.size(), without.size() + 18);  // as many in both passes
  EXPECT_GT(total_time(with), total_time(without));
  EXPECT_EQ(calls_named(transformer_calls(model, run_of()), "aten::native_dropout"), 2 * 3)
      << "attention in one kernel drops out its weights itself";
}

TEST(TransformerStepTest, OnlyProductsAndPassesOf16BitsAreCast) {
  TransformerRun run = run_of();
  run.precision = Precision::kFloat32;
  const auto full = transformer_calls(model_of("gpt"), run);
  const auto half = transformer_calls(model_of("gpt"), run_of());
  EXPECT_EQ(calls_named(full, "aten::_to_copy"), 0);
  EXPECT_EQ(calls_named(half, "aten::_to_copy"), 2) << "the logits, and their gradients";
  for (const TransformerCall& call : full) {
    for (const TensorShape& input : call.inputs) {
      EXPECT_EQ(input.element_bytes, input.element == ElementKind::kOther ? 8 : 4) << call.name;
    }
  }
  for (const TransformerCall& call : half) {
    const Work work = work_of_call(call);
    if (work.flops > 0) {
      EXPECT_EQ(work.precision, Precision::kFloat16) << call.name;
    }
  }
}

// ---- times

TEST(TransformerStepTest, ProductsWithAnUnpaddedVocabularyTakeAboutTwiceAsLong) {
  // A row of 50,257 numbers of 16 bits does not end at a multiple of 16 bytes, one of 50,256 does. In fp32, whose
  // products do not use matrix units, it makes no difference.
  Transformer model = model_of("gpt", 1);
  model.hidden = 4096;
  const auto times = [&](std::uint32_t vocabulary, Precision precision) {
    model.vocabulary = vocabulary;
    TransformerRun run = run_of(4, 1024);
    run.precision = precision;
    EXPECT_EQ(is_unpadded(model, run), precision == Precision::kFloat16 && vocabulary == 50'257);
    double products = 0;
    double others = 0;
    for (const TransformerCall& call : transformer_calls(model, run))
      (call.name == "aten::mm" && call.part == 2 ? products : others) += call.nanoseconds;
    return std::pair{products, others};
  };
  for (const Precision precision : {Precision::kFloat16, Precision::kFloat32}) {
    const auto [products, others] = times(50'257, precision);
    const auto [padded, padded_others] = times(50'256, precision);
    EXPECT_NEAR(products / padded, precision == Precision::kFloat16 ? 1 / 0.45 : 1, 0.01);
    EXPECT_NEAR(others / padded_others, 1, 0.001);
  }
}

/// Returns the times of attention's kernels of one layer, forward and backward.
std::array<double, 2> attention_times(const TransformerRun& run) {
  std::array<double, 2> times{};
  for (const TransformerCall& call : transformer_calls(model_of("gpt", 1), run)) {
    if (call.kernel == "flash_attention_kernel") times[call.pass == Pass::kForward ? 0 : 1] = call.nanoseconds;
  }
  return times;
}

TEST(TransformerStepTest, LargeAttentionInOneKernelRunsAtItsShareOfTheProductsRate) {
  // 2 products of 2 b s^2 h operations, at 1.3 of the rate of products alone; 5 at 1.1 in the backward pass. With the
  // libraries of 2023, at 0.82 and 0.70 of the rate of a step's products.
  for (const std::string_view device : {"A100", "H100", "B200"}) {
    TransformerRun run = run_of(4, 8192);
    run.device = &accelerator_named(device);
    const double product = 2.0 * 4 * 8192 * 8192 * 128 * 1e9;
    const double rate = run.device->flops(Precision::kFloat16);
    const auto floor = static_cast<double>(run.device->floor.count());
    const std::array now = attention_times(run);
    EXPECT_NEAR(now[0], floor + 2 * product / (1.3 * rate), 1) << device;
    EXPECT_NEAR(now[1], floor + 5 * product / (1.1 * rate), 1) << device;
    run.early = true;
    const std::array early = attention_times(run);
    EXPECT_NEAR(early[0], floor + 2 * product / (0.82 * rate * run.device->early_step_share), 1) << device;
    EXPECT_NEAR(early[1], floor + 5 * product / (0.70 * rate * run.device->early_step_share), 1) << device;
  }
}

TEST(TransformerStepTest, NoCallIsFasterWithTheLibrariesOf2023) {
  for (const std::string_view device : {"V100", "A100", "H100", "B200"}) {
    TransformerRun run = run_of(2, 2048);
    run.device = &accelerator_named(device);
    const std::vector<TransformerCall> now = transformer_calls(model_of("llama", 1), run);
    run.early = true;
    const std::vector<TransformerCall> early = transformer_calls(model_of("llama", 1), run);
    ASSERT_EQ(now.size(), early.size());
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_GE(early[i].nanoseconds, now[i].nanoseconds) << now[i].name;
  }
}

TEST(TransformerStepTest, NoProductIsFasterThanTheRateOfAStep) {
  for (const auto& [device, early] : {std::pair{"V100", false}, {"A100", false}, {"H100", false}, {"H100", true}}) {
    TransformerRun run = run_of(8, 2048);
    run.device = &accelerator_named(device);
    run.early = early;
    const double share = early ? run.device->early_step_share : run.device->step_share;
    const double rate = run.device->flops(Precision::kFloat16) * share;
    for (const TransformerCall& call : transformer_calls(model_of("llama", 1), run)) {
      if (call.kernel == "gemm") {
        EXPECT_GE(call.nanoseconds, work_of_call(call).flops / rate * 1e9) << device << ", " << call.name;
      }
    }
  }
}

TEST(TransformerStepTest, TheUpdateMovesThirtyTwoBitCopiesAndMoments) {
  // Adam reads and writes the weight and two moments in fp32 (24 bytes), reads the gradient of 16 bits (2) and writes
  // the weight of 16 bits (2); with fp32 there is no copy, and the gradient has 4 bytes. 1 << 28 bytes are beyond every
  // cache.
  Transformer model = model_of("gpt", 1);
  model.vocabulary = 1U << 21U;
  for (const Precision precision : {Precision::kFloat16, Precision::kFloat32}) {
    TransformerRun run = run_of();
    run.precision = precision;
    const auto calls = transformer_calls(model, run);
    const double parameters = model.vocabulary * 128.0 + 2 * 128;
    EXPECT_NEAR(calls.back().nanoseconds,
                static_cast<double>(run.device->floor.count()) + 28 * parameters / run.device->bytes_per_second() * 1e9,
                1);
  }
}

TEST(TransformerStepTest, EachSampleMoreTakesMoreTime) {
  // As wide as real models. In narrow ones a product of few tiles is divided among more processors as soon as its inner
  // dimension allows it (product.cpp), so one sample more can take less time.
  for (const std::string_view family : kFamilies) {
    Transformer model = model_of(family, 1);
    model.hidden = 2048;
    model.heads = 16;
    model.intermediate = 5632;
    for (const bool flash : {true, false}) {
      double before = 0;
      for (std::uint32_t samples = 1; samples <= 20; ++samples) {
        TransformerRun run = run_of(samples, 1024);
        run.flash = flash;
        const double time = total_time(transformer_calls(model, run));
        EXPECT_GT(time, before) << family << ", " << samples << " samples";
        before = time;
      }
    }
  }
}

TEST(TransformerStepTest, MoreLayersAndTwiceTheTokensTakeMoreTime) {
  for (const std::string_view family : kFamilies) {
    for (const bool flash : {true, false}) {
      TransformerRun run = run_of();
      run.flash = flash;
      double before = 0;
      for (std::uint32_t layers = 1; layers <= 5; ++layers) {
        const double time = total_time(transformer_calls(model_of(family, layers), run));
        EXPECT_GT(time, before) << family << ", " << layers << " layers";
        before = time;
      }
      before = 0;
      for (run.sequence = 8; run.sequence <= 8192; run.sequence *= 2) {
        const double time = total_time(transformer_calls(model_of(family, 1), run));
        EXPECT_GT(time, before) << family << ", " << run.sequence << " tokens";
        before = time;
      }
      run.sequence = kTokens;
      before = 0;
      for (run.samples = 1; run.samples <= 256; run.samples *= 2) {
        const double time = total_time(transformer_calls(model_of(family, 1), run));
        EXPECT_GT(time, before) << family << ", " << run.samples << " samples";
        before = time;
      }
    }
  }
}

TEST(TransformerStepTest, ATensorParallelRankTakesLessTimeThanTheWholeModel) {
  const Transformer model = model_of("gpt");
  TransformerRun run = run_of(4, 1024);
  const double whole = total_time(transformer_calls(model, run));
  run.tensor = 4;
  const double part = total_time(transformer_calls(model, run));
  EXPECT_LT(part, whole);
  EXPECT_GT(part, whole / 4) << "each rank has all norms, and all starts of kernels";
}

// ---- measured times

/// Returns the times of each part.
std::vector<PartTimes> times_of(const std::vector<TransformerCall>& calls, std::size_t parts) {
  std::vector<PartTimes> times(parts);
  for (const TransformerCall& call : calls) {
    PartTimes& part = times[call.part];
    (call.pass == Pass::kForward    ? part.forward
     : call.pass == Pass::kBackward ? part.backward
                                    : part.update) += call.nanoseconds;
  }
  return times;
}

TEST(TransformerStepTest, EachPartTakesItsMeasuredTime) {
  for (const std::string_view family : kFamilies) {
    auto calls = transformer_calls(model_of(family), run_of());
    std::vector<PartTimes> measured;
    for (const double i : {1.0, 2.0, 3.0, 4.0, 5.0}) measured.push_back({1e5 * i, 3e5 * i + 7, 1e4 * i + 3});
    apply_measured(measured, calls);
    const std::vector<PartTimes> times = times_of(calls, measured.size());
    for (std::size_t part = 0; part < measured.size(); ++part) {
      EXPECT_NEAR(times[part].forward, measured[part].forward, 1e-6) << family << ", part " << part;
      EXPECT_NEAR(times[part].backward, measured[part].backward, 1e-6) << family << ", part " << part;
      EXPECT_NEAR(times[part].update, measured[part].update, 1e-6) << family << ", part " << part;
    }
  }
}

TEST(TransformerStepTest, KernelsOfAPartKeepTheirProportions) {
  const auto modelled = transformer_calls(model_of("gpt"), run_of());
  auto calls = modelled;
  const std::vector<PartTimes> own = times_of(modelled, 5);
  std::vector<PartTimes> twice = own;
  for (PartTimes& part : twice) part = {2 * part.forward, 3 * part.backward, part.update};
  apply_measured(twice, calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const double factor = calls[i].pass == Pass::kForward ? 2 : calls[i].pass == Pass::kBackward ? 3 : 1;
    EXPECT_NEAR(calls[i].nanoseconds, factor * modelled[i].nanoseconds, 1e-6) << calls[i].name;
  }
}

TEST(TransformerStepTest, APartThatTakesNoTimeOrHasNoUpdateStaysFinite) {
  Transformer model = model_of("llama");
  model.tied = true;  // nothing before the layers has a gradient of its own
  auto calls = transformer_calls(model, run_of());
  std::vector<PartTimes> measured(5, PartTimes{1000, 2000, 500});
  measured[2] = {};
  apply_measured(measured, calls);
  for (const TransformerCall& call : calls) {
    EXPECT_TRUE(std::isfinite(call.nanoseconds)) << call.name;
    EXPECT_EQ(call.nanoseconds == 0, call.part == 2) << call.name;
  }
  EXPECT_NEAR(times_of(calls, 5).back().update, 1000, 1e-6) << "the lookup's weight is updated there";
}

}  // namespace
}  // namespace stepsim::transformer_step_test
