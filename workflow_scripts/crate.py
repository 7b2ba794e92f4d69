"""Old name of python -m wings.export.crate."""

from moved import moved

if __name__ == "__main__":
    moved("wings.export.crate", "python -m wings.export.crate")
