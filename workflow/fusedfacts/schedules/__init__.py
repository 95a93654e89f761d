"""The schedules of others, counted: in which order their loops fetch tiles, and what that moves."""
