// encoders.h — the encoders behind make_encoder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ocl/device.h"
#include "stages/stage.h"
#include "texcast/encoder.h"

namespace texcast {

// Devices, and the frame_pool() of all their encoders: pinned by the first that has memory of its own. Opening them is
// quick, unlike the making of their kernels.
struct OclDevices {
  std::vector<ocl::Device> devices;
  std::shared_ptr<FramePool> pool;
};
OclDevices open_ocl_devices(const EncoderSettings& settings, const std::vector<DeviceInfo>& infos);
// What the encoders of devices build, in whatever form.
stages::StageSettings stage_settings(const EncoderSettings& settings);
// In a form that was timed, or the usual one where that form cannot do what the settings ask for: what is built.
stages::StageSettings as_encoded(const EncoderSettings& settings, const ocl::Device& device,
                                 stages::StageSettings form);
// One for each device, in its form; in the usual one where that does not build any more.
std::vector<std::unique_ptr<Encoder>> make_ocl_encoders(const EncoderSettings& settings, const OclDevices& opened,
                                                        const std::vector<stages::StageSettings>& forms);
// Of the first of these encoders, at most: what is known before it is built.
int planned_bands(const EncoderSettings& settings, const OclDevices& opened);
// As ocl_encoder's device_name() has it.
std::string name_of(const DeviceInfo& device);

std::unique_ptr<Encoder> make_reference_encoder(const EncoderSettings& settings);
// Deals frames to the encoders in turn and takes them back in the same order. `names` for messages, one an encoder.
std::unique_ptr<Encoder> make_dealing_encoder(std::vector<std::unique_ptr<Encoder>> encoders,
                                              std::vector<std::string> names);

// All that is behind make_encoder, of checked settings: on the devices, as EncoderStart says.
std::unique_ptr<Encoder> make_on_devices(const EncoderSettings& settings, const std::vector<DeviceChoice>& choices);

// The one asked for, or the quality's.
inline Method method_of(const EncoderSettings& settings) {
  return settings.method ? *settings.method : method_for(settings.texture, settings.quality);
}

// The texture that `settings` make of their source.
TextureDesc texture_desc(const EncoderSettings& settings);

}  // namespace texcast
