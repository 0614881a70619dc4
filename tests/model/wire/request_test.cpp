#include "model/wire/request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace stepsim::wire {
namespace {

using std::string_view_literals::operator""sv;

TEST(RequestTest, IsReadAsItWasWritten) {
  const Request written{.run = "1-2",
                        .processes = {"host_1", "host_2"},
                        .stop = true,
                        .variables = {{"STEPSIM_CAPTURE_DIR", "/a=b\n c"}, {"STEPSIM_CAPTURE_ACTIVE", ""}}};
  const auto read = request_from_text(to_text(written));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->run, "1-2");
  EXPECT_EQ(read->processes, written.processes);
  EXPECT_TRUE(read->stop);
  EXPECT_EQ(read->variables, written.variables);
  EXPECT_TRUE(read->means("host_2"));
  EXPECT_FALSE(read->means("host_3"));
}

TEST(RequestTest, OtherTextsAreNone) {
  for (const std::string_view text : {""sv, "\0"sv, "RUN=1"sv, "RUN=\0"sv, "STOP=1\0RUN=1\0"sv, "RUN=1\0RUN=2\0"sv,
                                      "RUN=1\0STOP"sv, "RUN=1\0no value\0"sv, "RUN=1\0\0"sv})
    EXPECT_FALSE(request_from_text(text)) << text;
}

TEST(ReplyTest, IsReadAsItWasWritten) {
  const Reply reply = reply_from_text(to_text(Reply{.run = "1-2", .problem = "cannot create a file"}));
  EXPECT_EQ(reply.run, "1-2");
  EXPECT_EQ(reply.problem, "cannot create a file");
  EXPECT_EQ(reply_from_text("").run, "");
}

TEST(ProcessNameTest, IsSafeInAFileName) { EXPECT_EQ(process_name("a/b_c.d-9", 12), "a-b-c.d-9_12"); }

}  // namespace
}  // namespace stepsim::wire
