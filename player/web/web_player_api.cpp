#include "player/web_player_api.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "player/slice_helper.h"
#include "player/web_player.h"

namespace {

using namespace texcast;
using player::WebPlayer;

SteadyTime steady(double ms) { return SteadyTime(nanoseconds(std::llround(ms * 1e6))); }
WallTime wall_time(double ms) { return WallTime(nanoseconds(std::llround(ms * 1e6))); }
template <typename Time>
double milliseconds_of(Time time) {
  return in_milliseconds(time.time_since_epoch());
}
double address_of(const void* memory) { return static_cast<double>(reinterpret_cast<uintptr_t>(memory)); }

// The player, and the memory that its page may read until the next call.
struct Session {
  Session(stream::Latency latency, uint32_t seed) : player(latency, seed) {}
  WebPlayer player;
  player::SliceHelper helper{};  // of another instance's player
  std::vector<std::byte> message{};
  std::vector<double> numbers{};
  std::string text{};
  std::vector<uint8_t> image{};
  std::shared_ptr<const CursorShape> shape{};  // of image
  uint32_t bytes = 0;

  Bytes received(uint32_t count) const { return Bytes(message).first(std::min<size_t>(count, message.size())); }
  const uint8_t* send(std::optional<Bytes> sent) {
    if (!sent) return nullptr;
    bytes = static_cast<uint32_t>(sent->size());
    return reinterpret_cast<const uint8_t*>(sent->data());
  }
  const char* say(std::optional<std::string> said) {
    if (!said) return nullptr;
    text = std::move(*said);
    bytes = static_cast<uint32_t>(text.size());
    return text.c_str();
  }
};

std::unique_ptr<Session>& session() {
  static std::unique_ptr<Session> one = std::make_unique<Session>(std::nullopt, 0U);
  return one;
}

}  // namespace

void texcast_start(double latency, uint32_t seed) {
  const bool is_auto = !(latency >= 0);
  constexpr double kMost = 10'000;
  session() = std::make_unique<Session>(
      is_auto ? stream::Latency{} : stream::Latency(nanoseconds(std::llround(std::min(latency, kMost) * 1e6))), seed);
}

uint8_t* texcast_message_memory(uint32_t bytes) {
  auto& message = session()->message;
  message.resize(bytes);
  return reinterpret_cast<uint8_t*>(message.data());
}

void texcast_message(uint32_t bytes, double now, double wall) {
  Session& s = *session();
  s.player.on_message(s.received(bytes), steady(now), wall_time(wall));
}

uint32_t texcast_poll(double now, double wall) { return session()->player.poll(steady(now), wall_time(wall)) ? 1 : 0; }

uint32_t texcast_largest_frame(void) { return static_cast<uint32_t>(session()->player.largest_frame()); }
uint32_t texcast_add_helper(uint32_t least_share) {
  return static_cast<uint32_t>(session()->player.add_helper(least_share));
}
void texcast_lose_helper(uint32_t helper) { session()->player.lose_helper(helper); }
const uint8_t* texcast_share(uint32_t helper) { return session()->send(session()->player.take_share(helper)); }
void texcast_own_share(void) { session()->player.decode_own_share(); }
void texcast_answer(uint32_t helper, uint32_t bytes) {
  session()->player.on_answer(helper, session()->received(bytes));
}
const uint8_t* texcast_help(uint32_t bytes) {
  return session()->send(session()->helper.work(session()->received(bytes)));
}

double texcast_next_deadline(void) {
  const auto deadline = session()->player.next_deadline();
  return deadline ? milliseconds_of(*deadline) : std::numeric_limits<double>::infinity();
}

const double* texcast_frame(double now) {
  Session& s = *session();
  const auto frame = s.player.take_frame(steady(now));
  if (!frame) return nullptr;
  s.numbers = {static_cast<double>(frame->number), milliseconds_of(frame->due), milliseconds_of(frame->available),
               frame->is_complete ? 1.0 : 0.0, static_cast<double>(frame->uploads.size())};
  for (const player::WebUpload& upload : frame->uploads)
    s.numbers.insert(s.numbers.end(), {static_cast<double>(upload.plane), static_cast<double>(upload.first_row),
                                       static_cast<double>(upload.rows), address_of(upload.blocks.data()),
                                       static_cast<double>(upload.blocks.size())});
  return s.numbers.data();
}

void texcast_whole(void) { session()->player.take_whole(); }

void texcast_shown(double number, double at) {
  session()->player.on_shown(static_cast<uint64_t>(std::max(number, 0.0)), steady(at));
}

const char* texcast_description(void) { return session()->say(session()->player.take_description()); }

const double* texcast_sound(double now) {
  Session& s = *session();
  const auto sound = s.player.take_sound(steady(now));
  if (!sound) return nullptr;
  const Bytes bytes = sound->kind == player::WebSound::Kind::pcm ? std::as_bytes(sound->pcm) : sound->opus;
  s.numbers = {static_cast<double>(sound->kind),     static_cast<double>(sound->rate),
               static_cast<double>(sound->channels), static_cast<double>(sound->samples),
               milliseconds_of(sound->at),           address_of(bytes.data()),
               static_cast<double>(bytes.size())};
  return s.numbers.data();
}

const double* texcast_pointer(void) {
  Session& s = *session();
  const auto pointer = s.player.take_pointer();
  if (!pointer) return nullptr;
  const CursorShape none;
  const CursorShape& shape = pointer->shape ? *pointer->shape : none;
  const bool is_new = pointer->shape && pointer->shape != s.shape;
  if (is_new) {
    s.shape = pointer->shape;
    s.image.clear();
    for (const uint32_t texel : shape.texels)  // B G R A
      for (const int shift : {16, 8, 0, 24}) s.image.push_back(static_cast<uint8_t>(texel >> shift));
  }
  s.numbers = {static_cast<double>(pointer->x),   static_cast<double>(pointer->y),
               pointer->visible ? 1.0 : 0.0,      static_cast<double>(shape.hot_x),
               static_cast<double>(shape.hot_y),  static_cast<double>(shape.width),
               static_cast<double>(shape.height), is_new ? address_of(s.image.data()) : 0.0};
  return s.numbers.data();
}

const uint8_t* texcast_feedback(double now) { return session()->send(session()->player.take_feedback(steady(now))); }

const uint8_t* texcast_goodbye(double now) { return session()->send(session()->player.goodbye(steady(now))); }

const char* texcast_needs(void) {
  std::string names;
  for (const std::string& name : session()->player.take_needs()) names += (names.empty() ? "" : " ") + name;
  return session()->say(names.empty() ? std::nullopt : std::optional(std::move(names)));
}

void texcast_give(uint32_t bytes) {
  const auto& memory = session()->message;
  const std::string text(reinterpret_cast<const char*>(memory.data()), std::min<size_t>(bytes, memory.size()));
  const size_t line = text.find('\n');
  if (line != std::string::npos) WebPlayer::give(text.substr(0, line), text.substr(line + 1));
}

const char* texcast_line(void) { return session()->say(session()->player.take_line()); }

const char* texcast_statistics(double now, double wall) {
  return session()->say(session()->player.statistics(steady(now), wall_time(wall)));
}

uint32_t texcast_bytes(void) { return session()->bytes; }
