// struct_sizes.h — how large each struct of the C interface was in its first version. Programs may pass structs of that
// size for ever. Never change a number; a new struct that programs pass gets a line.
#pragma once

#include <cstddef>

#include "texcast/c/texcast.h"

namespace texcast::c {

template <typename T>
inline constexpr size_t kFirstSize = 0;

template <>
inline constexpr size_t kFirstSize<texcast_error> = 1032;
template <>
inline constexpr size_t kFirstSize<texcast_device_info> = 88;
template <>
inline constexpr size_t kFirstSize<texcast_frame> = 120;
template <>
inline constexpr size_t kFirstSize<texcast_format_info> = 40;
template <>
inline constexpr size_t kFirstSize<texcast_plane_layout> = 64;
template <>
inline constexpr size_t kFirstSize<texcast_texture> = 72;
template <>
inline constexpr size_t kFirstSize<texcast_encoder_settings> = 32;
template <>
inline constexpr size_t kFirstSize<texcast_image> = 32;
template <>
inline constexpr size_t kFirstSize<texcast_sender_settings> = 160;
template <>
inline constexpr size_t kFirstSize<texcast_sender_status> = 128;
template <>
inline constexpr size_t kFirstSize<texcast_receiver_settings> = 120;
template <>
inline constexpr size_t kFirstSize<texcast_receiver_status> = 264;
template <>
inline constexpr size_t kFirstSize<texcast_received_info> = 72;
template <>
inline constexpr size_t kFirstSize<texcast_file_info> = 72;
template <>
inline constexpr size_t kFirstSize<texcast_writer_settings> = 56;
template <>
inline constexpr size_t kFirstSize<texcast_file_report> = 32;
template <>
inline constexpr size_t kFirstSize<texcast_stream_info> = 80;

template <typename T>
constexpr size_t first_size() {
  static_assert(kFirstSize<T> >= sizeof(size_t) && kFirstSize<T> <= sizeof(T));
  return kFirstSize<T>;
}

}  // namespace texcast::c
