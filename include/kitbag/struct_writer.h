#pragma once

#include <memory>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/describe.h"
#include "kitbag/export.h"
#include "kitbag/session.h"

namespace kitbag {

/// Returns a channel for messages of `type`, with the definition and the names that are usual for
/// the encoding, and the metadata that goes with them. Throws Error: invalid if there is no such
/// encoding, unsupported if it cannot hold the type or its definitions cannot be written.
KITBAG_API ChannelPtr channel_for(const std::string& topic, const std::string& encoding,
                                  const TypePtr& type, const Session& session);

/// Writes structs of your own (describe.h) to a bag:
///
///   StructWriter writer(session.create("run.mcap"), "cdr", session);
///   writer.write("/pose", time, Pose{.x = 1});
///   writer.close();
///
/// A topic gets its definition with the first message. One thread.
class KITBAG_API StructWriter {
 public:
  /// `encoding` is that of all payloads: "ros1", "cdr", "protobuf" or "json".
  StructWriter(std::unique_ptr<Writer> writer, std::string encoding, Session session);
  ~StructWriter();
  /// A moved-from writer can only be destroyed or assigned to.
  StructWriter(StructWriter&&) noexcept;
  StructWriter& operator=(StructWriter&&) noexcept;

  /// Appends a message. Throws Error: as channel_for() for the first one of a topic, invalid if the
  /// topic has messages of another struct, and whatever Writer::append() throws.
  template <Described T>
  void write(const std::string& topic, Time time, const T& message) {
    write(topic, Stamp{time, time, 0}, message);
  }
  /// The same, with a publish time and a sequence number.
  template <Described T>
  void write(const std::string& topic, const Stamp& stamp, const T& message) {
    static const char kIdentity = 0;
    Topic& known = find(topic, &kIdentity, described_type<T>);
    describing::visit_described(type_of(known), message, begin(known));
    end(known, stamp);
  }

  /// Returns the bag: to write other messages in between.
  Writer& writer();
  /// Completes the bag, as Writer::close() does.
  void close();

 private:
  struct KITBAG_PRIVATE State;
  struct Topic;

  Topic& find(const std::string& name, const void* identity, TypePtr (*type)());
  static const Type& type_of(const Topic& topic);
  Visitor& begin(Topic& topic);
  void end(Topic& topic, const Stamp& stamp);

  std::unique_ptr<State> state_;
};

}  // namespace kitbag
