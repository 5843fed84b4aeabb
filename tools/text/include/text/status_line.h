// status_line.h — what is going on right now, on stderr, where that is a terminal.
#pragma once

#include <string>

namespace texcast {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  void show(const std::string& text);
  void clear();  // before anything is written to stdout

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace texcast
