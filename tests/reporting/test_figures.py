import re

from stages.reporting.figures import (
    Estimate,
    Line,
    bar_chart,
    forest_chart,
    line_chart,
    stack_chart,
)

CURVE = Line("all", [0.1, None, 0.3, 0.4], "one")


def test_the_same_numbers_give_the_same_bytes() -> None:
    assert line_chart("reward", [CURVE]) == line_chart("reward", [CURVE])


def test_colours_and_fonts_come_from_the_page() -> None:
    svg = line_chart("reward", [CURVE, Line("maths", [0.2] * 4, "two", faint=True)], percent=True)
    assert "var(--one)" in svg
    assert "var(--sans)" in svg
    left = set(re.findall(r"#[0-9a-f]{6}\b", svg)) - {"#000000"}
    assert not left
    assert "DejaVu" not in svg


def test_nothing_of_the_document_around_the_drawing_is_left() -> None:
    svg = stack_chart("tokens", [CURVE], [CURVE])
    assert svg.startswith("<svg ")
    assert svg.endswith("</svg>")
    assert not re.search(r"<\?xml|<!DOCTYPE|<metadata|<style|\bwidth=\"[0-9.]+pt", svg)


def test_gaps_break_a_curve_instead_of_falling_to_zero() -> None:
    whole = line_chart("gap", [Line("x", [1.0, 1.0, 1.0, 1.0, 1.0], "one")])
    broken = line_chart("gap", [Line("x", [1.0, 1.0, None, 1.0, 1.0], "one")])
    pen = re.compile(r'd="(M [^"]*)"[^>]*stroke: var\(--one\)')
    assert max(path.count("M ") for path in pen.findall(whole)) == 1
    assert max(path.count("M ") for path in pen.findall(broken)) == 2


def test_a_curve_of_gaps_alone_is_drawn_empty() -> None:
    assert "<svg" in line_chart("nothing", [Line("x", [None, None], "one")], log=True)


def test_a_forest_shows_every_estimate_with_its_value() -> None:
    groups = {"chain": [Estimate("SFT", 0.354, 0.3, 0.41, "one")], "lists": []}
    svg = forest_chart("scores", groups)
    for shown in ("chain", "SFT", "35.4"):
        assert f">{shown}<" in svg


def test_a_single_value_between_gaps_is_drawn_as_a_dot() -> None:
    def dots(values: list[float | None]) -> int:
        svg = line_chart("lonely", [Line("x", values, "five")])
        return len(re.findall(r"<use [^>]*fill: var\(--five\)", svg))

    run = [1.0] * 10
    assert dots([*run, 1.0, 1.0, None, 1.0]) == 1
    assert dots([1.0, None, 1.0, None, *run]) == 2
    assert dots([*run, 1.0, 1.0, 1.0, 1.0]) == 0


def test_bars_carry_their_labels_and_stand_missing_values() -> None:
    svg = bar_chart("position", {"1": 0.5, "10": None}, "one", "tenth of the response")
    for shown in ("1", "10", "tenth of the response"):
        assert f">{shown}<" in svg
