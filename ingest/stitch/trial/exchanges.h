#ifndef STEPSIM_INGEST_STITCH_TRIAL_EXCHANGES_H
#define STEPSIM_INGEST_STITCH_TRIAL_EXCHANGES_H

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/clocks.h"
#include "ingest/stitch/parameter_server/tasks.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// A partition's way from a worker to its server and back, once: push, its acknowledgement, pull and its answer.
struct Exchange {
  using Message = MessageTrace::Event;
  std::uint32_t tensor = 0;  ///< index into MessageTrace::tensors
  std::int32_t partition = -1;
  std::int32_t worker = 0;
  std::int32_t server = 0;
  /// By MessageEvent::Kind; what was not recorded is empty. Requests are on the worker's clock, responses on the
  /// server's.
  std::array<std::optional<Message>, 4> messages;

  [[nodiscard]] const std::optional<Message>& operator[](MessageEvent::Kind kind) const noexcept {
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

/// A worker or a server of BytePS.
struct Node {
  bool server = false;
  std::int32_t number = 0;
  friend auto operator<=>(const Node&, const Node&) noexcept = default;
};

/// The clocks of workers and servers against that of the first worker, which has the smallest number. A server answers
/// a push after it has come, and a worker pulls after that: each bounds how far one clock may be ahead of the other,
/// and clocks.h makes offsets of the bounds. O(exchanges log nodes + nodes * connections).
[[nodiscard]] std::map<Node, AlignedClock> align_by_exchanges(const std::vector<Exchange>& exchanges);

/// What add_exchanges() joins.
struct ExchangeParts {
  const std::vector<Exchange>& exchanges;
  const std::vector<std::string>& tensors;           ///< of the exchanges
  const ServerTrace& servers;                        ///< may be empty
  const std::map<Node, AlignedClock>& clocks;        ///< of every node
  const std::map<std::int32_t, std::size_t>& roots;  ///< by worker its last GPU, which talks to the servers
};

/// Adds the messages of all exchanges that have a step, what the servers did with them, and their edges;
/// add_operators() has run.
///
/// A push is released by the operators of all GPUs of its worker, and these wait for its answer. The push that arrived
/// first comes before COPY_FIRST, the next ones before a SUM each, in the order in which they were recorded to arrive;
/// COPY_MERGED, the last of these, comes before the answers to all workers. Each direction of a connection, and each
/// thread of a server, takes turns in the recorded order where it did one thing at a time.
void add_exchanges(PsTasks& tasks, const ExchangeParts& parts);

}  // namespace stepsim::ingest

#endif
