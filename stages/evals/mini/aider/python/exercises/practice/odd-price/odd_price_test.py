import unittest

from odd_price import odd_price


class OddPriceTest(unittest.TestCase):
    def test_prices(self):
        for cents, wanted in ((1, 9), (9, 9), (10, 19), (1234, 1239)):
            with self.subTest(cents=cents):
                self.assertEqual(odd_price(cents), wanted)
