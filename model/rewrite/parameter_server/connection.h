#ifndef STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_CONNECTION_H
#define STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_CONNECTION_H

#include "model/job/dag_builder.h"
#include "model/job/job.h"

namespace stepsim {

/// What a sender has handed to its socket goes out before anything it decides later.
inline constexpr Bytes kSocketBuffer{std::int64_t{128} * 1024};

/// One direction of the connection of a worker and a server, as lanes of a dag: one message
/// after another, in the order in which they are handed over.
///
/// Where control messages go first, they overtake what is queued, but not what the socket
/// holds: a sender chooses its next message when all of the one before is in the socket, that
/// is when no more than kSocketBuffer of it is still to go. So each message is three tasks: it
/// is chosen (a lane by priority, one at a time), its head goes out, and its tail. The end of
/// the head lets the sender choose again.
class Connection {
 public:
  /// A message's tasks: `first` waits for what hands it over, `last` ends when it is there.
  struct Message {
    TaskId first;
    TaskId last;
  };
  struct Content {
    TaskKind kind = TaskKind::kTransfer;
    NameId name;
    Bytes bytes;
    bool urgent = false;  ///< a control message
    Time hint{};
  };

  /// `line` says the two ends, and where the lane is shown; its order and capacity are set here.
  Connection(DagBuilder& builder, Lane line, Control control);
  Message send(const Content& content);

 private:
  DagBuilder* builder_;
  LaneId line_;
  LaneId choice_;  // invalid where messages go in the order in which they are handed over
};

}  // namespace stepsim

#endif
