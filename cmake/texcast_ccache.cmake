# Runs compilers through ccache if it is installed, so that sources compiled before, in any build folder, are not compiled
# again. Paths below the source folder are hashed relative to it, so that another clone of the same sources hits too.
# ccache's manual requires the sloppiness for precompiled headers; no source here uses __DATE__ or __TIME__.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
