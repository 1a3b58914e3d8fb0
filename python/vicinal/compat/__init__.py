"""Drop-in replacements for neighbour searches of other packages."""
