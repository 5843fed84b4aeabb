// pipe_target.h — OUTPUT as a pipe: "-" (stdout) or a FIFO.
#pragma once

#include <string>
#include <vector>

#include "media/pipe_output.h"
#include "media/recorder.h"

namespace texcast::cli {

// "-", "pipe:", "pipe:1", "/dev/stdout" and "/dev/fd/1" are stdout.
bool is_stdout(const std::string& output);
// Whether an output is stdout or an existing FIFO.
bool is_pipe(const std::string& output);

// The name by which messages and the choice of a format know an output: itself if it is a file; for a pipe one with the
// extension `container`, else the FIFO's own, else the first of `containers`. Throws Error{usage} if a container is
// given for a file, as its extension decides; if it is one that needs a file (.mov, .mp4: their index is written last,
// before the data); and, with `only`, if it is none of `containers`.
enum class Accepted { only, and_others };
std::string output_name(const std::string& output, const std::string& container,
                        const std::vector<std::string>& containers, Accepted accepted);

// Opens the pipe; for a FIFO, waits for its reader. After it is stdout, whatever else texcast prints there goes to
// stderr. Throws Error{usage} if stdout is a terminal, Error{failed}. `name`: of output_name().
media::PipePtr open_pipe(const std::string& output, const std::string& name);

// Throws Error{usage} if the settings, whose path is a pipe's name, cannot be carried out there.
void check_pipe(const media::RecorderSettings& settings);

// Throws Error{usage} with `advice` if the output is stdout, for options that need a file.
void require_file(const std::string& output, const char* option, const char* advice);

}  // namespace texcast::cli
