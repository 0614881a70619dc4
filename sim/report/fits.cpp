#include "sim/report/fits.h"

#include "sim/output/json_writer.h"

namespace stepsim::sim {

Table fit_table(const std::vector<Fit>& fits) {
  Table table({{"fitted", Align::kLeft},
               {"value"},
               {"samples", Align::kRight, Use::kDetail},
               {"off by"},
               {"from", Align::kLeft, Use::kHelp, true}});
  for (const Fit& fit : fits) {
    table.add_row({fit.what, fit.value, fit.samples, percent_cell(fit.residual), fit.from});
  }
  return table;
}

void write_fits(JsonWriter& json, const std::vector<Fit>& fits) {
  json.key("fits").begin_array();
  for (const Fit& fit : fits) {
    json.new_line().begin_object().key("what").value(fit.what).key("value").value(fit.value);
    json.key("samples").value(fit.samples).key("residual").value(fit.residual);
    json.key("from").value(fit.from).end_object();
  }
  json.end_array();
}

}  // namespace stepsim::sim
