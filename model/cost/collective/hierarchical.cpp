#include "model/cost/collective/algorithm.h"

namespace stepsim {
namespace {

// First, a ring inside each host reduces the payload, so that member `local` of every host has the sums of the same
// part of it, called a column. Then rings between hosts, one for each column, complete the sums. Finally, a second ring
// inside each host distributes the columns.

std::uint32_t locals(const CollectiveShape& shape) { return shape.members_per_host; }
std::uint32_t hosts(const CollectiveShape& shape) { return shape.members / locals(shape); }

bool hierarchical_supports(const CollectiveShape& shape) {
  return shape.op == CollectiveOp::kAllReduce && locals(shape) > 1 && shape.members % locals(shape) == 0 &&
         hosts(shape) > 1;
}

std::uint32_t hierarchical_rounds(const CollectiveShape& shape) {
  return 2 * (locals(shape) - 1) + 2 * (hosts(shape) - 1);
}

void hierarchical_sends(const CollectiveShape& shape, std::uint32_t member, std::uint32_t round,
                        std::vector<Send>& sends) {
  const std::uint32_t local = member % locals(shape);
  const std::uint32_t host = member / locals(shape);
  const std::uint32_t inside = locals(shape) - 1;
  const std::uint32_t between = 2 * (hosts(shape) - 1);
  const Bytes part = part_of(shape.bytes, shape.members);
  const Bytes column = parts_of(hosts(shape), part);
  if (round >= inside && round < inside + between) {
    const std::uint32_t which = place(hosts(shape), host, -std::int64_t{round - inside});
    const Bytes offset = parts_of(place(locals(shape), local, 1), column) + parts_of(which, part);
    sends.push_back({place(shape.members, member, locals(shape)), part, offset});
    return;
  }
  const std::uint32_t turn = round < inside ? round : round - between;
  const std::uint32_t which = place(locals(shape), local, -std::int64_t{turn});
  sends.push_back({host * locals(shape) + place(locals(shape), local, 1), column, parts_of(which, column)});
}

std::uint32_t hierarchical_receives(const CollectiveShape& /*shape*/, std::uint32_t /*member*/,
                                    std::uint32_t /*round*/) {
  return 1;
}

Duration hierarchical_closed_form(const CollectiveShape& shape, const MessageCost& cost) {
  const Bytes part = part_of(shape.bytes, shape.members);
  return 2 * (locals(shape) - 1) * time_of(cost, parts_of(hosts(shape), part)) +
         2 * (hosts(shape) - 1) * time_of(cost, part);
}

}  // namespace

extern const CollectiveModel hierarchical_collective{
    .name = "hierarchical",
    .summary = "a ring in each host, then rings between hosts",
    .formula =
        "all-reduce, l a host, h hosts: 2 (l - 1) (alpha + bytes / (l beta)) + 2 (h - 1) (alpha + bytes / (n beta))",
    .source = "Cho et al. 2019 (BlueConnect)",
    .ignores = "the time to add; groups whose hosts have different numbers of members",
    .supports = hierarchical_supports,
    .rounds = hierarchical_rounds,
    .sends = hierarchical_sends,
    .receives = hierarchical_receives,
    .is_cyclic = [](const CollectiveShape& /*shape*/) { return true; },
    .closed_form = hierarchical_closed_form,
};

}  // namespace stepsim
