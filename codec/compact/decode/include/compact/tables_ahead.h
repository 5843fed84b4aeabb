// tables_ahead.h — makes the decoder's tables of the usual formats before the first frame needs them, which would take
// tens of milliseconds of its time.
#pragma once

#include <cstddef>

namespace texcast::compact {

// Not thread-safe, but other threads may decode meanwhile.
class TablesAhead {
 public:
  // Makes one set of tables, in a millisecond or two, or finds it made. False: there are no more.
  bool make_next();

 private:
  size_t next_ = 0;
};

}  // namespace texcast::compact
