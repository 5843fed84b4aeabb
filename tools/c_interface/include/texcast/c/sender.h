// sender.h — sends frames, or finished textures, to texcast or UltraGrid receivers in real time.
//
// Example:
//     const char* destinations[] = {"rtp://192.168.1.20:5004"};
//     texcast_sender_settings settings = {.struct_size = sizeof settings, .destinations = destinations,
//                                         .destination_count = 1, .fps = 60};
//     texcast_sender* sender = NULL;
//     if (texcast_sender_create(&frame, NULL, &settings, &sender, &error) > 0) …
//     while (running) {
//       frame.pts_ns = …;
//       if (texcast_sender_send_frame(sender, &frame, &error) > 0) …   // TEXCAST_DROPPED is below 0
//     }
//     texcast_sender_finish(sender, 2000000000, &error);
//     texcast_sender_destroy(sender);
#pragma once

#include "texcast/c/encoder.h"
#include "texcast/c/frame.h"
#include "texcast/c/sound.h"
#include "texcast/c/status.h"
#include "texcast/c/texture.h"

TEXCAST_C_BEGIN

// Whether lossy coding may use transform coding, with which film needs a third of the bits (docs/compact.md).
typedef enum texcast_transform {
  TEXCAST_TRANSFORM_AUTO = 0,  // if the format can have it
  TEXCAST_TRANSFORM_ON = 1,    // TEXCAST_USAGE if it cannot: it needs a format of three planes of BC4
  TEXCAST_TRANSFORM_OFF = 2,   // for receivers of texcast 0.2
  TEXCAST_TRANSFORM_MAX_ENUM = 0x7FFFFFFF
} texcast_transform;

// docs/streaming.md explains them.
typedef struct texcast_sender_settings {
  size_t struct_size;
  const char* const* destinations;  // "rtp://HOST[:PORT]" each, hosts or one multicast group, port 5004; or the name
                                    // of a receiver that announces itself, which is searched for up to five seconds
  size_t destination_count;         // 1 or more
  const char* preset;             // "desktop", "film" … as `texcast send --for`; set members override it. NULL: none
  const char* name;               // the stream is announced by this name (discovery.h); NULL or empty: it is not
  double fps;                     // frames per second, of the stream and for pacing; 0: 60
  const char* passphrase;         // packets are encrypted with it; NULL or empty: they are not
  const char* fec;                // forward error correction: "none", "20%" …; NULL: "auto"
  const char* network_interface;  // name or address; NULL: by the routing table
  double crf;                     // with has_crf: lossy at a constant quality, from 0, the best, to 51; usually 23
  double bitrate;                 // lossy at this rate, bits per second; 0: no limit
  double least_bitrate;           // above 0: the rate adapts to the network between this and `bitrate`
  double refresh_seconds;         // all tiles are sent anew in this period; 0: 5 in groups, otherwise never
  double spread;                  // part of the frame time over which packets are paced, to 1; 0: by the network path
  double max_bits_per_s;          // limit on the line; 0: none
  int32_t has_crf;                // not 0: `crf` counts
  int32_t raw;                    // not 0: a raw stream, which UltraGrid reads; 0: coded, only what changed is sent
  int32_t no_retransmission;      // not 0: requests of receivers for lost packets are not answered
  int32_t multicast_ttl;          // 1..255; 0: 1
  int32_t mtu;                    // bytes of an IP packet, 576..65535; 0: the path MTU, at most 1500
  texcast_transform transform;
  texcast_quality search;     // lossy: the search effort for each block
  int32_t sound_sample_rate;  // 8000..192000: texcast_sender_send_sound() may be called; 0: there is no sound
  int32_t sound_channels;     // 1..16; 0: 2
  texcast_sound_coding sound_coding;
} texcast_sender_settings;

typedef struct texcast_sender_status {
  size_t struct_size;
  uint64_t frames;         // sent
  uint64_t dropped;        // TEXCAST_DROPPED was returned
  uint64_t packets;        // with parity, without those sent again
  uint64_t bytes;          // UDP payload of these packets
  uint64_t refused;        // packets that the system refused: the port is closed, or there is no route
  uint64_t requests;       // retransmission requests of receivers
  uint64_t again;          // packets sent again
  uint64_t sound_packets;  // sent, with parity
  uint64_t sound_bytes;
  uint64_t sound_dropped;  // samples per channel that were dropped
  double bits_per_s;       // current limit of a lossy stream with a bit rate; 0: none
  double crf;              // approximate current quality of a lossy stream; -1: lossless
  double encoded_ms;       // median latency of the last 4096 frames from the call: blocks are encoded
  double sent_ms;          // the same: the last packet has left
  int32_t receivers;       // that report to this sender, and have not left
  int32_t reserved;        // 0
} texcast_sender_status;

// Encodes and sends on threads of its own. Any thread may call; calls on one sender wait for each other, except
// texcast_sender_get_status() and texcast_sender_send_sound(), which wait for none.
typedef struct texcast_sender texcast_sender;

// Takes frames of the description `source`. `encoder` may be NULL: the defaults. TEXCAST_NETWORK if an address does not
// resolve or has no route, TEXCAST_USAGE, TEXCAST_NO_DEVICE, and TEXCAST_MISUSE for values out of range. `*sender` is
// the caller's, who destroys it; NULL on error.
TEXCAST_C_API texcast_status texcast_sender_create(const texcast_frame* source, const texcast_encoder_settings* encoder,
                                                   const texcast_sender_settings* settings, texcast_sender** sender,
                                                   texcast_error* error);
// Takes textures of the description `like`. Otherwise the same.
TEXCAST_C_API texcast_status texcast_sender_create_for_textures(const texcast_texture* like,
                                                                const texcast_sender_settings* settings,
                                                                texcast_sender** sender, texcast_error* error);

// Copies and sends the frame, without waiting. `pts_ns` rises from frame to frame. TEXCAST_DROPPED: the device or the
// network is a whole frame behind. Errors of the threads are returned too (TEXCAST_NO_DEVICE, TEXCAST_NETWORK); nothing
// is sent after that. TEXCAST_MISUSE for another description, a frame without memory, or if this takes textures.
TEXCAST_C_API texcast_status texcast_sender_send_frame(texcast_sender* sender, const texcast_frame* frame,
                                                       texcast_error* error);
// The same for a texture. TEXCAST_MISUSE if this takes frames.
TEXCAST_C_API texcast_status texcast_sender_send_texture(texcast_sender* sender, const texcast_texture* texture,
                                                         texcast_error* error);

// Sends `count` samples of each channel, interleaved, in -1..1, without waiting. They are copied. `pts_ns` is the time
// of the first one on the time line of the pictures. A block continues the previous one if its time does, within 2 ms;
// after a gap there is silence. Sound begins with the first picture; two seconds of earlier sound are kept.
// TEXCAST_DROPPED: more than two seconds would wait. TEXCAST_MISUSE without texcast_sender_settings::sound_sample_rate.
TEXCAST_C_API texcast_status texcast_sender_send_sound(texcast_sender* sender, const float* samples, size_t count,
                                                       int64_t pts_ns, texcast_error* error);

// Waits until all frames and the sound have left, and 100 ms longer if receivers can request lost packets; at most
// `limit_ns`, which is not negative. TEXCAST_TIMEOUT: some have not left by then. The sender can be used further.
TEXCAST_C_API texcast_status texcast_sender_finish(texcast_sender* sender, int64_t limit_ns, texcast_error* error);

// The description of the stream's textures.
TEXCAST_C_API texcast_status texcast_sender_get_texture(texcast_sender* sender, texcast_texture* texture,
                                                        texcast_error* error);
TEXCAST_C_API texcast_status texcast_sender_get_status(const texcast_sender* sender, texcast_sender_status* status,
                                                       texcast_error* error);
// The name of the encoder's device; empty if this takes textures. Valid as long as the sender. NULL for NULL.
TEXCAST_C_API const char* texcast_sender_device_name(const texcast_sender* sender);

// Frames that have not left are dropped: call texcast_sender_finish() first. NULL: nothing happens. No other call may
// be running or follow.
TEXCAST_C_API void texcast_sender_destroy(texcast_sender* sender);

TEXCAST_C_END
