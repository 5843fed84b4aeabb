// command_line.h — the one table of subcommands and options: parsing, help, man page and completions come from it.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

// The implementation of each subcommand. Returns the exit code, or throws Error, whose kind is the exit code.
struct Commands {
  int (*devices)(const DevicesOptions& options);
  int (*screens)(const ScreensOptions& options);
  int (*encode)(const EncodeOptions& options);
  int (*decode)(const DecodeOptions& options);
  int (*farm)(const FarmOptions& options);
  int (*send)(const SendOptions& options);
  int (*play)(const PlayOptions& options);
  int (*receive)(const StreamOptions& options);
  int (*serve)(const ServeOptions& options);
  int (*relay)(const RelayOptions& options);
  int (*list)(const ListOptions& options);
  int (*info)(const InfoOptions& options);
  int (*verify)(const VerifyOptions& options);
  int (*join)(const JoinOptions& options);
  int (*recover)(const RecoverOptions& options);
  int (*bench)(const BenchOptions& options);
  int (*latency)(const LatencyOptions& options);
  int (*ctl)(const CtlOptions& options);
  int (*wall)(const WallOptions& options);
  int (*doctor)(const DoctorOptions& options);
};

const char* program_version();  // "0.9.0"

// Parses the command line and runs the subcommand. Returns the exit code; throws what the subcommand throws.
int run_command_line(int argc, const char* const* argv, const Commands& commands);

}  // namespace texcast::cli
