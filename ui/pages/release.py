from ui import frame

frame.heading("release", "To come.")
