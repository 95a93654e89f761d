"""Any attention kernel's answer, held to the bound of the precision in which it was computed."""
