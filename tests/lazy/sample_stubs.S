#include "functions.S"
lazy_library "libtexcast-sample.so", "libtexcast-sample0", "testing"
lazy_objects
lazy_object sample_named, 16
lazy_objects_end
lazy_function sample_places
lazy_function sample_digits
lazy_function sample_print
lazy_function sample_large
lazy_function sample_call
lazy_function sample_name_of
lazy_function sample_from_threads
lazy_function sample_missing
