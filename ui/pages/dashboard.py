from ui import frame

frame.heading("dashboard", "To come.")
