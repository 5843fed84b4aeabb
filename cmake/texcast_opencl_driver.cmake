# texcast_opencl_driver(TEST DRIVER): the test loads that one OpenCL driver (pocl, rusticl) and no other that is
# installed. Intel's opens libraries with RTLD_DEEPBIND, at which a sanitizer ends the process; Mesa's leak.
# The loader takes the one driver that OCL_ICD_VENDORS names. Without it there, the system's drivers stay, and the test
# says what it lacks.
function(texcast_opencl_driver test driver)
  set(icd /etc/OpenCL/vendors/${driver}.icd)
  if(EXISTS ${icd})
    # Beside ENVIRONMENT, which the test's own folder may set.
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT_MODIFICATION
      "OCL_ICD_VENDORS=set:${icd};LSAN_OPTIONS=set:suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
  endif()
endfunction()

# texcast_unoptimised_kernels(TEST [VARIABLE=set:VALUE…]): PoCL does not optimise the kernels of this test, which takes a quarter
# of the time; the bytes are the same. VARIABLE…: what tells another driver so. Caches of its own: what lies in the user's is
# for use. Builds for several sanitizers may share them, as their kernels are the same.
set(TEXCAST_TEST_CACHE ${PROJECT_BINARY_DIR}/unoptimised-kernels CACHE PATH "where tests keep compiled kernels")
function(texcast_unoptimised_kernels test)
  if("$ENV{TEXCAST_TEST_ALL}" STREQUAL "1")
    return()
  endif()
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    "POCL_EXTRA_BUILD_FLAGS=set:-cl-opt-disable;POCL_CACHE_DIR=set:${TEXCAST_TEST_CACHE}/pocl;XDG_CACHE_HOME=set:${TEXCAST_TEST_CACHE}" ${ARGN})
endfunction()
