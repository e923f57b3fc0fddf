"""Models that judge answers: who judges what, how each verdict is asked for, and how far a judge can be trusted."""
