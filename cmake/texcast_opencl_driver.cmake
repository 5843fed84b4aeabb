# texcast_opencl_driver(TEST DRIVER): the test loads only this OpenCL driver (pocl, rusticl) of those installed. Intel's opens
# libraries with RTLD_DEEPBIND, upon which a sanitizer ends the process; Mesa's leak. The OpenCL loader uses the driver that
# OCL_ICD_VENDORS names. If it is not installed, the system's drivers are used, and the test says what is missing.
# What the driver and other projects' libraries do themselves is no finding of a sanitizer: tests/lsan.supp, tests/tsan.supp.
function(texcast_opencl_driver test driver)
  # Not ENVIRONMENT, which the test's own folder may set.
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    "LSAN_OPTIONS=set:suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0"
    "TSAN_OPTIONS=set:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
  set(icd /etc/OpenCL/vendors/${driver}.icd)
  if(EXISTS ${icd})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT_MODIFICATION "OCL_ICD_VENDORS=set:${icd}")
  endif()
endfunction()

# texcast_unoptimised_kernels(TEST [VARIABLE=set:VALUE…]): PoCL does not optimise the kernels of this test, which takes a
# quarter of the time and gives the same bytes. VARIABLE…: for the same effect in another driver. The test has its own caches,
# separate from the user's. Builds with several sanitizers may share them, as their kernels are the same.
set(TEXCAST_TEST_CACHE ${PROJECT_BINARY_DIR}/unoptimised-kernels CACHE PATH "where tests keep compiled kernels")
function(texcast_unoptimised_kernels test)
  if("$ENV{TEXCAST_TEST_ALL}" STREQUAL "1")
    return()
  endif()
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    "POCL_EXTRA_BUILD_FLAGS=set:-cl-opt-disable;POCL_CACHE_DIR=set:${TEXCAST_TEST_CACHE}/pocl;XDG_CACHE_HOME=set:${TEXCAST_TEST_CACHE}" ${ARGN})
endfunction()
