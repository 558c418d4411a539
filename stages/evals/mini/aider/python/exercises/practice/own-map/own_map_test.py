import unittest

from own_map import change, keep


class OwnMapTest(unittest.TestCase):
    def test_keep(self):
        self.assertEqual(keep([1, 2, 3, 4], lambda item: item % 2 == 0), [2, 4])

    def test_change(self):
        seen = []

        def how(item):
            seen.append(item)
            return item * 2

        self.assertEqual(list(change((1, 2), how)), [2, 4])
        self.assertEqual(seen, [1, 2])

    def test_error_of_the_function(self):
        with self.assertRaises(ZeroDivisionError):
            list(change([0], lambda item: 1 / item))
