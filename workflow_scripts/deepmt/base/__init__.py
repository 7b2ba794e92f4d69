"""What every package may import: errors, files, command lines, sums of code."""
