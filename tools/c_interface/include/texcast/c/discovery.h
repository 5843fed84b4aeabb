// discovery.h — finds the streams that senders announce on the local network (DNS-SD, by Avahi's daemon). Senders
// announce themselves by texcast_sender_settings::name, and `texcast send` by itself.
#pragma once

#include "texcast/c/status.h"

TEXCAST_C_BEGIN

// Immutable: any thread may read it.
typedef struct texcast_stream_list texcast_stream_list;

// Strings belong to the list; they may be empty.
typedef struct texcast_stream_info {
  size_t struct_size;
  const char* name;               // texcast_receiver_settings::listen takes it, if there is a url
  const char* url;                // the multicast group; empty: the stream goes to fixed addresses
  const char* network_interface;  // on which it was found
  const char* host;               // "studio.local"
  const char* format;             // "bc1"; empty: unknown
  const char* sound;              // "pcm" or "opus"; empty: none
  double fps;                     // 0: unknown
  int32_t width;                  // 0: unknown
  int32_t height;
  int32_t is_encrypted;  // 0 or 1: a passphrase is needed
  int32_t is_paused;     // 0 or 1
} texcast_stream_info;

// The announced streams, by name. Waits for `how_long_ns`, not negative: a second finds those of a usual network; 0:
// until the daemon considers the search complete. TEXCAST_NETWORK: there is no daemon, or no Avahi library. The list is
// the caller's, who destroys it; NULL on error.
TEXCAST_C_API texcast_status texcast_find_streams(int64_t how_long_ns, texcast_stream_list** list,
                                                  texcast_error* error);
// TEXCAST_END if `index`, from 0, is not below the number of streams.
TEXCAST_C_API texcast_status texcast_stream_list_get(const texcast_stream_list* list, size_t index,
                                                     texcast_stream_info* info, texcast_error* error);
TEXCAST_C_API void texcast_stream_list_destroy(texcast_stream_list* list);  // NULL: nothing happens

TEXCAST_C_END
