#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "osd_lines.h"
#include "osd_text.h"

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

TEST_CASE("text: characters become ink, one column each, whatever their bytes") {
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
  CHECK(panel_of(text, {"\xE2\x82"}).width == panel_of(text, {"MM"}).width);  // a cut-off character: two unknown bytes
  CHECK(ink(panel_of(text, {"漢"})) == ink(panel_of(text, {"?"})));           // not in the atlas
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

TEST_CASE("text: a missing font is no error, just no text") {
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

TEST_CASE("display lines: what is known is there, what is not is left out") {
  PlayerReport report;
  report.frames_shown = 12;
  report.frames_skipped = 3;
  report.fps_last_second = 59.94;
  report.total = {"total", 12, 21.04, 33.5};
  report.stages = {{"encode", 12, 4.2, 5.0}, {"network", 0, 0, 0}};
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
  CHECK(contains(lines, "60 fps, 12 frames, 3 skipped"));
  CHECK(contains(lines, "p50 21.0 ms  p95 33.5 ms"));
  CHECK(contains(lines, "encode"));
  CHECK_FALSE(contains(lines, "network"));
  CHECK(contains(lines, "lost packets\t17"));
  CHECK(contains(lines, "llvmpipe"));
  CHECK(osd_lines({.title = "x", .renderer = "y"}, {}).size() == 2);
  report.total.p50_ms = -3;
  CHECK(contains(osd_lines({.report = &report}, {}), "clocks differ"));
}

}  // namespace texcast::player
