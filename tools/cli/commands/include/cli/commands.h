// commands.h — the subcommands. Each returns the exit code, or throws Error, whose kind is the exit code.
#pragma once

#include "cli/options.h"

namespace texcast::cli {

int run_devices(const DevicesOptions& options);
int run_screens(const ScreensOptions& options);
int run_latency(const LatencyOptions& options);
int run_encode(const EncodeOptions& options);
int run_decode(const DecodeOptions& options);
int run_farm(const FarmOptions& options);
int run_send(const SendOptions& options);
int run_play(const PlayOptions& options);
int run_receive(const StreamOptions& options);
int run_serve(const ServeOptions& options);
int run_relay(const RelayOptions& options);
int run_list(const ListOptions& options);
int run_info(const InfoOptions& options);
int run_verify(const VerifyOptions& options);
int run_join(const JoinOptions& options);
int run_recover(const RecoverOptions& options);
int run_bench(const BenchOptions& options);
int run_ctl(const CtlOptions& options);
int run_wall(const WallOptions& options);
int run_doctor(const DoctorOptions& options);

}  // namespace texcast::cli
