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
#include "stream/count_window.h"
#include "stream/live_sound_player.h"
#include "stream/mailbox.h"
#include "stream/playout_clock.h"
#include "stream/pool_frames.h"
#include "stream/rate_meter.h"
#include "stream/receive_texts.h"
#include "stream/received_sound.h"
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
  std::optional<std::string> device{};   // that decodes compact streams (CompactReception); none: threads alone
  bool hear_sound = false;               // else it is recorded alone
  bool sound_of_capture = false;         // taken, where the source is one
  OpenAudioOutput open_loudspeaker = player::open_live_audio_output;
  ClickEar* ear = nullptr;  // hears what the loudspeaker is given; outlives the feed
};

class StreamFeed : public player::Feed {
 public:
  // `sound`: where the stream's sound comes to; null: it has none, but for that of a capture, which is among `source`'s
  // datagrams (StreamFeedSettings::sound_of_capture).
  StreamFeed(std::unique_ptr<DatagramSource> source, const StreamFeedSettings& settings,
             std::unique_ptr<DatagramSource> sound = nullptr);
  ~StreamFeed() override;

  std::optional<player::FeedFrame> take(SteadyTime now) override;
  void set_swaps(const player::SwapGrid& swaps) override;
  std::optional<TextureDesc> next_texture() const override;
  std::optional<player::FeedAhead> ahead() override;
  void wait(SteadyTime limit) override { mailbox_.wait_until(limit, swaps_); }
  player::FeedState state() const override;
  std::string title() const override { return settings_.title; }
  std::vector<player::FeedStat> stats() const override;
  std::vector<std::string> slate(SteadyTime now) const override;
  Cursor cursor() const override;
  std::optional<std::string> news() override;  // of the stream and of its recording

  void set_paused(bool paused) override;  // the sound alone: the player does not show the frames
  bool has_audio() const override;
  void set_volume(double volume) override;
  double volume() const override { return volume_; }
  void set_muted(bool muted) override;
  bool muted() const override { return muted_; }

  const std::vector<std::string>& send_to() const { return settings_.send_to; }
  StreamStatus status() const { return receiver_.status(); }
  PlayoutState playout() const;
  std::optional<SoundStatus> sound() const;  // nothing where none is listened for
  Counts dropped() const;                    // frames that were not shown or not recorded, by cause
  // Begins to record while it runs, with the next frame that comes; misuse where something is recorded already.
  // `settings` has its claim (media/output_claim.h) where the name is to be kept.
  void record(media::RecorderSettings settings, LayoutSettings layout);
  // From now on no frame goes there, but the sound that comes behind the last one: Recording::finish_with_sound().
  // Whoever has it finishes it, before this feed is destroyed: it may hold frames of ours. Null: nothing was recorded.
  std::shared_ptr<Recording> end_recording();
  std::string recording_path() const;  // empty: nothing is recorded
  bool recording_ended() const;        // by itself: it has failed, or is full
  // Stops receiving and closes the recording. Throws what receiving met; the report has what recording met, and is
  // empty where nothing is recorded.
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
  std::unique_ptr<ReceivedSound> sound_of(DatagramSource& source, std::unique_ptr<DatagramSource> sound);
  void pass_on_sound(const SoundBlock& block);
  void open_loudspeaker();
  void adjust_volume();

  const StreamFeedSettings settings_;
  const SteadyTime begun_;
  BlockPool pool_{kPoolFrames, ReceivingThread::pool_bytes(settings_.receive)};  // before all who hold frames of it
  std::mutex coming_mutex_;
  FrameRef coming_;  // the newest large frame of which the beginning is there
  Mailbox mailbox_;
  mutable std::mutex recording_mutex_;  // held while a frame is put: one of a capture may wait there for the disk
  std::shared_ptr<Recording> recording_;
  std::weak_ptr<Recording> ending_;  // which still gets its sound
  std::string recording_path_;
  uint64_t not_recorded_ = 0, passed_over_ = 0;  // by recordings that have ended
  PlayoutClock clock_;                           // whoever calls pass_on()
  mutable std::mutex playout_mutex_;
  PlayoutState playout_;
  mutable std::mutex cursor_mutex_;
  Cursor cursor_;
  double volume_ = 1;  // render thread, as are these:
  bool muted_ = false, paused_ = false;
  bool tried_loudspeaker_ = false;
  mutable std::mutex sound_mutex_;
  bool sound_came_ = false;
  std::unique_ptr<LiveSoundPlayer> loudspeaker_;  // null: not yet, or there is none
  PictureSender picture_;
  std::unique_ptr<ReceivedSound> sound_;  // null: none; after all that its thread uses
  Events log_{*this};
  ReceivingThread receiver_;  // after all that its thread uses
  FrameRef shown_;
  player::SwapGrid swaps_;
  FrameRef ahead_;          // what ahead() gave; render thread
  mutable RateMeter rate_;  // render thread, as the windows
  mutable CountWindow packets_, frames_, tiles_, dropped_;
};

}  // namespace texcast::stream
