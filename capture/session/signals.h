#ifndef STEPSIM_CAPTURE_SESSION_SIGNALS_H
#define STEPSIM_CAPTURE_SESSION_SIGNALS_H

namespace stepsim::capture {

/// Counts this signal from now on, in a handler of ours. Returns false if the program has a handler of its own, which
/// is kept.
bool count_signals(int signal) noexcept;

/// Returns how many signals were counted in this process.
[[nodiscard]] int counted_signals() noexcept;

}  // namespace stepsim::capture

#endif
