"""Define the error that tells a user what to mend."""


class UserError(ValueError):
    """Name file, key or line, the rule that is broken and the mend; scripts print no traceback."""
