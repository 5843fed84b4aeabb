// encoders.h — the encoders that make_encoder() creates.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ocl/device.h"
#include "stages/stage.h"
#include "texcast/encoder.h"

namespace texcast {

// Opened devices, and the frame_pool() of all their encoders, pinned by the first device that has its own memory.
// Opening them is quick, unlike building their kernels.
struct OclDevices {
  std::vector<ocl::Device> devices;
  std::shared_ptr<FramePool> pool;
};
OclDevices open_ocl_devices(const EncoderSettings& settings, const std::vector<DeviceInfo>& infos);
// The stage settings of the device encoders, for any kernel variant.
stages::StageSettings stage_settings(const EncoderSettings& settings);
// The settings that are built: those of a timed variant, or of the usual one if that variant cannot do what `settings`
// ask for.
stages::StageSettings as_encoded(const EncoderSettings& settings, const ocl::Device& device,
                                 stages::StageSettings form);
// One encoder per device with its variant, or with the usual one if that variant does not build any more.
std::vector<std::unique_ptr<Encoder>> make_ocl_encoders(const EncoderSettings& settings, const OclDevices& opened,
                                                        const std::vector<stages::StageSettings>& forms);
// The largest number of bands of the first encoder, as far as it is known before it is built.
int planned_bands(const EncoderSettings& settings, const OclDevices& opened);
// The device_name() of an OpenCL encoder.
std::string name_of(const DeviceInfo& device);

std::unique_ptr<Encoder> make_reference_encoder(const EncoderSettings& settings);
// Distributes frames to the encoders in turn and takes them back in the same order. `names`: one per encoder, for
// messages.
std::unique_ptr<Encoder> make_dealing_encoder(std::vector<std::unique_ptr<Encoder>> encoders,
                                              std::vector<std::string> names);

// Implements make_encoder() for checked settings, with the chosen EncoderStart.
std::unique_ptr<Encoder> make_on_devices(const EncoderSettings& settings, const std::vector<DeviceChoice>& choices);

// The requested method, or that of the quality.
inline Method method_of(const EncoderSettings& settings) {
  return settings.method ? *settings.method : method_for(settings.texture, settings.quality);
}

// The texture that `settings` produce from their source.
TextureDesc texture_desc(const EncoderSettings& settings);

}  // namespace texcast
