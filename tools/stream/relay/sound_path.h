// sound_path.h — the sound of a relayed stream: from the port two above the stream's to the same port of each
// destination, with RTCP. On the thread that calls it; the destinations may change on another one.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/loop_thread.h"
#include "live/datagrams.h"
#include "live/destinations.h"
#include "live/picture_sender.h"
#include "stream/datagram_batch.h"
#include "transport/rtcp_session.h"
#include "transport/sound_relay.h"
#include "transport/udp_socket.h"

namespace texcast::stream {

class SoundPath : private DatagramSink {
 public:
  // `source`: nullptr if the sound is among the datagrams of a capture: then put() and flush() are called by the thread
  // that reads this. `picture` must outlive this. Throws Error{network}.
  SoundPath(std::unique_ptr<DatagramSource> source, const std::vector<transport::Address>& stream,
            const NetworkChoice& network, const transport::ReceiveSettings& settings, const PictureSender& picture);
  ~SoundPath() override;
  void stop();

  void put(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from);
  void flush();
  // From any thread: the destinations of the picture. Throws Error{network}; then nothing has changed.
  void add(const transport::Address& stream);
  void remove(size_t destination);

  uint64_t passed() const { return passed_.load(std::memory_order_relaxed); }
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override {
    put(datagram, arrived, from);
  }
  void run(const std::stop_token& stop);
  void speak_rtcp();

  const std::unique_ptr<DatagramSource> source_;
  const PictureSender& picture_;
  transport::SoundRelay relay_;
  DatagramBatch batch_;
  std::mutex mutex_;  // protects the next two
  transport::RtcpSender rtcp_;
  transport::UdpSender socket_;
  std::atomic<uint64_t> passed_ = 0, refused_ = 0;
  std::optional<LoopThread> thread_;  // last: it uses the above
};

}  // namespace texcast::stream
