# cpack -G DEB: the program; the library; what programs that link it are built with. Without a build of their own: files are
# below /usr there, whatever CMAKE_INSTALL_PREFIX is.
set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc)
set(library_package libtexcast${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(made ${PROJECT_BINARY_DIR}/packages)
configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in ${made}/changelog.Debian @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/shlibs.in ${made}/shlibs @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${made}/changelog COPYONLY)
foreach(file changelog changelog.Debian)
  execute_process(COMMAND gzip -9nkf ${made}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(component program library development)
  string(REPLACE program texcast package ${component})
  string(REPLACE library ${library_package} package ${package})
  string(REPLACE development libtexcast-dev package ${package})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright ${made}/changelog.gz ${made}/changelog.Debian.gz
    DESTINATION ${doc}/${package} COMPONENT ${component})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${doc}/libtexcast-dev COMPONENT development)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "texcast")
set(CPACK_PACKAGE_CONTACT "texcast authors <texcast@texcast.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")  # what CPack takes for none: packages have their own
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME texcast)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION video)
# Any vendor's OpenCL will do; PoCL is the one that needs no GPU. The display's words need a font.
get_property(depends GLOBAL PROPERTY texcast_lazy_packages)  # dpkg-shlibdeps does not see what is loaded later
list(REMOVE_DUPLICATES depends)
list(PREPEND depends "pocl-opencl-icd | opencl-icd" fonts-dejavu-core)
list(JOIN depends ", " CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libgl1-mesa-dri, avahi-daemon")
# What Wayland desktops are captured by; those that have it are set up for it.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "xdg-desktop-portal, pipewire-bin, wireplumber")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "video as GPU texture blocks: encode, stream, record, show
texcast compresses video to block-compressed textures (BC1, BC3, BC4, BC5,
scaled YCoCg) on any OpenCL device, streams them over a local network within
a frame or two of delay, records them as Hap, DDS and KTX2, and shows them:
the blocks go to the GPU as they are and are never decoded on a CPU. Stock
UltraGrid receivers show its streams.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${made}/shlibs ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "video as GPU texture blocks - shared library
libtexcast encodes frames to block-compressed textures on OpenCL devices,
reads and writes files of them (Hap, DDS, KTX2), and sends and receives them
as streams.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtexcast-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
# What the static library is made of.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "ocl-icd-opencl-dev, libavformat-dev, libavcodec-dev, libswresample-dev, libavutil-dev, libsnappy-dev, libzstd-dev, libisal-dev, libsodium-dev, nettle-dev, libfmt-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "video as GPU texture blocks - headers and static library
libtexcast encodes frames to block-compressed textures on OpenCL devices,
reads and writes files of them (Hap, DDS, KTX2), and sends and receives them
as streams. This package has what programs that use it are built with:
headers, the static library, files for CMake and pkg-config, and examples.")
include(CPack)
