#ifndef STEPSIM_INGEST_FORMATS_NSYS_EXPORT_H
#define STEPSIM_INGEST_FORMATS_NSYS_EXPORT_H

#include <string>

#include "ingest/parts/part_sink.h"
#include "ingest/sqlite/database.h"

namespace stepsim::ingest {

/// Reads what Nsight Systems exported with `nsys export --type sqlite`: a part for each process that worked on a
/// device, or that called CUDA if none did, or that marked ranges if none did that either. The process's rank is that
/// in its largest NCCL communicator, if all processes have one of the same size; else processes are in the order of
/// their devices, and of their numbers. `file` stands in messages. Throws InputError if there is nothing to replay.
/// Source: "SQLite Export Schema Reference" of NVIDIA's documentation of Nsight Systems, and exports of schema 3.17 and
/// 3.25.
void read_nsys_export(const Database& database, const std::string& file, PartSink& sink);

}  // namespace stepsim::ingest

#endif
