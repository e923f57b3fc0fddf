"""Why a call failed: what a refusal says, the kind of failure, and the line that people see."""
