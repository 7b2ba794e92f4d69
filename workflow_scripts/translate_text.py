"""Old name of ./deepmt translate."""

from moved import moved

if __name__ == "__main__":
    moved("commands.translate", "./deepmt translate")
