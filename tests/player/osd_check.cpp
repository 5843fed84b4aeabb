#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "player/osd_lines.h"
#include "player/osd_text.h"

namespace texcast::player {
namespace {

constexpr const char* kFont = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";

int ink(const TextPanel& panel) { return std::accumulate(panel.coverage.begin(), panel.coverage.end(), 0); }

TextPanel panel_of(OsdText& text, std::vector<std::string> lines, int max_width = 4000, int max_height = 4000) {
  TextPanel panel;
  text.render(lines, 16, max_width, max_height, panel);
  return panel;
}

bool contains(const std::vector<std::string>& lines, std::string_view words) {
  return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.find(words) != line.npos; });
}

}  // namespace

TEST_CASE("text: characters are drawn, one column each, whatever their bytes") {
  OsdText text(kFont);
  REQUIRE(text.usable());
  const TextPanel one = panel_of(text, {"M"});
  const TextPanel three = panel_of(text, {"MMM"});
  CHECK(ink(one) > 0);
  CHECK(ink(three) == 3 * ink(one));
  const int column = (three.width - one.width) / 2;
  CHECK(panel_of(text, {"MMMMM"}).width == three.width + 2 * column);
  CHECK(panel_of(text, {"µ·…→×"}).width == panel_of(text, {"MMMMM"}).width);
  CHECK(ink(panel_of(text, {" "})) == 0);
  CHECK(panel_of(text, {"\xE2\x82"}).width ==
        panel_of(text, {"MM"}).width);                               // a truncated character: two unknown bytes
  CHECK(ink(panel_of(text, {"漢"})) == ink(panel_of(text, {"?"})));  // not in the atlas
  CHECK(ink(panel_of(text, {std::string("\0\n\x7F\xFF", 4)})) == 4 * ink(panel_of(text, {"?"})));
}

TEST_CASE("text: a panel never exceeds its limits") {
  OsdText text(kFont);
  const std::vector<std::string> lines(100, std::string(500, 'x'));
  const TextPanel panel = panel_of(text, lines, 301, 97);
  CHECK(panel.width <= 301);
  CHECK(panel.height <= 97);
  CHECK(panel.coverage.size() == static_cast<size_t>(panel.width * panel.height));
  CHECK(panel_of(text, lines, 5, 5).width == 0);
  CHECK(panel_of(text, {}).width == 0);
}

TEST_CASE("text: without a font there is no text, and no error") {
  OsdText text("/nonexistent/font.ttf");
  CHECK_FALSE(text.usable());
  CHECK(panel_of(text, {"M"}).width == 0);
}

TEST_CASE("clock text") {
  using namespace std::chrono_literals;
  CHECK(clock_text(0ns) == "0:00:00.0");
  CHECK(clock_text(3723456ms) == "1:02:03.4");
  CHECK(clock_text(-5s) == "0:00:00.0");
}

TEST_CASE("display lines: known values are shown, unknown ones left out") {
  PlayerReport report;
  report.frames_shown = 12;
  report.frames_skipped = 300;
  report.frames_skipped_last_second = 3;
  report.fps_last_second = 59.94;
  report.total = {"total", 12, 121.04, 133.5};
  report.total_last_second = {"total", 12, 21.04, 33.5};
  report.stages_last_second = {{"encode", 12, 4.2, 5.0}, {"network", 0, 0, 0}};
  const TextureDesc texture{.format = TextureFormat::ycocg_bc4_420, .width = 127, .height = 95};
  ShownFrame frame;
  frame.number = 4711;
  frame.concealed = true;
  const auto lines = osd_lines({.title = "rtp://:5004",
                                .renderer = "llvmpipe",
                                .texture = &texture,
                                .frame = &frame,
                                .report = &report,
                                .playback = {.frame = 4711}},
                               {{"lost packets", "17"}});
  CHECK(contains(lines, "rtp://:5004"));
  CHECK(contains(lines, "ycocg-bc4 127×95"));
  CHECK(contains(lines, "0:00:00.0 · frame 4712 (concealed)"));
  CHECK(contains(lines, "60 fps, 3 skipped"));
  CHECK(contains(lines, "p50 21.0 ms  p95 33.5 ms"));
  CHECK(contains(lines, "encode"));
  CHECK_FALSE(contains(lines, "network"));
  CHECK(contains(lines, "lost packets\t17"));
  CHECK(contains(lines, "llvmpipe"));
  CHECK_FALSE(contains(lines, "shown as"));
  CHECK(contains(osd_lines({.shown_as = "bc1, transcoded on a GPU", .texture = &texture}, {}),
                 "shown as\tbc1, transcoded on a GPU"));
  CHECK(osd_lines({.title = "x", .renderer = "y"}, {}).size() == 2);
  // The feed's stages are among the player's; everything else about the feed precedes them.
  const auto at = [&](std::string_view words) {
    const auto staged = osd_lines({.report = &report}, {{"  read", "p50 1 ms"}, {"rate", "5"}});
    return std::find_if(staged.begin(), staged.end(), [&](auto& l) { return l.find(words) != l.npos; }) -
           staged.begin();
  };
  CHECK(at("rate\t") < at("latency"));
  CHECK(at("latency") < at("  read"));
  CHECK(at("  read") < at("  encode"));
  report.total_last_second.p50_ms = -3;
  CHECK(contains(osd_lines({.report = &report}, {}), "clocks differ"));
}

TEST_CASE("display lines: playing, sound, place in the list; a live stream has neither speed nor sound") {
  using namespace std::chrono_literals;
  PlayerReport report;
  const ShownFrame frame;
  const auto lines = osd_lines({.title = "/films/a b.mov",
                                .place = {1, 3},
                                .frame = &frame,
                                .report = &report,
                                .playback = {.position = 62400ms,
                                             .duration = 120s,
                                             .frame = 1559,
                                             .frame_count = 3000,
                                             .speed = 0.5,
                                             .paused = true,
                                             .loop = true,
                                             .has_audio = true,
                                             .volume = 0.85,
                                             .muted = true}},
                               {});
  CHECK(contains(lines, "source\ta b.mov (2 of 3)"));
  CHECK(contains(lines, "position\t0:01:02.4 / 0:02:00.0 · frame 1560 / 3000"));
  CHECK(contains(lines, "speed\t0.5×, loop, paused"));
  CHECK(contains(lines, "sound\t85 %, muted"));
  const auto live = osd_lines({.title = "rtp://:5004", .frame = &frame, .report = &report}, {});
  CHECK(contains(live, "source\trtp://:5004"));
  CHECK_FALSE(contains(live, "speed"));
  CHECK_FALSE(contains(live, "paused"));
  CHECK(contains(osd_lines({.title = "x", .frame = &frame, .playback = {.paused = true}}, {}), "state\tpaused"));
  CHECK_FALSE(contains(live, "sound"));
}

TEST_CASE("titles of windows") {
  TitleFacts facts{.title = "rtp://:5004"};
  CHECK(window_title(facts) == "rtp://:5004: waiting - texcast");
  facts.is_preparing = true;
  CHECK(window_title(facts) == "rtp://:5004: preparing - texcast");
  facts = {.title = "rtp://:5004", .sender = "192.168.1.20", .has_picture = true, .state = FeedState::playing};
  CHECK(window_title(facts) == "192.168.1.20: receiving - texcast");
  facts.is_stale = true;
  CHECK(window_title(facts) == "192.168.1.20: no signal - texcast");
  facts.paused = true;
  CHECK(window_title(facts) == "192.168.1.20: paused - texcast");
  facts = {.title = "/a/show.mov", .place = {1, 3}, .is_file = true};
  CHECK(window_title(facts) == "show.mov (2 of 3): opening - texcast");
  facts.has_picture = true;
  CHECK(window_title(facts) == "show.mov (2 of 3): playing - texcast");
  facts.state = FeedState::ended;
  CHECK(window_title(facts) == "show.mov (2 of 3): ended - texcast");
}

TEST_CASE("long lines are wrapped at spaces, and words without spaces where necessary") {
  using Lines = std::vector<std::string>;
  CHECK(wrapped("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrapped("one two", 20) == Lines{"one two"});
  CHECK(wrapped("abcdefgh", 3) == Lines{"abc", "def", "gh"});
  CHECK(wrapped(" abcdefgh", 3) == Lines{" ab", "cde", "fgh"});
  CHECK(wrapped("", 3) == Lines{""});
}

TEST_CASE("short clock text, names of files") {
  using namespace std::chrono_literals;
  CHECK(short_clock_text(0ns) == "0:00");
  CHECK(short_clock_text(83999ms) == "1:23");
  CHECK(short_clock_text(3723s) == "1:02:03");
  CHECK(short_clock_text(-1s) == "0:00");
  CHECK(file_name_of("/a/b/c.mov") == "c.mov");
  CHECK(file_name_of("c.mov") == "c.mov");
  CHECK(file_name_of("rtp://1.2.3.4:5004") == "rtp://1.2.3.4:5004");
  CHECK(file_name_of("folder/") == "folder/");
}

TEST_CASE("text: names before a tab are dimmer, values begin in one column") {
  OsdText text(kFont);
  REQUIRE(text.usable());
  const auto columns = [&](std::vector<std::string> lines) { return panel_of(text, lines).width; };
  CHECK(columns({"ab\tcd"}) == columns({"ab  cd"}));
  CHECK(columns({"ab\tcd", "abcd\te"}) == columns({"abcd  cd"}));
  CHECK(columns({"ab\t"}) == columns({"ab  "}));
  const int dim = ink(panel_of(text, {"MM\t"})), full = ink(panel_of(text, {"MM"}));
  CHECK(dim < full * 0.75);
  CHECK(dim > full * 0.55);  // readable
  CHECK(ink(panel_of(text, {"\tMM"})) == full);
  CHECK(ink(panel_of(text, {"é"})) != ink(panel_of(text, {"?"})));
}

}  // namespace texcast::player
