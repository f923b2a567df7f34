"""The judges: each looks at one draft and says what it found."""
