// starting_encoder.h — an encoder that works while better ones are still being made: by the processor first, then by
// the device, then by the fastest form of the device's kernel.
//
//     submit() ──► the best encoder that there is        next() ◄── the oldest that still has a frame
//
// A change falls between two frames. What the processor has not finished by then goes to the device with the rest;
// frames under way in a device's encoder are taken from it before those of the one after it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "texcast/encoder.h"

namespace texcast {

// Makes the next, better encoder; null when there is none to come. Called by one thread beside the frames', again and
// again until then. What it throws is what the encoder's next call throws. When it is asked to stop it gives none, as
// soon as it can.
using BetterEncoder = std::function<std::unique_ptr<Encoder>(const std::stop_token& stop)>;

struct Beginning {
  std::unique_ptr<Encoder> encoder{};  // that begins; null: the processor
  std::shared_ptr<FramePool> pool{};   // of all encoders
  int devices = 1;
  int bands = 1;  // of the devices' frames, at most
  std::string device_name{};
  nanoseconds expected{};                       // until the first better encoder is there, on an idle machine
  std::function<void()> compilers_step_back{};  // compilers at work, and those to come, get low priority; on any thread
};

// Better encoders must have the same settings, pool and capacity: frames_in_flight on each device.
std::unique_ptr<Encoder> make_starting_encoder(const EncoderSettings& settings, Beginning beginning,
                                               BetterEncoder better);

}  // namespace texcast
