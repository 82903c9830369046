#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kitbag/message.h"
#include "kitbag/session.h"
#include "transport/ros2/messages.h"
#include "transport/ros2/participant.h"
#include "transport/ros2/services/service_client.h"

namespace kitbag::ros2 {

/// Asks nodes for the definitions of types by their service `get_type_description`, which Iron and
/// later have. It speaks to them as rmw_cyclonedds does: others do not answer. One thread.
class Descriptions {
 public:
  /// Both must outlive it.
  Descriptions(Participant& participant, const Session& session)
      : participant_(participant), session_(session) {}

  /// Asks `node`, once it can be reached. Asked again for the same, does nothing.
  void ask(const std::string& node, const std::string& type, const std::string& hash);
  /// Sends what can be sent by now and takes answers.
  void work();
  /// The definition of that type, if an answer had it. Null: it has not come, or there is none.
  SchemaPtr find(const std::string& type, const std::string& hash) const;
  /// An answer has come, with or without a definition.
  bool is_answered(const std::string& type, const std::string& hash) const;

 private:
  using Wanted = std::pair<std::string, std::string>;  ///< type and hash

  struct Client {
    ServiceClient service;
    std::vector<Wanted> waiting = {};
    std::map<std::int64_t, Wanted> asked = {};
  };

  static void send(Client& client, const Wanted& wanted);
  void take_answers(Client& client);

  Participant& participant_;
  Session session_;
  std::map<std::string, Client> clients_;  ///< by node
  std::set<Wanted> known_;                 ///< was asked for
  std::map<Wanted, SchemaPtr> answers_;
};

}  // namespace kitbag::ros2
