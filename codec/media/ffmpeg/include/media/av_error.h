// av_error.h — FFmpeg's log kept quiet, and its last complaint kept for our own one-line messages.
#pragma once

#include <string>

namespace texcast::media {

// Takes FFmpeg's log over and registers its devices, once for the process; every opening function calls it. Errors
// and warnings of FFmpeg go to log_debug from then on.
void set_up_ffmpeg();

// The last error line FFmpeg logged on this thread since the last call; empty when there was none.
std::string take_last_av_line();

// "No such file or directory"
std::string av_error_text(int code);

// FFmpeg's last line where it logged one, else the text of the code.
std::string why(int code);

}  // namespace texcast::media
