#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/plot.h"
#include "kitbag/session.h"

namespace kitbag {

/// A field of a topic.
struct CurveName {
  std::string topic;
  std::string field;

  bool operator==(const CurveName&) const = default;
};

/// What the names in a request stand for in the topics that there are.
struct CurveNames {
  std::vector<CurveName> curves = {};
  CurveName against = {};             ///< empty: none
  std::optional<Error> missing = {};  ///< the first that there is not
};

/// Finds them. Throws Error as plot() does, but not for what there is not.
CurveNames find_curves(const Channels& channels, const PlotRequest& request,
                       const Session& session);

}  // namespace kitbag
