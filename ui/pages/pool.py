from ui import frame

frame.heading("pool", "To come.")
