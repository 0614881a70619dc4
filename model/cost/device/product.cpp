// A product is cut into tiles of its result, a x b elements each, and a multiprocessor works on one tile at a
// time. With `tiles` tiles on `processors` of them there are
//     waves = tiles / processors,  rounded half of the way up to a whole number
// rounds (half, because a tile that ends early makes room for the next), each of
//     2 * a * b * inner / rate of a processor + kStart
// where kStart is what a tile takes to fetch its first operands and to write its result. Where there are fewer
// tiles than processors, libraries cut `inner` too and let several processors share a tile, if enough of
// `inner` is left for each (split-K): each starts as late as before, and what they found is written and added up.
// Libraries choose the tile and whether to share it; the fastest is taken, as a good library would.
//
// kStart, the tiles, the half and kLeastSlice were fitted to products of A100 and H100 (vidur's tables, fp16); on
// A40, RTX 4090 and RTX PRO 6000, to which they were not, the time of a product is predicted from its shape alone
// with a mean error of 5 to 7 % (docs/fidelity.md, "Another device").
#include "model/cost/device/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stepsim {
namespace {

constexpr double kStart = 1'000;       // nanoseconds
constexpr double kLeastSlice = 1'024;  // of `inner`, for each processor that shares a tile

struct Tile {
  double rows;
  double columns;
  double efficiency;  // of the rate: a small tile uses each operand that it fetches less often
};
constexpr std::array kTiles{Tile{256, 128, 1}, Tile{128, 256, 1}, Tile{128, 128, 1},  Tile{128, 64, 1},
                            Tile{64, 128, 1},  Tile{64, 64, 1},   Tile{64, 32, 0.55}, Tile{32, 64, 0.55}};

/// Nanoseconds to write the partial results of all sharers and to read them again, in fp32.
double reduction_time(const ProductShape& shape, double sharers, const Accelerator& device) {
  const double bytes = 2 * sizeof(float) * sharers * shape.count * shape.rows * shape.columns;
  return device.pass_seconds(bytes, device.cached_share(bytes / 2)) * 1e9;
}

}  // namespace

double product_time(const ProductShape& shape, Precision precision, const Accelerator& device) noexcept {
  if (shape.rows <= 0 || shape.columns <= 0 || shape.inner <= 0) return 0;
  const double processors = device.processors;
  const double share = shape.count > 1 && device.has_matrix_units(precision) ? device.batched_share : 1;
  const double rate = device.flops(precision) * share / processors / 1e9;  // operations in a nanosecond
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
