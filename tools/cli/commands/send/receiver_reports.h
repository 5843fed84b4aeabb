// receiver_reports.h — what receivers say of a stream by RTCP, in reports of those who send it.
#pragma once

#include <span>

#include "text/json_text.h"
#include "transport/rtcp_session.h"

namespace texcast::cli {

Json receivers_json(std::span<const transport::ReceiverOpinion> receivers);
// A row each.
void print_receivers(std::span<const transport::ReceiverOpinion> receivers);

}  // namespace texcast::cli
