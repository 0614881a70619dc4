#include "sim/check/comm_json_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {
namespace {

Table table_of(const CommJson& written) {
  Table table({{"file", Align::kLeft}, {"rank"}, {"tensors"}, {"steps"}, {"stages"}, {"totals"}});
  for (const CommJson::File& file : written.files)
    table.add_row({file.output, file.rank, file.tensors, file.steps, file.stages, file.totals});
  return table;
}

std::string headline_of(const CommJson& written) {
  CommJson::File sum;
  for (const CommJson::File& file : written.files) {
    sum.tensors = std::max(sum.tensors, file.tensors);
    sum.steps = std::max(sum.steps, file.steps);
    sum.stages += file.stages;
    sum.totals += file.totals;
  }
  const std::string ranks = written.files.size() == 1 ? "" : fmt::format(" of {} ranks", written.files.size());
  const std::string_view what =
      written.of_copies ? "copies between host and device, as no rank communicates, of " : "communication of ";
  return fmt::format("Wrote the {}{}{} in {} of {}, {} and {}, into {}, as BytePS writes it.", what,
                     counted(sum.tensors, "tensor"), ranks, counted(sum.steps, "step"), shown(written.input),
                     counted(sum.stages, "stage"), counted(sum.totals, "total"), shown(written.output));
}

Section left_out_section(const CommJson& written) {
  Section section{.title = "Left out"};
  std::string list;
  for (const auto& [what, count] : written.left_out)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, what);
  if (!list.empty()) section.sentences.emplace_back(fmt::format("What has no place in such a file: {}.", list));
  std::uint64_t in_some = 0;
  for (const CommJson::File& file : written.files) in_some += file.tensors_in_some_steps;
  if (in_some > 0) {
    section.sentences.emplace_back(
        fmt::format("{} in fewer steps than others. The file has no steps, so the k-th event of a tensor will be taken "
                    "for the k-th step's.",
                    in_some == 1 ? "1 tensor is" : fmt::format("{} tensors are", in_some)));
  }
  return section;
}

}  // namespace

Document comm_json_document(const CommJson& written, const Provenance& provenance) {
  Document document{.headline = headline_of(written)};
  if (written.files.size() > 1) document.sections.push_back({.title = "Files", .table = table_of(written)});
  if (Section section = left_out_section(written); !section.empty()) document.sections.push_back(std::move(section));
  document.rows = [&written] { return table_of(written); };
  document.json = [&written, &provenance](JsonWriter& json) {
    json.begin_object().key("schema").value("stepsim.comm_json/1").new_line();
    json.key("input").value(written.input).key("output").value(written.output);
    json.key("of_copies").value(written.of_copies).new_line();
    json.key("files").begin_array();
    for (const CommJson::File& file : written.files) {
      json.new_line().begin_object().key("output").value(file.output).key("rank").value(file.rank);
      json.key("tensors").value(file.tensors).key("steps").value(file.steps).key("stages").value(file.stages);
      json.key("totals").value(file.totals).key("tensors_in_some_steps").value(file.tensors_in_some_steps);
      json.end_object();
    }
    json.end_array().new_line().key("left_out").begin_object();
    for (const auto& [what, count] : written.left_out) json.key(what).value(count);
    json.end_object().new_line();
    write_provenance(json, provenance);
    json.end_object();
  };
  return document;
}

}  // namespace stepsim::sim
