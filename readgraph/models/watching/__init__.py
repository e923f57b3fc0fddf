"""What calls and nodes do, told as records of logs and as spans."""
