// main.cpp — errors become one line and an exit code here, and nowhere else.
#include <fmt/core.h>

#include <exception>
#include <new>
#include <string>

#include "base/error.h"
#include "cli/interrupt.h"
#include "cli/option_table.h"

namespace {

int report(std::string message, texcast::ErrorKind kind) {
  while (!message.empty() && message.back() == '\n') message.pop_back();
  fmt::print(stderr, "texcast: {}\n", message);
  return static_cast<int>(kind);
}

}  // namespace

int main(int argc, char** argv) {
  using texcast::ErrorKind;
  try {
    texcast::cli::watch_interrupts();
    return texcast::cli::run_command_line(argc, argv);
  } catch (const texcast::Error& error) {
    return report(error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return report("out of memory", ErrorKind::failed);
  } catch (const std::exception& error) {
    return report(std::string("unexpected failure, please report it: ") + error.what(), ErrorKind::failed);
  }
}
