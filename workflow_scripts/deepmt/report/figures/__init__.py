"""Draw the figures of the papers from our results: points, picture and finding."""
