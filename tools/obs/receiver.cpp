// SPDX-License-Identifier: GPL-2.0-or-later
#include "receiver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "messages.h"
#include "texcast/decoder.h"
#include "texcast/picture_converter.h"
#include "texcast/transcoder.h"
#include "workers.h"

namespace texcast::obs {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using PicturePtr = std::shared_ptr<const Picture>;

constexpr auto kReopenTime = 1s;
constexpr auto kFirstReopenTime = 200ms;   // the receiver that was here before may still be closing the same port
constexpr auto kReceiverLookTime = 250ms;  // between two looks at the receiver's counts

double coded_in_srgb(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

// Bytes of all half floats, as the GPU draws them: linear light in sRGB's curve, other values as they are.
std::vector<uint8_t> bytes_of_halves(bool is_linear) {
  std::vector<uint8_t> bytes(65536);
  for (size_t bits = 0; bits < bytes.size(); ++bits) {
    const double value = half_to_double(static_cast<uint16_t>(bits));
    const double clamped = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
    bytes[bits] = static_cast<uint8_t>(std::lround(255 * (is_linear ? coded_in_srgb(clamped) : clamped)));
  }
  return bytes;
}

// Converts what the GPU does not take. It belongs to the worker's thread.
class Converter {
 public:
  Converter(FormatSet shown, std::string device) : shown_(std::move(shown)), device_(std::move(device)) {}

  PicturePtr convert(const Picture& picture) {
    if (!(picture.desc == from_)) prepare(picture.desc);
    if (transcoder_) return transcode(picture);
    return pictures_ ? decode_opaque(picture) : decode(picture);
  }

 private:
  static constexpr const char* kNoDevice = "cpu-reference";

  void prepare(const TextureDesc& from) {
    from_ = from;
    transcoder_.reset();
    pictures_.reset();
    if (plane_coding(from.format, 0).sample_type == SampleType::half)
      halves_ = bytes_of_halves(from.color.transfer == kLinearTransfer);
    const auto to = transcoding_target(from.format, shown_);
    const std::string name(texcast::name(from.format));
    if (!to) {
      prepare_pictures(from, device_);
      const bool is_by_device = pictures_ && pictures_->device_name() != kNoDevice;
      say(LogLevel::info, "OBS's GPU does not take " + name + "; " +
                              (is_by_device ? pictures_->device_name() : "the CPU") + " decodes it");
      return;
    }
    try {
      transcoder_ = make_transcoder({.from = from, .to = *to, .device = device_});
      say(LogLevel::info, "OBS's GPU does not take " + name + "; " + transcoder_->device_name() + " makes " +
                              std::string(texcast::name(*to)) + " of it");
    } catch (const Error& error) {
      say(LogLevel::warning, "OBS's GPU does not take " + name + "; the CPU decodes it, because: " + error.what());
      prepare_pictures(from, kNoDevice);
    }
  }

  // For textures without alpha, of eight bits.
  void prepare_pictures(const TextureDesc& from, const std::string& device) {
    if (channel_count(from.format) == 4 || plane_coding(from.format, 0).sample_type != SampleType::unorm8) return;
    const FrameFormat to{
        .pixel_format = PixelFormat::bgra, .width = from.width, .height = from.height, .color = kFullRange};
    try {
      pictures_ = make_picture_converter({.from = from, .to = to, .device = device});
    } catch (const Error& error) {
      if (device == kNoDevice) throw;
      say(LogLevel::warning, std::string("no device decodes the stream: ") + error.what());
      prepare_pictures(from, kNoDevice);
    }
  }

  PicturePtr transcode(const Picture& picture) try {
    transcoder_->submit({.desc = picture.desc, .blocks = picture.blocks});
    const TextureView made = transcoder_->next();
    return own(made.desc, {made.blocks.begin(), made.blocks.end()});
  } catch (const Error& error) {
    say(LogLevel::warning, std::string("the CPU decodes the stream from now on: ") + error.what());
    transcoder_.reset();
    prepare_pictures(picture.desc, kNoDevice);
    return convert(picture);
  }

  // By a device, or by all threads of the CPU.
  PicturePtr decode_opaque(const Picture& picture) {
    TextureDesc desc = picture.desc;
    desc.format = TextureFormat::rgba8;
    std::vector<std::byte> pixels(texture_layout(desc).total_bytes);
    try {
      pictures_->convert({.desc = picture.desc, .blocks = picture.blocks}, pixels);
    } catch (const Error& error) {
      say(LogLevel::warning, std::string("the CPU decodes the stream from now on: ") + error.what());
      prepare_pictures(picture.desc, kNoDevice);
      pictures_->convert({.desc = picture.desc, .blocks = picture.blocks}, pixels);
    }
    for (size_t i = 0; i + 4 <= pixels.size(); i += 4) std::swap(pixels[i], pixels[i + 2]);  // B G R to R G B
    return own(desc, std::move(pixels));
  }

  PicturePtr decode(const Picture& picture) {
    decode_texture({.desc = picture.desc, .blocks = picture.blocks}, image_);
    TextureDesc desc = picture.desc;
    desc.format = image_.channels == 4 ? TextureFormat::rgba8 : TextureFormat::rgb8;
    return own(desc, bytes_of_pixels(), image_.channels == 4 && is_compressed(picture.desc.format));
  }

  // As R G B or R G B A of eight bits.
  std::vector<std::byte> bytes_of_pixels() const {
    const size_t pixels = static_cast<size_t>(image_.width) * static_cast<size_t>(image_.height);
    const size_t made = image_.channels == 4 ? 4 : 3;
    const auto channels = static_cast<size_t>(image_.channels);
    std::vector<std::byte> bytes(pixels * made);
    for (size_t i = 0; i < pixels; ++i)
      for (size_t c = 0; c < made; ++c) bytes[made * i + c] = std::byte{sample(i, channels == 1 ? 0 : c)};
    return bytes;
  }
  // Channel `c` of pixel `i`; a channel that is missing is 0.
  uint8_t sample(size_t i, size_t c) const {
    const auto channels = static_cast<size_t>(image_.channels);
    if (c >= channels) return 0;
    const size_t at = channels * i + c;
    if (image_.samples == SampleType::unorm8) return image_.pixels[at];
    const auto bits = static_cast<uint16_t>(image_.pixels[2 * at] | image_.pixels[2 * at + 1] << 8);
    if (image_.samples == SampleType::unorm16) return static_cast<uint8_t>((bits * 255 + 32767) / 65535);
    return halves_[bits];
  }

  static PicturePtr own(const TextureDesc& desc, std::vector<std::byte> bytes, bool has_alpha = false) {
    const auto memory = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return std::make_shared<Picture>(
        Picture{.desc = desc, .blocks = *memory, .memory = memory, .has_alpha = has_alpha});
  }

  const FormatSet shown_;
  const std::string device_;
  TextureDesc from_{.width = 0};
  std::unique_ptr<Transcoder> transcoder_;
  std::unique_ptr<PictureConverter> pictures_;  // to B G R A
  DecodedImage image_;
  std::vector<uint8_t> halves_;  // bytes of half floats, once there was a texture of them
};

std::string describe(const TextureDesc& desc, double fps) {
  std::array<char, 64> rate{};
  std::snprintf(rate.data(), rate.size(), "%.4g", fps);
  return std::string(name(desc.format)) + ", " + std::to_string(desc.width) + "x" + std::to_string(desc.height) + ", " +
         rate.data() + " fps";
}

const char* refusal_text(StreamRefusal refusal) {
  switch (refusal) {
    case StreamRefusal::none: return nullptr;
    case StreamRefusal::no_passphrase: return "Refused.NoPassphrase";
    case StreamRefusal::wrong_passphrase: return "Refused.WrongPassphrase";
    case StreamRefusal::not_encrypted: return "Refused.NotEncrypted";
    case StreamRefusal::too_old:
    case StreamRefusal::from_the_future: return "Refused.Clocks";
    case StreamRefusal::older_texcast: return "Refused.OlderTexcast";
    case StreamRefusal::other_cipher: return "Refused.OtherCipher";
    case StreamRefusal::replayed: return "Refused.Replayed";
  }
  return nullptr;
}

// Why what arrived between two looks at the counts is not shown, as a key of the locale; null: no reason, or nothing
// arrived.
const char* problem_between(const StreamReceiverStatus& before, const StreamReceiverStatus& now) {
  if (now.frames > before.frames) return nullptr;
  if (now.pictures_too_large > before.pictures_too_large) return "Status.TooLarge";
  if (now.frames_unsupported > before.frames_unsupported) return "Status.Unsupported";
  if (now.packets_refused > before.packets_refused) return refusal_text(now.refusal);
  if (now.packets_malformed > before.packets_malformed && now.packets == before.packets) return "Status.NoStream";
  return nullptr;
}

}  // namespace

// The state that a Receiver, its worker and the callbacks of the stream share.
class Receiver::Shared : public std::enable_shared_from_this<Receiver::Shared> {
 public:
  Shared(ReceiverOptions options, FormatSet shown, SoundSink on_sound)
      : options_(std::move(options)), shown_(std::move(shown)), on_sound_(std::move(on_sound)) {}

  void work() {
    Converter converter(shown_, options_.device);
    for (bool first = true; !stopped(); first = false) {
      try {
        receive(converter);
      } catch (const Error& error) {
        if (!first) report(error.what());
      } catch (const std::bad_alloc&) {
        report("there is no memory left");
      }
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, first ? kFirstReopenTime : kReopenTime, [&] { return stopped_; });
    }
  }

  void stop() {
    {
      const std::lock_guard lock(sound_mutex_);
      on_sound_ = nullptr;
    }
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    newest_.reset();
    unconverted_.reset();
    changed_.notify_all();
  }

  PicturePtr take_newest() {
    const std::lock_guard lock(mutex_);
    return std::exchange(newest_, nullptr);
  }

  bool silent_for(std::chrono::nanoseconds time) const {
    const std::lock_guard lock(mutex_);
    return last_packet_ && Clock::now() - *last_packet_ >= time;
  }

  std::string status() const {
    const std::lock_guard lock(mutex_);
    if (!error_.empty()) return error_;
    if (problem_) return text(problem_);
    if (status_.packets == 0) return waiting_text();
    std::string line = (description_.empty() ? "" : description_ + "\n") + text("Status.From") + " " + status_.sender +
                       ": " + std::to_string(status_.frames) + " " + text("Status.Frames") + ", " +
                       std::to_string(status_.packets_lost) + " " + text("Status.Lost");
    if (last_packet_ && Clock::now() - *last_packet_ > 3s) line += std::string("\n") + text("Status.Silent");
    return line;
  }

 private:
  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

  std::string waiting_text() const {
    return send_to_.empty() ? text("Status.Opening") : text("Status.Waiting") + std::string(" ") + send_to_;
  }

  // Returns when the stream has ended, or stop() was called.
  void receive(Converter& converter) {
    const auto shared = shared_from_this();
    check_input(options_.stream.passphrase, options_.stream.name);
    StreamReceiver receiver(
        options_.stream, [shared](const ReceivedTexture& received) { shared->on(received); },
        [shared](const ReceivedSound& sound) { shared->on(sound); });
    opened(receiver);
    while (!receiver.ended()) {
      PicturePtr unconverted;
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kReceiverLookTime, [&] { return stopped_ || unconverted_; });
        if (stopped_) return;
        unconverted = std::exchange(unconverted_, nullptr);
      }
      if (unconverted) publish(converter.convert(*unconverted));
      look_at(receiver.status());
    }
    receiver.stop();  // throws what the callback has thrown
  }

  void opened(const StreamReceiver& receiver) {
    const auto addresses = receiver.send_to();
    const std::lock_guard lock(mutex_);
    error_.clear();
    problem_ = nullptr;
    send_to_ = addresses.empty() ? options_.stream.listen : addresses.front();
    say(LogLevel::info, "listening; send to " + send_to_);
  }

  // On a thread of the stream.
  void on(const ReceivedTexture& received) {
    const auto picture = std::make_shared<Picture>(
        Picture{.desc = received.texture.desc, .blocks = received.texture.blocks, .memory = received.keep()});
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    if (received.new_stream) {
      description_ = describe(received.texture.desc, received.fps);
      say(LogLevel::info, "a stream: " + description_);
    }
    if (shown_.contains(picture->desc.format)) {
      newest_ = picture;
      return;
    }
    unconverted_ = picture;
    changed_.notify_all();
  }

  void on(const ReceivedSound& sound) {
    const std::lock_guard lock(sound_mutex_);
    if (on_sound_) on_sound_(sound);
  }

  void publish(PicturePtr picture) {
    const std::lock_guard lock(mutex_);
    if (!stopped_) newest_ = std::move(picture);
  }

  void look_at(const StreamReceiverStatus& status) {
    const std::lock_guard lock(mutex_);
    // A receiver that was opened again counts from 0.
    if (status.packets > 0 && status.packets != status_.packets) last_packet_ = Clock::now();
    const char* const problem = problem_between(status_, status);
    if (problem && problem != problem_) say(LogLevel::warning, text(problem));
    if (problem || status.frames != status_.frames) problem_ = problem;
    status_ = status;
  }

  // Once for each message, although it is tried every second.
  void report(const std::string& error) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    if (error != error_) say(LogLevel::warning, error);
    error_ = error;
  }

  const ReceiverOptions options_;
  const FormatSet shown_;
  std::mutex sound_mutex_;
  SoundSink on_sound_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  PicturePtr newest_;
  PicturePtr unconverted_;
  std::optional<Clock::time_point> last_packet_;
  StreamReceiverStatus status_{};
  std::string description_;
  std::string send_to_;
  std::string error_;
  const char* problem_ = nullptr;  // a key of the locale; null: frames arrive, or nothing does
};

Receiver::Receiver(ReceiverOptions options, FormatSet shown, SoundSink on_sound)
    : shared_(std::make_shared<Shared>(std::move(options), std::move(shown), std::move(on_sound))) {
  start_worker([shared = shared_] { shared->work(); });
}

Receiver::~Receiver() { shared_->stop(); }

std::shared_ptr<const Picture> Receiver::take_newest() { return shared_->take_newest(); }
bool Receiver::silent_for(std::chrono::nanoseconds time) const { return shared_->silent_for(time); }
std::string Receiver::status() const { return shared_->status(); }

}  // namespace texcast::obs
