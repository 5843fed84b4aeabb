# cpack -G DEB makes packages from the build: the program, the shared library, its C interface, the files for development,
# and one for each component that is built for another program. They install below /usr, whatever CMAKE_INSTALL_PREFIX is.
set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc)
set(library_package libtexcast${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(c_library_package libtexcast-c0)  # libtexcast-c.so.0, for any version of libtexcast
set(made ${PROJECT_BINARY_DIR}/packages)
configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in ${made}/changelog.Debian @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/shlibs.in ${made}/shlibs @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/shlibs-c.in ${made}/c/shlibs @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${made}/changelog COPYONLY)
foreach(file changelog changelog.Debian)
  execute_process(COMMAND gzip -9nkf ${made}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(components program library c_library development)
set(package_of_program texcast)
set(package_of_library ${library_package})
set(package_of_c_library ${c_library_package})
set(package_of_development libtexcast-dev)
if(TARGET texcast_python)
  list(APPEND components python)
  set(package_of_python python3-texcast)
endif()
if(TEXCAST_HAS_GSTREAMER)
  list(APPEND components gstreamer)
  set(package_of_gstreamer gstreamer1.0-texcast)
endif()
if(TARGET obs-texcast)
  list(APPEND components obs)
  set(package_of_obs obs-texcast)
endif()
foreach(component IN LISTS components)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright ${made}/changelog.gz ${made}/changelog.Debian.gz
    DESTINATION ${doc}/${package_of_${component}} COMPONENT ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_of_${component}})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${doc}/libtexcast-dev COMPONENT development
  PATTERN python EXCLUDE)
if(TARGET texcast_python)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/python/ DESTINATION ${doc}/python3-texcast/examples COMPONENT python
    FILES_MATCHING PATTERN "*.py")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "texcast")
set(CPACK_PACKAGE_CONTACT "texcast authors <texcast@texcast.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")  # CPack's default, which means none: each package has its own
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(this_library "${library_package} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")  # for packages that need its build

set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION video)
# Every vendor's OpenCL works; PoCL needs no GPU. The on-screen display needs a font.
get_property(depends GLOBAL PROPERTY texcast_lazy_packages)  # libraries loaded with dlopen, which dpkg-shlibdeps does not see
list(REMOVE_DUPLICATES depends)
list(PREPEND depends "pocl-opencl-icd | opencl-icd" fonts-dejavu-core)
list(JOIN depends ", " CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libgl1-mesa-dri, avahi-daemon")
# The capture of Wayland desktops uses these. A desktop that has them has also configured them.
# cage shows the player of texcast-player@.service.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "xdg-desktop-portal, pipewire-bin, wireplumber, cage")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/postinst)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "video as GPU texture blocks: encode, stream, record, show
texcast compresses video to block-compressed textures (BC, ETC, EAC and ASTC)
on any OpenCL device, streams them over a local network with a delay of a
frame or two, and records them as Hap, DDS, KTX2 and .astc. Its player uploads
the blocks to the GPU without decoding them on the CPU. It exchanges streams
with UltraGrid.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${made}/shlibs ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libopus0, libavahi-client3, avahi-daemon")  # sound in Opus; names on the network
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "video as GPU texture blocks - shared library
libtexcast encodes frames to block-compressed textures on OpenCL devices,
reads and writes texture files (Hap, DDS, KTX2 and .astc), and sends and
receives textures over a network.")

set(CPACK_DEBIAN_C_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_C_LIBRARY_PACKAGE_CONTROL_EXTRA ${made}/c/shlibs ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_C_LIBRARY_PACKAGE_DEPENDS ${this_library})
set(CPACK_DEBIAN_C_LIBRARY_DESCRIPTION "video as GPU texture blocks - C interface
libtexcast-c is the interface of libtexcast for programs in C and for
bindings of other languages. Programs that use it go on working with later
versions of texcast.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${this_library}, ${c_library_package} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
# The libraries that the static library uses.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "ocl-icd-opencl-dev, libavformat-dev, libavcodec-dev, libswresample-dev, libavutil-dev, libsnappy-dev, libzstd-dev, libisal-dev, libsodium-dev, nettle-dev, libfmt-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "video as GPU texture blocks - headers and static library
libtexcast encodes frames to block-compressed textures on OpenCL devices,
reads and writes texture files (Hap, DDS, KTX2 and .astc), and sends and
receives textures over a network. This package contains the headers, the
static library, the files for CMake and pkg-config, and examples.")

if(TARGET texcast_python)
  # The module is of one minor version of Python, as dh_python3 has it.
  get_property(python GLOBAL PROPERTY texcast_python_version)
  string(REGEX REPLACE "^3\\." "" minor ${python})
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (<< 3.${next}), python3 (>= ${python}~), python3-numpy, ${this_library}")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-opencv")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/python/postinst
    ${PROJECT_SOURCE_DIR}/cmake/debian/python/prerm)
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "video as GPU texture blocks - Python package
texcast encodes numpy arrays to block-compressed textures on OpenCL devices
and decodes them, sends and receives them over a network, and reads and
writes texture files (Hap, DDS, KTX2 and .astc).")
endif()

set(CPACK_DEBIAN_GSTREAMER_PACKAGE_SECTION video)
set(CPACK_DEBIAN_GSTREAMER_PACKAGE_DEPENDS ${this_library})
set(CPACK_DEBIAN_GSTREAMER_DESCRIPTION "video as GPU texture blocks - GStreamer plugin
The elements texcastsink and texcastsrc send and receive video as
block-compressed textures over RTP/UDP, to and from texcast and UltraGrid.")

set(CPACK_DEBIAN_OBS_PACKAGE_SECTION video)
set(CPACK_DEBIAN_OBS_PACKAGE_DEPENDS ${this_library})
set(CPACK_DEBIAN_OBS_PACKAGE_ENHANCES obs-studio)
set(CPACK_DEBIAN_OBS_PACKAGE_RECOMMENDS "obs-studio, avahi-daemon")
set(CPACK_DEBIAN_OBS_DESCRIPTION "video as GPU texture blocks - plugin for OBS Studio
texcast streams video as block-compressed textures over a local network, with
a delay of a frame or two. This plugin shows such streams in OBS Studio, and
sends OBS's program or the picture of one source.")
include(CPack)
