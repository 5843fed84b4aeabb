# Components that need what is not installed everywhere: a cache variable says whether they are built.

# texcast_component(VARIABLE WHAT CONDITION): declares VARIABLE, which is AUTO at first: WHAT is built if CONDITION holds.
function(texcast_component variable what condition)
  set(${variable} AUTO CACHE STRING "build ${what}: ON, OFF, or AUTO: if ${condition}")
  set_property(CACHE ${variable} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# texcast_component_lacks(VARIABLE WHAT WHY): there will be no WHAT, as WHY says; an error if VARIABLE is ON.
function(texcast_component_lacks variable what why)
  if(NOT ${variable} STREQUAL "AUTO")
    message(FATAL_ERROR "${variable} is ${${variable}}, but ${why}")
  endif()
  message(STATUS "No ${what}: ${why}")
endfunction()
