// receive_texts.h — messages about an incoming stream for the user: for the log as things happen, and the latest news
// for the screen.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/line_limit.h"
#include "live/datagrams.h"
#include "live/picture_sender.h"
#include "live/receiving_thread.h"
#include "transport/receive_session.h"
#include "transport/stream.h"

namespace texcast::stream {

// The line that says that the receiver switched to another sender.
std::string takeover_text(const transport::SelectedSender& before, const transport::SelectedSender& now);

// The line that says that pictures are too large.
std::string too_large_text(const transport::ReceiveCounters& counters);

// The line that says why a stream is refused, and what to do.
std::string advice(const transport::Refused& refused);

inline constexpr size_t kMostUrls = 3;  // listed at most, of a machine with many networks

// "texcast send INPUT rtp://192.168.1.20:5004": the command that the user should run; empty if there is no URL.
std::string how_to_send(const std::vector<std::string>& urls);

// Thread-safe. Anybody can cause these lines by sending packets, so each kind is limited (LineLimit).
class ReceptionLog : public ReceptionEvents {
 public:
  // `picture` is set to the sender whose picture is shown, so that only its sound is played; must outlive this.
  explicit ReceptionLog(PictureSender& picture) : picture_(picture) {}
  void on_picture_sender(const transport::PeerAddress& from) override { picture_.set(from); }
  void on_refused(const transport::Refused& refused) override;
  void on_takeover(const transport::SelectedSender& before, const transport::SelectedSender& now) override;
  void on_too_large(const transport::ReceiveCounters& counters) override;
  // The latest line for the screen since the last call: the receiver switched to another sender.
  std::optional<std::string> news();

 private:
  void warn(LineLimit& limit, std::string line);

  PictureSender& picture_;
  std::atomic<bool> has_news_ = false;
  std::mutex mutex_;
  std::string news_;
  LineLimit refusals_, takeovers_;
};

}  // namespace texcast::stream
