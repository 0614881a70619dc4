#ifndef STEPSIM_SIM_EXPORT_STREAMED_JSON_H
#define STEPSIM_SIM_EXPORT_STREAMED_JSON_H

#include "sim/export/exporter.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {

/// A JsonWriter whose text goes to a file bit by bit.
class JsonStream {
 public:
  explicit JsonStream(OutputFile& out) : out_(out) {}

  JsonWriter& json() noexcept { return json_; }
  /// To be called between values, often: hands over what has piled up.
  void drain() {
    if (json_.text().size() >= kEnough) out_.write(json_.take());
  }
  void finish() { out_.write(json_.take()); }

 private:
  static constexpr std::size_t kEnough = 1U << 16U;

  OutputFile& out_;
  JsonWriter json_;
};

/// {"program":"stepsim","version":..,"commit":..,"command":..,"inputs":[..]}
void write_provenance(JsonWriter& json, const Provenance& provenance);

}  // namespace stepsim::sim

#endif
