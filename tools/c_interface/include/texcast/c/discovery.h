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

// Watches the announced streams, on a thread of its own, for a list that is always up to date. Any thread may call.
typedef struct texcast_stream_watch texcast_stream_watch;

// Called with all streams, by name, after each change, on the thread of the watch. `list` is valid during the call.
typedef void (*texcast_streams_function)(void* user, const texcast_stream_list* list);

// Neither waits nor needs a daemon: without one, the watch keeps trying. `on_change` may be NULL. `*watch` is the
// caller's, who destroys it; NULL on error.
TEXCAST_C_API texcast_status texcast_stream_watch_create(texcast_streams_function on_change, void* user,
                                                         texcast_stream_watch** watch, texcast_error* error);
// The streams at present. TEXCAST_NETWORK: nothing can be found now, and the message says why. The list is the
// caller's, who destroys it; NULL on error.
TEXCAST_C_API texcast_status texcast_stream_watch_get_streams(const texcast_stream_watch* watch,
                                                              texcast_stream_list** list, texcast_error* error);
// Ends the calls of `on_change`; takes at most a second if the bus does not respond. Not from within `on_change`. NULL:
// nothing happens. No other call may be running or follow.
TEXCAST_C_API void texcast_stream_watch_destroy(texcast_stream_watch* watch);

TEXCAST_C_END
