def keep(items, wanted):
    pass


def change(items, how):
    pass
