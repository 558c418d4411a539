class DoorBellTest {}
