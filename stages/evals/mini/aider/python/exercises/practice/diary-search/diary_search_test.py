import io
import unittest
from unittest import mock

from diary_search import search

FILES = {"may.txt": "rain\nsun and rain\nsun\n"}


def open_mock(name, *args, **kwargs):
    return io.StringIO(FILES[name])


@mock.patch("diary_search.open", name="open", side_effect=open_mock, create=True)
class DiarySearchTest(unittest.TestCase):
    def test_two_lines(self, opened):
        self.assertEqual(search("rain", "may.txt"), [1, 2])
        opened.assert_called_once()

    def test_no_line(self, opened):
        self.assertEqual(search("snow", "may.txt"), [])
