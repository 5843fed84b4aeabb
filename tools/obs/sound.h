// sound.h — sound between OBS, which has it planar, and streams, which have it interleaved.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <obs.h>

#include <functional>
#include <vector>

#include "texcast/sound.h"

namespace texcast::obs {

using SoundSink = std::function<void(const ReceivedSound& sound)>;

SoundFormat sound_of_obs();  // as OBS's settings have it

// `planes`: one for each channel of `format`, of floats.
std::vector<float> interleaved(uint8_t* const* planes, uint32_t frames, const SoundFormat& format);

// Gives sound to a source of OBS, which resamples it and plays it in step with its clock. OBS has up to eight channels:
// the first two of others.
void output_sound(obs_source_t* source, const ReceivedSound& sound);

}  // namespace texcast::obs
