"""Pictures of OBS's window and of the plugin's dialogues, to be looked at."""
import contextlib
import subprocess
import time

import parts
import studio


def shot_of(obs, name, words, size=(900, 798)):
    """A screenshot of the window whose title has these words, enlarged to show all that it has; closes it then."""
    window = studio.until(words, lambda: windows(obs, words))[-1]
    obs.tool("xdotool", "windowmove", window, 0, 0, "windowsize", window, *size, "windowraise", window)
    time.sleep(1.5)
    obs.screenshot(name)
    obs.tool("xdotool", "windowfocus", window, "key", "Escape", "sleep", 1)


def windows(obs, words):
    with contextlib.suppress(subprocess.CalledProcessError):
        return obs.tool("xdotool", "search", "--onlyvisible", "--name", words).split()
    return []


def check_dialogues(build, folder, _options):
    """FOLDER gets window.png, source.png, filter.png, program.png and tools.png."""
    port, to_filter, to_output = (studio.free_port() for _ in range(3))
    send = parts.send_filter(parts.to_port(to_filter))
    program = {"automatic": True, **parts.to_port(to_output)}
    with studio.Studio(build, folder, sources=[parts.source(port, [send])], program=program) as obs, \
            parts.test_picture(obs, port):
        obs.wait_for_line("a stream:")
        time.sleep(4)
        obs.screenshot("window")
        obs.remote("OpenInputPropertiesDialog", inputName="Stream")
        shot_of(obs, "source", "Properties for")
        obs.remote("OpenInputFiltersDialog", inputName="Stream")
        shot_of(obs, "filter", "Filters for")
        program_dialogue(obs)
        milliseconds, status = obs.close()
        print(f"OBS ended with {status} after {milliseconds} ms; {obs.leaks()} leaks")


def program_dialogue(obs):
    """By the menu Tools, whose last item it is."""
    obs.tool("xdotool", "mousemove", 378, 13, "sleep", 0.2, "click", 1, "sleep", 1)
    obs.screenshot("tools")
    obs.tool("xdotool", "key", "Up", "sleep", 0.2, "key", "Return", "sleep", 2)
    shot_of(obs, "program", "Properties for")
