// device.h — lists and selects the OpenCL devices that encode and decode.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "texcast/error.h"
#include "texcast/export.h"

namespace texcast {

struct DeviceInfo {
  int index = 0;         // as in `--device N`
  std::string platform;  // "Portable Computing Language"
  std::string name;      // "NVIDIA H200"
  std::string vendor;
  std::string version;  // device version, "OpenCL 3.0 CUDA"
  std::string driver;   // driver version
  bool is_gpu = false;
  bool shares_host_memory = false;
  int compute_units = 0;
  int max_clock_mhz = 0;
  uint64_t global_bytes = 0;
  uint64_t local_bytes = 0;
  uint64_t max_alloc_bytes = 0;
  uint64_t max_group_size = 0;
  bool has_images = false;
  bool usable = false;  // it has an OpenCL C 1.2 compiler and enough local memory
  std::string why_not;  // the reason if it is not usable
};

// Every device of every platform, in the order of their indices. Empty if there is no OpenCL.
TEXCAST_API std::vector<DeviceInfo> list_devices();

struct DeviceChoice {
  bool cpu_reference = false;  // the scalar C++ encoder, no OpenCL
  DeviceInfo device;           // when not cpu_reference
  std::string reason;          // why it was chosen, for a person: "first GPU", "matches 'pocl'"
};

// `selector`: empty (GPUs before CPUs, then more compute units first), an index, a part of the platform, version or
// device name in any case, or "cpu-reference". Throws Error{no_device}, which says what to do.
TEXCAST_API DeviceChoice choose_device(const std::string& selector);

// Selects several devices: selectors separated by commas, in that order, or "all": every usable GPU, or every usable
// device if there is no GPU. Throws as choose_device() does, and Error{usage} for a device named twice or an empty
// selector among others.
TEXCAST_API std::vector<DeviceChoice> choose_devices(const std::string& selectors);

// The folder of compiled programs and of the tuner's results: $XDG_CACHE_HOME/texcast or ~/.cache/texcast. It must be
// writable, belong to this user, be closed to writes by others, and have some free space. If neither is so, the folder
// is texcast-UID in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, private to this user. It is created if it does not exist.
struct CacheFolder {
  std::string path{};  // empty: there is none, and every start compiles
  bool usual = false;  // one of the first two
};
TEXCAST_API CacheFolder cache_folder();

}  // namespace texcast
