import unittest
from functools import partial

from signal_box import Signal


class SignalBoxTest(unittest.TestCase):
    def note(self, seen, state):
        seen.append(state)

    def test_first_state(self):
        self.assertEqual(Signal().state, "stop")

    def test_watchers_hear_of_changes(self):
        seen, signal = [], Signal()
        signal.watch(partial(self.note, seen))
        signal.state = "go"
        signal.state = "go"
        signal.state = "stop"
        self.assertEqual(seen, ["go", "stop"])
