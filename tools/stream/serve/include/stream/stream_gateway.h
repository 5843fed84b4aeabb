// stream_gateway.h — passes a stream that comes in to browsers: its datagrams unchanged (relay_session.h), as a stream
// of a web server. Nothing is decoded.
//
//     DatagramSource ──► RelaySession ──► web::Stream ──► viewers
//           ▲                 ▲ answers, merged requests      │
//           └─────────────────┴───────────── feedback ◄───────┘
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/latency.h"
#include "base/loop_thread.h"
#include "live/datagrams.h"
#include "live/picture_sender.h"
#include "live/receiving_thread.h"
#include "stream/datagram_batch.h"
#include "stream/relay_news.h"
#include "transport/receive_session.h"
#include "transport/relay_session.h"
#include "transport/sound_relay.h"
#include "transport/web_stream.h"

namespace texcast::stream {

struct GatewayStatus : PassedStream {
  bool opens_seal = false;  // the stream is encrypted, and viewers get it decrypted
};

struct GatewaySettings {
  transport::ReceiveSettings receive{};  // request_lost is set according to the source
  bool hears_sound = true;               // of a capture; a stream's sound has a source of its own
  // The stream that will come, if that is known: it is offered at once. Otherwise the viewers that wait for it join
  // while its first frame passes, and do not get all of that.
  std::optional<transport::StreamDesc> expected{};
};

class StreamGateway : private DatagramSink {
 public:
  // Offers a stream to viewers, as web::Server::add().
  using Offer = std::function<std::shared_ptr<web::Stream>(const web::StreamOffer& offer)>;

  // Starts at once. The stream is offered when its first frame has arrived, under the name of its format. `sound`: the
  // source of the stream's sound, if that has a port of its own; nullptr: there is none, or it is among the datagrams
  // of `picture`. `events` and what `offer` uses must outlive this.
  StreamGateway(std::unique_ptr<DatagramSource> picture, std::unique_ptr<DatagramSource> sound,
                const GatewaySettings& settings, Offer offer, ReceptionEvents& events);
  ~StreamGateway() override;
  StreamGateway(const StreamGateway&) = delete;
  StreamGateway& operator=(const StreamGateway&) = delete;

  GatewayStatus status() const;
  bool ended() const { return ended_.load(std::memory_order_acquire); }  // a capture's end, or a failure
  // Ends the stream: viewers see `message`. Throws what the threads threw.
  void stop(const std::string& message);

 private:
  class Sound;

  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override;
  void run(const std::stop_token& stop);
  void add_made();
  void take_feedback(SteadyTime now);
  void follow_stream();
  void make_offer(const transport::StreamDesc& description);
  void refuse(const std::string& why);
  void withdraw(const std::string& why);
  void update_status();

  const std::unique_ptr<DatagramSource> source_;
  const Offer offer_;
  ReceptionEvents& events_;
  transport::RelaySession relay_;
  RelayNews news_;
  DatagramBatch batch_;
  uint64_t followed_ = 0;  // RelaySession::streams()
  std::optional<web::StreamOffer> offered_;
  const std::shared_ptr<PictureSender> picture_;  // shared with the sound
  mutable std::mutex mutex_;                      // protects the next two
  GatewayStatus status_;
  std::shared_ptr<web::Stream> stream_;  // nullptr: nothing is offered. Changed by thread_ only
  std::atomic<bool> ended_ = false;
  std::unique_ptr<Sound> sound_;
  std::optional<LoopThread> thread_;  // last: it uses all of the above
};

}  // namespace texcast::stream
