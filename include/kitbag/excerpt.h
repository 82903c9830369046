#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/export.h"

// An excerpt is a file that holds a part of a bag and is not written anywhere: a list of pieces,
// most of which are ranges of the bag's own file. Its length is known before a byte of it is read,
// and any range of it can be read, so a server can offer a few seconds of a large bag as a file
// without copying it.

namespace kitbag {

class Session;
struct Input;
struct Query;
struct ReadOptions;

/// A piece of an excerpt: bytes, or a range of the bag's file.
struct ExcerptPiece {
  std::shared_ptr<const std::string> bytes = nullptr;  ///< null: a range of the file
  std::uint64_t offset = 0;                            ///< of that range
  std::uint64_t size = 0;                              ///< of the bytes or the range
};

/// The pieces of a file, one after the other.
struct Excerpt {
  std::vector<ExcerptPiece> pieces;  ///< in the order of the file
};

/// About the most memory that the pieces with bytes of an excerpt take.
inline constexpr std::uint64_t kMaxExcerptBytes = std::uint64_t{64} << 20;

/// Puts together a file of the format with the name `format` that holds what `query` selects
/// (`select`, `begin` and `end`, by log time) of the bag in `input`. Returns nothing if the bag has
/// another format, is damaged or not complete, or if too little of its file could be used as it is;
/// then the bag has to be read and written. The same bag and query give the same bytes. The content
/// of chunks that are used as they are is not verified. Throws Error as Session::open() does, and
/// Error (invalid) if an expression does not compile.
KITBAG_API std::optional<Excerpt> excerpt(const Input& input, std::string_view format,
                                          const Query& query, const ReadOptions& options,
                                          const Session& session);

}  // namespace kitbag
