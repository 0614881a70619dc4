#ifndef STEPSIM_CAPTURE_WRITER_SIGNALS_BLOCKED_H
#define STEPSIM_CAPTURE_WRITER_SIGNALS_BLOCKED_H

#include <pthread.h>

#include <csignal>

namespace stepsim::capture {

/// Blocks all signals during its lifetime, so that threads started meanwhile do not handle the program's signals.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace stepsim::capture

#endif
