def tally(number):
    if number < 0:
        raise ValueError("nothing to count")
    fives, rest = divmod(number, 5)
    return " ".join(["####|"] * fives + ["|" * rest] * bool(rest))
