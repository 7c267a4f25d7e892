# cmake -D CONSUMER=folder -D SOURCE_DIR=iso -D WORK_DIR=scratch -D VERSION=... -D GENERATOR=... -D CXX=...
#       [-D INSTALL=ON [-D INSTALL_OPTIONS=...]] -P consume.cmake
#
# Configures, builds and runs one consumer from nothing; with INSTALL, first configures iso by itself and
# installs it where the consumer looks.
set(common -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=Debug)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
if(INSTALL)
  run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/iso ${common} ${INSTALL_OPTIONS} -D ISO_TESTS=OFF
      -D ISO_EXAMPLES=OFF -D ISO_BENCHMARKS=OFF)
  run(${CMAKE_COMMAND} --install ${WORK_DIR}/iso --prefix ${WORK_DIR}/prefix)
  foreach(file include/iso/host.hpp include/iso/solve.cuh share/licenses/iso/LICENSE)
    if(NOT EXISTS ${WORK_DIR}/prefix/${file})
      message(FATAL_ERROR "${file} was not installed")
    endif()
  endforeach()
  # A package must stand without the folders that it was made from.
  file(REMOVE_RECURSE ${WORK_DIR}/iso)
  file(GLOB_RECURSE package ${WORK_DIR}/prefix/share/cmake/*.cmake)
  foreach(file ${package})
    file(READ ${file} text)
    string(FIND "${text}" "${SOURCE_DIR}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names ${SOURCE_DIR}")
    endif()
  endforeach()
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${CONSUMER} -B ${WORK_DIR}/build ${common}
    -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix -D ISO_SOURCE_DIR=${SOURCE_DIR} -D ISO_VERSION=${VERSION}
    -D FETCHCONTENT_SOURCE_DIR_ISO=${SOURCE_DIR} --no-warn-unused-cli)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)
