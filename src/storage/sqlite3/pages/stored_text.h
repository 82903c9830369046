#pragma once

#include <string>

#include "kitbag/bytes.h"

namespace kitbag::sqlite3 {

/// How a database stores its texts, which `PRAGMA encoding` has set.
enum class TextEncoding { utf8, utf16_little, utf16_big };

/// The one of a database whose list of tables has `bytes` as the kind of an entry: "table".
TextEncoding encoding_of(ByteView bytes);

/// The text that `bytes` are, in UTF-8. UTF-8 stays as it is; what is not UTF-16 becomes U+FFFD.
std::string decode_text(ByteView bytes, TextEncoding encoding);

}  // namespace kitbag::sqlite3
