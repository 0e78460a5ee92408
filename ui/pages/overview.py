from ui import frame

frame.heading("overview", "To come.")
