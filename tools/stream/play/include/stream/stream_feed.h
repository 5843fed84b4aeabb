// stream_feed.h — a live stream, or a capture of one, as the player's feed.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "live/datagrams.h"
#include "live/receiving_thread.h"
#include "player/feed.h"
#include "stream/mailbox.h"
#include "stream/playout_clock.h"
#include "stream/pool_frames.h"
#include "stream/rate_meter.h"
#include "stream/receive_texts.h"
#include "stream/recording.h"
#include "stream/stream_counts.h"

namespace texcast::stream {

struct StreamFeedSettings {
  std::string title;
  std::vector<std::string> send_to{};  // URLs at which a sender reaches it: told while it waits
  Delivery delivery = Delivery::newest_wins;
  media::RecorderSettings record;        // no path: none
  LayoutSettings layout{};               // of the recording
  Latency latency{};                     // newest_wins alone; none: auto
  transport::ReceiveSettings receive{};  // whose keys, which cipher, how large
  std::optional<nanoseconds> timeout;    // the feed ends when no frame came for so long
};

class StreamFeed : public player::Feed {
 public:
  StreamFeed(std::unique_ptr<DatagramSource> source, const StreamFeedSettings& settings);
  ~StreamFeed() override;

  std::optional<player::FeedFrame> take(SteadyTime now) override;
  void set_swaps(const player::SwapGrid& swaps) override { swaps_ = swaps; }
  std::optional<player::FeedAhead> ahead() override;
  void wait(SteadyTime limit) override { mailbox_.wait_until(limit, swaps_); }
  player::FeedState state() const override;
  std::string title() const override { return settings_.title; }
  std::vector<player::FeedStat> stats() const override;
  std::vector<std::string> slate(SteadyTime now) const override;
  std::optional<std::string> news() override;  // of the stream and of its recording

  const std::vector<std::string>& send_to() const { return settings_.send_to; }
  StreamStatus status() const { return receiver_.status(); }
  PlayoutState playout() const;
  Counts dropped() const;  // frames that were not shown or not recorded, by cause
  // Stops receiving and closes the recording. Throws what receiving met; the report has what recording met, and is
  // empty where nothing is recorded.
  RecordingReport finish();

 private:
  void pass_on(const FrameRef& frame, double fps);
  void coming(const FrameRef& frame);

  const StreamFeedSettings settings_;
  const SteadyTime begun_;
  BlockPool pool_{kPoolFrames, ReceivingThread::pool_bytes(settings_.receive)};  // before all who hold frames of it
  std::mutex coming_mutex_;
  FrameRef coming_;  // the newest large frame of which the beginning is there
  Mailbox mailbox_;
  std::unique_ptr<Recording> recording_;
  PlayoutClock clock_;  // receiving thread
  mutable std::mutex playout_mutex_;
  PlayoutState playout_;
  ReceptionLog log_;
  ReceivingThread receiver_;  // after all that its thread uses
  FrameRef shown_;
  player::SwapGrid swaps_;
  FrameRef ahead_;          // what ahead() gave; render thread
  mutable RateMeter rate_;  // render thread
};

}  // namespace texcast::stream
