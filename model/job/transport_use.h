#ifndef STEPSIM_MODEL_JOB_TRANSPORT_USE_H
#define STEPSIM_MODEL_JOB_TRANSPORT_USE_H

#include <cstdint>
#include <string>

#include "model/base/units.h"

namespace stepsim {

/// What a communication library tells of its own work: the operations of one kind in one group, and of the pieces that
/// its threads moved over the network for them, for whom each waited. Source: the events of NCCL's profiler plugin.
struct TransportUse {
  /// Pieces in one direction. The three waits add up to the time that pieces took; pieces overlap.
  struct Direction {
    std::uint64_t pieces = 0;
    Bytes bytes{};
    Duration device{};   ///< until the GPU had produced the data, or consumed it
    Duration peer{};     ///< until the receiver had room; of received pieces it cannot be told from the network
    Duration network{};  ///< until the data were transferred
  };

  std::string group;  ///< "rank 0 of 2, 0x1f"
  std::string operation;
  std::string algorithm;  ///< "RING"; empty for messages
  std::string protocol;   ///< "LL128"; empty for messages
  std::uint64_t operations = 0;
  Bytes bytes{};  ///< of the larger side, of all operations; those whose size is not known have none
  Direction sent;
  Direction received;
  std::uint64_t channels = 0;  ///< parts of operations that one channel did on the device
  Duration channel_time{};     ///< of all of them
};

}  // namespace stepsim

#endif
