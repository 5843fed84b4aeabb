#include "stream/receive_texts.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "texcast/frame.h"
#include "text/figures.h"

namespace texcast::stream {

std::string advice(const transport::Refused& refused) {
  using transport::Refusal;
  switch (refused.why) {
    case Refusal::none: break;
    case Refusal::no_key: return "the stream is encrypted: give --key-file FILE with the passphrase in its first line";
    case Refusal::wrong_key: return "the stream is encrypted with another passphrase than the one in --key-file";
    case Refusal::replayed: return "the stream is a replay of an earlier one";
    case Refusal::in_the_clear: return "the stream is not encrypted, and --key-file rejects it";
    case Refusal::other_cipher:
      if (refused.cipher.empty()) return "the stream is encrypted with a cipher that texcast does not support";
      return fmt::format("the stream is encrypted with {}: give --crypto {} if the sender uses that{}", refused.cipher,
                         refused.cipher,
                         refused.cipher == "texcast" || refused.cipher == "ultragrid-gcm"
                             ? ""
                             : " (without authentication: pictures can be forged)");
    case Refusal::old_sealing: return "the stream is encrypted by an older texcast: use the same version on both sides";
    case Refusal::too_old:
      return fmt::format(
          "the stream was encrypted {} ago: it is replayed, or the sender's clock is behind this one by that time. "
          "Compare `date` on both, set the clocks, or give --max-age",
          plural(static_cast<uint64_t>(refused.seconds), "second"));
    case Refusal::from_the_future:
      return fmt::format(
          "the sender's clock is ahead of this one by {}: set the clocks (`date` on both), or give --max-age",
          plural(static_cast<uint64_t>(refused.seconds), "second"));
  }
  return "";
}

std::string too_large_text(const transport::ReceiveCounters& c) {
  if (std::max(c.oversized_width, c.oversized_height) > uint32_t{kMaxFrameSize})
    return fmt::format(
        "pictures of {}x{} are rejected: they exceed the largest texture size, and are damaged or forged",
        c.oversized_width, c.oversized_height);
  return fmt::format(
      "pictures of {0}x{1} are rejected: they exceed --max-size or this GPU's texture size; give --max-size {0}x{1} to "
      "accept them",
      c.oversized_width, c.oversized_height);
}

std::string takeover_text(const transport::SelectedSender& before, const transport::SelectedSender& now) {
  const std::string who = to_text(now.from), old = to_text(before.from);
  if (now.returned) return fmt::format("switched back to sender {} from {}", who, old);
  if (now.displaced) return fmt::format("switched to sender {}, which started later than {}", who, old);
  const std::string silence = fmt::format("silent for {:.1f} s", in_seconds(now.silence));
  if (now.from == before.from) return fmt::format("the sender at {} has restarted, {}", who, silence);
  if (now.from.same_host(before.from))
    return fmt::format("the sender has changed its port or restarted: {} after {}, {}", who, old, silence);
  return fmt::format("switched to sender {}; {} was {}", who, old, silence);
}

std::string how_to_send(const std::vector<std::string>& urls) {
  std::string text;
  for (size_t i = 0; i < std::min(urls.size(), kMostUrls); ++i)
    text += (i == 0 ? "texcast send INPUT " : " or ") + urls[i];
  return text;
}

void ReceptionLog::warn(LineLimit& limit, std::string line) {
  std::optional<std::string> told;
  {
    const std::lock_guard lock(mutex_);
    told = limit.take(std::move(line), steady_now());
  }
  if (told) log_warning("{}", *told);
}

void ReceptionLog::on_refused(const transport::Refused& refused) { warn(refusals_, advice(refused)); }

void ReceptionLog::on_takeover(const transport::SelectedSender& before, const transport::SelectedSender& now) {
  std::string text = takeover_text(before, now);
  warn(takeovers_, text);
  const std::lock_guard lock(mutex_);
  news_ = std::move(text);
  has_news_.store(true, std::memory_order_relaxed);
}

void ReceptionLog::on_too_large(const transport::ReceiveCounters& counters) {
  log_warning("{}", too_large_text(counters));
}

std::optional<std::string> ReceptionLog::news() {
  if (!has_news_.load(std::memory_order_relaxed)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  has_news_.store(false, std::memory_order_relaxed);
  return std::exchange(news_, {});
}

}  // namespace texcast::stream
