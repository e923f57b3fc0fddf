"""An answer as one file: whoever has the text repeats it from that, without a model, and sees whether all is alike."""
