# texcast_opencl_driver(TEST DRIVER): the test loads that one OpenCL driver (pocl, rusticl) and no other that is
# installed. Intel's opens libraries with RTLD_DEEPBIND, at which a sanitizer ends the process; Mesa's leak.
# The loader takes the one driver that OCL_ICD_VENDORS names. Without it there, the system's drivers stay, and the test
# says what it lacks.
function(texcast_opencl_driver test driver)
  set(icd /etc/OpenCL/vendors/${driver}.icd)
  if(EXISTS ${icd})
    # Beside ENVIRONMENT, which the test's own folder may set.
    set_tests_properties(${test} PROPERTIES ENVIRONMENT_MODIFICATION
      "OCL_ICD_VENDORS=set:${icd};LSAN_OPTIONS=set:suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
  endif()
endfunction()
