"""YAML files: mappings whose keys stand once, with errors that name file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from stages.base.errors import ConfigError, DataError


class _UniqueKeys(yaml.CSafeLoader):
    """Refuses a key that stands twice in one mapping; YAML lets the last one win without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = list[Any]()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen and key != "<<":
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' stands here a second time", key_node.start_mark
                )
            seen.append(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> dict[str, Any]:
    """A YAML mapping; errors name file and line."""
    if not path.is_file():
        raise DataError(f"{path}: no such file.")
    try:
        value = _UniqueKeys(path.read_text(encoding="utf-8")).get_single_data()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 (byte {error.start}).") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise ConfigError(f"{path}:{line}: not YAML ({error.problem}).") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # A control character, a date that does not exist, a number beyond all bounds, a pit.
        raise ConfigError(f"{path}: not YAML ({error}).") from error
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: expected a mapping of sections.")
    return value
