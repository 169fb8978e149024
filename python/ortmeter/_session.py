"""MonitoredInferenceSession: onnxruntime's own class, with sections."""

from typing import Any, Dict, Optional

import onnxruntime

from ._native import native

_CONFIG: Dict[str, Any] = {"enable_profiling": True, "name": None, "phase": "other"}


class MonitoredInferenceSession(onnxruntime.InferenceSession):  # type: ignore[misc,unused-ignore]
    """Made and used as onnxruntime.InferenceSession; each inference is a section.

    monitoring_config may have `enable_profiling` (False: no sections), `name` of
    the sections (the model's path if not given) and their `phase`."""

    def __init__(self, path_or_bytes: Any, *args: Any,
                 monitoring_config: Optional[Dict[str, Any]] = None, **kwargs: Any) -> None:
        config = dict(_CONFIG, **(monitoring_config or {}))
        unknown = sorted(set(config) - set(_CONFIG))
        if unknown:
            raise ValueError("monitoring_config has no %s; it has %s"
                             % (", ".join(unknown), ", ".join(sorted(_CONFIG))))
        self.monitoring_config = config
        path = path_or_bytes if isinstance(path_or_bytes, str) else "model"
        self._section = (str(config["phase"]), str(config["name"] or path))
        self._sections = bool(config["enable_profiling"])
        with native.Section("pre", "load " + self._section[1]):
            super().__init__(path_or_bytes, *args, **kwargs)

    def _within(self, method: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._sections:
            return method(*args, **kwargs)
        with native.Section(*self._section):
            return method(*args, **kwargs)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        return self._within(super().run, *args, **kwargs)

    def run_with_iobinding(self, *args: Any, **kwargs: Any) -> Any:
        return self._within(super().run_with_iobinding, *args, **kwargs)

    def run_with_ort_values(self, *args: Any, **kwargs: Any) -> Any:
        return self._within(super().run_with_ort_values, *args, **kwargs)
