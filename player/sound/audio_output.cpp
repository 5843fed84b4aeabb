#include "player/audio_output.h"

#define SDL_MAIN_HANDLED
#include <SDL.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "buffer_samples.h"
#include "texcast/error.h"

namespace texcast::player {
namespace {

constexpr Uint16 kBufferSamples = 1024;  // 21 ms at 48 kHz: enough for machines busy with 4K pictures

bool has_card() {
  std::error_code ignored;
  return std::filesystem::exists("/dev/snd", ignored);
}

std::string why_not() {
  if (!has_card() && std::getenv("SDL_AUDIODRIVER") == nullptr)
    return "there is no sound card, and no sound server answers";
  return SDL_GetError();
}

class SdlAudio final : public AudioOutput {
 public:
  SdlAudio(AudioFill fill, Uint16 buffer_samples) : fill_(std::move(fill)), buffer_samples_(buffer_samples) {}
  SdlAudio(const SdlAudio&) = delete;
  SdlAudio& operator=(const SdlAudio&) = delete;
  ~SdlAudio() override {
    if (device_ != 0) SDL_CloseAudioDevice(device_);  // waits for the callback
    if (initialised_) SDL_QuitSubSystem(SDL_INIT_AUDIO);
  }

  // False: SDL_GetError() has the reason.
  bool open() {
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    // Without any card ALSA's library would print ten lines of its own; a sound server may exist all the same.
    if (!has_card()) SDL_SetHint("SDL_AUDIODRIVER", "pulseaudio,pipewire,jack");
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0) return false;
    initialised_ = true;
    SDL_AudioSpec wanted{};
    wanted.freq = AudioFormat{}.rate;
    wanted.format = AUDIO_F32SYS;
    wanted.channels = 2;
    wanted.samples = buffer_samples_;
    wanted.userdata = this;
    wanted.callback = [](void* self, Uint8* bytes, int count) {
      static_cast<SdlAudio*>(self)->fill_(
          {reinterpret_cast<float*>(bytes), static_cast<size_t>(count) / sizeof(float)});
    };
    device_ = SDL_OpenAudioDevice(nullptr, 0, &wanted, &obtained_, SDL_AUDIO_ALLOW_FREQUENCY_CHANGE);
    return device_ != 0;
  }

  AudioFormat format() const override { return {obtained_.freq, obtained_.channels}; }
  nanoseconds latency() const override {
    return nanoseconds(int64_t{1'000'000'000} * obtained_.samples / obtained_.freq);
  }
  void set_paused(bool paused) override { SDL_PauseAudioDevice(device_, paused ? 1 : 0); }
  std::string name() const override { return SDL_GetCurrentAudioDriver(); }

 private:
  const AudioFill fill_;
  const Uint16 buffer_samples_;
  bool initialised_ = false;
  SDL_AudioDeviceID device_ = 0;
  SDL_AudioSpec obtained_{};
};

Result<std::unique_ptr<AudioOutput>> open_with(AudioFill fill, Uint16 buffer_samples) {
  auto audio = std::make_unique<SdlAudio>(std::move(fill), buffer_samples);
  try {
    if (!audio->open()) return Failure{"no audio device: " + why_not()};
  } catch (const Error& error) {  // SDL is missing
    return Failure{std::string("no audio device: ") + error.what()};
  }
  return std::unique_ptr<AudioOutput>(std::move(audio));
}

}  // namespace

Result<std::unique_ptr<AudioOutput>> open_audio_output(AudioFill fill) {
  return open_with(std::move(fill), kBufferSamples);
}

Result<std::unique_ptr<AudioOutput>> open_live_audio_output(AudioFill fill) {
  return open_with(std::move(fill), kLiveBufferSamples);
}

}  // namespace texcast::player
