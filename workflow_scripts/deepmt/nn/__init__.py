"""Parts of the models; they never know each other's names, `deepmt.build` joins them.

Shapes: B sentences, S source length, T target length, D model width, H heads, K = D/H, F
feed-forward width, V vocabulary, N = B * beam hypotheses. Batch first; padding is on the right.
"""
