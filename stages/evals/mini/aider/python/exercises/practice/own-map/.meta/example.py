def keep(items, wanted):
    return [item for item in items if wanted(item)]


def change(items, how):
    for item in items:
        yield how(item)
