#ifndef STEPSIM_SIM_CHECK_COMM_JSON_DOCUMENT_H
#define STEPSIM_SIM_CHECK_COMM_JSON_DOCUMENT_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/base/id.h"
#include "sim/output/provenance.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// What `convert` wrote as BytePS writes it.
struct CommJson {
  struct File {
    std::string output;
    Rank rank = 0;
    std::uint64_t tensors = 0;
    std::uint64_t steps = 0;
    std::uint64_t stages = 0;  ///< events of partitions
    std::uint64_t totals = 0;  ///< events of whole tensors
    std::uint64_t tensors_in_some_steps = 0;
  };
  std::string input;
  std::string output;
  std::vector<File> files;
  std::map<std::string, std::uint64_t> left_out;  ///< by what it is
  bool of_copies = false;                         ///< ranks do not communicate: copies stand for it
};

/// {"schema":"stepsim.comm_json/1", ...} Refers to its arguments.
[[nodiscard]] Document comm_json_document(const CommJson& written, const Provenance& provenance);

}  // namespace stepsim::sim

#endif
