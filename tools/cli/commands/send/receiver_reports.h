// receiver_reports.h — RTCP statistics of the receivers, for a sender's report.
#pragma once

#include <span>

#include "text/json_text.h"
#include "transport/rtcp_session.h"

namespace texcast::cli {

Json receivers_json(std::span<const transport::ReceiverOpinion> receivers);
// Prints a row for each receiver.
void print_receivers(std::span<const transport::ReceiverOpinion> receivers);

}  // namespace texcast::cli
