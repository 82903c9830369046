#pragma once

// SQLite, as a program links it, or as it hands itself to an extension: the tables are part of
// both.

#ifdef KITBAG_SQLITE_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif
