#include "transport/ros2/services/marked_sending.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <vector>

// This header is none of C++: it calls types and pointers to them by one name. What it declares is
// needed for members that are pointers, and for nothing else.
#define Q_SOCKWAITSET_H
using os_sockWaitset = struct SockWaitset*;
using os_sockWaitsetCtx = struct SockWaitsetCtx*;
extern "C" {
#include <dds/ddsi/ddsi_domaingv.h>
#include <dds/ddsi/ddsi_tran.h>
}

// Cyclone DDS gives an application no way to add to the inline QoS of a sample, where clients on
// Fast DDS look for the request that a reply belongs to. But each of its connections has a function
// that sends datagrams, in a table that is not constant. The function here stands in front of that
// of UDP. It passes everything on, and puts the marks into messages that have one of the few
// replies of the last seconds.
//
// Without marks, it costs the look at an atomic number. The pointer is set while other threads
// send; it is one word, and both functions do the same for what they send.

namespace kitbag::ros2 {

namespace {

struct Kept {
  ReplyMark mark;
  std::chrono::steady_clock::time_point until;
};

struct Marks {
  std::mutex mutex;
  std::deque<Kept> kept;
  std::atomic<std::size_t> count = 0;
  std::atomic<ddsi_tran_write_fn_t> send = nullptr;  ///< of UDP

  std::vector<ReplyMark> living() {
    std::lock_guard lock(mutex);
    auto now = std::chrono::steady_clock::now();
    while (!kept.empty() && kept.front().until < now) kept.pop_front();
    count = kept.size();
    std::vector<ReplyMark> all;
    for (const Kept& each : kept) all.push_back(each.mark);
    return all;
  }
};

/// Never destroyed: threads of DDS may send until the process ends.
Marks& marks() {
  static auto* all = new Marks;
  return *all;
}

ssize_t send_marked(ddsi_tran_conn_t connection, const ddsi_locator_t* to, size_t count,
                    const ddsrt_iovec_t* pieces, uint32_t flags) {
  Marks& all = marks();
  ddsi_tran_write_fn_t send = all.send;
  if (all.count == 0) return send(connection, to, count, pieces, flags);
  std::vector<std::byte> packet;
  for (size_t i = 0; i < count; ++i) {
    const auto* bytes = static_cast<const std::byte*>(pieces[i].iov_base);
    packet.insert(packet.end(), bytes, bytes + pieces[i].iov_len);
  }
  auto marked = with_marks(packet, all.living());
  if (!marked) return send(connection, to, count, pieces, flags);
  ddsrt_iovec_t whole{};
  whole.iov_base = marked->data();
  whole.iov_len = marked->size();
  ssize_t sent = send(connection, to, 1, &whole, flags);
  return sent < 0 ? sent : static_cast<ssize_t>(packet.size());
}

}  // namespace

bool MarkedSending::prepare(const ddsi_sertype* type) {
  auto* domain = static_cast<ddsi_domaingv*>(ddsrt_atomic_ldvoidp(&type->gv));
  if (!domain) return false;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  bool is_ready = false;
  for (ddsi_tran_conn* connection : domain->xmit_conns) {
    if (!connection) continue;
    // Another layout of these structures would show here.
    if (connection->m_base.gv != domain || connection->m_stream) return false;
    if (connection->m_write_fn != send_marked) {
      ddsi_tran_write_fn_t none = nullptr;
      marks().send.compare_exchange_strong(none, connection->m_write_fn);
      if (marks().send != connection->m_write_fn) return false;
      connection->m_write_fn = send_marked;
    }
    is_ready = true;
  }
  return is_ready;
}

void MarkedSending::add(const ReplyMark& mark) {
  Marks& all = marks();
  std::lock_guard lock(all.mutex);
  all.kept.push_back({mark, std::chrono::steady_clock::now() + kMarkLife});
  all.count = all.kept.size();
}

}  // namespace kitbag::ros2
