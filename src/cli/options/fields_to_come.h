#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"

namespace kitbag::cli {

/// Why messages of a channel do not have all fields; absent if they have, or might.
std::optional<Error> missing_field(const Channel& channel, const std::vector<std::string>& fields,
                                   const Session& session);

/// Passes on messages of which fields are printed, while topics may still come. That no topic has
/// the fields is a mistake; it shows when all topics that were asked for by name have come, else at
/// the end. Until then the first message without the fields makes a warning.
class FieldsToCome final : public Source {
 public:
  /// `session` must outlive it.
  FieldsToCome(std::unique_ptr<Source> source, std::vector<std::string> fields,
               const Selection& select, const Session& session);

  ChannelsPtr channels() const override { return source_->channels(); }
  /// Throws Error (not_found) as require() does.
  bool read(Batch& batch, const Wait& wait) override;

  /// Throws Error (not_found) if topics came and none of them has the fields; for one who does not
  /// read to the end.
  void require() const;

 private:
  void look_at_new_channels();
  bool have_all_come() const;

  std::unique_ptr<Source> source_;
  std::vector<std::string> fields_;
  std::vector<std::string> names_;  ///< of topics; empty: others may be asked for, too
  const Session& session_;
  std::size_t seen_ = 0;  ///< channels
  bool has_fields_ = false;
  bool has_warned_ = false;
  std::optional<Error> reason_;  ///< why the first topic does not have them
};

}  // namespace kitbag::cli
