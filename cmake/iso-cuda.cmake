# Read by the build and, installed, by find_package(iso): which of the two ways CUDA sources learn of C++20
# depends on the CMake and the languages of whoever uses the target, so it cannot be exported with it.

# Makes CUDA sources that link `target` compile as C++20.
function(iso_require_cuda_20 target)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CMAKE_VERSION VERSION_LESS 3.25.2)
    # These do not know that nvcc has C++20. BUILD_INTERFACE keeps the option out of the exported target.
    set(option $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
    target_compile_options(${target} INTERFACE $<BUILD_INTERFACE:${option}>)
  elseif("CUDA" IN_LIST languages)
    # CMake refuses a feature of a language that is not enabled.
    target_compile_features(${target} INTERFACE $<BUILD_INTERFACE:cuda_std_20>)
  endif()
endfunction()
