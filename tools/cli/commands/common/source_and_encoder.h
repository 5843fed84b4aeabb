// source_and_encoder.h — the steps that `encode` and `send` share: options to a source and an encoder.
#pragma once

#include <memory>

#include "cli/options.h"
#include "media/frame_source.h"
#include "texcast/encoder.h"

namespace texcast::cli {

// Throws Error{usage} where the format does not have the quality or method, or the method not what was set for it.
void check_encoding(const EncodingOptions& options);
// What of a screen who reads it can do with.
struct ScreenUse {
  screen::CursorMode usual_cursor = screen::CursorMode::picture;  // where the options say nothing
  bool follows_changes = false;                                   // of its size
};
// `given`: by the command line alone; of that is refused what is of no use with this input.
std::unique_ptr<media::FrameSource> open_input(const InputOptions& options, const InputOptions& given,
                                               TextureFormat format, const ScreenUse& use = {});
// For frames of that format.
std::unique_ptr<Encoder> open_encoder(const EncodingOptions& options, const FrameFormat& source, EncoderStart start,
                                      int bands = 1, bool compare = false, bool keep_pictures = false);
// The same for frames of the source, which from here on lie in the encoder's memory.
std::unique_ptr<Encoder> open_encoder(const EncodingOptions& options, media::FrameSource& source,
                                      bool keep_pictures = false);
// At once, but for who asks for the fastest form: he wants it from the first frame on.
EncoderStart usual_start(const EncodingOptions& options);
// Frames a second to write down where the source names none (an image).
double nominal_fps(const InputOptions& options, const media::FrameSource& source);
// How many frames will come, as far as one can know.
std::optional<int64_t> expected_frames(const InputOptions& options, const media::FrameSource& source);
// Throws Error{usage} when writing `output` would destroy `input`.
void check_not_same_file(const std::string& input, const std::string& output);

// Throws Error{corrupt} where frames of the input could not be read, once all that could be has been used.
void throw_if_damaged(const std::string& input, int64_t frames, const std::string& first);

// The method where one was asked for, else the quality: for reports.
std::string_view effort(const EncodingOptions& options);

}  // namespace texcast::cli
