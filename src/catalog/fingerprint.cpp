#include "catalog/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/sha256.h"
#include "catalog/checksums.h"

// The SHA-256 of what tells bags apart without reading them: format, number of messages, times,
// topics with their counts, and of each file its size and its first and last 64 KiB. Names and
// times of files are not in it, so a bag that was moved or copied keeps it. Channels are sorted, so
// that their order in the summary does not count.
//
// Two bags that differ only in the middle of a file have one fingerprint; checksums tell them
// apart.

namespace kitbag::catalog {
namespace {

constexpr std::size_t kEdgeBytes = 64 << 10;

void add_edges(const ReadFile& file, std::string& text) {
  std::uint64_t size = file.size();
  text += fmt::format("file {}\n", size);
  std::vector<std::byte> edge(kEdgeBytes);
  for (std::uint64_t offset : {std::uint64_t{0}, size > kEdgeBytes ? size - kEdgeBytes : size}) {
    std::size_t read = file.read(offset, edge);
    text.append(reinterpret_cast<const char*>(edge.data()), read);
  }
}

std::string channels_text(const Summary& summary) {
  std::vector<std::string> lines;
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    const ChannelPtr& channel = (*summary.channels)[slot];
    if (!channel) continue;
    std::uint64_t count = slot < summary.message_counts.size() ? summary.message_counts[slot] : 0;
    lines.push_back(
        fmt::format("{} {} {} {}\n", channel->topic, channel->type(), channel->encoding, count));
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, ""));
}

}  // namespace

std::string fingerprint(const std::string& path, const Bag& bag, const Session& session) {
  const Summary& summary = bag.summary();
  std::string text = fmt::format("{} {} {} {}\n", summary.format, summary.messages,
                                 to_ns(summary.start), to_ns(summary.end));
  text += channels_text(summary);
  for (const std::string& file : files_of(path, session)) {
    add_edges(*session.file_system(file)->open(file), text);
  }
  ByteView bytes = as_bytes(text);
  return sha256(std::span(&bytes, 1));
}

}  // namespace kitbag::catalog
