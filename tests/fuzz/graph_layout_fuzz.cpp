#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/base/error.h"
#include "sim/graph/graph_text.h"

namespace {

using stepsim::sim::Graph;
using stepsim::sim::Layout;

bool is_of_a_picture(double length) { return std::abs(length) < 1e7; }  // nan is not

bool is_of_a_picture(Layout::Point point) { return is_of_a_picture(point.x) && is_of_a_picture(point.y); }

}  // namespace

/// A layout that is taken has a place for each node and points for each edge, all of which a picture can show.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Graph graph{.nodes = std::vector<Graph::Node>(4),
                    .edges = {{.from = 0, .to = 1}, {.from = 0, .to = 1}, {.from = 1, .to = 2}, {.from = 2, .to = 1}}};
  try {
    const Layout layout = stepsim::sim::parse_plain_layout({reinterpret_cast<const char*>(data), size}, graph);
    bool is_sound = is_of_a_picture({layout.width, layout.height});
    for (const Layout::Box& box : layout.nodes)
      is_sound = is_sound && is_of_a_picture(box.centre) && is_of_a_picture({box.width, box.height});
    for (const std::vector<Layout::Point>& points : layout.edges) {
      is_sound = is_sound && points.size() % 3 == 1;
      for (const Layout::Point point : points) is_sound = is_sound && is_of_a_picture(point);
    }
    if (!is_sound) __builtin_trap();
  } catch (const stepsim::OutputError&) {
    return 0;
  }
  return 0;
}
