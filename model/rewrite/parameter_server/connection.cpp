#include "model/rewrite/parameter_server/job_graph.h"

#include <algorithm>
#include <utility>

namespace stepsim {
namespace {

constexpr std::int32_t kUrgent = 0;
constexpr std::int32_t kBulk = 1;
/// Maximum size of a message that goes into the socket completely, so that the sender can continue immediately. It fits
/// there together with a part of a larger message.
constexpr Bytes kSmall{kSocketBuffer.count() / 2};

}  // namespace

Connection::Connection(DagBuilder& builder, Lane line, Control control) : builder_(&builder) {
  line.kind = LaneKind::kLink;
  line.order = LaneOrder::kFifo;
  line.capacity = 1;
  if (control == Control::kFirst) {
    Lane choice{line.name + ", next", line.host, line.rank, LaneKind::kThread, LaneOrder::kPriority};
    choice.credit = kSocketBuffer + kSmall;
    choice_ = builder.add_lane(std::move(choice));
  }
  line_ = builder.add_lane(std::move(line));
}

Connection::Message Connection::send(const Content& content) {
  TaskSpec whole{content.kind, content.name, line_, {}, content.bytes, content.hint};
  if (!choice_.valid()) {
    const TaskId sent = builder_->add_task(whole);
    return {sent, sent};
  }
  const bool small = content.bytes <= kSmall;
  const TaskId chosen = builder_->add_task({TaskKind::kControl,
                                            whole.name,
                                            choice_,
                                            {},
                                            small ? content.bytes : kSocketBuffer,
                                            content.hint,
                                            content.urgent ? kUrgent : kBulk});
  TaskId head;
  if (!small) {
    whole.bytes = std::max(Bytes{}, content.bytes - kSocketBuffer);
    head = builder_->add_task(whole);
    builder_->add_edge(chosen, head, EdgeKind::kProgram);
    whole.bytes = content.bytes - whole.bytes;
  }
  const TaskId tail = builder_->add_task(whole);
  builder_->add_edge(chosen, tail, EdgeKind::kProgram);
  builder_->return_credit(small ? tail : head, chosen);
  return {chosen, tail};
}

}  // namespace stepsim
