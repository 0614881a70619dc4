// How accurately do device models predict the times of one device from a capture on another device?
//
//   device_pairs A_ON_ONE A_ON_OTHER B_ON_ONE B_ON_OTHER [--shares] > docs/results/device-pairs.csv
//
// A and B are two neural networks, each captured on two devices. The program predicts each capture from the other
// capture of the same network: by roofline, by roofline without shapes, by a fit to the captures of the same network,
// and by a fit to those of the other network, which contain no data of the predicted one. It writes the GPU busy times
// and the errors as CSV. Busy time is the sum over device work whose operator was recorded; other device work belongs
// to the end of the previous step and differs between the devices. --shares also prints how work was scaled, and the
// fits, to standard error.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "model/cost/device/device_fit.h"
#include "model/cost/device/roofline.h"

namespace stepsim {
namespace {

struct Pair {
  std::string name;
  Capture one;
  Capture other;
};

Duration busy(const Capture& capture, const std::vector<Duration>& durations) {
  Duration sum{};
  for (const OperatorTable::Use& use : capture.operators.uses) sum += durations[use.task.index()];
  return sum;
}

Duration recorded_busy(const Capture& capture) {
  return busy(capture, scaled_durations(capture, [](const DeviceWork&) { return Scaled{}; }).duration);
}

std::string error_of(Duration predicted, Duration measured) {
  const double error = static_cast<double>((predicted - measured).count()) / static_cast<double>(measured.count());
  return fmt::format("{:+.1f} %", 100 * error);
}

const Accelerator& device_of(const Capture& capture) {
  return accelerator_named(capture.devices.empty() ? "" : capture.devices.begin()->second);
}

void print_share(const ScaledShare& share) {
  const double total = static_cast<double>(share.total().before.count());
  for (std::size_t i = 0; i < kScaledByCount; ++i) {
    const ScaledShare::Part& part = share.by[i];
    if (part.pieces == 0) continue;
    fmt::print(stderr, "    by {}: {} pieces, {:.1f} % of the time, {} -> {}\n", to_text(static_cast<ScaledBy>(i)),
               part.pieces, 100 * static_cast<double>(part.before.count()) / total, to_text(part.before),
               to_text(part.after));
  }
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    const ScaledShare::Part& part = share.named[i];
    if (part.pieces == 0) continue;
    fmt::print(stderr, "    {}: {} -> {}\n", to_text(static_cast<KernelClass>(i)), to_text(part.before),
               to_text(part.after));
  }
}

/// Prints the factor by which the fit multiplies the times of roofline, for each kernel class. 1 means that roofline is
/// correct for the class.
void print_fit(const DeviceFit& fit) {
  fmt::print(stderr, "    fit: {} calls matched, {:.0f} and {:.0f} % of the time; off by {:.1f} %\n", fit.matched,
             100 * fit.matched_from, 100 * fit.matched_to, 100 * fit.residual);
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    if (fit.calls[i] == 0) continue;
    fmt::print(stderr, "    {}: roofline times {:.2f} ({} calls)\n", to_text(static_cast<KernelClass>(i)),
               fit.factor[i], fit.calls[i]);
  }
}

void print_direction(const std::string& name, const Capture& from, const Capture& to, const DeviceFit& own,
                     const DeviceFit& held_out, bool shares) {
  const auto by_roofline = [&](const DeviceWork& work) {
    return roofline_scaled(work, device_of(from), device_of(to));
  };
  const ScaledDurations roofline = scaled_durations(from, by_roofline);
  Capture shapeless = from;
  shapeless.operators = {};
  const ScaledDurations by_class = scaled_durations(shapeless, by_roofline);
  const auto fitted = [&](const DeviceFit& fit) {
    return scaled_durations(from, [&fit](const DeviceWork& work) { return scaled_by_fit(work, fit); });
  };
  const ScaledDurations by_own = fitted(own);
  const ScaledDurations by_other = fitted(held_out);
  const Duration measured = recorded_busy(to);
  fmt::print("{},{},{},{},{},{},{},{},{}\n", name, device_of(from).name, device_of(to).name,
             to_text(recorded_busy(from)), to_text(measured), error_of(busy(from, roofline.duration), measured),
             error_of(busy(from, by_class.duration), measured), error_of(busy(from, by_own.duration), measured),
             error_of(busy(from, by_other.duration), measured));
  if (!shares) return;
  print_share(roofline.share);
  print_fit(own);
}

/// Returns the part of the files' names that they share, "bert-small" of "bert-small-h100.json.gz" and
/// "bert-small-mi300.json.gz".
std::string model_of(const std::string& one, const std::string& other) {
  const std::string name = std::filesystem::path(one).filename().string();
  const std::string second = std::filesystem::path(other).filename().string();
  const auto differ = std::mismatch(name.begin(), name.end(), second.begin(), second.end()).first;
  return name.substr(0, name.rfind('-', static_cast<std::size_t>(differ - name.begin())));
}

int run(const std::vector<std::string>& files, bool shares) {
  const Pair a{model_of(files[0], files[1]), ingest::load({files[0]}, {}), ingest::load({files[1]}, {})};
  const Pair b{model_of(files[2], files[3]), ingest::load({files[2]}, {}), ingest::load({files[3]}, {})};
  fmt::print(
      "model,from,to,busy on first,busy on second,roofline,without shapes,fitted to this model,fitted to the other\n");
  for (const auto& [pair, held_out] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    print_direction(pair->name, pair->one, pair->other, fit_devices(pair->one, pair->other),
                    fit_devices(held_out->one, held_out->other), shares);
    print_direction(pair->name, pair->other, pair->one, fit_devices(pair->other, pair->one),
                    fit_devices(held_out->other, held_out->one), shares);
  }
  return 0;
}

}  // namespace
}  // namespace stepsim

int main(int count, char** arguments) {
  std::vector<std::string> files(arguments + 1, arguments + count);
  const bool shares = !files.empty() && files.back() == "--shares";
  if (shares) files.pop_back();
  if (files.size() != 4) {
    fmt::print(stderr, "error: {} files; expected A_ON_ONE A_ON_OTHER B_ON_ONE B_ON_OTHER [--shares]\n", files.size());
    return 2;
  }
  try {
    return stepsim::run(files, shares);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
