"""What the package does, recorded, so that code can move and nobody pays for a reading again."""
