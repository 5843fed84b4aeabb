// object_list.h — the list that tests/ledger/list-objects made of the object files that this program is linked from.
#pragma once

namespace texcast::test {
const char* object_list();
}
