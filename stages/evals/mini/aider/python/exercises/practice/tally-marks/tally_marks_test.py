import unittest

from tally_marks import tally


class TallyMarksTest(unittest.TestCase):
    def test_none(self):
        self.assertEqual(tally(0), "")

    def test_three(self):
        self.assertEqual(tally(3), "|||")

    def test_twelve(self):
        self.assertEqual(tally(12), "####| ####| ||")

    def test_negative(self):
        with self.assertRaises(ValueError) as err:
            tally(-1)
        self.assertEqual(type(err.exception), ValueError)
        self.assertEqual(err.exception.args[0], "nothing to count")
