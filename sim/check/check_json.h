#ifndef STEPSIM_SIM_CHECK_CHECK_JSON_H
#define STEPSIM_SIM_CHECK_CHECK_JSON_H

#include <string_view>
#include <vector>

#include "model/job/private_content.h"
#include "sim/check/checkup.h"
#include "sim/output/provenance.h"

namespace stepsim::sim {

class JsonWriter;

/// {"schema":"stepsim.check/1", ...}: verdict, questions, findings, what each file holds, the replay's errors.
void write_checkup(JsonWriter& json, const Checkup& checkup, const Examined& examined, const Provenance& provenance);

/// `key`: kind, secret, count and first place of each.
void write_members(JsonWriter& json, std::string_view key, const std::vector<PrivateContent>& parts);

}  // namespace stepsim::sim

#endif
