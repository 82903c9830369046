from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from os import PathLike
from types import TracebackType
from typing import Any, Literal, Protocol, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from ._kitbag import DamageWarning as DamageWarning
from ._kitbag import Error as Error
from ._kitbag import Message as Message
from ._kitbag import Structure as Structure
from ._kitbag import TypeWarning as TypeWarning

__version__: str

_Path = str | PathLike[str]
_Paths = _Path | Iterable[_Path]
_Names = str | Iterable[str]
_Time = int | str | datetime | np.datetime64 | Structure
_Moment = int | datetime | np.datetime64 | Structure
_Order = Literal["time", "reverse_time", "file"]
_RowTime = Literal["log_time", "publish_time", "header_stamp"]
_OnError = Literal["stop", "skip", "raw"]
_Progress = bool | Callable[[int, int], object]
_State = bool | Callable[[dict[str, Any]], object]

class TopicInfo:
    topic: str
    type: str
    messages: int
    connections: int
    is_latched: bool
    rate_hz: float

class BagInfo:
    paths: list[str]
    format: str
    version: str
    size_bytes: int
    start: int
    end: int
    messages: int
    is_indexed: bool
    compression: str
    topics: list[TopicInfo]
    metadata: dict[str, dict[str, str]]
    attachments: list[str]
    channels: list[dict[str, Any]]
    @property
    def duration(self) -> int: ...
    def _repr_html_(self) -> str: ...

class _Stream:
    def __arrow_c_stream__(self, requested_schema: object | None = ...) -> object: ...

class _HasStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = ...) -> object: ...

class Transforms:
    def lookup(self, target: str, source: str,
               times: _Time | Sequence[_Time] | NDArray[Any], *, matrix: bool = ...,
               missing: Literal["raise", "nan"] = ...) -> NDArray[np.float64]: ...

class Bag:
    def __enter__(self) -> Bag: ...
    def __exit__(self, type: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None: ...
    def close(self) -> None: ...
    def read(self, topics: _Names = ..., *, exclude: _Names = ..., types: _Names = ...,
             start: _Time | None = ..., end: _Time | None = ..., where: str = ...,
             order: _Order = ..., latched_before: bool = ...) -> Iterator[Message]: ...
    def __iter__(self) -> Iterator[Message]: ...
    def __getitem__(self, topic: str) -> Topic: ...
    def __contains__(self, topic: str) -> bool: ...
    def __len__(self) -> int: ...
    @property
    def topics(self) -> list[str]: ...
    @property
    def name(self) -> str: ...
    @property
    def info(self) -> BagInfo: ...
    def to_numpy(self, topics: _Names, fields: _Names = ..., *, time: _RowTime = ...,
                 exclude: _Names = ..., types: _Names = ..., start: _Time | None = ...,
                 end: _Time | None = ..., where: str = ..., order: _Order = ...
                 ) -> dict[str, NDArray[Any]]: ...
    # A pandas.DataFrame; whoever has no pandas has no stubs of it.
    def to_pandas(self, topics: _Names, fields: _Names = ..., *, time: _RowTime = ...,
                  exclude: _Names = ..., types: _Names = ..., start: _Time | None = ...,
                  end: _Time | None = ..., where: str = ..., order: _Order = ...) -> Any: ...
    def align(self, topics: _Names | Mapping[str, _Names], *, rate: float | None = ...,
              anchor: str | None = ..., method: Literal["previous", "nearest", "linear"] = ...,
              tolerance: int | timedelta | np.timedelta64 | None = ..., time: _RowTime = ...,
              start: _Time | None = ..., end: _Time | None = ...) -> dict[str, NDArray[Any]]: ...
    @property
    def tf(self) -> Transforms: ...
    def arrow_stream(self, topics: _Names = ..., fields: _Names = ..., *, time: _RowTime = ...,
                     exclude: _Names = ..., types: _Names = ..., start: _Time | None = ...,
                     end: _Time | None = ..., where: str = ..., order: _Order = ...
                     ) -> _Stream: ...
    def _repr_html_(self) -> str: ...

class Topic:
    name: str
    @property
    def type(self) -> str: ...
    @property
    def encoding(self) -> str: ...
    @property
    def definition(self) -> str | bytes: ...
    @property
    def language(self) -> str: ...
    @property
    def metadata(self) -> dict[str, str]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Message]: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def read(self, *, start: _Time | None = ..., end: _Time | None = ..., where: str = ...,
             order: _Order = ..., latched_before: bool = ...) -> Iterator[Message]: ...
    def to_numpy(self, fields: _Names = ..., *, time: _RowTime = ..., start: _Time | None = ...,
                 end: _Time | None = ..., where: str = ..., order: _Order = ...
                 ) -> dict[str, NDArray[Any]]: ...
    def to_pandas(self, fields: _Names = ..., *, time: _RowTime = ..., start: _Time | None = ...,
                  end: _Time | None = ..., where: str = ..., order: _Order = ...) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object | None = ...) -> object: ...

_Type = str | type[Any] | Topic

class Writer:
    def __enter__(self) -> Writer: ...
    def __exit__(self, type: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None: ...
    def close(self) -> None: ...
    def flush(self) -> None: ...
    def abandon(self) -> None: ...
    def topic(self, topic: str, type: _Type, definition: str | bytes | None = ..., *,
              encoding: str | None = ..., language: str = ...,
              metadata: dict[str, str] | None = ..., definitions: Sequence[_Path] = ...
              ) -> None: ...
    def write(self, topic: str, data: object, time: _Time | None = ..., *,
              type: _Type | None = ..., definition: str | bytes | None = ...,
              encoding: str | None = ..., publish_time: _Time | None = ...,
              sequence: int | None = ...) -> None: ...
    @property
    def size_bytes(self) -> int: ...

class Exported:
    topic: str
    path: str
    messages: int
    files: int
    size_bytes: int

class Curve:
    topic: str
    field: str
    values: int
    infinite: int

class Plot:
    @property
    def curves(self) -> list[Curve]: ...
    def svg(self) -> str: ...
    def png(self) -> bytes: ...
    def text(self, width: int = ..., height: int = ..., *, colors: bool = ...) -> str: ...
    def save(self, path: _Path, *, replace: bool = ...) -> None: ...
    def _repr_svg_(self) -> str: ...

class CatalogTopic:
    topic: str
    type: str
    encoding: str
    messages: int
    density: list[int]

class CatalogEvent:
    number: int
    start: int
    end: int
    name: str

class CatalogBag:
    number: int
    paths: list[str]
    fingerprint: str
    format: str
    size_bytes: int
    start: int
    end: int
    messages: int
    damage: str
    added: int
    topics: list[CatalogTopic]
    tags: dict[str, str]
    note: str
    events: list[CatalogEvent]
    @property
    def duration(self) -> int: ...
    def open(self, *, format: str = ..., gpg_key: str = ..., threads: int = ..., strict: bool = ...,
             definitions: Sequence[_Path] = ...) -> Bag: ...

class CatalogProblem:
    path: str
    what: str
    is_missing: bool

class CatalogJob:
    job: str
    verb: str
    target: str
    bags: int
    done: int
    damaged: int
    failed: int
    began: int
    changed: int
    is_at_work: bool

class CatalogJobBag:
    source: str
    target: str
    state: Literal["failed", "damaged"]
    reason: str

class Scanned:
    path: str
    change: Literal["added", "unchanged", "updated", "moved", "copied", "replaced", "failed"]
    error: str

class FoundMoment:
    bag: int
    path: str
    topic: str
    start: int
    end: int
    messages: int
    value: dict[str, Any]

class FoundMoments(list[FoundMoment]):
    bags: int
    ruled_out: int
    opened: int
    changed: int
    unknown_topics: int
    failed: list[str]

class Catalog:
    def __init__(self, address: _Path, *, create: bool = ...) -> None: ...
    def __enter__(self) -> Catalog: ...
    def __exit__(self, type: type[BaseException] | None, value: BaseException | None,
                 traceback: TracebackType | None) -> None: ...
    def close(self) -> None: ...
    def add(self, path: _Path, *, tags: Mapping[str, str] | None = ..., index_only: bool = ...
            ) -> Literal["added", "unchanged", "updated", "moved", "copied", "replaced"]: ...
    def scan(self, folder: _Path, *, tags: Mapping[str, str] | None = ..., index_only: bool = ...,
             progress: Callable[[Scanned], object] | None = ...) -> list[Scanned]: ...
    def remove(self, path: _Path) -> bool: ...
    def find(self, topics: _Names = ..., *, types: _Names = ...,
             tags: Mapping[str, str] | None = ..., text: str = ..., start: _Moment | None = ...,
             end: _Moment | None = ..., longer_than: int | timedelta | np.timedelta64 | None = ...,
             newest_first: bool = ..., skip: int = ..., limit: int | None = ...
             ) -> list[CatalogBag]: ...
    def count(self, topics: _Names = ..., *, types: _Names = ...,
              tags: Mapping[str, str] | None = ..., text: str = ..., start: _Moment | None = ...,
              end: _Moment | None = ..., longer_than: int | timedelta | np.timedelta64 | None = ...
              ) -> int: ...
    def find_moments(self, where: str, topics: _Names = ..., *, types: _Names = ...,
                     tags: Mapping[str, str] | None = ..., text: str = ...,
                     start: _Moment | None = ..., end: _Moment | None = ...,
                     longer_than: int | timedelta | np.timedelta64 | None = ...
                     ) -> FoundMoments: ...
    @property
    def topics(self) -> list[tuple[str, str]]: ...
    def bag(self, path: _Path) -> CatalogBag | None: ...
    def set_tag(self, path: _Path, name: str, value: str) -> None: ...
    def set_note(self, path: _Path, note: str) -> None: ...
    def add_event(self, path: _Path, start: _Moment, name: str, *, end: _Moment | None = ...
                  ) -> None: ...
    def add_events(self, moments: Iterable[FoundMoment], name: str) -> int: ...
    def remove_event(self, number: int) -> bool: ...
    def check(self) -> list[CatalogProblem]: ...
    def jobs(self) -> list[CatalogJob]: ...
    def bad_bags(self, job: _Path) -> list[CatalogJobBag]: ...

def open(paths: _Paths, *, format: str = ..., gpg_key: str = ..., threads: int = ...,
         strict: bool = ..., definitions: Sequence[_Path] = ...) -> Bag: ...
def create(path: _Path, *, format: str | None = ..., format_version: str | None = ...,
           compression: str | None = ..., preset: str | None = ..., ros_distro: str | None = ...,
           chunk_bytes: int | None = ..., threads: int | None = ...,
           replace: bool | None = ..., visible: bool | None = ...) -> Writer: ...
def append(path: _Path, *, format: str | None = ..., compression: str | None = ...,
           chunk_bytes: int | None = ..., threads: int | None = ...) -> Writer: ...
def convert(source: Bag | _Paths, target: _Path, topics: _Names = ..., *, exclude: _Names = ...,
            types: _Names = ..., start: _Time | None = ..., end: _Time | None = ...,
            where: str = ..., encoding: str = ..., on_error: _OnError = ...,
            progress: _Progress | None = ..., format: str | None = ...,
            format_version: str | None = ..., compression: str | None = ...,
            preset: str | None = ..., ros_distro: str | None = ..., chunk_bytes: int | None = ...,
            threads: int | None = ..., replace: bool | None = ...) -> dict[str, int]: ...
def record(source: _Names, target: _Path, topics: _Names = ..., *, exclude: _Names = ...,
           duration: str | float | None = ..., limit: int | None = ..., join: bool = ...,
           progress: _State | None = ..., format: str | None = ...,
           compression: str | None = ..., preset: str | None = ..., chunk_bytes: int | None = ...,
           threads: int | None = ..., replace: bool | None = ...) -> dict[str, Any]: ...
def play(source: Bag | _Paths, target: str, topics: _Names = ..., *, exclude: _Names = ...,
         types: _Names = ..., start: _Time | None = ..., end: _Time | None = ..., where: str = ...,
         rate: float = ..., loop: bool = ..., progress: _State | None = ...) -> dict[str, Any]: ...
def export(source: Bag | _Paths, folder: _Path, topics: _Names = ..., fields: _Names = ..., *,
           format: str = ..., exclude: _Names = ..., types: _Names = ...,
           start: _Time | None = ..., end: _Time | None = ..., where: str = ...,
           time: _RowTime = ..., partition: Literal["day", "bag"] | None = ...,
           on_error: _OnError = ..., dataset: _Path | dict[str, Any] | None = ...,
           replace: bool = ..., progress: _Progress | None = ..., zstd_level: int | None = ...,
           row_group_bytes: int | None = ..., page_bytes: int | None = ...,
           metadata: dict[str, str] | None = ...,
           time_format: Literal["ns", "seconds", "iso"] | None = ...,
           escape_formulas: bool | None = ..., crf: int | None = ..., preset: str | None = ...,
           frame: tuple[str, str] | None = ...,
           held_bytes: int | None = ...) -> list[Exported]: ...
def import_tables(tables: _Path | _HasStream | Iterable[_Path | _HasStream], target: _Path, *,
                  topic: str = ..., type: str = ..., encoding: str = ..., time_column: str = ...,
                  time_unit: Literal["", "s", "ms", "us", "ns"] = ..., ignore_columns: bool = ...,
                  delimiter: str = ..., definitions: Sequence[_Path] = ...,
                  progress: _Progress | None = ..., format: str | None = ...,
                  format_version: str | None = ..., compression: str | None = ...,
                  preset: str | None = ..., ros_distro: str | None = ...,
                  chunk_bytes: int | None = ..., threads: int | None = ...,
                  replace: bool | None = ...) -> dict[str, int]: ...
def plot(source: Bag | _Paths, curves: _Names = ..., *, fields: _Names = ..., topics: _Names = ...,
         exclude: _Names = ..., types: _Names = ..., start: _Time | None = ...,
         end: _Time | None = ..., where: str = ..., against: str = ..., time: _RowTime = ...,
         gap: int | timedelta | np.timedelta64 | None = ..., parts: int | None = ...,
         on_error: _OnError = ..., title: str = ..., width: int | None = ...,
         height: int | None = ..., times: Literal["start", "utc"] = ..., dark: bool = ...,
         stack: bool = ..., equal: bool = ..., y: tuple[float, float] | None = ...,
         progress: _Progress | None = ...) -> Plot: ...
def image(message: Message | Structure) -> NDArray[Any]: ...
def picture(message: Message, *, width: int = ..., height: int = ...) -> NDArray[np.uint8]: ...
def points(message: Message | Structure) -> NDArray[Any]: ...
def as_dict(data: object) -> Any: ...
