#include "cli/program/last_resort.h"

#include <unistd.h>

#include <atomic>
#include <new>

#include "cli/program/error.h"
#include "cli/program/output.h"

namespace stepsim::cli {
namespace {

std::atomic<bool> ran_out{false};

void note_and_throw() {
  ran_out = true;
  throw std::bad_alloc();
}

struct End {
  ExitCode code;
  std::string_view line;
};

/// Without an exception there was no memory to make one: only that and our bugs call std::terminate() so.
End end_of(const std::exception_ptr& error) noexcept {
  if (error == nullptr || memory_ran_out()) return {ExitCode::kUnusable, kNoMemoryLine};
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return {ExitCode::kUnusable, kNoMemoryLine};
  } catch (const std::exception& e) {
    if (is_thread_shortage(e)) return {ExitCode::kUnusable, kNoThreadsLine};
  } catch (...) {
  }
  return {ExitCode::kOurBug, "error: a bug in stepsim: it ended out of turn; please report it with the command line\n"};
}

[[noreturn]] void end() noexcept {
  const End end = end_of(std::current_exception());
  write_error(end.line);
  ::_exit(static_cast<int>(end.code));
}

void install() {
  std::set_new_handler(note_and_throw);
  std::set_terminate(end);
}

/// What stands in this section runs before the constructors, those of shared libraries included.
[[gnu::section(".preinit_array"), gnu::used]] void (*run_before_constructors)() = install;

}  // namespace

bool memory_ran_out() noexcept { return ran_out; }

void refuse_what_memory_cut() {
  if (memory_ran_out()) throw std::bad_alloc();
}

bool is_thread_shortage(const std::exception& error) noexcept {
  return std::string_view(error.what()).starts_with("pthread_create has failed");
}

}  // namespace stepsim::cli
