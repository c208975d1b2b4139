# libgbrunConfig.cmake - what find_package(libgbrun) finds: the target gbrun::libgbrun, for programs that
# measure functions of their own, and gbrun::benchmark, for files that include <benchmark/benchmark.h>.
# It lies in LIBDIR/cmake/libgbrun, which may have been moved with the rest.
find_path(LIBGBRUN_INCLUDE_DIR gbrun/measure.h
  HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../include" "${CMAKE_CURRENT_LIST_DIR}/../../../../include")
find_library(LIBGBRUN_LIBRARY gbrun HINTS "${CMAKE_CURRENT_LIST_DIR}/../..")
if(NOT LIBGBRUN_INCLUDE_DIR OR NOT LIBGBRUN_LIBRARY)
  set(libgbrun_FOUND FALSE)
  set(libgbrun_NOT_FOUND_MESSAGE "gbrun/measure.h or libgbrun.so is not beside ${CMAKE_CURRENT_LIST_DIR}")
  return()
endif()
if(NOT TARGET gbrun::libgbrun)
  add_library(gbrun::libgbrun SHARED IMPORTED)
  set_target_properties(gbrun::libgbrun PROPERTIES IMPORTED_LOCATION "${LIBGBRUN_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LIBGBRUN_INCLUDE_DIR}")
  add_library(gbrun::benchmark INTERFACE IMPORTED)
  set_target_properties(gbrun::benchmark PROPERTIES
    INTERFACE_LINK_LIBRARIES "-Wl,--push-state,--no-as-needed;gbrun::libgbrun;-Wl,--pop-state"
    INTERFACE_INCLUDE_DIRECTORIES "${LIBGBRUN_INCLUDE_DIR}/gbrun/google;${LIBGBRUN_INCLUDE_DIR}")
endif()
