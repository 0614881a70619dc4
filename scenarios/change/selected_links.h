#ifndef STEPSIM_SCENARIOS_CHANGE_SELECTED_LINKS_H
#define STEPSIM_SCENARIOS_CHANGE_SELECTED_LINKS_H

#include <vector>

#include "scenarios/change/plan.h"
#include "scenarios/change/selector.h"

namespace stepsim::scenarios {

/// The selected collectives and messages, ascending: what a change of the network by part is about. Throws InputError
/// at the selection if there are none.
[[nodiscard]] std::vector<TaskId> selected_transfers(const Selector& selector, const Capture& capture);

/// The links that are the selected ranks' or workers' own, ascending: their NICs, shared with others of their host
/// where these have no NIC of their own, and the links to others of their host. All links if the selector selects
/// everything. Throws InputError, at the selection, if it selects no transfers, or ranks of which the cluster has no
/// endpoints.
[[nodiscard]] std::vector<LinkId> selected_links(const Selector& selector, const Plan& plan);

}  // namespace stepsim::scenarios

#endif
