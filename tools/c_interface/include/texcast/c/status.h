// status.h — what a call of the C interface returns, and the error that it reports.
//
// Example:
//     texcast_error error = TEXCAST_ERROR_INIT;
//     if (texcast_reader_open("show.mov", &reader, &error) > 0) fprintf(stderr, "%s\n", error.message);
//
// Structs. Every struct of the interface begins with `struct_size`, which the caller sets to the struct's size. Later
// versions append members and never move one, so that a program and a library of different ages understand each other:
// the library reads and writes no more than `struct_size` bytes. Zero is the default of every member that a program
// sets. Initialise structs as `= {.struct_size = sizeof(…)}`. A size below that of the struct's first version, or above
// 4096, is TEXCAST_MISUSE. A member that the library is too old to know must be zero, else TEXCAST_USAGE.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "texcast/c/export.h"

TEXCAST_C_BEGIN

// Zero: done. Positive: an error. Negative: no error, but there is no result either.
typedef enum texcast_status {
  TEXCAST_OK = 0,
  TEXCAST_FAILED = 1,       // the system could not do it, for example because the disk is full
  TEXCAST_USAGE = 2,        // settings that no version of texcast could carry out, or that this library is too old for
  TEXCAST_NO_DEVICE = 3,    // no usable OpenCL device, or the device was lost
  TEXCAST_NO_DISPLAY = 4,   // no screen
  TEXCAST_INPUT = 5,        // a file that cannot be opened or has other contents
  TEXCAST_NETWORK = 6,      // an address that does not resolve, or a port that is in use
  TEXCAST_CORRUPT = 7,      // bytes that are inconsistent
  TEXCAST_MISUSE = 8,       // a call that its header forbids; it had no effect, and objects remain usable
  TEXCAST_NO_MEMORY = 9,    // there is no more memory
  TEXCAST_NAME_TAKEN = 10,  // a file of this name exists (TEXCAST_IF_EXISTS_REFUSE)
  TEXCAST_FILE_FULL = 11,   // texcast_writer_settings::most_bytes is reached; the file is complete

  TEXCAST_END = -1,      // there are no more
  TEXCAST_TIMEOUT = -2,  // not within the time that the caller allowed
  TEXCAST_DROPPED = -3,  // the frame is not sent, because the device or the network is a frame behind
  TEXCAST_STATUS_MAX_ENUM = 0x7FFFFFFF
} texcast_status;

// An error, in memory of the caller. Every call that can fail takes a pointer to one, or NULL, and sets `status` and
// `message`, also on success (TEXCAST_OK and an empty message). There is nothing to free, and no state per thread.
typedef struct texcast_error {
  size_t struct_size;
  texcast_status status;
  char message[1020];  // one line of UTF-8 for a person, which ends in a zero; longer ones are cut
} texcast_error;

#define TEXCAST_ERROR_INIT \
  { sizeof(texcast_error), TEXCAST_OK, "" }

// The identifier of a status, such as "TEXCAST_NO_DEVICE"; "unknown status" for other numbers. Never NULL.
TEXCAST_C_API const char* texcast_status_name(texcast_status status);

// The version of texcast that the program has loaded, such as "0.2.0". Never NULL.
TEXCAST_C_API const char* texcast_version(void);

TEXCAST_C_END
