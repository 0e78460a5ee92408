from ui import frame

frame.heading("leaderboard", "To come.")
