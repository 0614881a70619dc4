#include "sim/check/written_documents.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "sim/report/common_fields.h"
#include "sim/report/headline.h"

namespace stepsim::sim {
namespace {

constexpr auto kCommFile = std::to_array<Field<CommJson::File>>({
    {"output", at<&CommJson::File::output>, {"file"}},
    {"rank", at<&CommJson::File::rank>, {"rank", Use::kMain, Form::kId}},
    {"tensors", at<&CommJson::File::tensors>, {"tensors"}},
    {"steps", at<&CommJson::File::steps>, {"steps"}},
    {"stages", at<&CommJson::File::stages>, {"stages"}},
    {"totals", at<&CommJson::File::totals>, {"totals"}},
    {"tensors_in_some_steps", at<&CommJson::File::tensors_in_some_steps>},
});
constexpr auto kCommJson = std::to_array<Field<CommJson>>({
    {"input", at<&CommJson::input>},
    {"output", at<&CommJson::output>},
    {"of_copies", at<&CommJson::of_copies>, {}, kLineAfter},
    {"files", at<&CommJson::files>, kCommFile, kRowLines},
    {"left_out", at<&CommJson::left_out>, {}, kLineAfter},
    {"diagnostics", at<&CommJson::diagnostics, &Diagnostics::entries>, kDiagnostic, kItemLines | kIfAny},
});

std::string headline_of(const CommJson& written) {
  CommJson::File sum;
  for (const CommJson::File& file : written.files) {
    sum.tensors = std::max(sum.tensors, file.tensors);
    sum.steps = std::max(sum.steps, file.steps);
    sum.stages += file.stages;
    sum.totals += file.totals;
  }
  const std::string ranks = written.files.size() == 1 ? "" : " of " + counted(written.files.size(), "rank");
  const std::string_view what =
      written.of_copies ? "copies between host and device (no rank communicates) of " : "communication of ";
  return fmt::format("Wrote {} in BytePS's format: {}{}{} in {} of {} ({}, {}).", shown(written.output), what,
                     counted(sum.tensors, "tensor"), ranks, counted(sum.steps, "step"), shown(written.input),
                     counted(sum.stages, "stage"), counted(sum.totals, "total"));
}

Section left_out_section(const CommJson& written) {
  Section section{.title = "Left out"};
  std::string list;
  for (const auto& [what, count] : written.left_out) add_item(list, fmt::format("{} {}", grouped(count), what));
  if (!list.empty()) section.sentences.emplace_back(fmt::format("Not supported by the format: {}.", list));
  std::uint64_t in_some = 0;
  for (const CommJson::File& file : written.files) in_some += file.tensors_in_some_steps;
  if (in_some > 0) {
    section.sentences.emplace_back(fmt::format(
        "{} in fewer steps than others. The file has no step numbers, so readers assign the k-th event of a "
        "tensor to the k-th step.",
        in_some == 1 ? "1 tensor is" : fmt::format("{} tensors are", in_some)));
  }
  return section;
}

constexpr auto kCutCounts = std::to_array<Field<CutOut>>({
    {"records", at<&CutOut::records>, {"records"}},
    {"events", at<&CutOut::events>, {"events"}},
    {"flows", at<&CutOut::flows>, {"flows"}},
    {"metadata", at<&CutOut::metadata>, {"metadata"}},
});
constexpr auto kCutOut = std::to_array<Field<CutOut>>({
    {"input", at<&CutOut::input>, {"input"}},
    {"output", at<&CutOut::output>},
    {"", at<>, kCutCounts},
});

struct Cuts {
  CutOut sum;
  const std::vector<CutOut>* files;
  const std::vector<std::string>* left_out;
};
constexpr auto kCuts = std::to_array<Field<Cuts>>({
    {"input", at<&Cuts::sum, &CutOut::input>},
    {"output", at<&Cuts::sum, &CutOut::output>, {}, kLineAfter},
    {"", at<&Cuts::sum>, kCutCounts, kLineAfter},
    {"files", at<&Cuts::files>, kCutOut, kRowLines},
    {"left_out", at<&Cuts::left_out>},
    {"diagnostics", at<&Cuts::sum, &CutOut::diagnostics, &Diagnostics::entries>, kDiagnostic, kItemLines | kIfAny},
});

CutOut sum_of(const std::vector<CutOut>& cuts, const std::string& output) {
  CutOut sum{.input = cuts.size() == 1 ? cuts.front().input : counted(cuts.size(), "file"), .output = output};
  for (const CutOut& cut : cuts) {
    sum.records += cut.records;
    sum.events += cut.events;
    sum.flows += cut.flows;
    sum.metadata += cut.metadata;
    sum.diagnostics.merge(cut.diagnostics);
  }
  return sum;
}

constexpr auto kScrubbed = std::to_array<Field<Scrubbed>>({
    {"output", at<&Scrubbed::output>},
    {"files", at<&Scrubbed::files>, {}, kLineAfter},
    {"replaced", at<&Scrubbed::replaced>, kPrivateContent, kRowLines},
    {"diagnostics", at<&Scrubbed::diagnostics, &Diagnostics::entries>, kDiagnostic, kItemLines | kIfAny},
});

std::string headline_of(const Scrubbed& scrubbed) {
  std::uint64_t places = 0;
  for (const PrivateContent& content : scrubbed.replaced) places += content.count;
  return fmt::format(
      "Wrote {} without private data to {}: {} replaced; times and names of work are unchanged. Not checked: names of "
      "functions, modules and annotations, apart from known paths and users, and secrets of unknown formats.",
      counted(scrubbed.files, "file"), shown(scrubbed.output),
      places == 0 ? std::string("nothing") : counted(places, "place"));
}

constexpr auto kProfilerTrace = std::to_array<Field<ProfilerTrace>>({
    {"input", at<&ProfilerTrace::input>},
    {"output", at<&ProfilerTrace::output>},
    {"events", at<&ProfilerTrace::events>, {"events"}, kLineAfter},
    {"diagnostics", at<&ProfilerTrace::diagnostics, &Diagnostics::entries>, kDiagnostic, kItemLines | kIfAny},
});

constexpr auto kWrittenPart = std::to_array<Field<WrittenPart>>({
    {"output", at<&WrittenPart::output>},
    {"files", at<&WrittenPart::files>},
    {"events", at<&WrittenPart::events>},
    {"bytes", at<&WrittenPart::bytes>},
    {"bytes_of_files", at<&WrittenPart::bytes_of_files>, {}, kLineAfter},
    {"diagnostics", at<&WrittenPart::diagnostics, &Diagnostics::entries>, kDiagnostic, kItemLines | kIfAny},
});

}  // namespace

Document comm_json_document(const CommJson& written, const Provenance& provenance) {
  Document document{.headline = headline_of(written)};
  if (written.files.size() > 1) document.sections.push_back(section_of("Files", kCommFile, written.files));
  if (Section section = left_out_section(written); !section.empty()) document.sections.push_back(std::move(section));
  add_input_defects(document, written.diagnostics);
  document.rows = [&written] { return table_of(kCommFile, written.files); };
  document.json = [&written, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.comm_json/1", kCommJson, written, provenance);
  };
  return document;
}

Document cut_document(const std::vector<CutOut>& cuts, const std::vector<std::string>& left_out,
                      const std::string& output, const Provenance& provenance) {
  const CutOut sum = sum_of(cuts, output);
  Document document{.headline =
                        fmt::format("Wrote {}: {}, {} and {} of the {} in {}, unchanged.", shown(output),
                                    counted(sum.events, "event"), counted(sum.flows, "arrow end"),
                                    counted(sum.metadata, "name"), counted(sum.records, "record"), shown(sum.input))};
  if (!left_out.empty()) {
    Section section{.title = "Not cut"};
    for (const std::string& file : left_out) section.sentences.emplace_back(file);
    document.sections.push_back(std::move(section));
  }
  add_input_defects(document, sum.diagnostics);
  document.rows = [&cuts] { return table_of(kCutOut, cuts); };
  document.json = [&cuts, &left_out, sum, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.cut/1", kCuts, Cuts{sum, &cuts, &left_out}, provenance);
  };
  return document;
}

Document scrub_document(const Scrubbed& scrubbed, const Provenance& provenance) {
  Document document{.headline = headline_of(scrubbed)};
  if (!scrubbed.replaced.empty()) {
    document.sections.push_back(section_of("Replaced", kPrivateContent, scrubbed.replaced));
    document.sections.back().sentences = {
        "Names of functions, modules, operators, kernels and annotations are kept: check them before you share the "
        "files."};
  }
  add_input_defects(document, scrubbed.diagnostics);
  document.rows = [&scrubbed] { return table_of(kPrivateContent, scrubbed.replaced); };
  document.json = [&scrubbed, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.scrub/1", kScrubbed, scrubbed, provenance);
  };
  return document;
}

Document profiler_trace_document(const ProfilerTrace& trace, const Provenance& provenance) {
  Document document{.headline = fmt::format("Wrote {} in the format of PyTorch's profiler: {} of {}, unchanged.",
                                            shown(trace.output), counted(trace.events, "event"), shown(trace.input))};
  add_input_defects(document, trace.diagnostics);
  document.rows = [&trace] { return table_of(kProfilerTrace, std::vector{trace}); };
  document.json = [&trace, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.profiler_trace/1", kProfilerTrace, trace, provenance);
  };
  return document;
}

Document part_document(const WrittenPart& part, const Provenance& provenance) {
  Document document{.headline = fmt::format(
                        "Wrote {}, a part of a job from {}: {} in {} bytes. Every command reads it in place of the "
                        "traces, alone or with the parts and traces of other ranks.",
                        shown(part.output), counted(part.files, "file"), counted(part.events, "record"),
                        grouped(part.bytes))};
  add_input_defects(document, part.diagnostics);
  document.rows = [&part] { return table_of(kWrittenPart, std::vector{part}); };
  document.json = [&part, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.part/1", kWrittenPart, part, provenance);
  };
  return document;
}

std::vector<AnswerSchema> written_schemas() {
  return {schema_of("stepsim.comm_json/1", kCommJson), schema_of("stepsim.cut/1", kCuts),
          schema_of("stepsim.scrub/1", kScrubbed), schema_of("stepsim.profiler_trace/1", kProfilerTrace),
          schema_of("stepsim.part/1", kWrittenPart)};
}

}  // namespace stepsim::sim
