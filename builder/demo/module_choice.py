"""Which modules of the standard library the demo searches, and the names programmers use.

A definition is known by the module one imports it from, not by the file it lies in: nobody
writes `asyncio.tasks.gather`. The lists are written by hand so that a reader can judge them and
so that the corpus hardly differs between Python 3.11 and 3.14.
"""

import sys

PARTS_OF: dict[str, tuple[str, ...]] = {
    "asyncio": (
        "asyncio.base_events",
        "asyncio.coroutines",
        "asyncio.events",
        "asyncio.exceptions",
        "asyncio.futures",
        "asyncio.locks",
        "asyncio.protocols",
        "asyncio.queues",
        "asyncio.runners",
        "asyncio.streams",
        "asyncio.taskgroups",
        "asyncio.tasks",
        "asyncio.threads",
        "asyncio.timeouts",
        "asyncio.transports",
    ),
    "collections.abc": ("_collections_abc",),
    "concurrent.futures": (
        "concurrent.futures._base",
        "concurrent.futures.process",
        "concurrent.futures.thread",
    ),
    "importlib.metadata": ("importlib.metadata._meta",),
    "importlib.resources": (
        "importlib.resources._common",
        "importlib.resources._functional",
        "importlib.resources._legacy",
    ),
    "json": ("json.decoder", "json.encoder"),
    "multiprocessing": ("multiprocessing.context", "multiprocessing.process"),
    "os.path": ("posixpath", "genericpath"),
    "pathlib": ("pathlib._local", "pathlib._abc"),
    "tomllib": ("tomllib._parser",),
    "unittest": (
        "unittest.async_case",
        "unittest.case",
        "unittest.loader",
        "unittest.main",
        "unittest.result",
        "unittest.runner",
        "unittest.signals",
        "unittest.suite",
    ),
    "zipfile": ("zipfile._path",),
}
"""Public module -> files that hold what it offers; a file that this Python lacks is passed over."""

WRITTEN_AS: dict[str, str] = {"multiprocessing.BaseProcess": "multiprocessing.Process"}
"""Class in the sources -> the subclass under which people use it."""

METHODS_WRITTEN_UNDER: dict[str, str] = {
    "asyncio.AbstractEventLoop": "asyncio.loop",
    "asyncio.BaseEventLoop": "asyncio.loop",
    "configparser.RawConfigParser": "configparser.ConfigParser",
    "multiprocessing.BaseContext": "multiprocessing",
    "multiprocessing.DefaultContext": "multiprocessing",
    "pathlib.PurePath": "pathlib.Path",
    "random.Random": "random",
    "unittest.mock.NonCallableMock": "unittest.mock.Mock",
}
"""Class -> what people write before the dot of its methods.

`random.randint` is a method of a hidden instance of `random.Random`; an event loop is a `loop`,
as in the official documentation, whatever its class. Each is listed once.
"""

NATIVE_MODULES: tuple[str, ...] = (
    "builtins",
    "array",
    "atexit",
    "binascii",
    "bisect",
    "bz2",
    "cmath",
    "codecs",
    "collections",
    "contextvars",
    "csv",
    "datetime",
    "decimal",
    "faulthandler",
    "functools",
    "gc",
    "hashlib",
    "heapq",
    "hmac",
    "io",
    "itertools",
    "json",
    "lzma",
    "marshal",
    "math",
    "mmap",
    "operator",
    "os",
    "pickle",
    "queue",
    "random",
    "re",
    "select",
    "signal",
    "socket",
    "sqlite3",
    "ssl",
    "statistics",
    "string",
    "struct",
    "sys",
    "threading",
    "time",
    "tracemalloc",
    "types",
    "typing",
    "unicodedata",
    "warnings",
    "weakref",
    "zlib",
    "zoneinfo",
)
"""Modules wholly or partly written in C. To import them changes nothing and opens nothing."""

ONLY_NATIVE = frozenset({"builtins", "datetime", "decimal", "io"})
"""Modules whose Python sources are a stand-in for the C version, with other words for the same."""

NATIVE_REPETITIONS: dict[str, str] = {
    "bytearray": "bytes",
    "decimal.Context": "decimal.Decimal",
    "frozenset": "set",
    "io.BufferedIOBase": "io.IOBase",
    "io.BufferedRWPair": "io.BufferedReader",
    "io.BufferedRandom": "io.BufferedReader",
    "io.RawIOBase": "io.IOBase",
    "io.TextIOBase": "io.TextIOWrapper",
}
"""Class in C -> a better known one with the same methods; only what it adds becomes documents."""

BETTER_KNOWN: tuple[str, ...] = ("io.TextIOWrapper", "io.BytesIO", "sqlite3.Cursor")
"""Classes under which a method is listed that other classes of the module repeat word by word."""

NOT_SEARCHED = frozenset(
    {
        # Jokes, interpreter internals, tables of constants.
        "__future__",
        "antigravity",
        "encodings",
        "ensurepip",
        "genericpath",
        "opcode",
        "posixpath",
        "pydoc_data",
        "sre_compile",
        "sre_constants",
        "sre_parse",
        "this",
        "token",
        # Applications, and tests.
        "idlelib",
        "lib2to3",
        "test",
        "turtledemo",
        # One platform only.
        "_aix_support",
        "_osx_support",
        "msilib",
        "msvcrt",
        "nt",
        "ntpath",
        "nturl2path",
        "winreg",
        "winsound",
        # Gone in Python 3.12 or 3.13 (PEP 594, PEP 632): nobody should find them.
        "aifc",
        "asynchat",
        "asyncore",
        "audioop",
        "cgi",
        "cgitb",
        "chunk",
        "crypt",
        "distutils",
        "imghdr",
        "imp",
        "mailcap",
        "nis",
        "nntplib",
        "ossaudiodev",
        "pipes",
        "smtpd",
        "sndhdr",
        "spwd",
        "sunau",
        "telnetlib",
        "uu",
        "xdrlib",
        # New in Python 3.14: earlier ones have no counterpart.
        "annotationlib",
        "compression",
        # Tools that one runs rather than calls, and what serves them.
        "bdb",
        "compileall",
        "curses",
        "doctest",
        "modulefinder",
        "pdb",
        "pickletools",
        "pty",
        "pyclbr",
        "pydoc",
        "rlcompleter",
        "site",
        "symtable",
        "tabnanny",
        "trace",
        "venv",
        "zipimport",
        # Superseded, or asked about so rarely that hundreds of near repetitions only blur.
        "code",
        "codeop",
        "imaplib",
        "mailbox",
        "numbers",
        "optparse",
        "poplib",
        "selectors",
        "stringprep",
        "tkinter",
        "tty",
        "turtle",
        "wsgiref",
        "xmlrpc",
    }
)
"""Top-level modules that are left out."""

INTERNAL_FILES = frozenset(
    {
        "asyncio.base_futures",
        "asyncio.base_subprocess",
        "asyncio.base_tasks",
        "asyncio.constants",
        "asyncio.events",
        "asyncio.format_helpers",
        "asyncio.graph",
        "asyncio.log",
        "asyncio.mixins",
        "asyncio.proactor_events",
        "asyncio.selector_events",
        "asyncio.sslproto",
        "asyncio.staggered",
        "asyncio.tools",
        "asyncio.trsock",
        "asyncio.unix_events",
        "asyncio.windows_events",
        "asyncio.windows_utils",
        "ctypes.macholib",
        "dbm.dumb",
        "dbm.gnu",
        "dbm.ndbm",
        "dbm.sqlite3",
        "email.base64mime",
        "email.charset",
        "email.errors",
        "email.feedparser",
        "email.headerregistry",
        "email.quoprimime",
        "http.cookiejar",
        "importlib.abc",
        "importlib.readers",
        "importlib.resources.abc",
        "importlib.resources.readers",
        "importlib.resources.simple",
        "importlib.simple",
        "json.scanner",
        "multiprocessing.dummy",
        "multiprocessing.forkserver",
        "multiprocessing.heap",
        "multiprocessing.managers",
        "multiprocessing.popen_fork",
        "multiprocessing.popen_forkserver",
        "multiprocessing.popen_spawn_posix",
        "multiprocessing.popen_spawn_win32",
        "multiprocessing.reduction",
        "multiprocessing.resource_sharer",
        "multiprocessing.resource_tracker",
        "multiprocessing.spawn",
        "multiprocessing.util",
        "pathlib.types",
        "unittest.util",
        "wsgiref.types",
        "xml.dom.NodeFilter",
        "xml.dom.expatbuilder",
        "xml.dom.domreg",
        "xml.dom.minicompat",
        "xml.dom.pulldom",
        "xml.dom.xmlbuilder",
        "xml.etree.cElementTree",
        "xml.sax.expatreader",
        "xml.sax.handler",
        "xml.sax.xmlreader",
    }
)
"""Files inside packages that are not for users, or for hardly any."""

LESS_USED: tuple[str, ...] = ("lzma", "tracemalloc", "logging.config", "ftplib", "socketserver")
"""First to go, in this order, should a later Python offer more than is wanted."""

PLATFORM_NAMES: dict[str, tuple[str, ...]] = {
    "os": (
        "EX_",
        "W",
        "copy_file_range",
        "eventfd",
        "fwalk",
        "getxattr",
        "listxattr",
        "login_tty",
        "major",
        "makedev",
        "memfd_create",
        "minor",
        "mknod",
        "pidfd_open",
        "posix_",
        "preadv",
        "pwritev",
        "removexattr",
        "sched_",
        "setns",
        "setxattr",
        "splice",
        "startfile",
        "tcgetpgrp",
        "tcsetpgrp",
        "unshare",
        "waitid",
    ),
    "signal": ("sigtimedwait", "sigwaitinfo"),
    "select": ("devpoll", "epoll", "kevent", "kqueue"),
    "sys": ("getandroidapilevel", "getwindowsversion", "setdlopenflags", "getdlopenflags"),
    "time": ("clock_getres", "clock_settime", "pthread_getcpuclockid"),
}
"""Module -> how names begin that exist on some operating systems only."""


def modules_to_search() -> list[str]:
    """Top-level modules whose sources are read, sorted."""
    public = {name for name in sys.stdlib_module_names if not name.startswith("_")}
    return sorted(public - NOT_SEARCHED)


def is_internal(module: str) -> bool:
    """Whether a module inside a package is not meant for users."""
    parts = module.split(".")
    prefixes = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    hidden = any(part.startswith("_") for part in parts) or bool({"test", "tests"} & set(parts))
    return hidden or bool(prefixes & INTERNAL_FILES)


def is_platform_dependent(module: str, name: str) -> bool:
    """Whether a name of a module exists on some operating systems only."""
    return name.startswith(PLATFORM_NAMES.get(module, ()))
