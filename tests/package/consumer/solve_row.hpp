// What both of the consumer's translation units offer, each with its own copy of iso's templates.
#pragma once

bool unweighted_row_is_right();  // row.cpp
bool weighted_row_is_right();    // main.cpp
