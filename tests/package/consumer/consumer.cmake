# The consumer, once iso::iso is there: no flags of its own, so the target must bring C++20, the include folder
# and the threads.
add_executable(consumer ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${CMAKE_CURRENT_LIST_DIR}/row.cpp)
target_link_libraries(consumer PRIVATE iso::iso)

# iso in somebody else's build is the library alone: no options on, no folders, no tests, no install rules.
function(check_nothing_but_the_library source_dir)
  foreach(part ISO_CUDA ISO_TESTS ISO_EXAMPLES ISO_BENCHMARKS ISO_INSTALL)
    if(${part})
      message(FATAL_ERROR "${part} is on in a consumer's build")
    endif()
  endforeach()
  get_property(targets DIRECTORY ${source_dir} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${source_dir} PROPERTY SUBDIRECTORIES)
  get_property(tests DIRECTORY ${source_dir} PROPERTY TESTS)
  if(NOT "${targets};${folders};${tests}" STREQUAL "iso;;")
    message(FATAL_ERROR "a consumer's build got targets '${targets}', folders '${folders}', tests '${tests}'")
  endif()
endfunction()
