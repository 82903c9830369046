#pragma once

namespace kitbag::sqlite3 {

/// The name of a VFS of SQLite, for sqlite3_open_v2(), that writes the pages of a database many at
/// a time. The file has the same bytes as with the default VFS, and when a COMMIT returns, it has
/// what was committed. Any thread.
const char* gathering_vfs();

}  // namespace kitbag::sqlite3
