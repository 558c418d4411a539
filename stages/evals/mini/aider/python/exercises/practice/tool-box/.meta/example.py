class EmptyBoxError(Exception):
    pass


class ToolBox:
    def __init__(self):
        self._tools = []

    def put(self, tool):
        self._tools.append(tool)

    def take(self):
        if not self._tools:
            raise EmptyBoxError("the box is empty")
        return self._tools.pop()

    def __len__(self):
        return len(self._tools)

    def __contains__(self, tool):
        return tool in self._tools
