class Signal:
    def __init__(self):
        self._state = "stop"
        self._watchers = []

    def watch(self, watcher):
        self._watchers.append(watcher)

    @property
    def state(self):
        return self._state

    @state.setter
    def state(self, state):
        if state != self._state:
            self._state = state
            for watcher in self._watchers:
                watcher(state)
