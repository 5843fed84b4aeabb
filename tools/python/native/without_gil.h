// without_gil.h — calls into libtexcast without Python's global lock (the GIL), and an end of the interpreter that
// waits for none of them.
//
// Every call that waits, computes or may log runs in without_gil(). A lock of ours is only held without the GIL, so
// that no two threads can wait for each other.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>

namespace texcast::python {

namespace py = pybind11;

// Releases the GIL from construction to destruction.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  // At the end of the interpreter, threads other than the main one stay here until the process ends: Python would end
  // them while C++ objects of theirs still live, which std::terminate() answers.
  ~GilRelease();
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

template <class Function>
auto without_gil(Function&& function) {
  const GilRelease released;
  return function();
}

// An object with threads of libtexcast behind it. Those that live at the end of the interpreter are closed then.
class Closable {
 public:
  virtual ~Closable() = default;
  virtual void close() noexcept = 0;  // without the GIL; may be called more than once
};
void close_at_exit(const std::shared_ptr<Closable>& object);  // which may end before

// Lets no other thread return to Python from then on, and closes what lives. Called once, by the main thread with the
// GIL, through atexit.
void end_of_interpreter();

}  // namespace texcast::python
