// receiver.h — receives streams of texcast and UltraGrid as textures, by a function that is called, or by asking.
//
// Example, by asking:
//     texcast_receiver_settings settings = {.struct_size = sizeof settings, .listen = "rtp://:5004"};
//     texcast_receiver* receiver = NULL;
//     if (texcast_receiver_create(&settings, &receiver, &error) > 0) …
//     texcast_received* received = NULL;
//     while (texcast_receiver_next(receiver, 5000000000, &received, &error) == TEXCAST_OK) {
//       texcast_texture texture = {.struct_size = sizeof texture};
//       texcast_received_get_texture(received, &texture, &error);
//       upload(texture.blocks, texture.bytes);
//       texcast_received_release(received);
//     }
//     texcast_receiver_destroy(receiver);
#pragma once

#include "texcast/c/sound.h"
#include "texcast/c/status.h"
#include "texcast/c/texture.h"

TEXCAST_C_BEGIN

// A received texture, of which several may have a share. It does not change. Any thread may use and release a share;
// it may outlive the receiver.
typedef struct texcast_received texcast_received;

// Called on threads of the receiver, one call at a time. Other frames wait meanwhile, and then are lost: do long work
// on another thread. `received` is valid during the call, and longer only with texcast_received_keep().
typedef void (*texcast_received_function)(void* user, texcast_received* received);

typedef struct texcast_receiver_settings {
  size_t struct_size;
  const char* listen;  // "rtp://[ADDRESS][:PORT]", a multicast group, or "rtp://SOURCE@GROUP"; port 0: any free one; or
                       // the name of an announced stream that goes to a group; NULL: "rtp://:5004"
  const char* name;    // announced by this name, which senders take as a destination; NULL or empty: not announced
  const char* network_interface;  // name or address; NULL: any
  const char* const* from;        // the only accepted hosts or networks ("192.168.1.0/24")
  size_t from_count;              // 0: all hosts are accepted
  const char* passphrase;         // only packets encrypted with it are accepted; NULL or empty: only unencrypted ones
  const char* cipher;             // NULL: "texcast"; or UltraGrid's "ultragrid-gcm", "-cbc", "-ctr", "-cfb", "-ecb"
  int64_t max_age_ns;             // of an encrypted stream at its first packet; 0: a minute; negative: any
  size_t textures_kept;           // how many textures the program may hold at a time, up to 900; 0: 4
  size_t queue;                   // without on_texture: how many wait for texcast_receiver_next(), up to 64; 0: 4
  texcast_received_function on_texture;  // NULL: textures are taken by texcast_receiver_next()
  texcast_sound_function on_sound;       // NULL: sound is not received
  void* user;                            // first argument of on_texture and on_sound
  int32_t max_width;                     // the largest accepted picture; both 0: sixteen megapixels of any shape
  int32_t max_height;
} texcast_receiver_settings;

// Why the latest refused packet was refused.
typedef enum texcast_refusal {
  TEXCAST_REFUSAL_NONE = 0,
  TEXCAST_REFUSAL_NO_PASSPHRASE = 1,     // it is encrypted, and no passphrase was given
  TEXCAST_REFUSAL_WRONG_PASSPHRASE = 2,  // or it is damaged
  TEXCAST_REFUSAL_REPLAYED = 3,          // it arrived before
  TEXCAST_REFUSAL_NOT_ENCRYPTED = 4,     // although a passphrase was given
  TEXCAST_REFUSAL_OTHER_CIPHER = 5,
  TEXCAST_REFUSAL_OLDER_TEXCAST = 6,    // encrypted by a version whose sessions carried no time
  TEXCAST_REFUSAL_TOO_OLD = 7,          // see max_age_ns; or the sender's clock is behind
  TEXCAST_REFUSAL_FROM_THE_FUTURE = 8,  // the sender's clock is ahead by more than that
  TEXCAST_REFUSAL_MAX_ENUM = 0x7FFFFFFF
} texcast_refusal;

typedef struct texcast_receiver_status {
  size_t struct_size;
  uint64_t frames;              // received as textures
  uint64_t frames_concealed;    // of these: with blocks of the previous frame
  uint64_t frames_lost;         // nothing of them could be shown
  uint64_t frames_unbuffered;   // no memory: on_texture is too slow, or too many textures are held
  uint64_t frames_undecoded;    // decoding was too slow
  uint64_t frames_unsupported;  // of an unknown coding
  uint64_t frames_skipped;      // left the queue before texcast_receiver_next() took them
  uint64_t packets;             // accepted
  uint64_t bytes;               // their payload
  uint64_t packets_lost;
  uint64_t packets_recovered;  // lost ones that parity or retransmission recovered
  uint64_t packets_refused;    // by encryption: see `refusal`
  uint64_t packets_foreign;    // from other senders, and from hosts that are not accepted
  uint64_t packets_malformed;
  uint64_t pictures_too_large;  // packets of such pictures
  uint64_t dropped_by_system;   // the socket buffer was full
  uint64_t sound_packets;       // accepted, with parity
  uint64_t sound_packets_lost;  // neither arrived nor recovered
  double sound_concealed_ms;
  texcast_refusal refusal;
  char sender[100];  // "192.168.1.20:49152"; empty: none yet
} texcast_receiver_status;

// Times are nanoseconds since 1970 by the system clock, the first three by the sender's; 0: not known.
typedef struct texcast_received_info {
  size_t struct_size;
  double fps;                 // the stream's nominal rate
  uint64_t number;            // counts the frames of this stream from 0, including lost ones
  int64_t available_ns;       // the frame left the sender's decoder or capture
  int64_t encoded_ns;         // its blocks were encoded
  int64_t sent_ns;            // its first packet was sent
  int64_t first_packet_ns;    // its first packet arrived
  int64_t assembled_ns;       // the whole frame was there, or the receiver stopped waiting for the rest
  uint32_t concealed_blocks;  // blocks that never arrived; they are the previous frame's, or zero
  int32_t is_new_stream;      // 0 or 1: the first frame of another sender, or of another description
} texcast_received_info;

// Any thread may call.
typedef struct texcast_receiver texcast_receiver;

// Receives from now on, on threads of its own. TEXCAST_NETWORK if the port is in use or there is no such address,
// TEXCAST_USAGE, TEXCAST_MISUSE. `*receiver` is the caller's, who destroys it; NULL on error.
TEXCAST_C_API texcast_status texcast_receiver_create(const texcast_receiver_settings* settings,
                                                     texcast_receiver** receiver, texcast_error* error);

// The oldest texture of the queue. If the queue is full, the oldest textures leave it for new ones. Waits at most
// `timeout_ns`; 0: not at all; negative: without limit. `*received` is the caller's share, who releases it; NULL
// without one. TEXCAST_TIMEOUT: none came. TEXCAST_END: the receiver is stopped, and the queue is empty. TEXCAST_MISUSE
// with on_texture. Several threads may wait; each texture goes to one of them.
TEXCAST_C_API texcast_status texcast_receiver_next(texcast_receiver* receiver, int64_t timeout_ns,
                                                   texcast_received** received, texcast_error* error);

// Ends reception and the calls of the callbacks, and lets those who wait in texcast_receiver_next() go. TEXCAST_MISUSE
// from within on_texture. TEXCAST_FAILED once if on_texture threw a C++ exception, which ended reception.
TEXCAST_C_API texcast_status texcast_receiver_stop(texcast_receiver* receiver, texcast_error* error);

TEXCAST_C_API texcast_status texcast_receiver_get_status(const texcast_receiver* receiver,
                                                         texcast_receiver_status* status, texcast_error* error);
// URLs for a sender, the likeliest first: `index` from 0, until the result is NULL. Valid as long as the receiver.
TEXCAST_C_API const char* texcast_receiver_url(const texcast_receiver* receiver, size_t index);

// Stops. From within a callback too: then no further call begins. NULL: nothing happens. No other call may be running
// or follow.
TEXCAST_C_API void texcast_receiver_destroy(texcast_receiver* receiver);

// `texture->blocks` is valid as long as the share.
TEXCAST_C_API texcast_status texcast_received_get_texture(const texcast_received* received, texcast_texture* texture,
                                                          texcast_error* error);
TEXCAST_C_API texcast_status texcast_received_get_info(const texcast_received* received, texcast_received_info* info,
                                                       texcast_error* error);
// Adds a share, which is released by texcast_received_release(): in on_texture, the texture then outlives the call.
// With more textures than texcast_receiver_settings::textures_kept, frames are dropped (frames_unbuffered).
TEXCAST_C_API texcast_status texcast_received_keep(texcast_received* received, texcast_error* error);
// Ends a share. NULL: nothing happens.
TEXCAST_C_API void texcast_received_release(texcast_received* received);

TEXCAST_C_END
