// device_ledger.h — the ledger for the device under test: what vouches for its kernels' results.
#pragma once

#include <memory>

#include "ledger/case_ledger.h"

namespace check {

class DeviceLedger {
 public:
  explicit DeviceLedger(const std::string& folder) : ledger_(folder) {}
  // While it lives, programs that are built count as inputs of its case under way.
  std::unique_ptr<texcast::test::CaseLedger> make_cases();
  // Removes what is old, and prints what was wrong with the folder.
  void close();

 private:
  texcast::test::Ledger ledger_;
};

// Nothing where every case is to run: no folder is named, TEXCAST_TEST_ALL=1, or the device is a GPU, which takes no
// time.
std::unique_ptr<DeviceLedger> open_ledger();

}  // namespace check
