#ifndef STEPSIM_PYTHON_BACKGROUND_WORK_H
#define STEPSIM_PYTHON_BACKGROUND_WORK_H

#include <pybind11/pybind11.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/work/result.h"

namespace stepsim::python {

/// The result of a command, and the options with which it ran.
struct Taken {
  cli::Result result;
  cli::CommonOptions options;
};

/// A command of the program on another thread, while a thread of Python waits for it. Its data is shared with that
/// thread, so that Python need not wait for a thread that cannot be stopped, for example because it reads a pipe into
/// which nobody writes.
class BackgroundWork {
 public:
  using Function = std::function<void(const cli::Session& session)>;

  /// Begins to call `work`, which must own what it uses.
  BackgroundWork(Function work, std::shared_ptr<cli::CaptureStore> captures, std::vector<std::string> arguments);
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  /// Waits until the work is over. Every 0.1 s handles Python's signals and calls progress(phase, done, total), if it
  /// is not None. If either raises, stops the work and throws that; work that does not stop within 0.4 s is left to its
  /// thread. Needs the GIL, and releases it while it waits.
  void wait(const pybind11::object& progress);

  /// Returns the exception that the work threw, or null. Precondition: wait() has returned.
  [[nodiscard]] const std::exception_ptr& error() const noexcept;
  /// Returns the result that the command reported, if it did. Precondition: wait() has returned.
  [[nodiscard]] std::optional<Taken> take();

 private:
  struct State;

  void stop();

  std::shared_ptr<State> state_;
  std::thread thread_;
};

/// Waits until all work that was left to its thread is over, but at most 2 s, because some of it may never end. Call it
/// before the process exits, which destroys objects that the work uses. Needs the GIL, and releases it.
void wait_for_work_left_behind();

}  // namespace stepsim::python

#endif
