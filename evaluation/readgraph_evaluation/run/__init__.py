"""What the commands of evaluations do."""
