import unittest

from tool_box import (
    EmptyBoxError,
    ToolBox,
)


class ToolBoxTest(unittest.TestCase):
    def test_last_in_first_out(self):
        box = ToolBox()
        box.put("saw")
        box.put("axe")
        self.assertEqual(len(box), 2)
        self.assertEqual(box.take(), "axe")
        self.assertEqual(box.take(), "saw")

    def test_empty(self):
        with self.assertRaises(EmptyBoxError) as err:
            ToolBox().take()
        self.assertEqual(str(err.exception), "the box is empty")

    def test_contains(self):
        box = ToolBox()
        box.put("saw")
        self.assertIn("saw", box)
        self.assertNotIn("axe", box)
