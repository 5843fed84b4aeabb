// object_list.h — the list by tests/ledger/list-objects of the object files that this program is linked from.
#pragma once

namespace texcast::test {
const char* object_list();
}
