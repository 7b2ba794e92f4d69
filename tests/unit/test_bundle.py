"""Bundles: everything fetched in one file, and nothing but that comes out of it."""

import io
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from deepmt.config.corpora import Archive, Corpora
from deepmt.data.bundle import export_bundle, import_bundle

TEXTS = {"summed.gz": b"a sum is published", "unsummed.gz": b"no sum is published"}
CORPORA = Corpora(
    archives={
        "summed.gz": Archive(name="s", sha256=sha256(TEXTS["summed.gz"]).hexdigest()),
        "unsummed.gz": Archive(name="u"),
        "absent.gz": Archive(name="a", md5="0" * 32),
    },
    corpora={},
)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle of two archives, exported from the folder `here`."""
    (tmp_path / "here").mkdir()
    for key, text in TEXTS.items():
        (tmp_path / "here" / key).write_bytes(text)
    export_bundle(CORPORA, tmp_path / "here", tmp_path / "bundle.tar")
    return tmp_path / "bundle.tar"


def take(bundle: Path, corpora: Corpora = CORPORA) -> dict[str, str]:
    return dict(import_bundle(corpora, bundle, bundle.parent / "there"))


def rewritten(bundle: Path, name: str, text: bytes, kind: bytes = tarfile.REGTYPE) -> Path:
    """The bundle with a further entry at its end."""
    with tarfile.open(bundle, "a:") as tar:
        entry = tarfile.TarInfo(name)
        entry.type, entry.size, entry.linkname = kind, len(text), "/etc/passwd"
        tar.addfile(entry, io.BytesIO(text))
    return bundle


def test_what_goes_in_comes_out(bundle: Path) -> None:
    assert take(bundle) == dict.fromkeys(TEXTS, "imported")
    for key, text in TEXTS.items():
        assert (bundle.parent / "there" / key).read_bytes() == text


def test_a_second_import_leaves_what_is_there(bundle: Path) -> None:
    take(bundle)
    (bundle.parent / "there" / "summed.gz").unlink()
    assert take(bundle) == {"summed.gz": "imported", "unsummed.gz": "there already"}


def test_a_damaged_file_is_replaced(bundle: Path) -> None:
    take(bundle)
    (bundle.parent / "there" / "unsummed.gz").write_bytes(b"damaged")
    assert take(bundle) == {"summed.gz": "there already", "unsummed.gz": "imported"}


def test_the_sum_of_a_first_use_travels_along(bundle: Path) -> None:
    take(bundle)
    recorded = (bundle.parent / "there" / "unsummed.gz.sum.json").read_text()
    assert sha256(TEXTS["unsummed.gz"]).hexdigest() in recorded


@pytest.mark.parametrize("key", TEXTS)
def test_changed_bytes_are_refused(bundle: Path, key: str) -> None:
    bundle.write_bytes(bundle.read_bytes().replace(TEXTS[key], TEXTS[key].swapcase()))
    with pytest.raises(ValueError, match="wrong file, refused: expected sha256"):
        take(bundle)
    assert not (bundle.parent / "there" / key).exists()


@pytest.mark.parametrize(
    "name", ["archives/../../evil", "../evil", "/tmp/evil", "archives/not-named", "manifest.json"]
)
def test_what_the_manifest_does_not_name_is_refused(bundle: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"is no file of its manifest; .* not trusted"):
        take(rewritten(bundle, name, b"evil"))
    assert not (bundle.parent / "there").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE])
def test_links_and_folders_are_refused(bundle: Path, kind: bytes) -> None:
    with pytest.raises(ValueError, match="is no file of its manifest"):
        take(rewritten(bundle, "archives/summed.gz", b"", kind))


def test_a_manifest_cannot_name_a_place_elsewhere(tmp_path: Path) -> None:
    text = b'{"../../evil": "00"}'
    rewritten(tmp_path / "bundle.tar", "manifest.json", text)
    rewritten(tmp_path / "bundle.tar", "archives/../../evil", b"evil")
    done = take(tmp_path / "bundle.tar")
    assert done == {"../../evil": "left out: corpora.yaml has no archive of this name"}
    assert [path.name for path in tmp_path.iterdir()] == ["bundle.tar"]


@pytest.mark.parametrize("bytes_left", [0, 700, 1300, 2600])
def test_a_truncated_bundle_is_refused(bundle: Path, bytes_left: int) -> None:
    bundle.write_bytes(bundle.read_bytes()[:bytes_left])
    with pytest.raises(ValueError, match=r"copy it again|export it again"):
        take(bundle)


def test_a_damaged_archive_is_not_exported(bundle: Path) -> None:
    (bundle.parent / "here" / "summed.gz").write_bytes(b"damaged")
    with pytest.raises(ValueError, match=r"summed\.gz is damaged: expected sha256"):
        export_bundle(CORPORA, bundle.parent / "here", bundle.parent / "second.tar")
    assert not (bundle.parent / "second.tar").exists()


def test_nothing_to_export_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no archive of corpora"):
        export_bundle(CORPORA, tmp_path, tmp_path / "bundle.tar")
