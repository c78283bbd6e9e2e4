"""Word documents: written with scenes that can be found again, read with every change and comment in them."""
