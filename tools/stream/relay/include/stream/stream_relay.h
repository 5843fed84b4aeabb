// stream_relay.h — passes a stream that comes in to other receivers: its datagrams unchanged (relay_session.h), sound
// and pointer included. Nothing is decoded.
//
//     DatagramSource ──► RelaySession ──► Destinations ──► receivers
//           ▲                 ▲ answers, merged requests      │
//           └─────────────────┴───────────── feedback ◄───────┘
//
// One thread reads, sends and answers the picture, another one the sound.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.h"
#include "live/datagrams.h"
#include "live/destinations.h"
#include "live/picture_sender.h"
#include "live/receiving_thread.h"
#include "stream/datagram_batch.h"
#include "stream/relay_news.h"
#include "transport/burst_limit.h"
#include "transport/receive_session.h"
#include "transport/relay_session.h"
#include "transport/rtcp_session.h"
#include "transport/rtcp_summary.h"

namespace texcast::stream {

class SoundPath;

// One destination, or a group.
struct RelayedTo {
  std::string address{};  // "rtp://192.168.1.21"
  uint64_t packets = 0, bytes = 0;
  uint64_t dropped = 0;   // packets that its full queue did not take, or that its host refused
  uint64_t refusals = 0;  // times that its host said that nobody listens there
  uint64_t nacks = 0;     // of its receivers
  uint64_t resent = 0;    // packets that these requested
  uint64_t tile_requests = 0;
  std::optional<double> loss{};  // 0..1, as its receivers reported last, the worst of them; nothing: no reports
  size_t receivers = 0;          // that report
};

struct RelayStatus : PassedStream {
  uint64_t restored = 0;                          // packets that parity restored here
  bool keyless = false;                           // the stream is encrypted, and there is no key
  uint64_t returned = 0;                          // datagrams of the relay's own stream, which came back
  uint64_t envelopes_lost = 0;                    // without the key: gaps in the counters of the envelopes
  uint64_t feedback = 0, feedback_passed_on = 0;  // without the key: datagrams of receivers
  uint64_t envelope_nacks = 0;                    // without the key: of receivers, answered here
  uint64_t envelopes_requested = 0;               // without the key: from a relay before this one
  uint64_t passed_again = 0;                      // without the key: datagrams that the sender sent again
  uint64_t delayed = 0;                           // times that a burst was spread
  std::vector<RelayedTo> destinations{};
  std::vector<transport::ReceiverOpinion> receivers{};
};

struct StreamRelaySettings {
  transport::ReceiveSettings receive{};  // request_lost is set according to the source
  transport::HopChoices hop{};           // of unencrypted streams
  transport::ReportChoice report = transport::ReportChoice::median;
  NetworkChoice network{};
  bool hears_sound = true;  // of a capture; a stream's sound has a source of its own
};

class StreamRelay : private DatagramSink {
 public:
  // Starts at once. `sound`: the source of the stream's sound, if that has a port of its own; nullptr: there is none,
  // or it is among the datagrams of `picture`. `events` must outlive this. Throws what Destinations throws.
  StreamRelay(std::unique_ptr<DatagramSource> picture, std::unique_ptr<DatagramSource> sound,
              const std::vector<std::string>& urls, const StreamRelaySettings& settings, ReceptionEvents& events);
  ~StreamRelay() override;
  StreamRelay(const StreamRelay&) = delete;
  StreamRelay& operator=(const StreamRelay&) = delete;

  RelayStatus status() const;
  bool ended() const { return ended_.load(std::memory_order_acquire); }  // a capture's end, or a failure
  // Adds or removes a destination while the stream goes on; throws as Destinations::add() and remove().
  void add(const std::string& url);
  void remove(const std::string& url);
  std::vector<std::string> urls() const;
  std::vector<transport::Address> resolved() const;
  // Tells the receivers that the stream is over. Throws what the threads threw.
  void stop();

 private:
  struct Tally {  // of a destination, beside what its socket counts
    uint64_t nacks = 0, resent = 0, tile_requests = 0;
  };
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override;
  void run(const std::stop_token& stop);
  void flush();
  void answer(SteadyTime now);
  void on_feedback(const transport::Feedback& feedback, SteadyTime now);
  void send_made();
  void update_status(SteadyTime now);
  void update_destinations();

  const std::unique_ptr<DatagramSource> source_;
  ReceptionEvents& events_;
  transport::RelaySession relay_;
  RelayNews news_;
  const transport::ReportChoice report_;
  DatagramBatch batch_;
  transport::BurstLimit burst_;
  uint64_t delayed_ = 0;
  SteadyTime status_at_{};
  PictureSender picture_;     // shared with the sound
  bool is_watched_ = false;   // read() returns for feedback
  mutable std::mutex mutex_;  // protects the next three
  Destinations destinations_;
  std::vector<Tally> tallies_;  // of Destinations::resolved()
  RelayStatus status_;
  std::atomic<bool> ended_ = false;
  std::unique_ptr<SoundPath> sound_;
  std::optional<LoopThread> thread_;  // last: it uses all of the above
};

}  // namespace texcast::stream
