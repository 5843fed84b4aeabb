// device_ledger.h — the ledger of the device under test, with all inputs of its kernels' results.
#pragma once

#include <memory>

#include "ledger/case_ledger.h"

namespace check {

class DeviceLedger {
 public:
  explicit DeviceLedger(const std::string& folder) : ledger_(folder) {}
  // During its lifetime, programs that are built count as inputs of its current case.
  std::unique_ptr<texcast::test::CaseLedger> make_cases();
  // Removes old entries, and prints what was wrong in the folder.
  void close();

 private:
  texcast::test::Ledger ledger_;
};

// nullptr if every case must run: no folder is named, TEXCAST_TEST_ALL=1, or the device is a GPU, which is fast.
std::unique_ptr<DeviceLedger> open_ledger();

}  // namespace check
