#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TRANSFERS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TRANSFERS_H

#include "ingest/stitch/parameter_server/tasks.h"

namespace stepsim::ingest {

/// Joins PUSH and PULL over the connections between workers and servers.
///
/// PUSH was recorded until the server's acknowledgement, and waits behind the pushes that were
/// handed to its connection before. PULL was recorded from that acknowledgement until the data was
/// there. It waits for every worker's push of the key (through a task SUM), for its own request,
/// which queues behind pushes on the way up, and for the answers that the server sent first, in
/// the order of their recorded ends. What is left becomes its duration.
///
/// add_stages() has run. O(chains log chains).
void join_transfers(PsTasks& tasks);

}  // namespace stepsim::ingest

#endif
