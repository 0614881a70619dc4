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

/// Two workers, two servers, three layers, on a switch of 1 GB/s.
[[nodiscard]] Question parameter_server_question();
/// DataParallelJob of two ranks on a switch of 1 GB/s.
[[nodiscard]] Question data_parallel_question();
/// sample_capture(): kernels and collectives on streams, as recorded.
[[nodiscard]] Question streams_question();
/// A few kernels with shapes on an A100, as recorded.
[[nodiscard]] Question gpu_question();
/// A thread that waits for its data loader, if a step does, and then works for 10 ms, step after step; as recorded.
[[nodiscard]] Question loading_question(const std::vector<int>& waits_ms = {4, 30},
                                        std::optional<std::uint32_t> workers = {});
/// scenarios/samples/byteps-even, as for `stepsim whatif`.
[[nodiscard]] Question byteps_question();
/// One of each kind.
[[nodiscard]] std::vector<NamedQuestion> sample_questions();

}  // namespace stepsim::testing

#endif
