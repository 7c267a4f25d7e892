// The version of the library; the build files read it from here.
#pragma once

namespace iso {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

}  // namespace iso
