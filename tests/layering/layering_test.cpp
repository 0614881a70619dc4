// Reads the #include lines of all sources and fails if a folder includes a header of a folder that it may not include.
// The allowed includes between folders are
//     python -> cli -> scenarios -> sim -> model <- ingest, cli -> ingest, capture -> model/wire.
// The allowed includes between the rooms (the libraries in a folder) are in a table in docs/internals/architecture.md.
// Public headers include no third-party header, except those in kOutwardHeaders, and only cli/ prints. A source
// includes its own header first, which shows that the header is self-contained. The own header of x.cpp is x.h. If
// there is no x.h, the first include must be a header in the folder of x.cpp, unless x.cpp is an entry of a registry.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/source_folder.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

/// The folders that each folder may include, besides itself. tests and bench may include anything.
const std::map<std::string, std::set<std::string>, std::less<>> kArrows{
    {"model", {}},
    {"capture", {"model/wire"}},
    {"ingest", {"model"}},
    {"sim", {"model"}},
    {"scenarios", {"sim", "model"}},
    {"cli", {"scenarios", "sim", "ingest", "model"}},
    {"python", {"cli", "sim", "model"}},
};
constexpr std::string_view kFreeFolders[] = {"tests", "bench"};

/// For each room (a library), the other rooms whose headers it may include.
using Rooms = std::map<std::string, std::set<std::string>, std::less<>>;

/// The only files that belong to no room: the program, the Python module, and a header for programs that are captured.
const std::set<std::string, std::less<>> kMains{"cli/main.cpp", "python/core.cpp", "python/background_work.cpp",
                                                "python/background_work.h"};
constexpr std::string_view kCInterface = "capture/capture.h";

/// Public headers that may include third-party headers: they are for programs of other people, or for the Python
/// module.
const std::set<std::string, std::less<>> kOutwardHeaders{"capture/inline.h", "python/background_work.h"};

std::string folder_of(std::string_view path) { return std::string{path.substr(0, path.find('/'))}; }

bool is_free(const std::string& folder) {
  return std::find(std::begin(kFreeFolders), std::end(kFreeFolders), folder) != std::end(kFreeFolders);
}

/// Returns the words of `text` between commas, without surrounding blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream parts(text);
  for (std::string word; std::getline(parts, word, ',');) {
    const std::size_t begin = word.find_first_not_of(' ');
    if (begin != std::string::npos) words.push_back(word.substr(begin, word.find_last_not_of(' ') + 1 - begin));
  }
  return words;
}

/// Reads the table of rooms in docs/internals/architecture.md, with rows "| `model/job/` | what it holds | base, cost
/// |".
Rooms rooms_in(const std::string& page) {
  Rooms rooms;
  std::istringstream lines(page);
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "| room | holds | sees |") in_table = true;
    if (!line.starts_with('|')) in_table = false;
    if (!in_table || !line.starts_with("| `")) continue;
    const std::string room = line.substr(3, line.find("/` |") - 3);
    const std::size_t sees = line.rfind('|', line.size() - 2) + 1;
    std::set<std::string>& arrows = rooms[room];
    for (const std::string& word : words_of(line.substr(sees, line.size() - 1 - sees))) {
      arrows.insert(folder_of(room) + "/" + word);
    }
  }
  return rooms;
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const Rooms& rooms() {
  static const Rooms rooms = rooms_in(read(stepsim::source_folder() / "docs" / "internals" / "architecture.md"));
  return rooms;
}

/// Returns the room of `path`: the longest room name with which the path begins, or empty.
std::string room_of(std::string_view path) {
  std::string found;
  for (const auto& [room, arrows] : rooms()) {
    if (path.starts_with(room + "/") && room.size() > found.size()) found = room;
  }
  return found;
}

struct Include {
  std::string path;
  bool quoted = false;
};

/// Returns the file that this line includes; nullopt if the line is not an #include.
std::optional<Include> include_on(std::string_view line) {
  const auto skip_blanks = [&line] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(std::string_view{"include"}.size());
  skip_blanks();
  const bool quoted = line.starts_with('"');
  if (!quoted && !line.starts_with('<')) return std::nullopt;
  line.remove_prefix(1);
  return Include{std::string{line.substr(0, line.find(quoted ? '"' : '>'))}, quoted};
}

/// Returns why `file` may not include a header of its own top-level folder; empty if it may.
std::string room_problem(const std::string& file, const std::string& included) {
  if (kMains.contains(file) || included == kCInterface) return "";
  const std::string from = room_of(file);
  const std::string to = room_of(included);
  if (from.empty()) return "is included by a file that lies in no room";
  if (to.empty()) return "lies in no room";
  if (from == to || rooms().find(from)->second.contains(to)) return "";
  return "is a wrong arrow: " + from + " may not see " + to;
}

/// Returns why `file` may not include another header of this repository; empty if it may.
std::string arrow_problem(const std::string& file, const std::string& included) {
  const std::string from = folder_of(file);
  const std::string to = folder_of(included);
  if (!kArrows.contains(to) && !is_free(to)) return "is not written from the repository root";
  if (is_free(from)) return "";
  if (from == to) return room_problem(file, included);
  const auto arrows = kArrows.find(from);
  if (arrows == kArrows.end()) return "comes from a folder without arrows";
  const auto allows = [&included](const std::string& target) { return included.starts_with(target + "/"); };
  if (std::any_of(arrows->second.begin(), arrows->second.end(), allows)) return "";
  return "is a wrong arrow: " + from + " may not see " + to;
}

/// The compiler's headers for vector instructions, which belong to no library.
const std::set<std::string, std::less<>> kIntrinsics{"emmintrin.h", "immintrin.h", "arm_neon.h"};
/// System headers that headers of capture/ may include. The code of capture/ runs inside other programs.
const std::set<std::string, std::less<>> kSystem{"sys/types.h", "pthread.h"};

/// Returns why `file` may not include a header in angle brackets; empty if it may. Standard headers have no folder and
/// no extension.
std::string outside_problem(const std::string& file, const std::string& included) {
  if (is_free(folder_of(file))) return "";
  if (included == "iostream" && folder_of(file) != "cli") return "prints: only cli/ may";
  const bool of_system = folder_of(file) == "capture" && kSystem.contains(included);
  const bool standard =
      included.find_first_of("/.") == std::string::npos || kIntrinsics.contains(included) || of_system;
  if (!file.ends_with(".h") || standard || kOutwardHeaders.contains(file)) return "";
  return "is a third-party header in a public header: keep it in the .cpp";
}

/// Returns one sentence for each include of `file` that is not allowed. `file` is the path from the root, `text` the
/// file's content.
std::vector<std::string> problems(const std::string& file, const std::string& text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::optional<Include> include = include_on(line);
    if (!include) continue;
    const std::string problem =
        include->quoted ? arrow_problem(file, include->path) : outside_problem(file, include->path);
    if (!problem.empty()) found.push_back(file + ":" + std::to_string(number) + ": " + include->path + " " + problem);
  }
  return found;
}

/// Returns what is wrong if `source` does not include its own `header` first; empty if it does.
std::string own_header_problem(const std::string& source, const std::string& header, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::optional<Include> include = include_on(line);
    if (!include) continue;
    return include->path == header ? "" : source + ": includes " + include->path + " before its own " + header;
  }
  return source + ": does not include its own " + header;
}

/// True if the first include of `source` is a header in the same folder.
bool begins_with_header_of_room(const std::string& source, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::optional<Include> include = include_on(line);
    if (include) return include->quoted && fs::path{include->path}.parent_path() == fs::path{source}.parent_path();
  }
  return false;
}

/// Returns the sources of all registries in a CMakeLists.txt. `cmake_lists` is the text of that file, and `folder` is
/// its folder. "ENTRIES a b c)" in a call of stepsim_registry() means a.cpp, b.cpp and c.cpp in the folder; "ENTRIES
/// d:a d:b" means d.cpp.
std::set<fs::path> registry_entries(const fs::path& folder, const std::string& cmake_lists) {
  std::set<fs::path> entries;
  const std::string_view opening = "\n  ENTRIES";
  for (std::size_t at = cmake_lists.find(opening); at != std::string::npos; at = cmake_lists.find(opening, at)) {
    at += opening.size();
    std::istringstream words(cmake_lists.substr(at, cmake_lists.find(')', at) - at));
    for (std::string word; words >> word;) entries.insert(folder / (word.substr(0, word.find(':')) + ".cpp"));
  }
  return entries;
}

std::vector<fs::path> sources(const fs::path& root) {
  std::vector<fs::path> files;
  const auto scan = [&](const std::string& folder) {
    if (!fs::is_directory(root / folder)) return;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension == ".h" || extension == ".cpp") files.push_back(entry.path());
    }
  };
  for (const auto& [folder, arrows] : kArrows) scan(folder);
  for (const std::string_view folder : kFreeFolders) scan(std::string{folder});
  std::sort(files.begin(), files.end());
  return files;
}

TEST(LayeringTest, EveryRoomOfTheTableIsAFolderWithSources) {
  ASSERT_GT(rooms().size(), 20U) << "the table of rooms was not found";
  for (const auto& [room, arrows] : rooms()) {
    const fs::path folder = stepsim::source_folder() / room;
    ASSERT_TRUE(fs::is_directory(folder)) << room;
    EXPECT_TRUE(std::any_of(fs::directory_iterator(folder), fs::directory_iterator(), [](const auto& entry) {
      return entry.path().extension() == ".cpp" || entry.path().extension() == ".h" ||
             entry.path().filename() == "CMakeLists.txt";
    })) << room;
    for (const std::string& seen : arrows) EXPECT_TRUE(rooms().contains(seen)) << room << " sees " << seen;
  }
}

/// The includes between rooms form no cycle.
TEST(LayeringTest, ArrowsBetweenRoomsGoOneWay) {
  Rooms left = rooms();
  for (std::size_t before = left.size() + 1; before > left.size() && !left.empty();) {
    before = left.size();
    const auto sees_none_of_those_left = [&left](const std::set<std::string>& arrows) {
      return std::none_of(arrows.begin(), arrows.end(),
                          [&left](const std::string& room) { return left.contains(room); });
    };
    for (auto at = left.begin(); at != left.end();)
      at = sees_none_of_those_left(at->second) ? left.erase(at) : std::next(at);
  }
  for (const auto& [room, arrows] : left) ADD_FAILURE() << room << " is on a cycle of arrows, or sees one";
}

TEST(LayeringTest, NoSourceIncludesWhatItsFolderMayNotSee) {
  const fs::path& root = stepsim::source_folder();
  const std::vector<fs::path> files = sources(root);
  ASSERT_GT(files.size(), 20U) << "the sources were not found";
  for (const fs::path& file : files) EXPECT_THAT(problems(fs::relative(file, root).string(), read(file)), IsEmpty());
}

TEST(LayeringTest, EverySourceIncludesItsOwnHeaderFirst) {
  const fs::path& root = stepsim::source_folder();
  for (const fs::path& file : sources(root)) {
    const fs::path header = fs::path{file}.replace_extension(".h");
    if (file.extension() != ".cpp" || !fs::exists(header)) continue;
    const auto relative = [&root](const fs::path& path) { return fs::relative(path, root).string(); };
    EXPECT_EQ(own_header_problem(relative(file), relative(header), read(file)), "");
  }
}

TEST(LayeringTest, EverySourceButRegistryEntriesHasAHeaderOfItsNameOrRoom) {
  const fs::path& root = stepsim::source_folder();
  std::set<fs::path> entries;
  for (const auto& [folder, arrows] : kArrows) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().filename() != "CMakeLists.txt") continue;
      entries.merge(registry_entries(entry.path().parent_path(), read(entry.path())));
    }
  }
  ASSERT_GT(entries.size(), 20U) << "the registries were not found";
  for (const fs::path& file : sources(root)) {
    const std::string relative = fs::relative(file, root).string();
    if (file.extension() != ".cpp" || is_free(folder_of(relative)) || kMains.contains(relative) ||
        entries.contains(file))
      continue;
    if (fs::exists(fs::path{file}.replace_extension(".h"))) continue;
    EXPECT_TRUE(begins_with_header_of_room(relative, read(file)))
        << relative << " has no header of its name and does not include one of its room first";
  }
}

TEST(LayeringSelfTest, RoomsOfATableAreFound) {
  const Rooms found = rooms_in(
      "| `x/y/` | no | table of rooms |\n\n| room | holds | sees |\n|---|---|---|\n"
      "| `model/base/` | units | |\n| `model/cost/` | costs | base, job |\n\nand | `z/` | more |\n");
  EXPECT_EQ(found, (Rooms{{"model/base", {}}, {"model/cost", {"model/base", "model/job"}}}));
}

TEST(LayeringSelfTest, EntriesOfARegistryAreFound) {
  EXPECT_THAT(
      registry_entries("sim/export",
                       "x(a\n  ENTRIES\n    chrome\n    k/kineto\n)\ny(\n  ENTRIES text:csv)\nENTRIES no"),
      ::testing::UnorderedElementsAre("sim/export/chrome.cpp", "sim/export/k/kineto.cpp", "sim/export/text.cpp"));
}

TEST(LayeringSelfTest, PlantedHeaderBeforeTheOwnOneIsFound) {
  EXPECT_THAT(own_header_problem("sim/engine/engine.cpp", "sim/engine/engine.h",
                                 "#include <vector>\n#include \"sim/engine/engine.h\"\n"),
              HasSubstr("includes vector before its own"));
  EXPECT_THAT(own_header_problem("sim/engine/engine.cpp", "sim/engine/engine.h", "int x;"),
              HasSubstr("does not include its own"));
  EXPECT_EQ(
      own_header_problem("sim/engine/engine.cpp", "sim/engine/engine.h", "// why\n#include \"sim/engine/engine.h\"\n"),
      "");
}

TEST(LayeringSelfTest, PlantedSourceWithoutHeaderIsFound) {
  EXPECT_FALSE(
      begins_with_header_of_room("sim/engine/lost.cpp", "#include <vector>\n#include \"sim/engine/engine.h\"\n"));
  EXPECT_FALSE(begins_with_header_of_room("sim/engine/lost.cpp", "#include \"sim/report/report.h\"\n"));
  EXPECT_FALSE(begins_with_header_of_room("sim/engine/lost.cpp", "int x;"));
  EXPECT_TRUE(begins_with_header_of_room("sim/engine/queue.cpp", "// why\n#include \"sim/engine/engine.h\"\n"));
}

TEST(LayeringSelfTest, PlantedWrongArrowIsFound) {
  EXPECT_THAT(problems("sim/engine/engine.cpp", "#include <vector>\n#include \"ingest/parts/part.h\"\n"),
              ElementsAre("sim/engine/engine.cpp:2: ingest/parts/part.h is a wrong arrow: sim may not see ingest"));
  EXPECT_THAT(problems("model/job/dag.h", "#include \"sim/engine/engine.h\""),
              ElementsAre(HasSubstr("model may not see sim")));
  EXPECT_THAT(problems("capture/writer/writer.h", "#include \"model/base/units.h\""),
              ElementsAre(HasSubstr("capture may not see model")));
}

TEST(LayeringSelfTest, PlantedWrongArrowBetweenRoomsIsFound) {
  EXPECT_THAT(problems("model/job/dag.h", "#include \"model/cost/network/network.h\""),
              ElementsAre("model/job/dag.h:1: model/cost/network/network.h is a wrong arrow: model/job may not see "
                          "model/cost"));
  EXPECT_THAT(problems("ingest/stitch/assembly.h", "#include \"ingest/stitch/host_device/clock.h\""),
              ElementsAre(HasSubstr("ingest/stitch may not see ingest/stitch/host_device")));
  EXPECT_THAT(
      problems("ingest/stitch/parameter_server/transfers.cpp", "#include \"ingest/stitch/host_device/clock.h\""),
      ElementsAre(HasSubstr("wrong arrow")));
  EXPECT_THAT(problems("sim/engine/engine.cpp", "#include \"sim/new.h\""), ElementsAre(HasSubstr("in no room")));
  EXPECT_THAT(problems("sim/new.cpp", "#include \"sim/engine/engine.h\""), ElementsAre(HasSubstr("in no room")));
}

TEST(LayeringSelfTest, PlantedThirdPartyHeaderInAPublicHeaderIsFound) {
  EXPECT_THAT(problems("ingest/parts/part.h", "  #  include <fmt/format.h>"),
              ElementsAre(HasSubstr("third-party header")));
  EXPECT_THAT(problems("ingest/parts/part.h", "#include <simdjson.h>"), ElementsAre(HasSubstr("third-party header")));
}

TEST(LayeringSelfTest, PlantedPathThatDoesNotStartAtTheRootIsFound) {
  EXPECT_THAT(problems("ingest/load/load.cpp", "#include \"load.h\""), ElementsAre(HasSubstr("repository root")));
}

TEST(LayeringSelfTest, PlantedPrintOutsideTheCommandLineIsFound) {
  EXPECT_THAT(problems("sim/engine/engine.cpp", "#include <iostream>"), ElementsAre(HasSubstr("only cli/ may")));
}

TEST(LayeringSelfTest, RightArrowsPass) {
  EXPECT_THAT(problems("cli/main.cpp", "#include \"ingest/load/load.h\"\n#include <iostream>"), IsEmpty());
  EXPECT_THAT(problems("sim/engine/engine.cpp", "#include \"model/job/dag.h\"\n#include <tbb/task_group.h>"),
              IsEmpty());
  EXPECT_THAT(problems("tests/sim/engine/engine_test.cpp", "#include \"ingest/load/load.h\""), IsEmpty());
}

}  // namespace
