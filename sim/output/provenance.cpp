#include "sim/output/provenance.h"

#include <fmt/format.h>

#include "sim/output/json_writer.h"

namespace stepsim::sim {
namespace {

std::string hexadecimal(std::uint64_t crc64) { return fmt::format("{:016x}", crc64); }

}  // namespace

std::string to_text(const InputFile& input) {
  return fmt::format("{} ({} bytes, crc64 {})", input.name, input.size, hexadecimal(input.checksum));
}

void write_members(JsonWriter& json, const Provenance& provenance) {
  json.key("version").value(provenance.version).key("commit").value(provenance.commit);
  json.key("command").value(provenance.command).key("inputs").begin_array();
  for (const InputFile& input : provenance.inputs) {
    json.new_line().begin_object().key("path").value(input.name).key("bytes").value(input.size);
    json.key("crc64").value(hexadecimal(input.checksum)).end_object();
  }
  json.end_array();
}

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  json.key("provenance").begin_object();
  write_members(json, provenance);
  json.end_object();
}

}  // namespace stepsim::sim
