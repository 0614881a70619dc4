// The result of a product is divided into tiles of a x b elements, and a multiprocessor works on one tile at a time.
// The number of rounds of tiles that the multiprocessors need is the mean of
//     waves = tiles / processors
// and waves rounded up. It is less than waves rounded up, because a multiprocessor starts its next tile as soon as one
// ends. Each round takes
//     2 * a * b * inner / rate of a processor + kStart
// where kStart is the time a tile needs to load its first operands and to write its result. If there are fewer tiles
// than processors, libraries also divide `inner`, so that several processors share a tile (split-K), provided that each
// gets enough of `inner`. Each of them still needs kStart, and the partial results must be written and added. Libraries
// choose the tile and whether to share it; this model takes the fastest choice, as a good library would.
//
// kStart, the tiles, the rounding and kLeastSlice were fitted to products on A100 and H100 (vidur's tables, fp16). On
// A40, RTX 4090 and RTX PRO 6000, which were not used in the fit, this predicts the time of a product from its shape
// with a mean error of 5 to 7 % (docs/internals/fidelity.md, "Another GPU").
#include "model/cost/device/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stepsim {
namespace {

constexpr double kStart = 1'000;       // in nanoseconds
constexpr double kLeastSlice = 1'024;  // minimum part of `inner` for each processor that shares a tile

struct Tile {
  double rows;
  double columns;
  double efficiency;  // share of the rate: a small tile uses each loaded operand less often
};
constexpr std::array kTiles{Tile{256, 128, 1}, Tile{128, 256, 1}, Tile{128, 128, 1},  Tile{128, 64, 1},
                            Tile{64, 128, 1},  Tile{64, 64, 1},   Tile{64, 32, 0.55}, Tile{32, 64, 0.55}};

/// Returns the nanoseconds to write all partial results in fp32 and to read them again.
double reduction_time(const ProductShape& shape, double sharers, const Accelerator& device) {
  const double bytes = 2 * sizeof(float) * sharers * shape.count * shape.rows * shape.columns;
  return device.pass_seconds(bytes, device.cached_share(bytes / 2)) * 1e9;
}

}  // namespace

double product_time(const ProductShape& shape, Precision precision, const Accelerator& device) noexcept {
  if (shape.rows <= 0 || shape.columns <= 0 || shape.inner <= 0) return 0;
  const double processors = device.processors;
  const double share = shape.count > 1 && device.has_matrix_units(precision) ? device.batched_share : 1;
  const double rate = device.flops(precision) * share / processors / 1e9;  // in operations per nanosecond
  const auto time_with = [&](const Tile& tile) {
    const double tiles = shape.count * std::ceil(shape.rows / tile.rows) * std::ceil(shape.columns / tile.columns);
    const double arithmetic = 2 * tile.rows * tile.columns * shape.inner / (rate * tile.efficiency);
    const double waves = tiles / processors;
    if (waves > 1) return (waves + std::ceil(waves)) / 2 * (arithmetic + kStart);
    const double sharers = std::min(std::floor(1 / waves), std::floor(shape.inner / kLeastSlice));
    if (sharers < 2) return arithmetic + kStart;
    return std::min(arithmetic, arithmetic / sharers + reduction_time(shape, sharers, device)) + kStart;
  };
  double best = time_with(kTiles.front());
  for (const Tile& tile : kTiles) best = std::min(best, time_with(tile));
  return best;
}

}  // namespace stepsim
