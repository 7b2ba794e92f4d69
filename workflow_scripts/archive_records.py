"""Old name of ./deepmt archive."""

from moved import moved

if __name__ == "__main__":
    moved("commands.archive", "./deepmt archive")
