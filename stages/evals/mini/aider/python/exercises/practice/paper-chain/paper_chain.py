class Chain:
    def __init__(self, texts=()):
        pass
