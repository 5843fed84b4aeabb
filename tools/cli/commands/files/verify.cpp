// verify.cpp — `texcast verify`: reads and unpacks every frame of texture files, and lists damaged ones.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "files/texture_files.h"
#include "media/clip_check.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"

namespace texcast::cli {
namespace {

constexpr size_t kShownDamage = 20;  // lines per file; --json lists all

struct Verdict {
  std::string file;
  media::ClipCheck check;
  std::optional<Error> error;  // the file cannot be read, or not to its end
};

Verdict verify(const std::string& file) {
  Verdict verdict{.file = file, .check = {}, .error = {}};
  try {
    const auto clip = open_texture_file(file);
    Progress progress("verifying", clip->info().frame_count);
    verdict.check = media::check_clip(*clip, [&](int64_t frames) {
      progress.update(frames);
      return !interrupted();
    });
    if (verdict.check.frames == 0 && !verdict.check.stopped)
      verdict.error = Error(ErrorKind::corrupt, fmt::format("'{}' has no frames", file));
  } catch (const Error& error) {
    verdict.error = error;
  }
  return verdict;
}

std::string text_of(const media::DamagedFrames& d) {
  const std::string frames =
      d.count == 1 ? fmt::format("frame {}", d.first) : fmt::format("frames {} to {}", d.first, d.first + d.count - 1);
  return fmt::format("{} at {:.3f} s: {}", frames, in_seconds(d.pts), d.reason);
}

void print_lines(const std::vector<media::DamagedFrames>& lines) {
  for (size_t i = 0; i < std::min(lines.size(), kShownDamage); ++i) print_row("", text_of(lines[i]));
  if (lines.size() > kShownDamage) print_row("", fmt::format("and {} more", lines.size() - kShownDamage));
}

void print_verdict(const Verdict& v) {
  const auto frames = static_cast<uint64_t>(v.check.frames), damaged = static_cast<uint64_t>(v.check.damaged),
             images = static_cast<uint64_t>(v.check.images);
  if (v.error)
    print_row("unreadable", v.error->what());
  else
    print_row(damaged == 0 ? "complete" : "damaged",
              fmt::format("{}: {}{}{}{}", v.file, plural(frames, "frame"),
                          images > frames ? " of " + plural(images, "image") : "",
                          damaged == 0 ? "" : fmt::format(", {} of them damaged", damaged),
                          v.check.stopped ? ", not checked to the end" : ""));
  print_lines(v.check.damage);
  if (v.check.unshown > 0)
    print_row("note", plural(static_cast<uint64_t>(v.check.unshown), "frame") + " with blocks that are not shown");
  print_lines(v.check.notes);
}

Json json_of(const std::vector<media::DamagedFrames>& lines) {
  Json list = Json::array();
  for (const media::DamagedFrames& d : lines)
    list.push(
        Json::object({{"frame", d.first}, {"frames", d.count}, {"seconds", in_seconds(d.pts)}, {"reason", d.reason}}));
  return list;
}

Json json_of(const Verdict& v) {
  Json json = Json::object({{"file", v.file},
                            {"frames", v.check.frames},
                            {"damaged", v.check.damaged},
                            {"complete", !v.error && !v.check.stopped},
                            {"images", v.check.images},
                            {"damage", json_of(v.check.damage)},
                            {"unshown", v.check.unshown},
                            {"notes", json_of(v.check.notes)}});
  if (v.error) json["error"] = v.error->what();
  return json;
}

}  // namespace

int run_verify(const VerifyOptions& o) {
  Json list = Json::array();
  std::optional<Error> first_error;
  int64_t damaged = 0;
  std::string first_damage;
  for (const std::string& file : o.files) {
    if (interrupted()) break;
    const Verdict verdict = verify(file);
    if (o.json)
      list.push(json_of(verdict));
    else
      print_verdict(verdict);
    if (damaged == 0 && verdict.check.damaged > 0)
      first_damage = fmt::format("{}: {}", file, text_of(verdict.check.damage.front()));
    damaged += verdict.check.damaged;
    if (verdict.error && !first_error) first_error = verdict.error;
  }
  if (!o.json) {  // the lines above are the findings
    if (damaged > 0) return static_cast<int>(ErrorKind::corrupt);
    return first_error ? static_cast<int>(first_error->kind()) : 0;
  }
  fmt::print("{}\n", Json::object({{"files", list}, {"damaged", damaged}}).text(2));
  if (damaged > 0)
    throw Error(ErrorKind::corrupt, fmt::format("{} damaged; the first: {}",
                                                plural(static_cast<uint64_t>(damaged), "frame"), first_damage));
  if (first_error) throw *first_error;
  return 0;
}

}  // namespace texcast::cli
