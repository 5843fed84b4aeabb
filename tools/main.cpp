// main.cpp — runs the command line, and is the only place that turns errors into a message and an exit code. An
// interrupted process ends by the signal instead.
#include <malloc.h>
#include <signal.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "base/reader_gone.h"
#include "base/utf8.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/standard_streams.h"
#include "texcast/error.h"
#include "text/stderr_log.h"

namespace {

int report(std::string message, texcast::ErrorKind kind) {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  message = texcast::printable_text("texcast: " + message + "\n");
  std::fputs(message.c_str(), stderr);  // a write error on stderr is ignored
  return static_cast<int>(kind);
}

// A command that succeeded fails if its report could not be written to stdout.
int with_report_out(int exit_code, int write_error = 0) {
  const texcast::cli::StdoutState state = texcast::cli::finish_stdout(write_error);
  if (state.whole || exit_code != 0) return exit_code;
  return state.complaint.empty() ? static_cast<int>(texcast::ErrorKind::failed)
                                 : report(state.complaint, texcast::ErrorKind::failed);
}

// FFmpeg allocates and frees the packets of a recording, which have megabytes each. By default glibc returns such
// memory to the kernel at once, which clears it again for every frame: 1 ms of CPU time at 3840x2160.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the maximum of glibc
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  mallopt(M_ARENA_MAX, 1);  // other arenas are returned in pieces of 64 MiB
#endif
}

int run(int argc, char** argv) {
  using texcast::ErrorKind;
  try {
    texcast::log_to_stderr();
    texcast::cli::watch_interrupts();
    using namespace texcast::cli;
    return with_report_out(run_command_line(argc, argv,
                                            {.devices = run_devices,
                                             .screens = run_screens,
                                             .encode = run_encode,
                                             .decode = run_decode,
                                             .farm = run_farm,
                                             .send = run_send,
                                             .play = run_play,
                                             .receive = run_receive,
                                             .serve = run_serve,
                                             .relay = run_relay,
                                             .list = run_list,
                                             .info = run_info,
                                             .verify = run_verify,
                                             .join = run_join,
                                             .recover = run_recover,
                                             .bench = run_bench,
                                             .latency = run_latency,
                                             .ctl = run_ctl,
                                             .wall = run_wall,
                                             .doctor = run_doctor}));
  } catch (const texcast::ReaderGone&) {  // quietly, as other programs in a pipe
    texcast::cli::end_by(SIGPIPE);
  } catch (const texcast::Error& error) {
    const bool ours = error.kind() == ErrorKind::misuse;
    return report((ours ? "internal error, please report it: " : "") + std::string(error.what()), error.kind());
  } catch (const std::bad_alloc&) {
    return report("out of memory", ErrorKind::failed);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return with_report_out(0, error.code().value());  // what fmt::print throws
    return report(std::string("unexpected failure, please report it: ") + error.what(), ErrorKind::failed);
  } catch (const std::exception& error) {
    return report(std::string("unexpected failure, please report it: ") + error.what(), ErrorKind::failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  texcast::cli::guard_standard_streams();
  keep_freed_memory();
  const int exit_code = run(argc, argv);
  texcast::cli::end_if_interrupted();
  return exit_code;
}
