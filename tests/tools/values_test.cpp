#include "cli/values.h"

#include <doctest/doctest.h>

#include <cctype>
#include <cmath>

#include "cli/presets.h"

using namespace texcast;
using namespace texcast::cli;

TEST_CASE("sizes") {
  const auto size = parse_size("1920x1080");
  REQUIRE(size);
  CHECK(size->width == 1920);
  CHECK(size->height == 1080);
  CHECK(parse_size("1x16384"));
  for (const char* bad : {"", "x", "1920", "1920x", "x1080", "0x4", "4x0", "-4x4", "16385x4", "4x16385", "4x4x4",
                          "4x4 ", " 4x4", "99999999999x4", "4X4", "1.5x2"})
    CHECK_MESSAGE(!parse_size(bad), bad);
}

TEST_CASE("names of values are accepted in upper and lower case, and others name the nearest") {
  CHECK(*parse_texture_format("BC7") == TextureFormat::bc7);
  CHECK(*parse_texture_format("YCoCg-BC4-420") == TextureFormat::ycocg_bc4_420);
  CHECK(*parse_quality("High") == Quality::high);
  CHECK(*parse_method("LSPIRO2") == Method::lspiro2);
  CHECK(*parse_purpose("WiFi") == Purpose::wifi);
  CHECK(*parse_mip_filter("Kaiser") == MipFilter::kaiser);
  CHECK(*parse_tune_mode("AUTO") == TuneMode::automatic);
  CHECK(*parse_pixel_format("NV12") == PixelFormat::nv12);
  CHECK(*parse_scale("Fit") == player::ScaleMode::fit);
  CHECK(*parse_on_off("ON"));
  for (const TextureFormat format : encoded_formats()) {
    std::string upper(name(format));
    for (char& c : upper) c = static_cast<char>(std::toupper(c));
    const auto parsed = parse_texture_format(upper);
    REQUIRE_MESSAGE(parsed, upper);
    CHECK(*parsed == format);
  }
  const auto has = [](const auto& result, const char* text) {
    REQUIRE_FALSE(result);
    CHECK_MESSAGE(result.error().message.find(text) != std::string::npos, result.error().message);
  };
  has(parse_quality("hihg"), "unknown quality 'hihg'; choose fast, normal, high or best; did you mean high?");
  has(parse_texture_format("bc77"), "unknown format 'bc77'; did you mean bc7?");
  has(parse_texture_format("quartz"), "choose one of bc1, ");
  has(parse_purpose("dekstop"), "did you mean desktop?");
  has(parse_method("lspiro9"), "did you mean lspiro");
  has(parse_scale("1:2"), "choose fit, fill or 1:1");
}

TEST_CASE("sizes to scale to") {
  CHECK_FALSE(parse_resize("pow2")->size.has_value());
  CHECK(parse_resize("512x256")->size->height == 256);
  for (const char* bad : {"", "512", "pow3", "0x4", "16385x4"}) CHECK_MESSAGE(!parse_resize(bad), bad);
}

TEST_CASE("times") {
  const auto seconds = [](const char* text) {
    const auto time = parse_time(text);
    REQUIRE_MESSAGE(time, text);
    return std::chrono::duration<double>(*time).count();
  };
  CHECK(seconds("90") == 90);
  CHECK(seconds("0.5") == 0.5);
  CHECK(seconds("1:30") == 90);
  CHECK(seconds("1:02:03.5") == doctest::Approx(3723.5));
  for (const char* bad : {"", ":", "1:", ":1", "1:2:3:4", "-1", "1:-2", "abc", "inf", "nan", "1e300", "99999999999"})
    CHECK_MESSAGE(!parse_time(bad), bad);
}

TEST_CASE("times and rates with units") {
  const auto seconds = [](const Result<nanoseconds>& time) { return time ? in_seconds(*time) : -1; };
  for (const auto& [text, want] :
       {std::pair{"10s", 10.0}, {"500ms", 0.5}, {"2min", 120.0}, {"1.5h", 5400.0}, {"3m", 180.0}}) {
    CAPTURE(std::string(text));
    CHECK(seconds(parse_time(text)) == want);
    CHECK(seconds(parse_duration(text)) == want);
    CHECK(seconds(parse_timeout(text)) == want);
    CHECK(seconds(parse_max_age(text)) == want);
    CHECK(*parse_refresh(text) == want);
    CHECK(in_seconds(parse_split(text)->duration) == want);
  }
  CHECK(in_seconds(*parse_latency("50")->fixed) == 0.05);
  CHECK(in_seconds(*parse_latency("50ms")->fixed) == 0.05);
  CHECK(in_seconds(*parse_latency("0.2s")->fixed) == 0.2);
  for (const char* bad : {"s", "ms", "-1s", "1:30s", "10 s", "10d", "1e300h", "nans"}) {
    CHECK_MESSAGE(!parse_time(bad), bad);
    CHECK_MESSAGE(!parse_timeout(bad), bad);
  }
  for (const char* bad : {"0", "0s", "0:00", "-1"}) CHECK_MESSAGE(!parse_duration(bad), bad);
  for (const char* text : {"4M", "4m", "4Mbps", "4Mbit", "4mbit/s", "4Mbit/s", "4Mb/s", "4000kbps", "4000000bit/s"})
    CHECK_MESSAGE((parse_rate(text) && *parse_rate(text) == 4e6), text);
  CHECK(parse_bitrate("4Mbps:30Mbit/s")->most == 30e6);
  for (const char* bad : {"4MB/s", "4MByte", "bps", "Mbps", "4 Mbps"}) CHECK_MESSAGE(!parse_rate(bad), bad);
  CHECK(*parse_bytes("500MB") == 500'000'000);
}

TEST_CASE("speeds, volumes, scales, monitors") {
  CHECK(*parse_speed("0.25") == 0.25);
  CHECK(*parse_speed("4") == 4);
  CHECK(*parse_volume("85") == 0.85);
  CHECK(*parse_scale("fill") == player::ScaleMode::fill);
  CHECK(*parse_scale("1:1") == player::ScaleMode::exact);
  CHECK(*parse_monitor("2") == 2);
  for (const char* bad : {"", "0.2", "4.1", "-1", "nan", "2x"}) CHECK_MESSAGE(!parse_speed(bad), bad);
  for (const char* bad : {"", "-1", "101", "nan", "50%"}) CHECK_MESSAGE(!parse_volume(bad), bad);
  for (const char* bad : {"", "fitt", "1", "exact"}) CHECK_MESSAGE(!parse_scale(bad), bad);
  for (const char* bad : {"", "0", "-1", "1.5", "two"}) CHECK_MESSAGE(!parse_monitor(bad), bad);
}

TEST_CASE("rotation, aspect ratio and deinterlacing") {
  CHECK(parse_rotation("auto")->has_value() == false);
  CHECK(**parse_rotation("270") == 270);
  for (const char* bad : {"", "45", "-90", "360", "90deg", "left"}) CHECK_MESSAGE(!parse_rotation(bad), bad);
  CHECK(parse_aspect("auto")->has_value() == false);
  CHECK(**parse_aspect("16:9") == PixelAspect{16, 9});
  CHECK(**parse_aspect("1920/1080") == PixelAspect{16, 9});
  CHECK(**parse_aspect("1.7778") == PixelAspect{16, 9});
  CHECK(**parse_aspect("1.85") == PixelAspect{37, 20});
  CHECK(**parse_aspect("2.35:1") == PixelAspect{47, 20});
  for (const char* bad : {"", "0", "16:", ":9", "16:0", "-4:3", "nan", "17", "0.01", "wide"})
    CHECK_MESSAGE(!parse_aspect(bad), bad);
  CHECK(*parse_deinterlace("off") == media::Deinterlace::off);
  for (const char* bad : {"", "yes", "yadif"}) CHECK_MESSAGE(!parse_deinterlace(bad), bad);
}

TEST_CASE("rates") {
  CHECK(parse_bitrate("30M")->least == 30e6);
  CHECK(parse_bitrate("30M")->most == 30e6);
  CHECK(parse_bitrate("4M:30M")->least == 4e6);
  CHECK(parse_bitrate("4M:30M")->most == 30e6);
  for (const char* bad : {"", "fast", "30M:4M", "4M:", ":30M", "1:2:3", "0"}) CHECK_MESSAGE(!parse_bitrate(bad), bad);
  CHECK(*parse_rate("800M") == 800e6);
  CHECK(*parse_rate("2.5G") == 2.5e9);
  CHECK(*parse_rate("64k") == 64e3);
  CHECK(*parse_rate("1000000") == 1e6);
  for (const char* bad : {"", "M", "-5M", "0", "10", "5T", "5 M", "inf", "nanG", "9999G"})
    CHECK_MESSAGE(!parse_rate(bad), bad);
}

TEST_CASE("frame rates, fractions too") {
  CHECK(*parse_frame_rate("59.94") == 59.94);
  CHECK(*parse_frame_rate("30000/1001") == doctest::Approx(29.97003));
  for (const char* bad : {"", "/", "1/", "/1", "0", "-1", "1/0", "1001", "x", "1/2/3", "inf"})
    CHECK_MESSAGE(!parse_frame_rate(bad), bad);
}

TEST_CASE("passes and radius of LSpiro") {
  CHECK(*parse_passes("1") == 1);
  CHECK(*parse_passes("16") == 16);
  CHECK(*parse_radius("4") == 4);
  for (const char* bad : {"", "0", "17", "-1", "1.5", "many"}) CHECK_MESSAGE(!parse_passes(bad), bad);
  for (const char* bad : {"", "0", "5", "-1", "1x"}) CHECK_MESSAGE(!parse_radius(bad), bad);
}

TEST_CASE("an unknown format gives the list of formats") {
  CHECK(*parse_texture_format("ycocg-bc4-422") == TextureFormat::ycocg_bc4_422);
  const auto unknown = parse_texture_format("bc99");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message == "unknown format 'bc99'; choose one of " + list_texture_formats());
  CHECK_FALSE(parse_texture_format(""));
  CHECK_FALSE(parse_quality("ultra"));
  CHECK(*parse_quality("normal") == Quality::normal);
  CHECK(*parse_tune_mode("again") == TuneMode::again);
  CHECK(*parse_tune_mode("auto") == TuneMode::automatic);
  CHECK_FALSE(parse_tune_mode("automatic"));
}

TEST_CASE("an unknown pixel format gives the list of formats") {
  CHECK(*parse_pixel_format("nv12") == PixelFormat::nv12);
  const auto unknown = parse_pixel_format("nv99");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("nv12, yuv422p") != std::string::npos);
}

TEST_CASE("--split: bytes or a time") {
  CHECK(parse_split("4G")->bytes == 4'000'000'000);
  CHECK(parse_split("1.5M")->bytes == 1'500'000);
  CHECK(parse_split("10min")->duration == std::chrono::minutes(10));
  CHECK(parse_split("90s")->duration == std::chrono::seconds(90));
  CHECK(parse_split("1h")->duration == std::chrono::hours(1));
  CHECK(parse_split("10min")->bytes == 0);
  for (const char* wrong : {"", "4", "G", "-1G", "0s", "4T", "1k", "10 min", "nans", "inf", "1e30h", "min"})
    CHECK_MESSAGE(!parse_split(wrong), wrong);
  CHECK(*parse_audio("pcm") == AudioChoice::pcm);
  CHECK(!parse_audio("mp3"));
}

TEST_CASE("refresh periods: seconds, or 0 for never") {
  CHECK(*parse_refresh("5") == 5);
  CHECK(*parse_refresh("0.1") == 0.1);
  CHECK(*parse_refresh("86400") == 86400);
  CHECK(std::isinf(*parse_refresh("0")));
  for (const char* bad : {"", "-1", "0.09", "86401", "inf", "nan", "5d"}) CHECK_MESSAGE(!parse_refresh(bad), bad);
}

TEST_CASE("purposes of a stream") {
  for (const Preset& preset : presets()) {
    CHECK(*parse_purpose(preset.name) == preset.purpose);
    CHECK(&preset_of(preset.purpose) == &preset);
    CHECK(stream::preset_names().find(preset.name) != std::string::npos);
    CHECK(std::string(preset.what) != "");
  }
  CHECK(*parse_purpose("UltraGrid") == Purpose::ultragrid);
  CHECK_FALSE(parse_purpose("ultra-grid"));
  CHECK_FALSE(parse_purpose(""));
}

TEST_CASE("parts of the picture, and bezels") {
  const auto part = parse_picture_part("960,0,640,480");
  REQUIRE(part);
  CHECK_FALSE(part->cell);
  CHECK(part->rect == player::Rect{960, 0, 640, 480});
  for (const char* text : {"2,1 of 4x3", "2,1of4x3", " 2 , 1  of  4x3"}) {
    const auto cell = parse_picture_part(text);
    REQUIRE_MESSAGE(cell, text);
    CHECK(cell->cell == player::WallCell{.column = 2, .row = 1, .columns = 4, .rows = 3});
  }
  for (const char* bad : {"", "1,2,3", "1,2,3,0", "-1,2,3,4", "1,2,3,99999", "5,1 of 4x3", "1,4 of 4x3", "0,1 of 4x3",
                          "1,1 of 65x1", "1,1 of 4", "1 of 4x3", "1,2,3,4,5", "1,,3,4", "of", "a,b of 4x3"})
    CHECK_MESSAGE(!parse_picture_part(bad), bad);
  CHECK(parse_bezel("40")->width == 40);
  CHECK(parse_bezel("40")->height == 40);
  CHECK(parse_bezel("40x0")->height == 0);
  for (const char* bad : {"", "-1", "40x", "x40", "5000", "4 0"}) CHECK_MESSAGE(!parse_bezel(bad), bad);
}

TEST_CASE("moments: RFC 3339, a time of today, and Unix time") {
  using std::chrono_literals::operator""s;
  using std::chrono_literals::operator""ms;
  CHECK(parse_moment("2026-12-01T20:00:00Z")->wall == WallTime(1796155200s));  // date -d … +%s
  CHECK(parse_moment("2026-12-01T20:00:00+01:00")->wall == WallTime(1796151600s));
  CHECK(parse_moment("2026-12-01 20:00:00.25-01:30")->wall == WallTime(1796160600s + 250ms));
  CHECK(parse_moment("1796155200.5")->wall == WallTime(1796155200s + 500ms));
  CHECK(parse_moment("20:00:30.5")->of_day == 72030s + 500ms);
  CHECK_FALSE(parse_moment("0")->of_day);
  for (const char* bad :
       {"", "24:00:00", "20:60:00", "20:00", "20:00:00Z", "2026-12-01", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
        "2026-12-01T20:00:00", "2026-12-01T20:00:00+1", "-5", "1e12", "now", "2026-12-01T20:00:00Zx", "20:00:00.x"})
    CHECK_MESSAGE(!parse_moment(bad), bad);
}

TEST_CASE("clocks, delays and lists") {
  CHECK(*parse_clock("System") == PlayClock::system);
  CHECK_FALSE(parse_clock("ptp"));
  CHECK(*parse_delay("150") == std::chrono::milliseconds(150));
  CHECK_FALSE(parse_delay("auto"));
  CHECK_FALSE(parse_delay("1001"));
  CHECK(*parse_list("a,b") == std::vector<std::string>{"a", "b"});
  CHECK_FALSE(parse_list("a,,b"));
  CHECK_FALSE(parse_list(""));
}
