#ifndef STEPSIM_INGEST_STITCH_TRIAL_EXCHANGE_TASKS_H
#define STEPSIM_INGEST_STITCH_TRIAL_EXCHANGE_TASKS_H

#include <cstdint>
#include <map>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/parameter_server/tasks.h"
#include "ingest/stitch/trial/exchange_clocks.h"
#include "ingest/stitch/trial/exchanges.h"

namespace stepsim::ingest {

/// What add_exchanges() joins.
struct ExchangeParts {
  const std::vector<Exchange>& exchanges;
  const std::vector<std::string>& tensors;           ///< of the exchanges
  const ServerTrace& servers;                        ///< may be empty
  const std::map<Node, NodeClock>& clocks;           ///< of every node
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
