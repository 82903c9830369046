#include "transport/ros2/raw_type.h"

#include <dds/ddsi/ddsi_keyhash.h>
#include <dds/ddsi/q_radmin.h>
#ifdef DDS_HAS_SHM
extern "C" {
#include <dds/ddsi/ddsi_shm_transport.h>
}
#endif

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <set>

// A sample is one piece of memory, so that the feed can own it as it is:
//
//   ddsi_serdata | received | number | size | encapsulation header, CDR ... | padding, zero
//
// The time is taken when the sample is made, by the thread that receives; for a sample in fragments
// that is after the last one.
//
// RTPS sends multiples of four bytes. The last two bits of the header's options say how many of
// them are padding, if the sender sets them; then trim() cuts it off, otherwise it stays in the
// bag.
//
// The writer's number of a sample is not part of Cyclone's interface. It stands in the RTPS
// submessage, which lies before the payload in the buffer of the datagram. Samples that did not
// come over the network have none. Disposals of instances use up numbers too, so they are
// remembered, or each would count as a lost message.
//
// Keys are not looked at: all samples are one instance. A reader that keeps the last ones of each
// instance would lose messages of keyed topics, so readers keep all.

namespace kitbag::ros2 {

namespace {

constexpr std::uint32_t kHeaderBytes = 4;
constexpr std::byte kPaddingBits{3};

/// A message by its writer and the writer's number of it.
using Sent = std::pair<Guid, std::uint64_t>;

struct RawType final : ddsi_sertype {
  const Clock* clock = nullptr;
  mutable std::mutex mutex;
  mutable std::set<Sent> disposals;
  mutable std::uint64_t unnumbered = 0;  ///< more disposals, which came as nothing but a key
};

/// Limit for remembered disposals; the next message of a publisher clears the earlier ones.
constexpr std::size_t kMostDisposals = 1 << 16;

constexpr std::size_t padded(std::size_t size) {
  return (size + 3) & ~std::size_t{3};
}

std::byte* bytes_of(RawSample& sample) {
  return reinterpret_cast<std::byte*>(&sample + 1);
}
const RawSample& sample_of(const ddsi_serdata* data) {
  return static_cast<const RawSample&>(*data);
}

/// With room for `size` bytes, and for the padding to a multiple of four, which is zero.
RawSample* make_sample(const ddsi_sertype* type, ddsi_serdata_kind kind, std::size_t size) {
  void* memory = ::operator new(sizeof(RawSample) + padded(size));
  auto* sample = new (memory) RawSample{};
  ddsi_serdata_init(sample, type, kind);
  sample->size = static_cast<std::uint32_t>(size);
  sample->received = static_cast<const RawType*>(type)->clock->wall();
  std::memset(bytes_of(*sample) + size, 0, padded(size) - size);
  return sample;
}

/// Removes the padding that the header declares (XTypes 1.3, 7.6.3.1.2: the last two bits of its
/// options), and the declaration.
void trim(RawSample& sample) {
  if (sample.size < kHeaderBytes) return;
  std::byte& options = bytes_of(sample)[kHeaderBytes - 1];
  auto padding = static_cast<std::uint32_t>(options & kPaddingBits);
  sample.size -= std::min(padding, sample.size - kHeaderBytes);
  options &= ~kPaddingBits;
}

/// Declares in the header the padding that will be sent.
void tell_padding(RawSample& sample) {
  if (sample.size < kHeaderBytes) return;
  std::byte& options = bytes_of(sample)[kHeaderBytes - 1];
  options = (options & ~kPaddingBits) | static_cast<std::byte>(padded(sample.size) - sample.size);
}

bool have_equal_keys(const ddsi_serdata*, const ddsi_serdata*) {
  return true;  // all samples are one instance to us, and none replaces another: see
                // KEEP_ALL
}

std::uint32_t wire_size(const ddsi_serdata* data) {
  return static_cast<std::uint32_t>(padded(sample_of(data).size));
}

/// The submessage that brought it, as Cyclone has left it: in the order of this machine.
const Data_DataFrag_common_t& submessage_of(const nn_rdata& fragment) {
  return *reinterpret_cast<const Data_DataFrag_common_t*>(
      NN_RMSG_PAYLOADOFF(fragment.rmsg, NN_RDATA_SUBMSG_OFF(&fragment)));
}

std::uint64_t number_of(const nn_rdata& fragment) {
  nn_sequence_number_t number = submessage_of(fragment).writerSN;
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(number.high)) << 32) | number.low;
}

/// The writer of a sample, unless a DDS router has forwarded it; no known router does so.
Guid writer_of(const nn_rdata& fragment) {
  auto* header = reinterpret_cast<const Header_t*>(NN_RMSG_PAYLOAD(fragment.rmsg));
  std::array<std::uint32_t, 4> words{};
  std::copy_n(std::begin(header->guid_prefix.u), 3, words.begin());
  words[3] = submessage_of(fragment).writerId.u;
  for (std::uint32_t& word : words) word = htonl(word);
  Guid guid{};
  std::memcpy(guid.data(), words.data(), guid.size());
  return guid;
}

void remember_disposal(const RawType& type, const nn_rdata& fragment) {
  std::lock_guard lock(type.mutex);
  if (type.disposals.size() < kMostDisposals) {
    type.disposals.emplace(writer_of(fragment), number_of(fragment));
  }
}

ddsi_serdata* from_wire(const ddsi_sertype* type, ddsi_serdata_kind kind, const nn_rdata* fragment,
                        std::size_t size) {
  RawSample* sample = make_sample(type, kind, size);
  if (fragment && fragment->submsg_zoff != 0) {
    sample->number = number_of(*fragment);
    if (kind == SDK_KEY) remember_disposal(static_cast<const RawType&>(*type), *fragment);
  }
  std::uint32_t at = 0;
  for (; fragment; fragment = fragment->nextfrag) {  // they may overlap
    if (fragment->maxp1 <= at) continue;
    const unsigned char* payload =
        NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
    std::memcpy(bytes_of(*sample) + at, payload + at - fragment->min, fragment->maxp1 - at);
    at = fragment->maxp1;
  }
  trim(*sample);
  return sample;
}

ddsi_serdata* from_pieces(const ddsi_sertype* type, ddsi_serdata_kind kind,
                          ddsrt_msg_iovlen_t count, const ddsrt_iovec_t* pieces, std::size_t size) {
  RawSample* sample = make_sample(type, kind, size);
  std::size_t at = 0;
  for (ddsrt_msg_iovlen_t i = 0; i < count && at < size; ++i) {
    std::size_t part = std::min<std::size_t>(pieces[i].iov_len, size - at);
    std::memcpy(bytes_of(*sample) + at, pieces[i].iov_base, part);
    at += part;
  }
  trim(*sample);
  return sample;
}

ddsi_serdata* from_key_hash(const ddsi_sertype* type, const ddsi_keyhash*) {
  const auto& raw = static_cast<const RawType&>(*type);
  {
    std::lock_guard lock(raw.mutex);
    ++raw.unnumbered;
  }
  return make_sample(type, SDK_KEY, 0);
}

ddsi_serdata* from_sample(const ddsi_sertype* type, ddsi_serdata_kind kind, const void*) {
  return make_sample(type, kind, 0);  // nobody writes samples here
}

void to_wire(const ddsi_serdata* data, std::size_t at, std::size_t size, void* into) {
  std::memcpy(into, sample_of(data).data().data() + at, size);
}

ddsi_serdata* lend_wire(const ddsi_serdata* data, std::size_t at, std::size_t size,
                        ddsrt_iovec_t* piece) {
  const std::byte* bytes = sample_of(data).data().data() + at;
  piece->iov_base = const_cast<std::byte*>(bytes);
  piece->iov_len = size;
  return ddsi_serdata_ref(data);
}

void take_back(ddsi_serdata* data, const ddsrt_iovec_t*) {
  ddsi_serdata_unref(data);
}

bool to_sample(const ddsi_serdata*, void*, void**, void*) {
  return true;  // nobody reads samples here
}

ddsi_serdata* to_untyped(const ddsi_serdata* data) {
  RawSample* key = make_sample(data->type, SDK_KEY, 0);
  key->type = nullptr;
  return key;
}

bool untyped_to_sample(const ddsi_sertype*, const ddsi_serdata*, void*, void**, void*) {
  return true;
}

void free_sample(ddsi_serdata* data) {
  static_cast<RawSample*>(data)->~RawSample();
  ::operator delete(static_cast<RawSample*>(data));
}

std::size_t print_sample(const ddsi_sertype*, const ddsi_serdata* data, char* text,
                         std::size_t size) {
  int length = std::snprintf(text, size, "%u bytes", sample_of(data).size);
  return static_cast<std::size_t>(length);
}

void key_hash(const ddsi_serdata*, ddsi_keyhash* hash, bool) {
  std::memset(hash, 0, sizeof(*hash));
}

#ifdef DDS_HAS_SHM
ddsi_serdata* from_shared_memory(const ddsi_sertype* type, ddsi_serdata_kind kind, void* subscriber,
                                 void* chunk) {
  iceoryx_header_t* header = iceoryx_header_from_chunk(chunk);
  bool is_serialized = header->shm_data_state == IOX_CHUNK_CONTAINS_SERIALIZED_DATA;
  RawSample* sample = make_sample(type, kind, is_serialized ? header->data_size : 0);
  std::memcpy(bytes_of(*sample), chunk, sample->size);
  if (subscriber) free_iox_chunk(static_cast<iox_sub_t*>(subscriber), &chunk);
  trim(*sample);
  return sample;
}
#endif

const ddsi_serdata_ops kSampleFunctions = {
    have_equal_keys,
    wire_size,
    from_wire,
    from_pieces,
    from_key_hash,
    from_sample,
    to_wire,
    lend_wire,
    take_back,
    to_sample,
    to_untyped,
    untyped_to_sample,
    free_sample,
    print_sample,
    key_hash,
#ifdef DDS_HAS_SHM
    ddsi_serdata_iox_size,
    from_shared_memory,
#endif
};

void free_type(ddsi_sertype* type) {
  ddsi_sertype_fini(type);
  delete static_cast<RawType*>(type);
}

void zero_samples(const ddsi_sertype*, void*, std::size_t) {}
void make_samples(void** samples, const ddsi_sertype*, void*, std::size_t, std::size_t count) {
  std::fill_n(samples, count, nullptr);
}
void free_samples(const ddsi_sertype*, void**, std::size_t, dds_free_op_t) {}

/// Types of one name are one to a domain, unless they go by different clocks.
bool are_equal(const ddsi_sertype* a, const ddsi_sertype* b) {
  return static_cast<const RawType*>(a)->clock == static_cast<const RawType*>(b)->clock;
}
std::uint32_t hash_of(const ddsi_sertype*) {
  return 0;
}

std::size_t sample_size(const ddsi_sertype*, const void*) {
  return 0;
}
bool serialize_sample(const ddsi_sertype*, const void*, void*, std::size_t) {
  return false;
}

const ddsi_sertype_ops kTypeFunctions = {
    ddsi_sertype_v0, nullptr, free_type, zero_samples, make_samples, free_samples, are_equal,
    hash_of,         nullptr, nullptr,   nullptr,      nullptr,      sample_size,  serialize_sample,
};

}  // namespace

RawTopic RawTopic::make(dds_entity_t participant, const std::string& name, const std::string& type,
                        bool is_keyed, const Clock& clock) {
  auto* raw = new RawType{};
  raw->clock = &clock;
  ddsi_sertype_init_flags(raw, type.c_str(), &kTypeFunctions, &kSampleFunctions,
                          is_keyed ? 0 : DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
  raw->allowed_data_representation =
      DDS_DATA_REPRESENTATION_FLAG_XCDR1 | DDS_DATA_REPRESENTATION_FLAG_XCDR2;
#ifdef DDS_HAS_SHM
  raw->iox_size = 0;
#endif
  ddsi_sertype* registered = raw;
  dds_entity_t handle =
      dds_create_topic_sertype(participant, name.c_str(), &registered, nullptr, nullptr, nullptr);
  if (handle < 0) ddsi_sertype_unref(raw);
  RawTopic topic;
  topic.entity = Entity(handle, "topic " + name);
  topic.type = registered;
  return topic;
}

std::uint64_t RawTopic::disposals_between(const Guid& writer, std::uint64_t after,
                                          std::uint64_t before) const {
  const auto& raw = static_cast<const RawType&>(*type);
  std::lock_guard lock(raw.mutex);
  auto begin = raw.disposals.upper_bound({writer, after});
  auto end = raw.disposals.lower_bound({writer, before});
  auto count = static_cast<std::uint64_t>(std::distance(begin, end));
  raw.disposals.erase(raw.disposals.lower_bound({writer, 0}), end);
  std::uint64_t others = std::min(before - after - 1 - count, raw.unnumbered);
  raw.unnumbered -= others;
  return count + others;
}

dds_return_t write_raw(dds_entity_t writer, const RawTopic& topic, ByteView payload) {
  RawSample* sample = make_sample(topic.type, SDK_DATA, payload.size());
  std::memcpy(bytes_of(*sample), payload.data(), payload.size());
  tell_padding(*sample);
  return dds_writecdr(writer, sample);
}

}  // namespace kitbag::ros2
