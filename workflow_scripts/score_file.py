"""Old name of ./deepmt score."""

from moved import moved

if __name__ == "__main__":
    moved("commands.score", "./deepmt score")
