def odd_price(cents):
    return cents // 10 * 10 + 9
