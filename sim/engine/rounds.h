#ifndef STEPSIM_SIM_ENGINE_ROUNDS_H
#define STEPSIM_SIM_ENGINE_ROUNDS_H

#include <cstddef>
#include <functional>
#include <memory>

namespace stepsim::sim {

/// Several threads that do one piece of work after another together, with a stop between. Waking
/// a sleeping thread takes as long as a thousand tasks of a replay, so the threads stay awake
/// from the first piece to the last: have them only while there is much to do. Work is done by
/// the caller's thread too, and all of it if no other one comes.
class Rounds {
 public:
  /// At most `threads`, and no more than the machine has.
  explicit Rounds(int threads);
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Calls work(0) ... work(count - 1), each once, in any order, and returns when all are done;
  /// what one writes is seen by all in the next round. Throws what one of them threw.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepsim::sim

#endif
