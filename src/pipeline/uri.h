#pragma once

#include "kitbag/open.h"  // declares path_of()
