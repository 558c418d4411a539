def odd_price(cents):
    pass
