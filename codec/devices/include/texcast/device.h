// device.h — which OpenCL device does the work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "texcast/error.h"
#include "texcast/export.h"

namespace texcast {

struct DeviceInfo {
  int index = 0;         // as `--device N` takes it
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
  bool usable = false;  // an OpenCL C 1.2 compiler and enough local memory
  std::string why_not;  // when not usable
};

// Every device of every platform, in the order that indices mean. Empty where there is no OpenCL at all.
TEXCAST_API std::vector<DeviceInfo> list_devices();

struct DeviceChoice {
  bool cpu_reference = false;  // the scalar C++ encoder, no OpenCL
  DeviceInfo device;           // when not cpu_reference
  std::string reason;          // one clause for a person: "first GPU", "matches 'pocl'"
};

// `selector`: empty (a GPU before a CPU, then more compute units first), an index, a part of the platform, version
// or device name in any case, or "cpu-reference". Throws Error{no_device} with what to do.
TEXCAST_API DeviceChoice choose_device(const std::string& selector);

// Several at once: selectors with commas between them, in that order, or "all": every usable GPU, or every usable
// device where there is no GPU. Throws as choose_device does, and Error{usage} for a device named twice or a selector
// that is empty beside others.
TEXCAST_API std::vector<DeviceChoice> choose_devices(const std::string& selectors);

// Where built programs and the tuner's findings are kept: $XDG_CACHE_HOME/texcast or ~/.cache/texcast. Where neither
// can be written, is this user's and closed to others' writing, and has some room on its disk, it is a folder of this
// user alone, texcast-UID, in $XDG_RUNTIME_DIR, $TMPDIR or /tmp. Made if it is not there.
struct CacheFolder {
  std::string path{};  // empty: there is none, and every start compiles
  bool usual = false;  // one of the first two
};
TEXCAST_API CacheFolder cache_folder();

}  // namespace texcast
