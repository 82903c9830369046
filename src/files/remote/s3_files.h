#pragma once

#include <functional>
#include <memory>

#include "files/remote/account.h"
#include "files/remote/store.h"
#include "kitbag/file_system.h"

namespace kitbag::remote {

/// Returns the file system s3://BUCKET/KEY. `account` is called when an object
/// is asked for the first time.
FileSystemPtr s3_files(std::function<Account()> account, std::shared_ptr<Store> store);

}  // namespace kitbag::remote
