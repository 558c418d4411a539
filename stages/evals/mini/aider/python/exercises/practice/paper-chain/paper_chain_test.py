import unittest

from paper_chain import Chain


class PaperChainTest(unittest.TestCase):
    def test_walk(self):
        self.assertEqual(list(Chain(["a", "b"])), ["a", "b"])

    def test_equal(self):
        self.assertEqual(Chain("ab"), Chain(["a", "b"]))
        self.assertNotEqual(Chain("ab"), Chain("ba"))

    def test_join(self):
        self.assertEqual(list(Chain("a") + Chain("b")), ["a", "b"])

    def test_first(self):
        self.assertIsNone(Chain().first)
        self.assertEqual(Chain("xy").first, "x")
