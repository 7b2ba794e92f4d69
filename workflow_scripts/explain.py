"""Old name of ./deepmt explain."""

from moved import moved

if __name__ == "__main__":
    moved("commands.explain", "./deepmt explain")
