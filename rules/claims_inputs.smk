# What claims rest on beside cells.csv.


def tests_over_sentences(wildcards):
    """Tests of which systems differ, if they were asked for before."""
    paths = expand("{folder}/significance/{table}.csv", folder=RESULTS, table=TESTED)
    return [path for path in paths if Path(path).exists()]
