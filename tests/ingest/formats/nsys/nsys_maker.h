#ifndef STEPSIM_TESTS_INGEST_FORMATS_NSYS_NSYS_MAKER_H
#define STEPSIM_TESTS_INGEST_FORMATS_NSYS_NSYS_MAKER_H

#include <cstdint>
#include <map>
#include <string>

#include <fmt/format.h>

#include "tests/ingest/sqlite/database_maker.h"

namespace stepsim::ingest::testing {

/// Writes small exports of Nsight Systems by hand, with the necessary columns of schema 3.25. Times are in nanoseconds
/// from the beginning of the session.
class NsysMaker {
 public:
  static constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;  ///< Unix time

  NsysMaker() {
    database.run("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
    database.run("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER)");
    database.run(fmt::format("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({})", kBegin));
    const std::string work =
        "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId "
        "INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER";
    database.run(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" + work +
        ", demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, "
        "gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, "
        "dynamicSharedMemory INTEGER)");
    database.run("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (" + work +
                 ", bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER)");
    database.run(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId "
        "INTEGER, "
        "nameId INTEGER)");
    database.run(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId "
        "INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventSyncId INTEGER, "
        "eventId INTEGER, deprecatedSyncType INTEGER)");
    database.run(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "eventSyncId INTEGER, eventId INTEGER, contextId INTEGER)");
    database.run(
        "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId "
        "INTEGER, binaryData BLOB, jsonText TEXT)");
    database.run(
        "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (schemaId INTEGER, type INTEGER, name TEXT, offset INTEGER)");
  }

  /// Returns the globalPid of a process, or the globalTid of its thread `thread`.
  static std::int64_t id(std::int64_t process, std::int64_t thread = 0) {
    return (std::int64_t{1} << 48) + (process << 24) + thread;
  }

  std::int64_t text(const std::string& value) {
    const auto [known, added] = texts_.try_emplace(value, static_cast<std::int64_t>(texts_.size()) + 1);
    if (added) database.run(fmt::format("INSERT INTO StringIds VALUES ({}, '{}')", known->second, value));
    return known->second;
  }

  void call(std::int64_t process, const std::string& name, int start, int end, int correlation) {
    database.run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, {}, {}, {})", start, end,
                             id(process, process), correlation, text(name)));
  }
  void kernel(std::int64_t process, const std::string& name, int start, int end, int correlation, int device = 0,
              int stream = 7) {
    database.run(
        fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {}, {}, {}, {}, {}, {}, {}, 40, 8, 3, 2, "
                    "64, 2, 1, 1000, "
                    "24)",
                    start, end, device, device + 1, stream, correlation, id(process), text(name), text("short")));
  }
  void copy(std::int64_t process, int start, int end, int correlation, std::int64_t bytes) {
    database.run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({}, {}, 0, 1, 7, {}, {}, {}, 1, 1, 2)",
                             start, end, correlation, id(process), bytes));
  }
  /// Adds a wait. Its row contains device 0, even if its context is on another device.
  void sync(std::int64_t process, int type, int start, int end, int correlation, std::int64_t stream, int context,
            int event_sync = 0) {
    database.run(fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES ({}, {}, 0, {}, {}, {}, {}, {}, {}, NULL, NULL)", start,
        end, context, stream, correlation, id(process), type, event_sync));
  }
  /// Adds a wait in the form of schema 3.17: the row has no eventSyncId, and the number of its kind is in the column
  /// syncType (`type`) or in deprecatedSyncType (`deprecated`).
  void old_sync(std::int64_t process, const std::string& call, int type, int deprecated, int start, int correlation,
                std::int64_t stream, int event = 0) {
    this->call(process, call, start, start + 10, correlation);
    database.run(
        fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES ({}, {}, 0, 1, {}, {}, {}, {}, NULL, {}, "
                    "{})",
                    start, start + 10, stream, correlation, id(process), type, event, deprecated));
  }
  void record(std::int64_t process, int stream, int correlation, int event_sync) {
    database.run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES ({}, {}, {}, {}, NULL, NULL)", stream,
                             correlation, id(process), event_sync));
  }
  void old_record(std::int64_t process, int stream, int correlation, int event) {
    database.run(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES ({}, {}, {}, NULL, {}, 1)", stream,
                             correlation, id(process), event));
  }
  /// Adds an NVTX range; `type` is its eventType. `payload` and `json` are SQL expressions.
  void range(std::int64_t process, const std::string& name, int start, int end, const std::string& payload = "NULL",
             int type = 59, const std::string& json = "NULL") {
    database.run(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, {}, '{}', {}, NULL, {}, {})", start, end, type,
                             name, id(process, process), payload, json));
  }

  DatabaseMaker database;

 private:
  std::map<std::string, std::int64_t> texts_;
};

}  // namespace stepsim::ingest::testing

#endif
