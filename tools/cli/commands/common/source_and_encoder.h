// source_and_encoder.h — opens source and encoder by the options of `encode`, `send` and `latency`.
#pragma once

#include <memory>

#include "cli/options.h"
#include "media/frame_source.h"
#include "texcast/encoder.h"

namespace texcast::cli {

// Throws Error{usage} if the format does not support the quality or method, or the method not its parameters.
void check_encoding(const EncodingOptions& options);
// How a command uses its input.
struct InputUse {
  screen::CursorMode usual_cursor = screen::CursorMode::picture;  // of screens, if the options do not set one
  bool follows_changes = false;                                   // accepts new sizes of a screen's picture
  bool sound = false;                                             // uses the sound
};
// `given`: the options of the command line alone. Throws Error{usage} if one of them has no effect on this input.
std::unique_ptr<media::FrameSource> open_input(const InputOptions& options, const InputOptions& given,
                                               TextureFormat format, const InputUse& use = {});
// For frames of format `source`.
std::unique_ptr<Encoder> open_encoder(const EncodingOptions& options, const FrameFormat& source, EncoderStart start,
                                      int bands = 1, bool compare = false, bool keep_pictures = false);
// The same for frames of `source`, which decodes into the encoder's memory from then on.
std::unique_ptr<Encoder> open_encoder(const EncodingOptions& options, media::FrameSource& source,
                                      bool keep_pictures = false);
// At once; but --tune again waits for the fastest variant, so that all frames use it.
EncoderStart usual_start(const EncodingOptions& options);
// The frame rate; 25 if neither options nor source specify one, as for an image.
double nominal_fps(const InputOptions& options, const media::FrameSource& source);
// The number of frames, if it can be known.
std::optional<int64_t> expected_frames(const InputOptions& options, const media::FrameSource& source);
// Throws Error{usage} if writing `output` would destroy `input`.
void check_not_same_file(const std::string& input, const std::string& output);

// Throws Error{corrupt} if `frames`, the number of frames of the input that could not be read, is not 0.
void throw_if_damaged(const std::string& input, int64_t frames, const std::string& first);

// For reports: the method if one was chosen, else the quality.
std::string_view effort(const EncodingOptions& options);

}  // namespace texcast::cli
