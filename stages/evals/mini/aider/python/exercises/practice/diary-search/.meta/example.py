def search(word, name):
    with open(name) as file:
        return [number for number, line in enumerate(file, 1) if word in line]
