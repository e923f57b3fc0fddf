"""What tests share: commands, files, servers, examples."""
