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

/// Two workers, two servers and three layers, on a switch with 1 GB/s.
[[nodiscard]] Question parameter_server_question();
/// DataParallelJob with two ranks on a switch with 1 GB/s.
[[nodiscard]] Question data_parallel_question();
/// sample_capture(): kernels and collectives on streams, as recorded.
[[nodiscard]] Question streams_question();
/// A few kernels with shapes on an A100, as recorded.
[[nodiscard]] Question gpu_question();
/// Steps in which a thread waits for its data loader (for the given times; 0 = no wait) and then works for 10 ms, as
/// recorded.
[[nodiscard]] Question loading_question(const std::vector<int>& waits_ms = {4, 30},
                                        std::optional<std::uint32_t> workers = {});
/// scenarios/samples/byteps-even, prepared as `stepsim whatif` does.
[[nodiscard]] Question byteps_question();
/// Returns one question of each kind.
[[nodiscard]] std::vector<NamedQuestion> sample_questions();

}  // namespace stepsim::testing

#endif
