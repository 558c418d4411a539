"""A greenhouse of beds with moisture and plants: the world of the mini set's conversations."""

from __future__ import annotations

from typing import Any

MOIST = 100
PER_LITRE = 10


class Greenhouse:
    """Beds by name, and vents."""

    def __init__(self) -> None:
        self.beds: dict[str, dict[str, Any]] = {}
        self.vents_open = False

    def _load_scenario(self, scenario: dict[str, Any], long_context: bool = False) -> None:
        """Start from what a row says; in a long context, with many beds more."""
        self.beds = scenario.get("beds", {})
        self.vents_open = scenario.get("vents_open", False)
        if long_context:
            self.beds |= {f"spare {n}": {"moisture": 0, "plant": ""} for n in range(100)}

    def list_beds(self) -> dict[str, Any]:
        """Moisture by bed."""
        return {"moisture": {name: bed["moisture"] for name, bed in self.beds.items()}}

    def water(self, bed: str, litres: int) -> dict[str, Any]:
        """Water a bed."""
        if bed not in self.beds:
            return {"error": f"there is no bed {bed}"}
        found = self.beds[bed]
        found["moisture"] = min(MOIST, found["moisture"] + PER_LITRE * litres)
        return {"moisture": found["moisture"]}

    def set_vents(self, wide_open: bool) -> dict[str, Any]:
        """Open or close the vents."""
        self.vents_open = wide_open
        return {"vents": "open" if wide_open else "closed"}

    def sow(self, bed: str, plant: str, seeds: int = 10) -> dict[str, Any]:
        """Sow an empty bed."""
        if self.beds[bed]["plant"]:
            return {"error": f"{self.beds[bed]['plant']} grows there"}
        self.beds[bed]["plant"] = plant
        return {"sown": seeds}
