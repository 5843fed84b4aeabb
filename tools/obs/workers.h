// workers.h — threads that OBS never waits for.
//
// A socket, a name server or a kernel compiler may keep a thread for seconds. OBS creates and destroys sources on its
// window's thread, which must not wait for them. So such work runs on detached threads, which share their data with the
// object that started them.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <functional>

namespace texcast::obs {

// Runs `work` on a thread of its own. Exceptions that leave it are logged.
void start_worker(std::function<void()> work);

// Waits until all workers have ended, at most `limit`. If some have not, the process ends without the destructors of
// its libraries, which such a worker may still be using. To be called when OBS unloads the plugin.
void await_workers(std::chrono::milliseconds limit);

}  // namespace texcast::obs
