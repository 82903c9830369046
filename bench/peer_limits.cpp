// What nothing can beat: the work of a benchmark without a bag around it.
//
//   write  the messages of a workload as records of MCAP, one behind the other, compressed by lz4
//          or zstd (its level 1) in pieces of 768 KiB, and kept nowhere
//   read   the bytes of a file, each 64th of them touched
//   push   the payloads copied into memory that was touched before, 2,000 a second
//
// usage: peer_limits WORKLOAD COMPRESSION FILE write|read|push

#include <fcntl.h>
#include <lz4frame.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "bench/latencies.h"
#include "bench/meter.h"
#include "bench/payload.h"

namespace {

constexpr std::size_t kPieceBytes = 768 << 10;

/// The head of a message record. It is part of what is compressed: payloads at odd places are more
/// work for zstd.
struct [[gnu::packed]] RecordHead {
  std::uint8_t op;
  std::uint64_t length;
  std::uint16_t channel;
  std::uint32_t sequence;
  std::uint64_t log_time;
  std::uint64_t publish_time;
};

void compress(const bench::Workload& work, const std::string& compression) {
  const auto pool = bench::make_pool(work);
  std::vector<std::byte> piece;
  piece.reserve(2 * kPieceBytes + work.bytes);
  std::vector<std::byte> packed(std::max(ZSTD_compressBound(piece.capacity()),
                                         LZ4F_compressFrameBound(piece.capacity(), nullptr)));
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx);
  bench::Meter meter;
  for (std::uint64_t i = 0; i < work.messages; ++i) {
    const std::byte* data = pool->data() + work.offset_of(i);
    const auto channel = static_cast<std::uint16_t>(work.topic_of(i));
    const RecordHead head{5, work.bytes_of(i) + 22, channel, 0, work.time_ns(i), work.time_ns(i)};
    const auto* head_bytes = reinterpret_cast<const std::byte*>(&head);
    piece.insert(piece.end(), head_bytes, head_bytes + sizeof(head));
    piece.insert(piece.end(), data, data + work.bytes_of(i));
    meter.bytes += work.bytes_of(i);
    if (piece.size() < kPieceBytes && i + 1 < work.messages) continue;
    if (compression == "zstd") {
      ZSTD_compressCCtx(context.get(), packed.data(), packed.size(), piece.data(), piece.size(), 1);
    } else {
      LZ4F_compressFrame(packed.data(), packed.size(), piece.data(), piece.size(), nullptr);
    }
    piece.clear();
  }
  meter.messages = work.messages;
  meter.report();
}

void read(const bench::Workload& work, const char* path) {
  bench::Meter meter;
  const int file = ::open(path, O_RDONLY);
  std::vector<std::byte> buffer(1 << 20);
  for (ssize_t count = 0; (count = ::read(file, buffer.data(), buffer.size())) > 0;) {
    meter.sum += bench::touch(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(file);
  meter.messages = work.messages;
  meter.bytes = work.messages * work.bytes;
  meter.report();
}

void push(const bench::Workload& work) {
  const auto pool = bench::make_pool(work);
  constexpr std::size_t kPlaces = 600;
  std::vector<std::byte> memory(kPlaces * work.bytes, std::byte{1});
  bench::Latencies latencies(work.messages);
  bench::Meter meter;
  for (std::uint64_t i = 0; i < work.messages; ++i) {
    latencies.pace();
    std::memcpy(memory.data() + i % kPlaces * work.bytes, pool->data() + work.offset_of(i),
                work.bytes);
    latencies.note();
  }
  meter.messages = work.messages;
  meter.bytes = work.messages * work.bytes;
  meter.latency_us = latencies.of_thousand(999);
  meter.report();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    const bench::Workload work = bench::workload(arguments[1]);
    const std::string phase = arguments[4];
    if (phase == "write") compress(work, arguments[2]);
    if (phase == "read" || phase == "read_unchecked") read(work, arguments[3]);
    if (phase == "push") push(work);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
