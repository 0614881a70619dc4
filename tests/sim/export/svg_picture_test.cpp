#include "sim/export/picture/pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/sim/temporary_folder.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::read_file;
using stepsim::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SvgPictureTest, MarksAreRoundAndAtMostNine) {
  EXPECT_THAT(marks(10), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(marks(7), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(marks(0), ElementsAre(0));
  for (int i = 0; i < 88; ++i) {
    const double most = std::pow(1.37, i);  // at most 8e11
    const std::vector<double> found = marks(most);
    EXPECT_GE(found.size(), 3U) << most;
    EXPECT_LE(found.size(), 9U) << most;
    EXPECT_LE(found.back(), most * (1 + 1e-9));
    EXPECT_GT(found.back() + found[1], most);
  }
}

TEST(SvgPictureTest, AllMarksOfAnAxisHaveOneUnit) {
  EXPECT_EQ(mark_text(500e3, 2e6), "0.5 ms");
  EXPECT_EQ(mark_text(2e6, 2e6), "2 ms");
  EXPECT_EQ(mark_text(0, 3), "0 ns");
}

TEST(SvgPictureTest, HasWhatAReaderMustKnowBeforeTheFigures) {
  const TemporaryFolder folder;
  OutputFile file{folder.file("x.svg")};
  const Provenance provenance;
  Document document{.headline = "Step time 1 ms.", .caution = "Predictions are unreliable: " + std::string(1200, 'x')};
  SvgPicture picture(file, 1000, 100, "a step", provenance);
  PictureFigures figures({.provenance = provenance, .document = &document}, 1000);
  figures.draw(picture, {0, 10});
  picture.finish();
  file.commit();
  const std::string text = read_file(folder.file("x.svg"));
  EXPECT_THAT(text, HasSubstr(">Step time 1 ms.</text>"));
  EXPECT_THAT(text, HasSubstr(">Predictions are unreliable:"));
  EXPECT_GE(std::count(text.begin(), text.end(), 'x'), 1200) << "nothing of it is left out";
  EXPECT_GT(figures.height(), 16 * 8);
}

TEST(SvgPictureTest, TextsCannotBecomeMarkup) {
  const TemporaryFolder folder;
  OutputFile file{folder.file("x.svg")};
  SvgPicture picture(file, 10, 10, "</title><script>", Provenance{"1", "<b>", "a && \"b\"", {}});
  picture.text({1, 2}, "<\x1b>");
  picture.finish();
  file.commit();
  const std::string text = read_file(folder.file("x.svg"));
  EXPECT_THAT(text, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;</title>"));
  EXPECT_THAT(text, HasSubstr("stepsim 1 (&lt;b&gt;): a &amp;&amp; &quot;b&quot;</metadata>"));
  EXPECT_THAT(text, HasSubstr(">&lt;\\x1b&gt;</text>"));
}

}  // namespace
}  // namespace stepsim::sim
