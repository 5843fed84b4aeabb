// web_player_api.h — what player.wasm exports: one player (web_player.h) for each instance. page/session.js calls it.
//
// Times are milliseconds: `now` of performance.now(), `wall` since 1970 (performance.timeOrigin + now). Addresses and
// results stay valid until the next call, of any function. A list of numbers is an array of doubles; an address of 0
// stands for nothing. An instance whose function trapped is unusable: make another one.
//
//   texcast_start(-1, random);                               once
//   on a message: copy it to texcast_message_memory(bytes), texcast_message(bytes, now, wall)
//   then, and at texcast_next_deadline(): while (texcast_poll(now, wall)) let other messages in;
//     then take whatever there is, until there is nothing: texcast_frame, texcast_sound, texcast_pointer,
//     texcast_feedback, texcast_line; and load what texcast_needs() names
//
// Other instances of player.wasm, in other workers, can help with large frames (web_player.h). The player, after each
// texcast_poll(): give each of them its texcast_share(), then texcast_own_share(); and texcast_answer() when one has
// answered. The helper: copy the share to texcast_message_memory(bytes), and send back what texcast_help(bytes)
// returns.
#pragma once

#include <stdint.h>  // NOLINT: also for C

#if defined(__wasm__)
#define TEXCAST_WEB_EXPORT(name) __attribute__((export_name(#name)))
#else
#define TEXCAST_WEB_EXPORT(name)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// `latency`: the playout delay; negative: automatic. `seed`: any number that other viewers do not have. Forgets
// everything before.
void texcast_start(double latency, uint32_t seed) TEXCAST_WEB_EXPORT(texcast_start);

uint8_t* texcast_message_memory(uint32_t bytes) TEXCAST_WEB_EXPORT(texcast_message_memory);
void texcast_message(uint32_t bytes, double now, double wall) TEXCAST_WEB_EXPORT(texcast_message);
// 1: call it again, as more frames wait to be decoded.
uint32_t texcast_poll(double now, double wall) TEXCAST_WEB_EXPORT(texcast_poll);

uint32_t texcast_largest_frame(void) TEXCAST_WEB_EXPORT(texcast_largest_frame);  // time, in coded bytes
// Its number: 0, 1, …. It gets shares that take at least as long as so many coded bytes.
uint32_t texcast_add_helper(uint32_t least_share) TEXCAST_WEB_EXPORT(texcast_add_helper);
void texcast_lose_helper(uint32_t helper) TEXCAST_WEB_EXPORT(texcast_lose_helper);  // it will not answer
const uint8_t* texcast_share(uint32_t helper) TEXCAST_WEB_EXPORT(texcast_share);    // 0: it has none
void texcast_own_share(void) TEXCAST_WEB_EXPORT(texcast_own_share);
// In the memory of a message.
void texcast_answer(uint32_t helper, uint32_t bytes) TEXCAST_WEB_EXPORT(texcast_answer);
// The answer to a share; 0: the share is malformed.
const uint8_t* texcast_help(uint32_t bytes) TEXCAST_WEB_EXPORT(texcast_help);

double texcast_next_deadline(void) TEXCAST_WEB_EXPORT(texcast_next_deadline);  // infinity: there is none

// The newest frame that is due: number, due, available (since 1970 on the sender's clock; 0: unknown), 1 if it is
// complete, number of uploads, and for each of them: plane, first row of blocks, rows of blocks, address, bytes.
const double* texcast_frame(double now) TEXCAST_WEB_EXPORT(texcast_frame);
void texcast_whole(void) TEXCAST_WEB_EXPORT(texcast_whole);                      // the next frame has all rows
void texcast_shown(double number, double at) TEXCAST_WEB_EXPORT(texcast_shown);  // it was drawn
const char* texcast_description(void) TEXCAST_WEB_EXPORT(texcast_description);   // JSON; ask after texcast_frame()
// kind (0 PCM, 1 Opus, 2 lost, 3 silent), rate, channels, samples of each, at, address, bytes. PCM: floats, one channel
// after the other.
const double* texcast_sound(double now) TEXCAST_WEB_EXPORT(texcast_sound);
// x, y, 1 if it is visible, x and y of its hot spot, width, height, address of a new image (R G B A, premultiplied).
const double* texcast_pointer(void) TEXCAST_WEB_EXPORT(texcast_pointer);
const uint8_t* texcast_feedback(double now) TEXCAST_WEB_EXPORT(texcast_feedback);
const uint8_t* texcast_goodbye(double now) TEXCAST_WEB_EXPORT(texcast_goodbye);  // the last message
// The names of files that the stream needs, divided by blanks: no frame is decoded until texcast_give() gets each of
// them.
const char* texcast_needs(void) TEXCAST_WEB_EXPORT(texcast_needs);
// In the memory of a message: the name, a line feed, and the file.
void texcast_give(uint32_t bytes) TEXCAST_WEB_EXPORT(texcast_give);
const char* texcast_line(void) TEXCAST_WEB_EXPORT(texcast_line);  // for the viewer
const char* texcast_statistics(double now, double wall)
    TEXCAST_WEB_EXPORT(texcast_statistics);  // JSON; call it once a second
// The bytes of the text or message that was returned last.
uint32_t texcast_bytes(void) TEXCAST_WEB_EXPORT(texcast_bytes);

#ifdef __cplusplus
}
#endif
