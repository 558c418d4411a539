class DoorBell {}
