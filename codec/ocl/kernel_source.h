// kernel_source.h — a kernel file with all that it includes as one text for the compiler, and the way back from that
// text's lines to the files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace texcast::ocl {

// What TEXCAST_KERNEL_DIR says, where kernels are read from while they are being worked on; empty for everyone else.
std::string kernel_folder();

// One file of cl_kernels by its path there ("bc1/range.cl"), from kernel_folder() where there is one. Throws
// Error{no_device} where there is no such file.
std::string kernel_text(const std::string& path);

// Tells who observes programs (ocl/program.h).
void tell_observer(const std::string& path, const std::string& options, const std::string& text);

class KernelSource {
 public:
  // Lines of the form  #include "path"  are replaced by the file of that path in cl_kernels, the first time that it is
  // met; later they are empty. #if is not looked at. Throws Error{no_device} for a file that is not there and for files
  // that include each other in a circle.
  explicit KernelSource(const std::string& path);

  const std::string& text() const { return text_; }
  // A build log whose messages name files and their lines, whatever the compiler counts.
  std::string with_file_names(std::string_view log) const;

 private:
  // Lines of one file that stand together: line `line` of the file is line `text_line` of the text.
  struct Piece {
    std::string path;
    unsigned line, text_line;
  };

  void add_file(const std::string& path);
  void begin_piece(const std::string& path, unsigned line);
  void add_line(std::string_view line);

  std::string text_;
  unsigned lines_ = 0;  // of text_
  std::vector<Piece> pieces_;
  std::vector<std::string> open_;  // files that are being read, each included by the one before
  std::vector<std::string> known_;
};

}  // namespace texcast::ocl
