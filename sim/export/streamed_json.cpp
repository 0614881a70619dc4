#include "sim/export/streamed_json.h"

namespace stepsim::sim {

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  json.begin_object().key("program").value("stepsim").key("version").value(provenance.version);
  json.key("commit").value(provenance.commit).key("command").value(provenance.command).key("inputs").begin_array();
  for (const std::string& input : provenance.inputs) json.value(input);
  json.end_array().end_object();
}

}  // namespace stepsim::sim
