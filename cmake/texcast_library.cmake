# libtexcast: the modules that other programs can use, as one library, shared and static. A header in include/texcast/ of
# such a module is public; exported symbols are marked (texcast/export.h).
set(rooms base frames formats devices compact_bitstream compact_transform compact_motion compact_rate compact_decode compact_encode ref_astc ref_bc ref_etc ref_ycocg ref ocl compact_opencl stages tuner engine container
  lazy media_ffmpeg media_sound_coding media_files media_tracks media_journal media_mux media_clip media_record media_recover media_join
  transport_wire transport_fec transport_crypto transport_send transport_audio transport_receive transport_textures transport_rtcp transport_capture
  transport_udp transport_discovery transport_live transport_stream)
set(needs OpenCL libavformat libavcodec libswresample libavutil snappy libzstd libisal libsodium nettle fmt)  # pkg-config's names

set(generated ${PROJECT_BINARY_DIR}/include/texcast)
configure_file(${PROJECT_SOURCE_DIR}/cmake/library/version.h.in ${generated}/version.h @ONLY)
set(folders "")
set(all_headers "")
foreach(room IN LISTS rooms)
  list(APPEND objects $<TARGET_OBJECTS:texcast_${room}>)
  get_target_property(folder texcast_${room} SOURCE_DIR)
  if(EXISTS ${folder}/include/texcast)
    list(APPEND folders ${folder}/include)
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${folder}/include ${folder}/include/texcast/*.h)
    list(APPEND all_headers ${headers})
  endif()
endforeach()
# Loaded by their first call, so that programs need them for what uses them only.
set(lazy_links "")
foreach(library opus avahi)
  get_target_property(type texcast_lazy_${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:texcast_lazy_${library}>)
  else()
    list(APPEND lazy_links texcast_lazy_${library})
  endif()
endforeach()
list(APPEND all_headers texcast/version.h)
list(SORT all_headers)
set(includes "")
foreach(header IN LISTS all_headers)
  string(APPEND includes "#include \"${header}\"\n")
endforeach()
file(READ ${PROJECT_SOURCE_DIR}/cmake/library/texcast.h umbrella)
file(CONFIGURE OUTPUT ${generated}/texcast.h CONTENT "${umbrella}${includes}" @ONLY)

foreach(kind shared static)
  string(TOUPPER ${kind} type)
  add_library(texcast_${kind} ${type} ${PROJECT_SOURCE_DIR}/cmake/library/version.cpp ${objects})
  target_include_directories(texcast_${kind} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include;${folders}>")
  target_compile_features(texcast_${kind} PUBLIC cxx_std_20)
  set_target_properties(texcast_${kind} PROPERTIES OUTPUT_NAME texcast)
endforeach()
set(map ${PROJECT_SOURCE_DIR}/cmake/library/texcast.map)
target_link_libraries(texcast_shared PRIVATE OpenCL::OpenCL fmt::fmt Threads::Threads PkgConfig::FFMPEG PkgConfig::SODIUM
  PkgConfig::NETTLE PkgConfig::ZSTD texcast_snappy texcast_isal ${lazy_links})
target_link_options(texcast_shared PRIVATE -Wl,--version-script=${map} -Wl,--as-needed)
if(NOT CMAKE_CXX_FLAGS MATCHES "sanitize")
  target_link_options(texcast_shared PRIVATE -Wl,-z,defs)  # not with a sanitizer, whose symbols come with the program
endif()
set_target_properties(texcast_shared PROPERTIES EXPORT_NAME texcast LINK_DEPENDS ${map}
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

install(TARGETS texcast_shared EXPORT texcast-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS texcast_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
foreach(folder IN LISTS folders)
  install(DIRECTORY ${folder}/texcast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")
endforeach()
install(DIRECTORY ${generated} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/texcast)
string(REPLACE ";" ", " texcast_pc_needs "${needs}")
string(REPLACE ";" " " texcast_cmake_needs "${needs}")
# By name, not as Requires.private, for which pkg-config needs the packages' files even to link the shared library.
list(TRANSFORM needs REPLACE "^lib" "" OUTPUT_VARIABLE texcast_pc_libraries)
list(TRANSFORM texcast_pc_libraries PREPEND "-l")
string(REPLACE ";" " " texcast_pc_libraries "${texcast_pc_libraries}")
file(RELATIVE_PATH texcast_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" texcast_pc_prefix "${texcast_pc_prefix}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/library/texcast.pc.in ${PROJECT_BINARY_DIR}/texcast.pc @ONLY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/library/texcast-config.cmake.in ${PROJECT_BINARY_DIR}/texcast-config.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/texcast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT texcast-targets NAMESPACE texcast:: DESTINATION ${package} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/texcast-config.cmake ${PROJECT_BINARY_DIR}/texcast-config-version.cmake
  DESTINATION ${package} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/texcast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
