// The extension module stepsim._core. It runs the commands of the program (cli/commands/) in the Python process and
// keeps their results. stepsim/ gives them their Python form.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands/program.h"
#include "cli/commands/schemas.h"
#include "cli/program/arguments.h"
#include "cli/program/command.h"
#include "cli/program/error.h"
#include "cli/program/options.h"
#include "cli/program/process.h"
#include "cli/program/run_command.h"
#include "cli/program/terminal.h"
#include "cli/work/result.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "model/base/missing_file.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/base/units.h"
#include "model/base/version.h"
#include "model/job/kernel_class.h"
#include "model/job/recording.h"
#include "python/background_work.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/summary.h"
#include "sim/analysis/task_names.h"
#include "sim/export/exporter.h"
#include "sim/output/json_writer.h"
#include "sim/output/provenance.h"
#include "sim/report/class_style.h"
#include "sim/report/glossary.h"
#include "sim/report/table_text.h"

namespace py = pybind11;

namespace stepsim::python {
namespace {

constexpr std::size_t kLongestName = 10'000;

// --- Arguments

/// Returns the bytes of a word of a command line: a str, which may have the surrogates of os.fsdecode(), bytes or an
/// os.PathLike. Raises ValueError for a word that contains a null byte.
std::string bytes_of(const py::handle& word) {
  PyObject* converted = nullptr;
  if (PyUnicode_FSConverter(word.ptr(), &converted) == 0) throw py::error_already_set();
  return py::reinterpret_steal<py::bytes>(converted);
}

std::vector<std::string> words_of(const py::iterable& arguments) {
  std::vector<std::string> words;
  for (const py::handle word : arguments) words.push_back(bytes_of(word));
  return words;
}

// --- Results

py::list texts_of(const std::vector<sim::Sentence>& sentences) {
  py::list texts;
  for (const sim::Sentence& sentence : sentences) texts.append(py::make_tuple(sentence.text, sentence.detail));
  return texts;
}

py::dict table_for_people(const sim::Table& table) {
  py::list columns;
  for (const sim::Column& column : table.columns())
    columns.append(py::make_tuple(column.title, column.align == sim::Align::kRight));
  py::dict found;
  found["columns"] = columns;
  found["rows"] = sim::with_common_units(table);
  return found;
}

py::object value_of(const sim::Cell& cell) {
  if (const auto* const integer = std::get_if<std::int64_t>(&cell.number())) return py::int_(*integer);
  if (const auto* const real = std::get_if<double>(&cell.number())) return py::float_(*real);
  return cell.is_absent() ? py::object(py::none()) : py::object(py::str(cell.text()));
}

/// The result of a command.
class Answer {
 public:
  Answer(cli::Result result, cli::CommonOptions options) : result_(std::move(result)), options_(std::move(options)) {}

  [[nodiscard]] std::string json() const {
    sim::JsonWriter writer;
    result_.document().json(writer);
    return writer.take();
  }
  [[nodiscard]] std::string text(std::size_t width, bool brief) const {
    sim::TextStyle style;
    style.width = width;
    style.brief = brief;
    return sim::to_text(result_.document(), style);
  }
  /// Returns the document for people: texts, and sections with tables of texts.
  [[nodiscard]] py::dict document() const {
    const sim::Document& document = result_.document();
    py::list sections;
    for (const sim::Section& section : document.sections) {
      if (section.empty()) continue;
      py::dict found;
      found["title"] = section.title;
      found["lead"] = section.lead;
      if (section.table) found["table"] = table_for_people(*section.table);
      found["sentences"] = texts_of(section.sentences);
      found["verbatim"] = section.verbatim;
      sections.append(found);
    }
    py::dict found;
    found["warning"] = document.warning;
    found["headline"] = document.headline;
    found["caution"] = document.caution;
    found["trust"] = document.trust;
    found["sections"] = sections;
    return found;
  }
  /// Returns the rows for programs as columns: a dict from title to a list of values; None for absent ones.
  [[nodiscard]] py::dict columns() const {
    const sim::Table table = [this] {
      const py::gil_scoped_release release;
      return result_.document().rows();
    }();
    py::dict columns;
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      py::list values;
      for (const std::vector<sim::Cell>& row : table.rows()) values.append(value_of(row[i]));
      columns[py::str(table.columns()[i].title)] = values;
    }
    return columns;
  }
  /// Writes the answer as -o FILE does.
  void save(const py::object& path) const {
    cli::CommonOptions options = options_;
    options.output = bytes_of(path);
    const py::gil_scoped_release release;
    if (sim::is_standard_output(*options.output))
      throw UsageError("'-' is standard output; expected the name of a file");
    cli::check_output(options);
    cli::write_output(options, result_.answer());
  }
  /// True if save() can write a picture.
  [[nodiscard]] bool has_picture() const { return sim::has(result_.answer(), sim::Content::kPicture); }
  [[nodiscard]] const std::vector<sim::NamedReplay>& replays() const { return result_.answer().replays; }

 private:
  cli::Result result_;
  cli::CommonOptions options_;
};

// --- Columns as numpy arrays

/// Returns a view of a column, without a copy. `owner` keeps the column alive.
template <class Number, class Value>
py::array view_of(const Value* values, std::size_t size, const py::object& owner) {
  static_assert(sizeof(Number) == sizeof(Value) && std::is_trivially_copyable_v<Value>);
  py::array array(py::dtype::of<Number>(), {size}, {sizeof(Number)}, static_cast<const void*>(values), owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// Returns a new column with the results of `at(0)` to `at(size - 1)`.
template <class Number, class At>
py::array column_of(std::size_t size, const At& at) {
  py::array_t<Number> array(static_cast<py::ssize_t>(size));
  Number* const values = array.mutable_data();
  for (std::size_t i = 0; i < size; ++i) values[i] = at(i);
  return array;
}

py::capsule kept(std::shared_ptr<const Capture> capture) {
  return {new std::shared_ptr<const Capture>(std::move(capture)),
          [](void* held) { delete static_cast<std::shared_ptr<const Capture>*>(held); }};
}

/// Returns the KernelClass of each task of device work, and -1 for other tasks.
py::array classes_of(const Dag& dag) {
  std::map<std::pair<TaskKind, NameId>, std::int8_t> classes;
  return column_of<std::int8_t>(dag.task_count(), [&dag, &classes](std::size_t i) -> std::int8_t {
    const TaskId task{i};
    const TaskKind kind = dag.kind(task);
    if (!sim::is_device_work(kind)) return -1;
    const auto [found, added] = classes.try_emplace({kind, dag.name_id(task)});
    if (added) found->second = static_cast<std::int8_t>(classify_kernel(kind, dag.name(task)));
    return found->second;
  });
}

/// Returns the index in OperatorTable::operators of the operator that launched each task, and -1 for tasks without one.
py::array operators_of(const Capture& capture) {
  py::array_t<std::int32_t> array(static_cast<py::ssize_t>(capture.dag.task_count()));
  std::int32_t* const values = array.mutable_data();
  std::fill_n(values, capture.dag.task_count(), -1);
  for (const OperatorTable::Use& use : capture.operators.uses)
    values[use.task.index()] = static_cast<std::int32_t>(use.which);
  return array;
}

/// Returns the number of each task's step, and -1 for tasks outside all steps.
py::array step_numbers_of(const Capture& capture) {
  const Recording& recording = capture.recording;
  return column_of<std::int64_t>(capture.dag.task_count(), [&recording](std::size_t i) -> std::int64_t {
    const std::int32_t step = recording.step.empty() ? -1 : recording.step[i];
    return step < 0 ? -1 : recording.steps[static_cast<std::size_t>(step)].number;
  });
}

py::dict tasks_of(const std::shared_ptr<const Capture>& capture) {
  const Dag& dag = capture->dag;
  const Recording& recording = capture->recording;
  const py::capsule owner = kept(capture);
  const std::size_t tasks = dag.task_count();
  py::dict columns;
  columns["name"] = view_of<std::uint32_t>(dag.name_ids().data(), tasks, owner);
  columns["kind"] = view_of<std::uint8_t>(dag.kinds().data(), tasks, owner);
  columns["lane"] = view_of<std::uint32_t>(dag.lane_ids().data(), tasks, owner);
  columns["duration_ns"] = column_of<std::int64_t>(
      tasks, [&dag](std::size_t i) { return dag.duration(TaskId{static_cast<std::uint32_t>(i)}).count(); });
  columns["bytes"] = column_of<std::int64_t>(
      tasks, [&dag](std::size_t i) { return dag.bytes(TaskId{static_cast<std::uint32_t>(i)}).count(); });
  if (!recording.start.empty()) {
    columns["start_ns"] = view_of<std::int64_t>(recording.start.data(), tasks, owner);
    columns["finish_ns"] = view_of<std::int64_t>(recording.finish.data(), tasks, owner);
  }
  columns["step"] = step_numbers_of(*capture);
  columns["class"] = classes_of(dag);
  columns["operator"] = operators_of(*capture);
  return columns;
}

py::dict edges_of(const std::shared_ptr<const Capture>& capture) {
  const Dag& dag = capture->dag;
  const py::capsule owner = kept(capture);
  const std::size_t edges = dag.edge_count();
  py::array_t<std::uint32_t> source(static_cast<py::ssize_t>(edges));
  std::uint32_t* const sources = source.mutable_data();
  for (const TaskId task : dag.tasks()) {
    for (const EdgeId edge : dag.edges_from(task)) sources[edge.index()] = static_cast<std::uint32_t>(task.index());
  }
  py::dict columns;
  columns["source"] = source;
  columns["target"] = view_of<std::uint32_t>(dag.targets().data(), edges, owner);
  columns["kind"] = view_of<std::uint8_t>(dag.edge_kinds().data(), edges, owner);
  columns["lag_ns"] = column_of<std::int64_t>(edges, [&dag](std::size_t i) { return dag.lag(EdgeId{i}).count(); });
  return columns;
}

/// Returns the texts of the values 0, 1, ... of an enumeration, up to the largest in `column`.
template <class Value>
py::list texts_of_values(std::span<const Value> column) {
  const auto largest = std::max_element(column.begin(), column.end());
  py::list texts;
  if (largest == column.end()) return texts;
  for (int value = 0; value <= static_cast<int>(*largest); ++value) texts.append(to_text(static_cast<Value>(value)));
  return texts;
}

py::list names_of(const Dag& dag) {
  py::list names;
  for (std::size_t i = 0; i < dag.name_count(); ++i) names.append(py::str(shown(dag.name(NameId{i}), kLongestName)));
  return names;
}

py::list class_texts() {
  py::list texts;
  for (std::size_t i = 0; i < kKernelClassCount; ++i) texts.append(to_text(static_cast<KernelClass>(i)));
  return texts;
}

py::dict operator_texts(const Capture& capture) {
  const auto text_or_none = [](const std::string& text) -> py::object {
    if (text.empty()) return py::none();
    return py::str(shown(text, kLongestName));
  };
  py::list names;
  py::list shapes;
  for (const OperatorTable::Operator& one : capture.operators.operators) {
    names.append(text_or_none(one.name));
    shapes.append(text_or_none(one.shapes));
  }
  py::dict columns;
  columns["name"] = names;
  columns["shapes"] = shapes;
  return columns;
}

py::dict lanes_of(const Dag& dag) {
  py::list names;
  py::list ranks;
  py::list hosts;
  py::list are_streams;
  for (const Lane& lane : dag.lanes()) {
    names.append(py::str(shown(lane.name, kLongestName)));
    ranks.append(lane.rank);
    hosts.append(py::str(shown(lane.host, kLongestName)));
    are_streams.append(lane.kind == LaneKind::kStream);
  }
  py::dict columns;
  columns["name"] = names;
  columns["rank"] = ranks;
  columns["host"] = hosts;
  columns["is_stream"] = are_streams;
  return columns;
}

/// Returns the files that a capture was made from: path, size in bytes and CRC-64.
py::list inputs_of(const Capture& capture) {
  py::list inputs;
  for (const InputFile& input : capture.inputs)
    inputs.append(py::make_tuple(shown(input.name, kLongestName), input.size, sim::checksum_text(input)));
  return inputs;
}

py::list steps_of(const Capture& capture) {
  py::list steps;
  for (const RecordedStep& step : capture.recording.steps)
    steps.append(py::make_tuple(step.rank, step.number, step.whole));
  return steps;
}

// --- What a Python Capture holds

/// Traces that several commands read.
class Captures {
 public:
  /// Runs a command of the program. `arguments` are those of the command line, without the program's name. An error
  /// that the result states (an unusable capture, a failed gate) is not raised. Returns None if the command has no
  /// result, for example a shard of a sweep, which only writes its part.
  [[nodiscard]] std::unique_ptr<Answer> run(const py::iterable& arguments, const py::object& progress) {
    const auto run_it = [](const cli::Session& session) {
      cli::run_command(cli::find_command(session.arguments.front(), cli::commands()), session);
    };
    BackgroundWork work(run_it, store_, words_of(arguments));
    work.wait(progress);
    std::optional<Taken> taken = work.take();
    if (work.error() && !(taken && is_in_answer(work.error()))) std::rethrow_exception(work.error());
    return taken ? std::make_unique<Answer>(std::move(taken->result), std::move(taken->options)) : nullptr;
  }

  /// Reads the traces that `arguments` select: "load", TRACE... and the common options.
  void load(const py::iterable& arguments, const py::object& progress) {
    const auto found = std::make_shared<std::shared_ptr<const Capture>>();
    BackgroundWork work([found](const cli::Session& session) { *found = loaded(session); }, store_,
                        words_of(arguments));
    work.wait(progress);
    if (work.error()) std::rethrow_exception(work.error());
    capture_ = *found;
  }
  /// Throws UsageError if load() has not returned yet.
  [[nodiscard]] const std::shared_ptr<const Capture>& capture() const {
    if (capture_ == nullptr) throw UsageError("no capture is loaded; call load() first");
    return capture_;
  }

 private:
  [[nodiscard]] static std::shared_ptr<const Capture> loaded(const cli::Session& session) {
    CLI::App app{"", "stepsim.load"};
    const auto common = cli::add_common_options(app, {.command = "load"});
    static_cast<void>(cli::parse(app, session.arguments));
    return cli::shared_capture(common(), session);
  }
  /// True for an error that a command throws after it has reported a result that states the same.
  [[nodiscard]] static bool is_in_answer(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const InputError&) {
      return true;
    } catch (const cli::GateFailed&) {
      return true;
    } catch (...) {
      return false;
    }
  }

  std::shared_ptr<cli::CaptureStore> store_ = std::make_shared<cli::CaptureStore>();
  std::shared_ptr<const Capture> capture_;
};

/// Precondition: `index` is less than the number of replays.
py::dict timeline_of(const py::object& self, std::size_t index) {
  const sim::NamedReplay& replay = self.cast<const Answer&>().replays().at(index);
  py::dict columns;
  columns["replay"] = py::str(std::string(replay.name));
  columns["start_ns"] = view_of<std::int64_t>(replay.timeline.start.data(), replay.timeline.size(), self);
  columns["finish_ns"] = view_of<std::int64_t>(replay.timeline.finish.data(), replay.timeline.size(), self);
  return columns;
}

/// Returns what a picture of a replay needs besides its times: the lane of each task, its class (an index into
/// class_styles()), and all lanes. Precondition: as timeline_of().
py::dict tracks_of(const py::object& self, std::size_t index) {
  const Dag& dag = self.cast<const Answer&>().replays().at(index).capture.dag;
  py::dict columns;
  columns["lane"] = view_of<std::uint32_t>(dag.lane_ids().data(), dag.task_count(), self);
  columns["class"] = column_of<std::uint8_t>(dag.task_count(), [&dag](std::size_t i) {
    return static_cast<std::uint8_t>(sim::path_class_of(dag, TaskId{i}));
  });
  columns["lanes"] = lanes_of(dag);
  return columns;
}

/// Returns the name, label and colour of each class of time.
py::list class_styles() {
  py::list styles;
  for (std::size_t i = 0; i < sim::kClassStyles.size(); ++i) {
    const sim::ClassStyle& style = sim::kClassStyles[i];
    styles.append(py::make_tuple(sim::to_text(static_cast<sim::PathClass>(i)), style.label, style.colour));
  }
  return styles;
}

/// Returns the ids of the tasks on the critical path of a replay, in the order of time. Precondition: as timeline_of().
py::array critical_path_of(const Answer& answer, std::size_t index) {
  const sim::NamedReplay& replay = answer.replays().at(index);
  const std::vector<sim::PathTask> path = [&replay] {
    const py::gil_scoped_release release;
    const sim::Summary summary = sim::summarize(replay.capture, replay.timeline);
    return sim::iteration_path(replay.capture, replay.timeline, summary).path.tasks;
  }();
  return column_of<std::uint32_t>(path.size(),
                                  [&path](std::size_t i) { return static_cast<std::uint32_t>(path[i].task.index()); });
}

/// Returns the definition of each term of the glossary under all of its names.
py::dict glossary_terms() {
  py::dict definitions;
  for (const sim::Term& term : sim::glossary()) {
    definitions[py::str(std::string(term.name))] = std::string(term.definition);
    for (const std::string& name : sim::list_of_names(term.also)) {
      if (!definitions.contains(name)) definitions[py::str(name)] = std::string(term.definition);
    }
  }
  return definitions;
}

/// Returns parse(text), or nothing if `text` has another form.
template <class Parse>
auto parsed(const Parse& parse, const std::string& text) -> std::optional<decltype(parse(text))> {
  try {
    return parse(text);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// Returns the number in the text of a value and its unit: (2.0, "x"), (1048576, "bytes"), (5000, "ns"),
/// (3e9, "bytes/s") or (8, ""); None for other texts.
py::object quantity_of(const std::string& text) {
  if (const auto number = parse_number<std::int64_t>(text)) return py::make_tuple(*number, "");
  if (const auto number = parse_number<double>(text)) return py::make_tuple(*number, "");
  if (text.ends_with('x')) {
    if (const auto factor = parse_number<double>(std::string_view(text).substr(0, text.size() - 1)))
      return py::make_tuple(*factor, "x");
  }
  if (const auto size = parsed(parse_bytes, text)) return py::make_tuple(size->count(), "bytes");
  if (const auto time = parsed(parse_duration, text)) return py::make_tuple(time->count(), "ns");
  if (const auto rate = parsed(parse_bandwidth, text)) return py::make_tuple(rate->bytes_per_second(), "bytes/s");
  return py::none();
}

/// Runs the program in this process, which does nothing else. `command` starts it again. Returns the exit code.
int run_program(const py::iterable& arguments, const py::iterable& command) {
  const std::vector<std::string> words = words_of(arguments);
  cli::set_own_command(words_of(command));
  const py::gil_scoped_release release;
  const int code = cli::run_program(words);
  cli::stop_without_haste();
  return code;
}

/// Returns the class of MissingFile, a FileNotFoundError whose text is that of MissingFile::what().
py::object missing_file_type(const py::handle& input_error) {
  py::dict members;
  members["__str__"] = py::handle(PyExc_BaseException).attr("__str__");
  const py::tuple bases = py::make_tuple(input_error, py::handle(PyExc_FileNotFoundError));
  PyObject* const type = PyErr_NewException("stepsim._core.MissingFile", bases.ptr(), members.ptr());
  if (type == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(type);
}

void translate_missing_file(std::exception_ptr error) {  // NOLINT(performance-unnecessary-value-param): pybind11's type
  try {
    if (error) std::rethrow_exception(error);
  } catch (const MissingFile& missing) {
    const py::object type = py::module_::import("stepsim._core").attr("MissingFile");
    const py::object found = type(missing.what());
    const std::string& file = missing.where().file;
    found.attr("errno") = ENOENT;
    found.attr("filename") = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeFSDefaultAndSize(file.data(), static_cast<Py_ssize_t>(file.size())));
    PyErr_SetObject(type.ptr(), found.ptr());
  }
}

/// Local to this module: std::runtime_error of other extensions stays their RuntimeError.
void define_errors(py::module_& module) {
  const auto base = py::register_local_exception<std::runtime_error>(module, "Error", PyExc_RuntimeError);
  const auto input = py::register_local_exception<InputError>(module, "InputError",
                                                              py::make_tuple(base, py::handle(PyExc_ValueError)));
  const auto& output = py::register_local_exception<OutputError>(module, "OutputError", base);
  const auto& answer = py::register_local_exception<CannotAnswer>(module, "CannotAnswer", input);
  const auto& usage = py::register_local_exception<UsageError>(module, "UsageError", base);
  const py::object missing = missing_file_type(input);
  module.attr("MissingFile") = missing;
  py::register_local_exception_translator(translate_missing_file);
  for (const py::handle error : {py::handle(base), py::handle(input), py::handle(output), py::handle(answer),
                                 py::handle(usage), py::handle(missing)})
    error.attr("__module__") = "stepsim";
}

}  // namespace

// NOLINTNEXTLINE: the macro's own code
PYBIND11_MODULE(_core, module) {
  module.doc() = "stepsim's engine: runs the commands of the program in this process and keeps their results.";
  module.attr("__version__") = std::string(version());
  module.attr("commit") = std::string(commit());
  define_errors(module);
  py::module_::import("atexit").attr("register")(py::cpp_function(wait_for_work_left_behind));
  module.def("json_schema", [] { return cli::json_schema("answers"); });
  module.def("glossary", &glossary_terms);
  module.def("class_styles", &class_styles);
  module.def("quantity", &quantity_of, py::arg("text"));
  module.def("run_program", &run_program, py::arg("arguments"), py::arg("command"));
  py::class_<Captures>(module, "Captures")
      .def(py::init<>())
      .def("load", &Captures::load, py::arg("arguments"), py::arg("progress") = py::none())
      .def("run", &Captures::run, py::arg("arguments"), py::arg("progress") = py::none())
      .def("tasks", [](const Captures& self) { return tasks_of(self.capture()); })
      .def("edges", [](const Captures& self) { return edges_of(self.capture()); })
      .def("task_kinds", [](const Captures& self) { return texts_of_values(self.capture()->dag.kinds()); })
      .def("edge_kinds", [](const Captures& self) { return texts_of_values(self.capture()->dag.edge_kinds()); })
      .def("classes", [](const Captures&) { return class_texts(); })
      .def("operators", [](const Captures& self) { return operator_texts(*self.capture()); })
      .def("names", [](const Captures& self) { return names_of(self.capture()->dag); })
      .def("lanes", [](const Captures& self) { return lanes_of(self.capture()->dag); })
      .def("steps", [](const Captures& self) { return steps_of(*self.capture()); })
      .def("inputs", [](const Captures& self) { return inputs_of(*self.capture()); });
  py::class_<Answer>(module, "Answer")
      .def("json", &Answer::json, py::call_guard<py::gil_scoped_release>())
      .def("text", &Answer::text, py::arg("width") = 0, py::arg("brief") = false,
           py::call_guard<py::gil_scoped_release>())
      .def("document", &Answer::document)
      .def("columns", &Answer::columns)
      .def("save", &Answer::save, py::arg("path"))
      .def("replay_count", [](const Answer& self) { return self.replays().size(); })
      .def("timeline", &timeline_of, py::arg("index") = 0)
      .def("tracks", &tracks_of, py::arg("index"))
      .def("critical_path", &critical_path_of, py::arg("index") = 0)
      .def("has_picture", &Answer::has_picture);
}

}  // namespace stepsim::python
