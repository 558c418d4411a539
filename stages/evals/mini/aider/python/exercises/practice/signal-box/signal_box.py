class Signal:
    def __init__(self):
        self.state = None
