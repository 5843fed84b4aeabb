// send_wire.h — wire settings by the options of `send`: coded or raw stream, FEC, encryption, UltraGrid compatibility.
// Contradicting options are rejected with one line.
#pragma once

#include <optional>
#include <string>

#include "cli/options.h"
#include "stream/texture_sender.h"

namespace texcast::cli {

// Why a stream is raw: the option that causes it, as a user writes it, and its effect as a clause.
struct RawReason {
  std::string option;      // "--plain", "--format bc7"
  std::string why;         // "astc-5x5 has no coded stream"
  bool by_format = false;  // another format may help
};
// None: the stream is a coded stream.
std::optional<RawReason> reason_for_raw(const SendOptions& options);
bool has_ultragrids_cipher(const SendOptions& options);

// Throws Error{usage} if --for ultragrid is given and UltraGrid does not show that format.
void check_receivers(const SendOptions& options, TextureFormat format);
// The formats that stock UltraGrid shows: "bc1 and ycocg-dxt5".
std::string ultragrid_formats();
// Sets `wire` and `compact`, and reads the key file. Throws Error{usage}, and what load_keys() throws.
stream::SendSettings wire_settings(const SendOptions& options);
// Whether the stream is a coded stream.
bool is_compact(const SendOptions& options, const stream::SendSettings& settings);
// Resolves `--fec auto` with --for ultragrid to stream::ultragrid_fec(). Does nothing in other cases.
void choose_fec(stream::SendSettings& settings, const SendOptions& options, const TextureDesc& texture);

// Logs what a stream of this texture costs or lacks without having been asked for: it is raw because of its format, or
// choose_fec() chose none.
void log_drawbacks(const SendOptions& options, const TextureDesc& texture, double fps);

}  // namespace texcast::cli
