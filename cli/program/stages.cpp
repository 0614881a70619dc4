#include "cli/program/stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace stepsim::cli {
namespace {

Duration time_of(clockid_t clock) {
  std::timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds{time.tv_sec} + Duration{time.tv_nsec};
}

std::string line_of(std::string_view name, const Stages::Moment& spent) {
  return fmt::format("{:<20} {:>9}   processor {:>9}\n", name, to_text(spent.wall), to_text(spent.processor));
}

}  // namespace

Stages::Moment Stages::now() { return {time_of(CLOCK_MONOTONIC), time_of(CLOCK_PROCESS_CPUTIME_ID)}; }

Stages::Stages(const Moment& at) : stages_{{"starting", {}}}, began_(at) {}

void Stages::close(const Moment& at) {
  stages_.back().spent.wall += at.wall - began_.wall;
  stages_.back().spent.processor += at.processor - began_.processor;
  began_ = at;
}

void Stages::begin(std::string_view name, const Moment& at) {
  close(at);
  const auto known =
      std::find_if(stages_.begin(), stages_.end(), [name](const Stage& one) { return one.name == name; });
  if (known == stages_.end()) {
    stages_.push_back({std::string(name), {}});
  } else {
    std::rotate(known, known + 1, stages_.end());
  }
}

std::string Stages::end(const Moment& at) {
  close(at);
  std::string text;
  Moment total;
  for (const Stage& stage : stages_) {
    text += line_of(stage.name, stage.spent);
    total.wall += stage.spent.wall;
    total.processor += stage.spent.processor;
  }
  return text + line_of("total", total);
}

}  // namespace stepsim::cli
