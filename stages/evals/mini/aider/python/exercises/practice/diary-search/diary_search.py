def search(word, name):
    pass
