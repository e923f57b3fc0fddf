"""What a library holds, as files to hand on."""
