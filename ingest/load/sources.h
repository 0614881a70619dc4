#ifndef STEPSIM_INGEST_LOAD_SOURCES_H
#define STEPSIM_INGEST_LOAD_SOURCES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// One input of a job, and whose it is.
struct Source {
  std::string name;         ///< its path, or that of an archive and of a member in it
  std::string_view format;  ///< the name of its format
  bool has_events = false;  ///< else names and dependencies only
  bool of_many = false;     ///< it holds the traces of several ranks
  std::string gpu_folder;   ///< the folder that it lies in
  std::string worker_folder;
  Duration base_time{};              ///< what its times count from, where it says so
  std::optional<Rank> rank;          ///< of a host and device trace
  std::optional<std::uint32_t> gpu;  ///< of BytePS: which one of its worker
  std::uint32_t worker = 0;          ///< of BytePS
  std::vector<std::string> tensors;  ///< of a list of gradients: their names, by number
};

}  // namespace stepsim::ingest

#endif
