// page.h — the page that shows a stream in a browser, with its player, as files for the server.
#pragma once

#include <span>

#include "transport/web_server.h"

namespace texcast::web {

// The page's files; empty if texcast was built without the page (CMake's TEXCAST_WEB). Thread-safe.
std::span<const File> page_files();

}  // namespace texcast::web
