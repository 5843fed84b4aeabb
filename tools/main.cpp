// main.cpp — errors become one line and an exit code here, and nowhere else.
#include <fmt/core.h>
#include <malloc.h>

#include <exception>
#include <new>
#include <string>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/interrupt.h"

namespace {

int report(std::string message, texcast::ErrorKind kind) {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  fmt::print(stderr, "texcast: {}\n", message);
  return static_cast<int>(kind);
}

// A recording's packets are megabytes, each allocated and freed by FFmpeg. By default glibc gives such memory back at
// once, and the kernel clears it anew for every frame: 1 ms of CPU for a 3840x2160 one. Kept, that is paid once.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  mallopt(M_ARENA_MAX, 1);  // other arenas are given back in pieces of 64 MiB
#endif
}

}  // namespace

int main(int argc, char** argv) {
  using texcast::ErrorKind;
  keep_freed_memory();
  try {
    texcast::cli::watch_interrupts();
    using namespace texcast::cli;
    return run_command_line(argc, argv,
                            {.devices = run_devices,
                             .encode = run_encode,
                             .decode = run_decode,
                             .send = run_send,
                             .play = run_play,
                             .receive = run_receive,
                             .info = run_info,
                             .verify = run_verify,
                             .recover = run_recover,
                             .bench = run_bench,
                             .doctor = run_doctor});
  } catch (const texcast::Error& error) {
    return report(error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return report("out of memory", ErrorKind::failed);
  } catch (const std::exception& error) {
    return report(std::string("unexpected failure, please report it: ") + error.what(), ErrorKind::failed);
  }
}
