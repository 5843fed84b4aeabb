// starting_encoder.h — an encoder that works while better ones are still being built: the CPU first, then the device,
// then the fastest variant of the device's kernel.
//
//     submit() ──► the best encoder available        next() ◄── the oldest that still has a frame
//
// A switch happens between two frames. Frames that the CPU has not finished by then go to the device with the rest;
// frames that are pending in a device's encoder are taken from it before those of its successor.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "texcast/encoder.h"

namespace texcast {

// Makes the next, better encoder, or returns null if there is none. Called repeatedly until then, on one thread besides
// that of the frames. An exception is thrown by the encoder's next call. When it is asked to stop it returns null, as
// soon as it can.
using BetterEncoder = std::function<std::unique_ptr<Encoder>(const std::stop_token& stop)>;

struct Beginning {
  std::unique_ptr<Encoder> encoder{};  // the first encoder; null: the CPU
  std::shared_ptr<FramePool> pool{};   // of all encoders
  int devices = 1;
  int bands = 1;  // of the devices' frames, at most
  std::string device_name{};
  // Gives present and future compilers low priority; may be called on any thread.
  std::function<void()> compilers_step_back{};
};

// Better encoders must have the same settings, pool and capacity: frames_in_flight on each device.
std::unique_ptr<Encoder> make_starting_encoder(const EncoderSettings& settings, Beginning beginning,
                                               BetterEncoder better);

}  // namespace texcast
