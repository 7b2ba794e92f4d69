"""Old name of ./deepmt status."""

from moved import moved

if __name__ == "__main__":
    moved("commands.status", "./deepmt status")
