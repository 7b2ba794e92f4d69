"""What runs cost and use: estimates, plans, status, hardware."""
