"""What runs will cost: parameters, operations, memory, hours."""
