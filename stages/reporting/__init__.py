"""Tables, figures and comparisons: numbers in, text out."""
