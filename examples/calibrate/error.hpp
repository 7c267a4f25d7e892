// The one kind of error this program stops on and explains.
#pragma once

#include <stdexcept>

namespace app {

// Something in the command line, the input or the outputs that the user can put right: exit code 2.
struct user_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace app
