#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_CYCLES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_CYCLES_H

#include "ingest/stitch/parameter_server/tasks.h"

namespace stepsim::ingest {

/// Makes tasks.meetings rendezvous, and leaves out what would make a task wait for itself.
///
/// A recording that contradicts itself (damaged files, clocks that jumped) can name dependencies
/// that form a cycle. Of the edges in one, only those that run against recorded time are left out,
/// and counted; meetings in it do not become rendezvous. A rank's first task depends on nothing:
/// the replay starts it when it was recorded. O(tasks + edges log edges).
void join_and_break_cycles(PsTasks& tasks);

}  // namespace stepsim::ingest

#endif
