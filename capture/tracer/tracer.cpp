#include "capture/tracer/tracer.h"

namespace stepsim::capture {

void Tracer::give_up(wire::Status status, std::string_view why) noexcept {
  works_.store(false, std::memory_order_release);
  say(status, why);
  try {
    why_not_ = why;
    status_ = status;
  } catch (...) {  // no memory: later files do not say it again
    return;
  }
}

bool Tracer::repeat_why_not() noexcept {
  if (status_ == wire::Status::kRecording) return false;
  say(status_, why_not_);
  return true;
}

void Tracer::describe(std::string_view key, std::string_view value) noexcept {
  writer_.with_producer([&](Producer& producer) { producer.describe(key, value); });
}

}  // namespace stepsim::capture
