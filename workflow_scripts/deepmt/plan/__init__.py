"""What a target would cost before it runs: jobs, downloads, disk, hours, money's worth of rows."""
