// receive_texts.h — what is said of a stream that comes in, in words for whoever runs texcast: to the log as it
// happens, and as the last news for the screen.
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

// What is said when another sender takes over, in one line.
std::string takeover_text(const transport::SelectedSender& before, const transport::SelectedSender& now);

// What is said of pictures that are too large.
std::string too_large_text(const transport::ReceiveCounters& counters);

// What a refused stream is, and what to do, in one line.
std::string advice(const transport::Refused& refused);

inline constexpr size_t kMostUrls = 3;  // that are told: a machine's other networks are like these

// "texcast send INPUT rtp://192.168.1.20:5004", for a person who is to start it; empty for no URL.
std::string how_to_send(const std::vector<std::string>& urls);

// Any thread. Packets from anybody cause these lines, so there are few of each kind (LineLimit).
class ReceptionLog : public ReceptionEvents {
 public:
  // `picture`: what is told whose picture is shown, for the sound that goes with it; must outlive this.
  explicit ReceptionLog(PictureSender& picture) : picture_(picture) {}
  void on_picture_sender(const transport::PeerAddress& from) override { picture_.set(from); }
  void on_refused(const transport::Refused& refused) override;
  void on_takeover(const transport::SelectedSender& before, const transport::SelectedSender& now) override;
  void on_too_large(const transport::ReceiveCounters& counters) override;
  // What has happened since the last call and should be said on the screen, in one line: another sender took over.
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
