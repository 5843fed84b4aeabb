// send_wire.h — what the options of `send` put on the wire: compact or plain, for whom, parity, encryption. Those that
// contradict each other are refused in a line each.
#pragma once

#include <string>

#include "cli/options.h"
#include "live/texture_sender.h"

namespace texcast::cli {

// Throws Error{usage} where those that the stream is for do not show that format.
void check_receivers(const SendOptions& options, TextureFormat format);
// "bc1 and ycocg-dxt5": what stock UltraGrid shows.
std::string ultragrid_formats();
// `wire` and `compact` of the settings; reads the key file. Throws Error{usage}, and what load_keys() throws.
stream::SendSettings wire_settings(const SendOptions& options);
// Whether the stream is compact.
bool is_compact(const SendOptions& options, const stream::SendSettings& settings);
// `--fec auto` of streams for UltraGrid, for pictures of that size: kUltraGridFec, or nothing where its FEC has no form
// for them. Other choices, and other streams, stay as they are.
void choose_fec(stream::SendSettings& settings, const SendOptions& options, const TextureDesc& texture);

}  // namespace texcast::cli
