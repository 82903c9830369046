#pragma once

#include <memory>

#include "kitbag/session.h"
#include "server/slices/slice_form.h"

namespace kitbag::server {

/// The messages as one table in a Parquet file, with the columns `time` and `topic`.
std::unique_ptr<SliceForm> parquet_form(const FormRequest& asked, const Session& session);

}  // namespace kitbag::server
