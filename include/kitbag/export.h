#pragma once

/// Marks what libkitbag.so exports; everything else is hidden.
#define KITBAG_API __attribute__((visibility("default")))
