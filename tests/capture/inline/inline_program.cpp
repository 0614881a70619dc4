// A program that labels ranges with the macros of capture/inline.h, as users do. `inline_program N` runs N iterations.
// If the second argument is "fork", the program starts a child process in the last iteration. The child exits and must
// not write anything.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "capture/inline.h"

namespace {

int evaluated = 0;

[[maybe_unused]] const char* label() {
  ++evaluated;
  return "outer";
}

void work(int microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); }

void fork_a_child() {
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  waitpid(child, nullptr, 0);
}

}  // namespace

int main(int count, char** arguments) {
  const int iterations = count > 1 ? std::atoi(arguments[1]) : 1;
  for (int i = 0; i < iterations; ++i) {
    STEPSIM_ITERATION();
    STEPSIM_RANGE(label(), nullptr);
    work(200);
    if (i % 2 == 0)
      STEPSIM_RANGE_START("inner", nullptr);
    else
      STEPSIM_RANGE_START("inner", nullptr);
    work(300);
    STEPSIM_RANGE_STOP("inner", nullptr);
    if (count > 2 && std::strcmp(arguments[2], "fork") == 0 && i == iterations - 1) fork_a_child();
  }
#ifdef STEPSIM_PROFILING
  return evaluated == iterations ? 0 : 1;
#else
  return evaluated == 0 ? 0 : 1;
#endif
}
