#pragma once

/// Marks a symbol that libkitbag.so exports. All others are hidden.
#define KITBAG_API __attribute__((visibility("default")))

/// Hides a class inside of one that is exported, which only its members know.
#define KITBAG_PRIVATE __attribute__((visibility("hidden")))

/// Marks a function that gives a moved-from object a defined state again. For clang-tidy.
#ifdef __clang__
#define KITBAG_REINITIALIZES [[clang::reinitializes]]
#else
#define KITBAG_REINITIALIZES
#endif
