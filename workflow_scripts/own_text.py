"""Old name of python -m wings.text."""

from moved import moved

if __name__ == "__main__":
    moved("wings.text.__main__", "python -m wings.text")
