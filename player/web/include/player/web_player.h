// web_player.h — the receiving end of a stream in a browser: messages of a WebSocket in, frames, sound, pointer and
// feedback out. No I/O and no threads: bytes and time are arguments. web_player_api.h is its interface to JavaScript.
//
// A message, in both directions: a channel (0 picture, 1 sound; others are ignored), then datagrams, each after its
// length (2 bytes, little-endian, 1 to 65535). A truncated datagram ends the message.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "frames/cursor.h"
#include "playout/playout_clock.h"
#include "textures/block_pool.h"

namespace texcast::player {

// Rows of a plane's blocks.
struct WebUpload {
  int plane = 0;
  int first_row = 0;
  int rows = 0;
  Bytes blocks{};
};

struct WebFrame {
  uint64_t number = 0;  // of the stream's frames, from 0; lost ones count
  SteadyTime due{};
  WallTime available{};  // sender's clock; zero: unknown
  bool is_complete = true;
  // The rows that changed since the frame that was taken before; all rows of a stream's first. Valid until the next
  // call of take_frame().
  std::span<const WebUpload> uploads{};
};

struct WebSound {
  enum class Kind : uint8_t { pcm, opus, lost, silent };
  Kind kind = Kind::silent;
  int rate = 0;  // samples per second
  int channels = 0;
  uint32_t samples = 0;  // per channel
  SteadyTime at{};       // when its first sample should be heard, in step with the picture
  // Until the next call of take_sound(). PCM: one channel after the other, -1 to 1. Opus: one packet.
  std::span<const float> pcm{};
  Bytes opus{};
};

// Not thread-safe. No message, however malformed, makes it throw or grow without bound.
class WebPlayer {
 public:
  // `seed`: any number that other viewers do not have; identifies this one in its RTCP reports.
  WebPlayer(stream::Latency latency, uint32_t seed);
  ~WebPlayer();
  WebPlayer(const WebPlayer&) = delete;
  WebPlayer& operator=(const WebPlayer&) = delete;

  // Takes a message. Nothing is decoded until poll(), so that messages never wait for a decoder.
  void on_message(Bytes message, SteadyTime now, WallTime wall);
  // Does what is due, and decodes at most one frame. Call it after messages, at next_deadline(), and as long as it
  // returns true: more frames wait.
  bool poll(SteadyTime now, WallTime wall);
  // When poll() or take_frame() has something to do, even if no message arrives. In the past: now.
  std::optional<SteadyTime> next_deadline() const;

  // Helpers (slice_helper.h) decode parts of large frames. If there are any, poll() only begins such a frame: after
  // each poll(), give each helper its share if it has one, then call decode_own_share(). The frame is complete after
  // the last answer; poll() decodes no other until then.
  size_t largest_frame() const;  // the time to decode it: that for so many coded bytes
  // Returns the helper's number: 0, 1, …. `least_share`: it gets no share that takes less time than so many coded
  // bytes.
  size_t add_helper(size_t least_share);
  // It traps, or takes too long: it gets no share any more, and its share of the frame under way is decoded here.
  void lose_helper(size_t helper);
  std::optional<Bytes> take_share(size_t helper);  // valid until the next call
  void decode_own_share();
  // If the answer is malformed its slices are decoded here.
  void on_answer(size_t helper, Bytes answer);

  // The newest frame that is due, once; older ones are left out.
  std::optional<WebFrame> take_frame(SteadyTime now);
  // The next frame that take_frame() returns has all rows.
  void take_whole();
  // A frame was drawn at `at`.
  void on_shown(uint64_t number, SteadyTime at);
  // The description of the frame that take_frame() returned last, as a JSON object, once for each stream.
  std::optional<std::string> take_description();
  std::optional<WebSound> take_sound(SteadyTime now);
  std::optional<Cursor> take_pointer();  // if it has changed
  // A message for the server, valid until the next call. Until there is none.
  std::optional<Bytes> take_feedback(SteadyTime now);
  // The files of tables (codec/compact/bitstream/tables, without ".txt") that the stream needs and this program does
  // not contain, each once. No frame is decoded until they are given, which holds for all players of the program.
  std::vector<std::string> take_needs();
  static void give(std::string kind, std::string text);
  // The last message for the server. Nothing if it knows no viewer.
  std::optional<Bytes> goodbye(SteadyTime now);
  // A line for the viewer, such as why a stream cannot be shown. Once.
  std::optional<std::string> take_line();
  // A JSON object, about the time since the last call. `wall`: on the clock of `available`, if the clocks are one.
  std::string statistics(SteadyTime now, WallTime wall);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace texcast::player
