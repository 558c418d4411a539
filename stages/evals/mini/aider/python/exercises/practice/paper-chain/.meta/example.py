class Chain:
    def __init__(self, texts=()):
        self.texts = list(texts)

    def __iter__(self):
        return iter(self.texts)

    def __eq__(self, other):
        return isinstance(other, Chain) and self.texts == other.texts

    def __add__(self, other):
        return Chain(self.texts + other.texts)

    @property
    def first(self):
        return self.texts[0] if self.texts else None
