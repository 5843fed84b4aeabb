// shared.h — an object of libtexcast that several threads of Python may call: one call runs at a time.
#pragma once

#include <texcast/error.h>

#include <memory>
#include <mutex>
#include <utility>

#include "without_gil.h"

namespace texcast::python {

template <typename Object>
class Shared : public Closable {
 public:
  // `closed`: the message of calls after close(), a literal.
  Shared(std::unique_ptr<Object> object, const char* closed) : object_(std::move(object)), closed_(closed) {}
  void close() noexcept override {
    const std::scoped_lock lock(mutex_);
    object_.reset();
  }
  // Calls `call` with the object. Throws Error{misuse} if it is closed. Without the GIL.
  template <typename Call>
  auto with(Call&& call) {
    const std::scoped_lock lock(mutex_);
    if (!object_) throw Error(ErrorKind::misuse, closed_);
    return call(*object_);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Object> object_;
  const char* closed_;
};

}  // namespace texcast::python
