#include "boundary.h"

#include <algorithm>
#include <new>
#include <string_view>

#include "texcast/file_writer.h"
#include "texcast/if_exists.h"

namespace texcast::c {

namespace {

constexpr size_t kLargestStruct = 4096;  // larger sizes are uninitialised memory

// Writes what fits, without cutting a character of UTF-8 in two.
void write_message(texcast_error* error, std::string_view message) {
  size_t length = std::min(message.size(), sizeof(error->message) - 1);
  if (length < message.size())
    while (length > 0 && (static_cast<unsigned char>(message[length]) & 0xC0) == 0x80) --length;
  std::memcpy(error->message, message.data(), length);
  error->message[length] = '\0';
}

texcast_status report(texcast_error* error, texcast_status status, std::string_view message) {
  if (error) {
    error->status = status;
    write_message(error, message);
  }
  return status;
}

texcast_status status_of(ErrorKind kind) {
  static_assert(static_cast<int>(ErrorKind::failed) == TEXCAST_FAILED);
  static_assert(static_cast<int>(ErrorKind::usage) == TEXCAST_USAGE);
  static_assert(static_cast<int>(ErrorKind::no_device) == TEXCAST_NO_DEVICE);
  static_assert(static_cast<int>(ErrorKind::no_display) == TEXCAST_NO_DISPLAY);
  static_assert(static_cast<int>(ErrorKind::input) == TEXCAST_INPUT);
  static_assert(static_cast<int>(ErrorKind::network) == TEXCAST_NETWORK);
  static_assert(static_cast<int>(ErrorKind::corrupt) == TEXCAST_CORRUPT);
  static_assert(static_cast<int>(ErrorKind::misuse) == TEXCAST_MISUSE);
  return static_cast<texcast_status>(kind);
}

}  // namespace

void throw_misuse(const std::string& message) { throw Error(ErrorKind::misuse, message); }

void check_size(size_t size, size_t first, const char* name) {
  if (size < first || size > kLargestStruct)
    throw_misuse(std::string(name) + ": struct_size is " + std::to_string(size) + ", but it has at least " +
                 std::to_string(first) + " bytes; set it to the struct's sizeof");
}

void check_unknown(const unsigned char* bytes, size_t count, const char* name) {
  if (std::any_of(bytes, bytes + count, [](unsigned char byte) { return byte != 0; }))
    throw Error(ErrorKind::usage, std::string(name) + " has a setting that this version of libtexcast-c does not know");
}

bool is_usable(const texcast_error* error) {
  return !error || (error->struct_size >= first_size<texcast_error>() && error->struct_size <= kLargestStruct);
}

texcast_status succeeded(texcast_error* error, texcast_status status) { return report(error, status, ""); }

texcast_status failed(texcast_error* error) {
  try {
    throw;
  } catch (const NameTaken& failure) {
    return report(error, TEXCAST_NAME_TAKEN, failure.what());
  } catch (const RecordingFull& failure) {
    return report(error, TEXCAST_FILE_FULL, failure.what());
  } catch (const Error& failure) {
    return report(error, status_of(failure.kind()), failure.what());
  } catch (const std::bad_alloc&) {
    return report(error, TEXCAST_NO_MEMORY, "there is not enough memory");
  } catch (const std::exception& failure) {
    return report(error, TEXCAST_FAILED, failure.what());
  } catch (...) {
    return report(error, TEXCAST_FAILED, "a callback threw something that is no exception of the standard library");
  }
}

}  // namespace texcast::c

const char* texcast_status_name(texcast_status status) {
  switch (static_cast<int32_t>(texcast::c::number_of(status))) {
#define TEXCAST_NAME_OF(name) \
  case name: return #name;
    TEXCAST_NAME_OF(TEXCAST_OK)
    TEXCAST_NAME_OF(TEXCAST_FAILED)
    TEXCAST_NAME_OF(TEXCAST_USAGE)
    TEXCAST_NAME_OF(TEXCAST_NO_DEVICE)
    TEXCAST_NAME_OF(TEXCAST_NO_DISPLAY)
    TEXCAST_NAME_OF(TEXCAST_INPUT)
    TEXCAST_NAME_OF(TEXCAST_NETWORK)
    TEXCAST_NAME_OF(TEXCAST_CORRUPT)
    TEXCAST_NAME_OF(TEXCAST_MISUSE)
    TEXCAST_NAME_OF(TEXCAST_NO_MEMORY)
    TEXCAST_NAME_OF(TEXCAST_NAME_TAKEN)
    TEXCAST_NAME_OF(TEXCAST_FILE_FULL)
    TEXCAST_NAME_OF(TEXCAST_END)
    TEXCAST_NAME_OF(TEXCAST_TIMEOUT)
    TEXCAST_NAME_OF(TEXCAST_DROPPED)
#undef TEXCAST_NAME_OF
    default: return "unknown status";
  }
}
