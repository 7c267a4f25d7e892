// What the translation units of these tests offer. Each fits the same row on the GPU with the solver that it
// was compiled with.
#pragma once

enum class outcome { right, wrong, no_device, no_kernel };

outcome run_first();   // first.cu
outcome run_second();  // second.cu
