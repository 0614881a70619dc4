#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/base/error.h"
#include "sim/graph/graph_text.h"

namespace {

using stepsim::sim::Graph;
using stepsim::sim::Layout;

bool fits_in_picture(double length) { return std::abs(length) < 1e7; }  // false for nan

bool fits_in_picture(Layout::Point point) { return fits_in_picture(point.x) && fits_in_picture(point.y); }

}  // namespace

/// An accepted layout has a place for each node and points for each edge, with numbers that are valid in a picture.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Graph graph{.nodes = std::vector<Graph::Node>(4),
                    .edges = {{.from = 0, .to = 1}, {.from = 0, .to = 1}, {.from = 1, .to = 2}, {.from = 2, .to = 1}}};
  try {
    const Layout layout = stepsim::sim::parse_plain_layout({reinterpret_cast<const char*>(data), size}, graph);
    bool is_sound = fits_in_picture({layout.width, layout.height});
    for (const Layout::Box& box : layout.nodes)
      is_sound = is_sound && fits_in_picture(box.centre) && fits_in_picture({box.width, box.height});
    for (const std::vector<Layout::Point>& points : layout.edges) {
      is_sound = is_sound && points.size() % 3 == 1;
      for (const Layout::Point point : points) is_sound = is_sound && fits_in_picture(point);
    }
    if (!is_sound) __builtin_trap();
  } catch (const stepsim::OutputError&) {
    return 0;
  }
  return 0;
}
