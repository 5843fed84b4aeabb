#include "common/passed_report.h"

#include <fmt/core.h>

#include <string>

#include "text/figures.h"

namespace texcast::cli {

double seconds_of(const stream::PassedStream& passed) {
  const stream::StreamStatus& s = passed.received;
  return s.first_frame && s.last_frame ? in_seconds(*s.last_frame - *s.first_frame) : 0;
}

void add_passed(stream::StatsLine& line, const stream::PassedStream& passed) {
  add_network(line, passed.received, {});
  line.packets.push_back({"passed_on", passed.passed});
  line.packets.push_back({"sound_passed_on", passed.sound_passed});
  line.packets.push_back({"again", passed.again});
}

void add_passed(Json& json, const stream::PassedStream& passed) {
  add_network(json, passed.received, {}, seconds_of(passed));
  json["datagrams_passed_on"] = passed.passed;
  json["bytes_passed_on"] = passed.passed_bytes;
  json["sound_datagrams_passed_on"] = passed.sound_passed;
  json["packets_again"] = passed.again;
  json["tile_requests"] = passed.tile_requests;
  json["tile_requests_passed_on"] = passed.tile_requests_passed_on;
}

void print_passed(std::string_view verb, const stream::PassedStream& passed, std::string_view whose) {
  const double seconds = seconds_of(passed);
  print_row(std::string(verb), fmt::format("{} in {:.1f} s", plural(passed.received.frames, "frame"), seconds));
  print_network(passed.received, {}, seconds);
  if (passed.sound_passed > 0) print_row("sound", plural(passed.sound_passed, "datagram"));
  if (passed.again > 0) print_row("resent", fmt::format("{} that {} requested", plural(passed.again, "packet"), whose));
  if (passed.tile_requests > 0)
    print_row("requests", fmt::format("{} of {} for tiles; {} to the sender", passed.tile_requests, whose,
                                      passed.tile_requests_passed_on));
}

}  // namespace texcast::cli
