// device.h — lists and selects the OpenCL devices that encode.
//
// Example:
//     texcast_device_list* list = NULL;
//     if (texcast_list_devices(&list, &error) > 0) …
//     texcast_device_info info = {.struct_size = sizeof info};
//     for (size_t i = 0; texcast_device_list_get(list, i, &info, &error) == TEXCAST_OK; ++i) puts(info.name);
//     texcast_device_list_destroy(list);
#pragma once

#include "texcast/c/status.h"

TEXCAST_C_BEGIN

// Immutable: any thread may read it.
typedef struct texcast_device_list texcast_device_list;

// Strings belong to the list.
typedef struct texcast_device_info {
  size_t struct_size;
  const char* name;      // "NVIDIA H200"; "cpu-reference" for the scalar encoder, which needs no OpenCL
  const char* platform;  // "Portable Computing Language"
  const char* vendor;
  const char* version;         // of OpenCL: "OpenCL 3.0 CUDA"
  const char* driver;          // its version
  const char* reason;          // why it was chosen, or why it is not usable, for a person; else empty
  int32_t index;               // a selector of this device; -1 for "cpu-reference"
  int32_t is_usable;           // 0 or 1
  int32_t is_gpu;              // 0 or 1
  int32_t shares_host_memory;  // 0 or 1
  int32_t compute_units;
  int32_t max_clock_mhz;
  uint64_t memory_bytes;
} texcast_device_info;

// All devices of all platforms, also unusable ones, in the order of their indices. An empty list if there is no OpenCL.
// The list is the caller's, who destroys it.
TEXCAST_C_API texcast_status texcast_list_devices(texcast_device_list** list, texcast_error* error);

// The devices that `selectors` selects, in its order: an index, a part of the name, platform or version, or
// "cpu-reference"; several separated by commas; or "all". NULL or empty: the best one. TEXCAST_NO_DEVICE if there is no
// such device, TEXCAST_USAGE for a device that is named twice. The list is the caller's.
TEXCAST_C_API texcast_status texcast_choose_devices(const char* selectors, texcast_device_list** list,
                                                    texcast_error* error);

// TEXCAST_END if `index`, from 0, is not below the number of devices.
TEXCAST_C_API texcast_status texcast_device_list_get(const texcast_device_list* list, size_t index,
                                                     texcast_device_info* info, texcast_error* error);

TEXCAST_C_API void texcast_device_list_destroy(texcast_device_list* list);  // NULL: nothing happens

TEXCAST_C_END
