"""Old name of ./deepmt plan."""

from moved import moved

if __name__ == "__main__":
    moved("commands.plan", "./deepmt plan")
