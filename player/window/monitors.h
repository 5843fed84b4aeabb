// monitors.h — the screens that SDL knows. People count them from 1, SDL from 0. The video system must be open.
#pragma once

namespace texcast::player {

// SDL's index of `monitor`. Throws Error{usage} with the list of those that there are.
int monitor_index(int monitor);

// The one after `current`, round and round; 0 where there is no other.
int next_monitor_index(int current, int count);

}  // namespace texcast::player
