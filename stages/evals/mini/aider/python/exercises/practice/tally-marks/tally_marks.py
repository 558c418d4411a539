def tally(number):
    pass
