"""Input of a session that has move(), button() and press(): what GNOME and KDE have in common."""
import time

from session import pause

BUTTON_LEFT = 272  # evdev


class Pointing:
    ESCAPE = 0  # in the units of press()
    SUPER = 0

    def press(self, code, down):
        raise NotImplementedError

    def key(self, *codes):
        for code in codes:
            for down in (True, False):
                self.press(code, down)
                time.sleep(0.08)

    def super_key(self, down):
        self.press(self.SUPER, down)

    def click(self, x, y):
        self.move(x, y)
        pause(0.3)
        for down in (True, False):
            self.button(down)
            pause(0.2)

    def refuse(self):
        """Closes the portal's dialogue."""
        self.key(self.ESCAPE)
