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

/// One exchange of a partition between a worker and its server: push, push acknowledgement, pull, and the server's
/// answer.
struct Exchange {
  using Message = MessageTrace::Event;
  std::uint32_t tensor = 0;  ///< index into MessageTrace::tensors
  std::int32_t partition = -1;
  std::int32_t worker = 0;
  std::int32_t server = 0;
  /// Messages by MessageEvent::Kind; empty if not recorded. Requests are on the worker's clock, responses on the
  /// server's.
  std::array<std::optional<Message>, 4> messages;

  [[nodiscard]] const std::optional<Message>& operator[](MessageEvent::Kind kind) const noexcept {
    return messages[static_cast<std::size_t>(kind)];
  }
  /// Returns the first request that the worker sent; empty if none was recorded.
  [[nodiscard]] const std::optional<Message>& first_request() const noexcept;
  /// Returns the key that stage_trace_of() uses for this exchange.
  [[nodiscard]] std::int64_t key() const noexcept;
};

/// Groups messages into exchanges, separately for each worker, server, tensor and partition. Sorts a worker's requests
/// by time; a new exchange begins at each push request, and at a pull request after another pull request. Groups a
/// server's responses in the same way, and joins the k-th group of requests with the k-th group of responses. The
/// result is sorted by worker, then by the start of the first request. O(messages log messages).
[[nodiscard]] std::vector<Exchange> exchanges_of(const MessageTrace& trace);

/// Converts a worker's requests to stages of its partitions: each push or pull request becomes the stage of the same
/// name.
[[nodiscard]] StageTrace stage_trace_of(const std::vector<Exchange>& exchanges, std::int32_t worker,
                                        const std::vector<std::string>& tensors);

/// A worker or a server of BytePS.
struct Node {
  bool server = false;
  std::int32_t number = 0;
  friend auto operator<=>(const Node&, const Node&) noexcept = default;
};

/// Aligns the clocks of workers and servers with that of the first worker (the one with the smallest number). A server
/// answers a request after it has arrived, and a worker pulls after its push has been answered. Each of these two facts
/// bounds how far one clock may be ahead of the other, and align_clocks() computes offsets from the bounds. O(exchanges
/// log nodes + nodes * connections).
[[nodiscard]] std::map<Node, AlignedClock> align_by_exchanges(const std::vector<Exchange>& exchanges);

/// Input of add_exchanges().
struct ExchangeParts {
  const std::vector<Exchange>& exchanges;
  const std::vector<std::string>& tensors;           ///< tensors of the exchanges
  const ServerTrace& servers;                        ///< may be empty
  const std::map<Node, AlignedClock>& clocks;        ///< clocks of all nodes
  const std::map<std::int32_t, std::size_t>& roots;  ///< each worker's last GPU, which communicates with the servers
};

/// Adds tasks for the messages of all exchanges that have a step and for the servers' work on them, and their edges.
/// Call it after add_operators().
///
/// A push waits for the operators of all GPUs of its worker, and the consumers of the tensor on these GPUs wait for the
/// answer. On the server, COPY_FIRST waits for the push that arrived first, and a SUM for each later push, in the
/// recorded order of arrival. COPY_MERGED follows the last of these and precedes the answers to all workers. Tasks on
/// one direction of a connection, or on one thread of a server, run in the recorded order if they were recorded one at
/// a time.
void add_exchanges(PsTasks& tasks, const ExchangeParts& parts);

}  // namespace stepsim::ingest

#endif
