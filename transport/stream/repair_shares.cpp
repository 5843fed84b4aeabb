#include "stream/repair_shares.h"

#include <algorithm>

namespace texcast::stream {

RepairShares::Receiver& RepairShares::find_or_add(const transport::PeerAddress& from) {
  const auto known =
      std::ranges::find_if(receivers_, [&](const Receiver& receiver) { return receiver.from.same_host(from); });
  if (known != receivers_.end()) return *known;
  if (receivers_.size() < most_)
    return receivers_.emplace_back(Receiver{.from = from, .budget = {plain_bytes_, kShareOfPlain}});
  Receiver& oldest = *std::ranges::min_element(receivers_, {}, &Receiver::asked);
  oldest.from = from;
  return oldest;
}

bool RepairShares::hears(const transport::PeerAddress& from) {
  Receiver& receiver = find_or_add(from);
  receiver.asked = ++asked_;
  if (receiver.budget.is_spent()) return false;
  receiver.pays = true;
  return true;
}

void RepairShares::coded(const compact::RefreshCost& cost, double frame_times) {
  const auto payers = std::ranges::count(receivers_, true, &Receiver::pays);
  for (Receiver& receiver : receivers_) {
    if (receiver.pays && cost.repairs > 0) {
      receiver.budget.spend(cost.repairs / static_cast<double>(payers));
      receiver.pays = false;
    }
    receiver.budget.pass(cost.usual, frame_times);
  }
}

}  // namespace texcast::stream
