#pragma once

/// Marks what libkitbag.so exports; everything else is hidden.
#define KITBAG_API __attribute__((visibility("default")))

/// Marks what gives an object that was moved from a content again, for clang-tidy to know.
#ifdef __clang__
#define KITBAG_REINITIALIZES [[clang::reinitializes]]
#else
#define KITBAG_REINITIALIZES
#endif
