"""What a library keeps beside documents and their memories."""
