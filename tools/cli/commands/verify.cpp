// verify.cpp — `texcast verify`: every frame of texture files is read and unpacked; damaged ones are named.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "media/clip_check.h"
#include "texcast/error.h"
#include "text/figures.h"
#include "text/json_text.h"
#include "text/progress.h"
#include "texture_files.h"

namespace texcast::cli {
namespace {

constexpr size_t kShownDamage = 20;  // lines a file; --json has all that are listed

struct Verdict {
  std::string file;
  media::ClipCheck check;
  std::optional<Error> error;  // it could not be read at all, or no further
};

// The smaller mip levels, where the first is whole: up to the first that has damage.
void verify_levels(const std::string& file, int levels, Verdict& verdict) {
  for (int level = 1; level < levels && verdict.check.damaged == 0 && !interrupted(); ++level) {
    const auto clip = open_texture_file(file, {.level = level});
    verdict.check = media::check_clip(*clip, {});
    for (media::DamagedFrames& damage : verdict.check.damage)
      damage.reason = fmt::format("level {}: {}", level, damage.reason);
  }
}

Verdict verify(const std::string& file) {
  Verdict verdict{.file = file, .check = {}, .error = {}};
  try {
    const auto clip = open_texture_file(file);
    Progress progress("verifying", clip->info().frame_count);
    verdict.check = media::check_clip(*clip, [&](int64_t frames) {
      progress.update(frames);
      return !interrupted();
    });
    verify_levels(file, clip->info().levels, verdict);
    if (verdict.check.frames == 0) verdict.error = Error(ErrorKind::corrupt, fmt::format("{} has no frames", file));
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

void print_verdict(const Verdict& v) {
  const auto frames = static_cast<uint64_t>(v.check.frames), damaged = static_cast<uint64_t>(v.check.damaged);
  if (v.error)
    print_row("unreadable", v.error->what());
  else
    print_row(damaged == 0 ? "whole" : "damaged",
              fmt::format("{}: {}{}{}", v.file, plural(frames, "frame"),
                          damaged == 0 ? "" : fmt::format(", {} of them damaged", damaged),
                          v.check.stopped ? ", not looked at to the end" : ""));
  const auto& damage = v.check.damage;
  for (size_t i = 0; i < std::min(damage.size(), kShownDamage); ++i) print_row("", text_of(damage[i]));
  if (damage.size() > kShownDamage) print_row("", fmt::format("and {} more", damage.size() - kShownDamage));
}

Json json_of(const Verdict& v) {
  Json damage = Json::array();
  for (const media::DamagedFrames& d : v.check.damage)
    damage.push(
        Json::object({{"frame", d.first}, {"frames", d.count}, {"seconds", in_seconds(d.pts)}, {"reason", d.reason}}));
  Json json = Json::object({{"file", v.file},
                            {"frames", v.check.frames},
                            {"damaged", v.check.damaged},
                            {"complete", !v.error && !v.check.stopped},
                            {"damage", damage}});
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
  if (o.json) fmt::print("{}\n", Json::object({{"files", list}, {"damaged", damaged}}).text(2));
  if (damaged > 0)
    throw Error(ErrorKind::corrupt, fmt::format("{} damaged, the first: {}",
                                                plural(static_cast<uint64_t>(damaged), "frame"), first_damage));
  if (first_error) throw *first_error;
  return 0;
}

}  // namespace texcast::cli
