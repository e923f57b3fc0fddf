"""How a model server is reached: its address and protocol, how calls fail, and when they may be made again."""
