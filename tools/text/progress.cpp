#include "text/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "text/figures.h"
#include "text/verbosity.h"

namespace texcast {
namespace {

constexpr nanoseconds kRedraw = std::chrono::milliseconds(100);
constexpr nanoseconds kPlainLine = std::chrono::seconds(5);
constexpr int kBarCells = 30;

// Write errors are ignored (fmt::print would throw), because progress is not essential.
void put(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace

Progress::Progress(std::string what, std::optional<int64_t> total, std::string one)
    : what_(std::move(what)),
      one_(std::move(one)),
      total_(total && *total > 0 ? total : std::nullopt),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_draw_(verbosity() == Verbosity::quiet ? SteadyTime::max()
                                                 : steady_now() + (terminal_ ? kRedraw : kPlainLine)) {}

Progress::~Progress() {
  if (terminal_ && drawn_) put("\r\033[K");
}

std::string Progress::line(int64_t frames, SteadyTime now, const std::string& note) const {
  const auto rate = frame_rate(static_cast<uint64_t>(frames - first_frames_ + 1), now - first_at_, nominal_rate_);
  std::string text = what_ + " ";
  if (total_) {
    const double part = std::clamp(static_cast<double>(frames) / static_cast<double>(*total_), 0.0, 1.0);
    const int filled = static_cast<int>(part * kBarCells);
    if (terminal_) text += fmt::format("[{:#<{}}{:.<{}}] ", "", filled, "", kBarCells - filled);
    text += fmt::format("{:3.0f} %  {}/{} {}s", part * 100, frames, *total_, one_);
  } else {
    text += fmt::format("{} {}s", frames, one_);
  }
  if (rate) text += one_ == "frame" ? fmt::format("  {:.1f} fps", *rate) : fmt::format("  {:.1f} {}s/s", *rate, one_);
  if (total_ && rate && frames < *total_)
    text += fmt::format("  {:.0f} s left", static_cast<double>(*total_ - frames) / *rate);
  return note.empty() ? text : text + "  " + note;
}

void Progress::update(int64_t frames, const std::string& note) {
  const SteadyTime now = steady_now();
  if (first_frames_ == 0 && frames > 0) {
    first_frames_ = frames;
    first_at_ = now;
  }
  if (now < next_draw_) return;
  next_draw_ = now + (terminal_ ? kRedraw : kPlainLine);
  const std::string text = line(frames, now, note);
  if (terminal_) {
    put("\r" + text + "\033[K");
    drawn_ = true;
  } else {
    put(text + "\n");
  }
}

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) == 1 && verbosity() != Verbosity::quiet) {}

void StatusLine::show(const std::string& text) {
  if (!terminal_) return;
  put(fmt::format("\r{:.78}\033[K", text));
  shown_ = true;
}

void StatusLine::clear() {
  if (shown_) put("\r\033[K");
  shown_ = false;
}

}  // namespace texcast
