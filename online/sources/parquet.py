"""Parquet as a table: one file, or all files of a folder or a pattern, one behind the other."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from online.events import OnlineError
from online.sources.tables import ROWS, Chunk

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

PATTERN = "*?["
"""What a path with a wild card holds."""


def parquet_files(path: Path) -> list[Path]:
    """The Parquet files that a path names, in the order of their names.

    Hidden files, and those in hidden folders, are left out, as Spark leaves out what begins with
    "_" or ".".

    Args:
        path: A file, a folder, or a pattern such as logs/*.parquet.

    Raises:
        OnlineError: There are none.
    """
    if path.is_dir():
        files = [
            file
            for file in sorted(path.rglob("*.parquet"))
            if not any(part[0] in "._" for part in file.relative_to(path).parts)
        ]
    elif any(letter in path.name for letter in PATTERN) and not path.exists():
        files = sorted(file for file in path.parent.glob(path.name) if file.is_file())
    else:
        files = [path]
    if not files:
        raise OnlineError(
            "there is no Parquet file here",
            where=str(path),
            hint="name a log file, or a folder that holds *.parquet",
        )
    return files


class ParquetTable:
    """Parquet files as one `Table`; rows are numbered through all of them.

    Folders named column=value add that column, as Spark and DuckDB write them. A column that one
    file lacks is null there.

    Raises:
        OnlineError: A file is broken or no Parquet.
    """

    columns_are_known = True
    cells_are_text = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files = parquet_files(path)
        self.size = sum(file.stat().st_size for file in self._files)
        self.bytes_read = 0
        self.failure: OnlineError | None = None
        self._folders = [_folder_columns(file, path) for file in self._files]
        self.columns = self._all_columns()

    def close(self) -> None:
        """Nothing stays open."""

    def chunks(self) -> Iterator[Chunk]:
        """All rows, a file after the other."""
        import numpy as np
        import pyarrow as pa

        first = 1
        self.bytes_read = 0
        for file, folders in zip(self._files, self._folders, strict=True):
            with self._opened(file) as table:
                begun, size = self.bytes_read, file.stat().st_size
                done = 0
                try:
                    for batch in table.iter_batches(batch_size=ROWS, use_threads=False):
                        n = batch.num_rows
                        yield Chunk(np.arange(first, first + n), _with(batch, folders))
                        first += n
                        done += n
                        self.bytes_read = begun + size * done // max(table.metadata.num_rows, 1)
                except (pa.ArrowException, OSError) as error:
                    self.failure = _broken(file, error)
                    raise self.failure from error
                self.bytes_read = begun + size

    def _all_columns(self) -> list[str]:
        names: dict[str, None] = {}
        for file, folders in zip(self._files, self._folders, strict=True):
            with self._opened(file) as table:
                names |= dict.fromkeys(table.schema_arrow.names)
            names |= dict.fromkeys(folders)
        return list(names)

    def _opened(self, file: Path) -> "ParquetFile":
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile

        try:
            return ParquetFile(file)
        except (pa.ArrowException, OSError) as error:
            raise _broken(file, error) from error


def _folder_columns(file: Path, root: Path) -> dict[str, str]:
    """The columns that the names of the folders between root and file give."""
    if not root.is_dir():
        return {}
    pairs = (part.partition("=") for part in file.relative_to(root).parts[:-1])
    return {name: value for name, equals, value in pairs if name and equals}


def _with(batch: "pa.RecordBatch", folders: dict[str, str]) -> "pa.RecordBatch":
    import pyarrow as pa

    for name, value in folders.items():
        if name not in batch.schema.names:
            batch = batch.append_column(name, pa.repeat(value, batch.num_rows))
    return batch


def _broken(file: Path, error: Exception) -> OnlineError:
    return OnlineError(
        f"the Parquet file cannot be read: {str(error).splitlines()[0]}",
        where=str(file),
        hint="nothing was imported; write or copy the file again",
    )
