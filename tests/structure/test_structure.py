"""The code stays in order: sizes, unique names, a test for each file, no private names in tests, plain words.

`exceptions.py` lists what does not comply. The lists can only become shorter: an entry that complies by now
fails the test too.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from tests.structure import exceptions
from tests.structure.sources import ENTRY_POINTS, ROOT, Source, sources

MOST_LINES = 300
MOST_README_LINES = 250
MOST_FILES = 15
SMALL_LINES = 40
MOST_FUNCTION_LINES = 40
MOST_ARGUMENTS = 6

WORDS = re.compile(
    r"(?:\b|(?<=_))(?:anew|gears?|whoever|lest|in vain|(?:go|goes|gone) on with|tells?(?!\()|told|mend|"
    r"slate|bells?|rings?|hurry|patience|orderly|lost node|"
    r"(?<!there )is no (?:name|step|text|list|page|verb|setting|file|folder|number))(?:\b|(?=_))",
    re.IGNORECASE,
)

UNDERSCORED = re.compile(r"\b_\w+")

SCOOPI = sources("scoopi")
FILES = [source for source in SCOOPI if source.path.name not in ENTRY_POINTS]
TESTS = sources("tests")
TEST_FILES = [source for source in TESTS if source.path.name not in (*ENTRY_POINTS, "conftest.py")]


def assert_only(found: Collection[str], allowed: Collection[str], claim: str) -> None:
    """Check that exactly the allowed exceptions were found."""
    new, stale = sorted({*found} - {*allowed}), sorted({*allowed} - {*found})
    assert not new, f"{claim}; violated by:\n  " + "\n  ".join(new)
    assert not stale, f"{claim}; remove from exceptions.py, since these comply now:\n  " + "\n  ".join(stale)


def test_every_file_name_is_unique() -> None:
    times = Counter(source.path.name for source in FILES)
    double = {name for name, count in times.items() if count > 1}
    assert_only(double, exceptions.DOUBLE_NAMES, "file names are unique")


def test_every_class_name_is_unique() -> None:
    times = Counter(
        node.name for source in SCOOPI for node in source.tree.body if isinstance(node, ast.ClassDef)
    )
    double = {name for name, count in times.items() if count > 1 and not _is_private(name)}
    assert_only(double, exceptions.DOUBLE_CLASSES, "a class name means one thing")


def test_a_name_of_a_type_means_one_thing() -> None:
    classes = {node.name for source in SCOOPI for node in source.tree.body if isinstance(node, ast.ClassDef)}
    aliases: dict[str, set[str]] = {}
    for source in SCOOPI:
        for name, value in _type_names(source):
            aliases.setdefault(name, set()).add(value)
    double = {name for name, values in aliases.items() if name in classes or len(values) > 1}
    assert double == set(), "aliases and type variables are not called like another one, or like a class"


def test_no_file_is_long() -> None:
    long = {source.name for source in SCOOPI if source.lines > MOST_LINES}
    assert_only(long, exceptions.LONG_FILES, f"a file has at most {MOST_LINES} lines")


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_README_LINES, "move what is not the main path to a page of docs/"


def test_no_folder_has_many_files() -> None:
    counts = Counter(str(source.path.parent) for source in (*FILES, *TEST_FILES))
    full = {folder for folder, count in counts.items() if count > MOST_FILES}
    assert_only(full, exceptions.FULL_FOLDERS, f"a folder has at most {MOST_FILES} files")


def test_a_small_file_has_two_importers() -> None:
    importers = Counter(module for source in SCOOPI for module in {*source.imports()})
    lonely = {source.name for source in FILES if source.lines < SMALL_LINES and importers[source.module] <= 1}
    assert_only(lonely, exceptions.SMALL_FILES, f"a file under {SMALL_LINES} lines has two importers")


def test_every_file_has_its_test() -> None:
    tests = {(_room(source), source.path.stem.removeprefix("test_")) for source in TESTS}
    untested = {
        source.name
        for source in FILES
        if (_room(source), source.path.stem) not in tests and _has_logic(source)
    }
    allowed = {folder: names for folder, (_, names) in exceptions.TESTED_ELSEWHERE.items()}
    assert_only(untested, _joined(allowed), "a file x.py with logic has its test_x.py in its own room")


def test_what_is_tested_elsewhere_is_tested() -> None:
    named = {source.path.name for source in TESTS}
    files = _joined({folder: names for folder, (_, names) in exceptions.TESTED_ELSEWHERE.items()})
    assert {file for file in files if f"test_{Path(file).name}" not in named} == set()


def test_no_function_is_long() -> None:
    long = {
        f"{source.name}:{name}"
        for source in SCOOPI
        for name, function in source.functions()
        if _own_lines(function) > MOST_FUNCTION_LINES
    }
    assert_only(long, exceptions.LONG_FUNCTIONS, f"a function has at most {MOST_FUNCTION_LINES} lines")


def test_no_constructor_takes_many_arguments() -> None:
    wide = {
        f"{source.name}:{name.removesuffix('.__init__')}"
        for source in SCOOPI
        for name, function in source.functions()
        if function.name == "__init__" and _arguments(function) > MOST_ARGUMENTS
    }
    assert_only(wide, exceptions.WIDE_CONSTRUCTORS, f"a constructor takes at most {MOST_ARGUMENTS} arguments")


def test_no_provider_only_calls_a_constructor() -> None:
    idle = {
        f"{source.name}:{name}"
        for source in SCOOPI
        for name, function in source.functions()
        if "provider" in map(ast.unparse, function.decorator_list) and _only_passes_arguments(function)
    }
    assert_only(idle, exceptions.IDLE_PROVIDERS, "a class that takes what is bound is bound, and has @inject")


def test_no_test_uses_a_private_name() -> None:
    private = {name for source in SCOOPI for name in _defined_names(source) if _is_private(name)}
    private.discard("_replace")  # of each NamedTuple
    touched = {
        f"{source.name}:{name}"
        for source in TESTS
        if private & {*UNDERSCORED.findall(source.text)}  # most tests need not be parsed
        for name in {*_used_names(source)} & private - {*_defined_names(source)}
    }
    assert_only(touched, exceptions.PRIVATE_NAMES, "a test uses public names")


def test_no_constant_is_assigned_twice() -> None:
    double = {
        f"{source.name}:{name}"
        for source in (*SCOOPI, *TESTS)
        for name, count in Counter(_assigned_names(source)).items()
        if count > 1
    }
    assert double == set(), "two constants of a file have two names: the second value would hold for both"


def test_no_text_uses_a_word_of_the_list() -> None:
    texts = [*(ROOT / "scoopi").rglob("*.py"), *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    texts += [*(ROOT / "defs").rglob("*.md"), *(ROOT / "k8s").rglob("*.md"), *(ROOT / "conf").iterdir()]
    texts += [ROOT / source.name for source in TESTS if not source.name.startswith("tests/structure/")]
    found = {f"{text.relative_to(ROOT)}" for text in texts if WORDS.search(_prose(text))}
    assert_only(found, _joined(exceptions.WORDS), "see the words in test_structure.py")


def _type_names(source: Source) -> Iterator[tuple[str, str]]:
    """Each public alias and type variable, with what it stands for."""
    for node in source.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, ast.unparse(node.value)
            if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name):
                yield name, "a type variable" if value.startswith("TypeVar(") else value


def _room(source: Source) -> str:
    """The first folder below `scoopi` or `tests`; empty for a file that is in no room."""
    return source.name.split("/")[1] if source.name.count("/") > 1 else ""


def _prose(text: Path) -> str:
    """What is in a file; of a page without its code, which may quote names that are gone."""
    content = text.read_text(encoding="utf-8")
    return re.sub(r"`[^`]*`", "", content) if text.suffix == ".md" else content


def _joined(names: Mapping[str, str]) -> set[str]:
    """The paths of the files that are listed by folder."""
    return {
        f"{folder}/{name}".removeprefix("./") for folder, files in names.items() for name in files.split()
    }


def _own_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, without the docstring."""
    assert function.end_lineno is not None
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        assert first.end_lineno is not None
        lines -= first.end_lineno - first.lineno + 1
    return lines


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Arguments beside `self`."""
    return len(function.args.posonlyargs + function.args.args + function.args.kwonlyargs) - 1


def _only_passes_arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether all that it does is to call a class with its own arguments, as they are."""
    last = function.body[-1]
    if len(function.body) > 2 or not isinstance(last, ast.Return) or not isinstance(last.value, ast.Call):
        return False
    given = [*last.value.args, *(keyword.value for keyword in last.value.keywords)]
    own = {argument.arg for argument in function.args.args}
    is_bare = bool(given) and all(isinstance(each, ast.Name) and each.id in own for each in given)
    return is_bare and isinstance(last.value.func, ast.Name)


def _defined_names(source: Source) -> Iterator[str]:
    """Names that the file defines: functions, classes, variables and attributes of its own objects."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _assigned_names(source: Source) -> Iterator[str]:
    """The names that the statements of a module assign, once for each assignment; not those of branches."""
    for node in source.tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        for each in (part for target in targets for part in ast.walk(target)):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                yield each.id


def _used_names(source: Source) -> Iterator[str]:
    """Names of others: imported, reached as attributes, or patched by name."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.Attribute) and not _is_self(node.value):
            yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.args[1] if len(node.args) > 1 else None
            if node.func.attr in ("setattr", "delattr") and isinstance(name, ast.Constant):
                yield str(name.value)


def _has_logic(source: Source) -> bool:
    """Whether a function of the file does something; values, ports and tables of keys do nothing."""
    return any(_own_statements(function) for _, function in source.functions())


def _own_statements(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """The statements of a function, without its docstring and `...`."""
    return [
        each
        for each in function.body
        if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")
