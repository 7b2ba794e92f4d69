"""From records to cells, tables and the report; needs neither torch nor the network."""
