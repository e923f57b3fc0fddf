"""What tests of evaluations share."""
