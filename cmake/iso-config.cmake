# What find_package(iso) runs.
include(CMakeFindDependencyMacro)
find_dependency(Threads)

include(${CMAKE_CURRENT_LIST_DIR}/iso-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/iso-cuda.cmake)
iso_require_cuda_20(iso::iso)
