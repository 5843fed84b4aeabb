// stream_feed.h — a live stream, or a capture of one, as the player's feed.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "live/datagrams.h"
#include "live/receiving_thread.h"
#include "live/sound_receiver.h"
#include "player/feed.h"
#include "playout/playout_clock.h"
#include "stream/count_window.h"
#include "stream/live_sound_player.h"
#include "stream/mailbox.h"
#include "stream/pool_frames.h"
#include "stream/rate_meter.h"
#include "stream/receive_texts.h"
#include "stream/recording.h"
#include "stream/stream_counts.h"
#include "stream/system_playout.h"

namespace texcast::stream {

struct StreamFeedSettings {
  std::string title;
  uint16_t port = 0;  // on which the stream is received; 0: a capture
  // URLs at which a sender reaches this feed now, shown while it waits: networks may come and go. Called on the render
  // thread, once a second. Empty: none.
  std::function<std::vector<std::string>()> send_to{};
  Delivery delivery = Delivery::newest_wins;
  media::RecorderSettings record;  // empty path: no recording
  LayoutSettings layout{};         // of the recording
  Latency latency{};               // newest_wins only; nullopt: auto
  // newest_wins only: each frame is due this long after its time stamp on the system clock, which the sender shares.
  // Replaces `latency`.
  std::optional<nanoseconds> system_delay{};
  transport::ReceiveSettings receive{};  // keys, cipher, size limits
  std::optional<nanoseconds> timeout;    // the feed ends after this time without a frame
  std::optional<std::string> device{};   // that decodes coded streams (CompactReception); nullopt: threads only
  bool hear_sound = false;               // false: sound is only recorded
  bool sound_of_capture = false;         // use the sound in a capture
  OpenAudioOutput open_loudspeaker = player::open_live_audio_output;
  ClickEar* ear = nullptr;  // gets all samples that the loudspeaker gets; must outlive the feed
};

class StreamFeed : public player::Feed {
 public:
  // `sound`: the socket of the stream's sound. nullptr: there is none; the sound of a capture is among the datagrams of
  // `source` (StreamFeedSettings::sound_of_capture).
  StreamFeed(std::unique_ptr<DatagramSource> source, const StreamFeedSettings& settings,
             std::unique_ptr<DatagramSource> sound = nullptr);
  ~StreamFeed() override;

  std::optional<player::FeedFrame> take(SteadyTime now) override;
  void set_swaps(const player::SwapGrid& swaps) override;
  std::optional<TextureDesc> next_texture() const override;
  std::optional<player::FeedAhead> ahead() override;
  void wait(SteadyTime limit) override { mailbox_.wait_until(limit, swaps_); }
  player::FeedState state() const override;
  std::string sender() const override;
  std::string title() const override { return settings_.title; }
  std::vector<player::FeedStat> stats() const override;
  std::vector<std::string> slate(SteadyTime now) const override;
  Cursor cursor() const override;
  std::optional<std::string> news() override;  // of the stream and of its recording

  void set_paused(bool paused) override;  // the sound only: the player stops showing frames itself
  bool has_audio() const override;
  void set_volume(double volume) override;
  double volume() const override { return volume_; }
  void set_muted(bool muted) override;
  bool muted() const override { return muted_; }

  std::vector<std::string> send_to() const {
    return settings_.send_to ? settings_.send_to() : std::vector<std::string>();
  }
  uint16_t port() const { return settings_.port; }
  StreamStatus status() const { return receiver_.status(); }
  PlayoutState playout() const;
  std::optional<SoundStatus> sound() const;  // nullopt: sound is not received
  Counts dropped() const;                    // frames that were not shown or not recorded, by cause
  // Starts a recording with the next frame. Misuse if one is in progress. `settings` has a claim (media/output_claim.h)
  // if the file name is reserved.
  void record(media::RecorderSettings settings, LayoutSettings layout);
  // Stops passing frames to the recording; it still gets the sound that arrives after the last frame
  // (Recording::finish_with_sound()). The caller must finish it before this feed is destroyed, as it may hold frames of
  // the feed. nullptr: nothing was recorded.
  std::shared_ptr<Recording> end_recording();
  std::string recording_path() const;  // empty: there is no recording
  bool recording_ended() const;        // because it failed or is full
  // Stops receiving and closes the recording. Throws failures of receiving; those of recording are in the report, which
  // is empty without a recording.
  RecordingReport finish();

 private:
  void pass_on(const FrameRef& frame, double fps);
  void coming(const FrameRef& frame);
  struct Events final : ReceptionLog {
    explicit Events(StreamFeed& given_feed) : ReceptionLog(given_feed.picture_), feed(given_feed) {}
    void on_cursor(const Cursor& cursor) override { feed.point(cursor); }
    StreamFeed& feed;
  };
  void point(const Cursor& cursor);
  std::unique_ptr<SoundReceiver> sound_of(DatagramSource& source, std::unique_ptr<DatagramSource> sound);
  void pass_on_sound(const SoundBlock& block);
  void open_loudspeaker();
  void adjust_volume();

  const StreamFeedSettings settings_;
  const SteadyTime begun_;
  BlockPool pool_{kPoolFrames, ReceivingThread::pool_bytes(settings_.receive)};  // before members that hold its frames
  std::mutex coming_mutex_;
  FrameRef coming_;  // the newest large frame whose beginning has been received
  Mailbox mailbox_;
  mutable std::mutex recording_mutex_;  // held during put(), which may wait for the disk with a capture
  std::shared_ptr<Recording> recording_;
  std::weak_ptr<Recording> ending_;  // still gets its sound
  std::string recording_path_;
  uint64_t not_recorded_ = 0, passed_over_ = 0;  // of recordings that have ended
  PlayoutClock clock_;                           // on the thread of pass_on()
  std::unique_ptr<SystemPlayout> by_system_;     // nullptr: by clock_
  mutable std::mutex playout_mutex_;
  PlayoutState playout_;
  mutable std::mutex cursor_mutex_;
  Cursor cursor_;
  double volume_ = 1;  // render thread, like the next three
  bool muted_ = false, paused_ = false;
  bool tried_loudspeaker_ = false;
  mutable std::mutex sound_mutex_;
  bool sound_came_ = false;
  std::unique_ptr<LiveSoundPlayer> loudspeaker_;  // nullptr: not opened yet, or there is none
  PictureSender picture_;
  std::unique_ptr<SoundReceiver> sound_;  // nullptr: none; after the members that its thread uses
  Events log_{*this};
  ReceivingThread receiver_;  // after the members that its thread uses
  FrameRef shown_;
  player::SwapGrid swaps_;
  FrameRef ahead_;          // the result of ahead(); render thread
  mutable RateMeter rate_;  // render thread, like the windows and the URLs
  mutable std::vector<std::string> send_to_;
  mutable SteadyTime next_send_to_{};  // when they are looked up again
  mutable CountWindow packets_, frames_, tiles_, dropped_;
};

}  // namespace texcast::stream
