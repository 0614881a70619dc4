#ifndef STEPSIM_SIM_EXPORT_PAGE_TEMPLATE_H
#define STEPSIM_SIM_EXPORT_PAGE_TEMPLATE_H

#include <string_view>

namespace stepsim::sim {

/// The page that page/bundle.py makes of page/src when stepsim is built (docs/page.md), cut where an answer goes.
/// ASCII.
struct PageTemplate {
  std::string_view head;    ///< up to the answer
  std::string_view script;  ///< behind the answer, up to the timelines
  std::string_view tail;    ///< behind the timelines
};
[[nodiscard]] PageTemplate page_template() noexcept;

}  // namespace stepsim::sim

#endif
