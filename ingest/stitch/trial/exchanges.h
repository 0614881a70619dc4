#ifndef STEPSIM_INGEST_STITCH_TRIAL_EXCHANGES_H
#define STEPSIM_INGEST_STITCH_TRIAL_EXCHANGES_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// A partition's way from a worker to its server and back, once: push, its acknowledgement, pull and its answer.
struct Exchange {
  using Message = MessageTrace::Message;
  std::uint32_t tensor = 0;  ///< index into MessageTrace::tensors
  std::int32_t partition = -1;
  std::int32_t worker = 0;
  std::int32_t server = 0;
  /// By MessageTrace::Kind; what was not recorded is empty. Requests are on the worker's clock, responses on the
  /// server's.
  std::array<std::optional<Message>, 4> messages;

  [[nodiscard]] const std::optional<Message>& operator[](MessageTrace::Kind kind) const noexcept {
    return messages[static_cast<std::size_t>(kind)];
  }
  /// Its first request, which the worker sent; nothing if none was recorded.
  [[nodiscard]] const std::optional<Message>& first_request() const noexcept;
  /// The key under which stage_trace_of() has it.
  [[nodiscard]] std::int64_t key() const noexcept;
};

/// Puts messages together, per worker, server, tensor and partition: a worker's requests in order of time, a new
/// exchange where one does not come after the one before it, and the same of a server's responses; the k-th of both are
/// of one exchange. By worker, then the start of the first request. O(messages log messages).
[[nodiscard]] std::vector<Exchange> exchanges_of(const MessageTrace& trace);

/// What a worker did, as stages of its partitions: each request is the stage of its name.
[[nodiscard]] StageTrace stage_trace_of(const std::vector<Exchange>& exchanges, std::int32_t worker,
                                        const std::vector<std::string>& tensors);

}  // namespace stepsim::ingest

#endif
