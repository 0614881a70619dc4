#ifndef STEPSIM_INGEST_STITCH_OPERATION_TABLE_H
#define STEPSIM_INGEST_STITCH_OPERATION_TABLE_H

#include <string>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// The operations of one rank of an OperationTable, in any order.
struct OperationRank {
  Rank rank = 0;
  ParallelPlace place;
  std::vector<OperationTable::Operation> operations;
};

/// The ranks of a table of operations.
struct OperationRanks {
  std::vector<OperationRank> ranks;  ///< by rank
  std::vector<std::string> texts;    ///< by TextId
  std::string file;                  ///< the table, for messages
};

/// Sorts a table by rank. Ranks are numbered stage by stage: all data-parallel ranks of stage 0 come first.
/// O(operations log ranks).
[[nodiscard]] OperationRanks ranks_of(OperationTable table, std::string file);

/// Turns operations into tasks and edges. In each step of a rank:
///
/// * An operation waits for the earlier ones that had ended when it started, up to 200 us of overlap. It does not wait
///   for communication that still ran; computations never run side by side.
/// * A send and its receive are a rendezvous, and so are the parts of a collective. They take the time from the last
///   one's arrival to each one's end.
///
/// A table does not name the members of a collective: names tell which ranks take part (kNamed in operation_table.cpp).
/// Steps follow each other without a pause, and none begins before all ranks have ended the previous one. O(operations
/// log operations).
void stitch_operations(OperationRanks table, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
