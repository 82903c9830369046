#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag::cli {

struct ChannelCount {
  ChannelPtr channel;
  std::uint64_t messages = 0;
};

/// What `kitbag info` shows of one bag.
struct BagInfo {
  std::string path;
  Summary summary;
  std::string compression;      ///< of the chunks looked at; "mixed" where they differ
  std::optional<double> ratio;  ///< uncompressed over stored; where a chunk is compressed
  std::vector<ChannelCount> channels;
};

/// Reads the summary and the chunks' headers, of many chunks only some; no messages, but of a pipe.
BagInfo describe_bag(const std::string& path, const Bag& bag, const std::stop_token& stop = {});

/// Whether Summary::chunks is known: not for a pipe, nor for a directory, whose files would have to
/// be opened.
bool has_chunk_count(const Summary& summary);

/// For people: a block of facts and a table by topic. `is_terminal`: headings may be bold.
std::string info_text(const BagInfo& info, bool is_terminal);

}  // namespace kitbag::cli
