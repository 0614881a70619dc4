#ifndef STEPSIM_TESTS_SCENARIOS_SAMPLE_QUESTIONS_H
#define STEPSIM_TESTS_SCENARIOS_SAMPLE_QUESTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/scenarios/question.h"

namespace stepsim::testing {

struct NamedQuestion {
  std::string name;
  Question question;
};

/// Returns a parameter-server job with two workers, two servers and three layers, on a switch with 1 GB/s.
[[nodiscard]] Question parameter_server_question();
/// Returns a DataParallelJob with two ranks on a switch with 1 GB/s.
[[nodiscard]] Question data_parallel_question();
/// Returns sample_capture(), kernels and collectives on streams, with its recorded times.
[[nodiscard]] Question streams_question();
/// Returns a few kernels with shapes on an A100, with recorded times.
[[nodiscard]] Question gpu_question();
/// Returns steps in which a thread waits for its data loader (for the given times; 0 means no wait) and then works for
/// 10 ms, with recorded times.
[[nodiscard]] Capture loading_capture(const std::vector<int>& waits_ms, std::optional<std::uint32_t> workers = {});
[[nodiscard]] Question loading_question(const std::vector<int>& waits_ms = {4, 30},
                                        std::optional<std::uint32_t> workers = {});
/// Returns scenarios/samples/byteps-even, prepared as `stepsim whatif` does.
[[nodiscard]] Question byteps_question();
/// Returns one question of each kind.
[[nodiscard]] std::vector<NamedQuestion> sample_questions();

}  // namespace stepsim::testing

#endif
