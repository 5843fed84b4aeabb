// parts.h — what the plugin adds to OBS.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace texcast::obs {

void register_source();   // "texcast_source": shows a stream
void register_filter();   // "texcast_filter": sends the picture of a source
void register_output();   // "texcast_output": sends the program
void register_program();  // "texcast_program": the settings of the output, as properties that OBS shows
void prepare_program();   // the item of the menu Tools; starts the output if it is to start with OBS
void release_program();

}  // namespace texcast::obs
