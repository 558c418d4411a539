class EmptyBoxError(Exception):
    pass


class ToolBox:
    def __init__(self):
        pass
