// source_url.h — what SOURCE of `play` and `receive` means: a stream to listen for, a capture, or a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "stream/datagrams.h"

namespace texcast::stream {

inline bool is_rtp(std::string_view source) { return source.starts_with("rtp://"); }
inline bool is_capture(std::string_view source) { return source.starts_with("pcap:"); }
inline std::string capture_path(std::string_view source) { return std::string(source.substr(5)); }

// For the first two. Throws Error{usage}, Error{network} or Error{input}. `pace` matters for captures, `interface`
// (name or address, empty: any) for streams.
// Warns with the sysctl line when the kernel's limit on socket buffers is too small.
std::unique_ptr<DatagramSource> open_datagrams(const std::string& source, Pace pace, const std::string& interface = {});

}  // namespace texcast::stream
