// SPDX-License-Identifier: GPL-2.0-or-later
#include "sound.h"

#include <cstring>

namespace texcast::obs {
namespace {

speaker_layout layout_of(int channels) {
  switch (channels) {
    case 1: return SPEAKERS_MONO;
    case 3: return SPEAKERS_2POINT1;
    case 4: return SPEAKERS_4POINT0;
    case 5: return SPEAKERS_4POINT1;
    case 6: return SPEAKERS_5POINT1;
    case 8: return SPEAKERS_7POINT1;
    default: return SPEAKERS_STEREO;
  }
}

}  // namespace

SoundFormat sound_of_obs() {
  obs_audio_info info{};
  if (!obs_get_audio_info(&info)) return {};
  return {.sample_rate = static_cast<int>(info.samples_per_sec),
          .channels = static_cast<int>(get_audio_channels(info.speakers))};
}

std::vector<float> interleaved(uint8_t* const* planes, uint32_t frames, const SoundFormat& format) {
  const auto channels = static_cast<size_t>(format.channels);
  std::vector<float> samples(frames * channels);
  for (size_t c = 0; c < channels; ++c) {
    if (!planes[c]) continue;
    const auto* const plane = reinterpret_cast<const float*>(planes[c]);
    for (size_t i = 0; i < frames; ++i) samples[i * channels + c] = plane[i];
  }
  return samples;
}

void output_sound(obs_source_t* source, const ReceivedSound& sound) {
  const auto channels = static_cast<size_t>(sound.format.channels);
  const speaker_layout layout = layout_of(sound.format.channels);
  const size_t used = get_audio_channels(layout);
  const size_t frames = sound.samples.size() / channels;
  std::vector<float> first;
  const float* samples = sound.samples.data();
  if (used < channels) {
    for (size_t i = 0; i < frames; ++i)
      first.insert(first.end(), samples + i * channels, samples + i * channels + used);
    samples = first.data();
  }
  obs_source_audio audio{};
  audio.data[0] = reinterpret_cast<const uint8_t*>(samples);
  audio.frames = static_cast<uint32_t>(frames);
  audio.speakers = layout;
  audio.format = AUDIO_FORMAT_FLOAT;
  audio.samples_per_sec = static_cast<uint32_t>(sound.format.sample_rate);
  audio.timestamp = static_cast<uint64_t>(sound.pts.count());
  obs_source_output_audio(source, &audio);
}

}  // namespace texcast::obs
